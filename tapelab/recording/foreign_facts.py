"""What a recording knows of other frameworks' programs: schema 2 of the file.

Each fact holds for few tensors or events, so it is a sparse table: one column says of which, the
others what. A table that would be empty is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tapelab.recording import events as e
from tapelab.recording.schema import GroupKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.recording.schema import Columns, RecordingData

COLUMNS: Final = (
    *("alias.tensor", "alias.storage", "alias.version"),
    *("upstream.event", "upstream.tensor"),
    "library.event",
    *("device.tensor", "device.name"),
    *("failure.call", "failure.event", "failure.writer"),
)
"""The columns of schema 2."""


class Alias(NamedTuple):
    """The storage that a tensor shares with others, and how often it had been written to."""

    storage: int
    version: int


class Failure(NamedTuple):
    """Why a gradient call raised an error: an op's saved values, and the event that overwrote them.

    `event` is -1 where no op is to blame; `writer` is -1 where the values were freed.
    """

    event: int
    writer: int


class ForeignFacts:
    """The readers of the sparse tables; a part of `Recording`."""

    columns: Columns
    strings: tuple[str, ...]

    @cached_property
    def aliases(self) -> Mapping[int, Alias]:
        """The storage and version of each tensor that is a view or was written in place."""
        rows = zip(*(self._listed(name) for name in COLUMNS[:3]), strict=True)
        return {tensor: Alias(storage, version) for tensor, storage, version in rows}

    @cached_property
    def further_upstreams(self) -> Mapping[int, tuple[int, ...]]:
        """The upstream gradients of an op's other outputs, by the `Flowed` event they enter."""
        upstreams: dict[int, tuple[int, ...]] = {}
        for event, tensor in zip(*map(self._listed, COLUMNS[3:5]), strict=True):
            upstreams[event] = (*upstreams.get(event, ()), tensor)
        return upstreams

    @cached_property
    def library_events(self) -> frozenset[int]:
        """The events of ops that a library ran for the line of the user's code they stand at."""
        return frozenset(self._listed("library.event"))

    @cached_property
    def devices(self) -> Mapping[int, str]:
        """The device of each tensor that is not in the memory of the processor."""
        rows = zip(*map(self._listed, COLUMNS[6:8]), strict=True)
        return {tensor: self.strings[name] for tensor, name in rows}

    @cached_property
    def failures(self) -> Mapping[int, Failure]:
        """Why gradient calls raised an error, by their `Asked` events."""
        rows = zip(*map(self._listed, COLUMNS[8:11]), strict=True)
        return {call: Failure(event, writer) for call, event, writer in rows}

    def _listed(self, name: str) -> list[int]:
        values: NDArray[Any] | None = self.columns.get(name)
        return [] if values is None else [int(each) for each in values]


def are_in(recording: RecordingData) -> bool:
    """Whether a recording has anything that only schema 2 can hold."""
    return bool(
        recording.framework
        or any(name in recording.columns for name in COLUMNS)
        or any(each.path for each in recording.variables)
        or any(each.path or each.kind == GroupKind.COMPILED for each in recording.groups)
        or np.any(recording.columns["event.kind"] == e.KIND_OF[e.Accumulated])
    )
