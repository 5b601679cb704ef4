"""A recording with what is read out of it once, for all questions about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tapelab.diagnosis.code import Codes
from tapelab.diagnosis.flow import Flow
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.recording import Recording


class Reached:
    """Some tensors of a recording, as one flag for each."""

    def __init__(self, flags: bytearray) -> None:
        self._flags = flags

    def __contains__(self, tensor: int) -> bool:
        return bool(self._flags[tensor])

    def __iter__(self) -> Iterator[int]:
        return iter(np.flatnonzero(np.frombuffer(self._flags, np.uint8)).tolist())

    def isdisjoint(self, tensors: Iterable[int]) -> bool:
        """Whether none of some tensors is among them."""
        return not any(self._flags[tensor] for tensor in tensors)


@dataclass(frozen=True)
class Account:
    """A recording, and what is read out of it once for all questions."""

    recording: Recording

    @cached_property
    def flow(self) -> Flow:
        """All steps of all values."""
        return Flow(self.recording, self.codes)

    @cached_property
    def codes(self) -> Codes:
        """The learner's code."""
        return Codes(self.recording)

    @cached_property
    def asked(self) -> dict[int, e.Asked]:
        """The questions, by the numbers of their calls."""
        events = (place.event for place in self.recording.placed(e.Asked))
        return {event.call: event for event in events if isinstance(event, e.Asked)}
