"""The Recording itself: how its events, tensors and places are read, and how it is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from tapelab.errors import RecordingError
from tapelab.recording.atomic_write import SUFFIX, write
from tapelab.recording.codec import decode, to_packed
from tapelab.recording.drawable import FORMS, Pictured
from tapelab.recording.events import KIND_OF, Event, Located, Ran, unpack
from tapelab.recording.facts import WORDS
from tapelab.recording.foreign_facts import ForeignFacts
from tapelab.recording.measures import Measures
from tapelab.recording.previews import Previews
from tapelab.recording.schema import GroupKind, RecordingData, Settings, Span, TensorFacts


class Recording(RecordingData, ForeignFacts, Pictured):
    """What one tape saw, and what was asked of it, with nothing alive in it."""

    def save(self, path: str | PathLike[str]) -> Path:
        """Write it to a `.tape` file, whole or not at all; a name without that ending gets it.

        A name that ends as a picture does, such as `.html` or `.png`, gets the picture.
        """
        if Path(path).suffix.lower() in FORMS:
            return super().save(path)
        file = Path(path)
        if file.suffix.lower() != SUFFIX:
            file = file.with_name(file.name + SUFFIX)
        return write(file, to_packed(self))

    @staticmethod
    def load(path: str | PathLike[str]) -> Recording:
        """The recording in a `.tape` file; RecordingError where there is none that can be read."""
        try:
            return from_bytes(Path(path).read_bytes())
        except RecordingError as error:
            raise RecordingError(f"{os.fspath(path)}: {error}") from error

    def said(self) -> Iterator[str]:
        """What the authors of its ops say of them, in English: a catalogue may say it otherwise."""
        for op in self.ops:
            yield from op.said()

    def __len__(self) -> int:
        """The number of events."""
        return len(self.columns["event.kind"])

    def event(self, index: int) -> Event:
        """The event at an index."""
        start = self.columns["event.start"]
        fields = self.columns["event.fields"][start[index] : start[index + 1]]
        return unpack(int(self.columns["event.kind"][index]), fields.tolist())

    def __iter__(self) -> Iterator[Located]:
        spans, threads = self.columns["event.span"], self.columns["event.thread"]
        for index in range(len(self)):
            yield Located(index, self.event(index), int(spans[index]), int(threads[index]))

    @cached_property
    def located(self) -> Happenings:
        """All events with their places, in order; each is read when it is first looked at."""
        return Happenings(self)

    @cached_property
    def event_spans(self) -> list[int]:
        """The span of each event."""
        spans: list[int] = self.columns["event.span"].tolist()
        return spans

    def placed(self, *kinds: type[Event]) -> list[Located]:
        """The events of some kinds, in order, without a look at the others."""
        wanted = np.isin(self.columns["event.kind"], [KIND_OF[kind] for kind in kinds])
        return [self.located[index] for index in np.flatnonzero(wanted).tolist()]

    @cached_property
    def measures(self) -> Measures:
        """What is known of the numbers of all tensors."""
        return Measures(self)

    @cached_property
    def previews(self) -> Previews:
        """What the large tensors look like, by their index; RecordingError if that is damaged."""
        try:
            return Previews(self)
        except (KeyError, ValueError, OverflowError) as error:
            raise RecordingError(f"The previews in this recording are damaged: {error}.") from error

    def span(self, index: int) -> Span | None:
        """A stretch of code by its index; None for -1."""
        if index < 0:
            return None
        return self._spans[index]

    @cached_property
    def _spans(self) -> list[Span]:
        names = ("source", "line", "column", "end_line", "end_column")
        return list(map(Span, *(self.columns[f"span.{name}"].tolist() for name in names)))

    def composite_of(self, ran: Ran) -> int:
        """The innermost composite or module that an op is part of; -1 for none."""
        group = ran.group
        while group >= 0 and self.groups[group].kind not in COMPUTING:
            group = self.groups[group].parent
        return group

    def text_at(self, index: int) -> str:
        """The source text of a span; only its first line if it has several."""
        span = self.span(index)
        if span is None or span.source < 0:
            return ""
        line = self.sources[span.source].line(span.line)
        return line[span.column : span.end_column if span.end_line == span.line else None]

    def function_at(self, index: int) -> str:
        """The function that a span stands in, such as `Dense.call`; empty for a cell or a file."""
        functions = self.columns.get("span.function")
        if functions is None or index < 0 or functions[index] < 0:
            return ""
        name: str = self.strings[functions[index]]
        return name

    @cached_property
    def settings_of(self) -> Mapping[int, Settings]:
        """What ops were given beside their inputs, by the event in which they ran."""
        if "setting.event" not in self.columns:
            return {}
        events, rows = (self.columns[f"setting.{name}"].tolist() for name in ("event", "row"))
        return {event: self.settings[row] for event, row in zip(events, rows, strict=True)}

    def tensor(self, index: int) -> TensorFacts:
        """One tensor by its index."""
        column = {name: int(self.columns[f"tensor.{name}"][index]) for name in _TENSOR}
        shape, dtype = self.shapes[column["shape"]], self.dtypes[column["dtype"]]
        return TensorFacts(
            index=index, role=column["role"], shape=shape, dtype=dtype,
            name=self.strings[column["name"]] if column["name"] >= 0 else "",
            named=bool(column["named"]), variable=column["variable"], span=column["span"],
            value=self._value(column["value"], shape, dtype),
            words=self.strings[WORDS - column["value"]] if column["value"] <= WORDS else "",
        )  # fmt: skip

    def _value(self, at: int, shape: tuple[int, ...], dtype: str) -> NDArray[Any] | None:
        if at < 0:
            return None
        size = int(np.prod(shape, dtype=np.int64))
        if dtype.startswith("complex"):
            return self.columns["values"][at : at + 2 * size].view(np.complex128).reshape(shape)
        return self.columns["values"][at : at + size].astype(dtype).reshape(shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Recording):
            return NotImplemented
        if any(getattr(self, name) != getattr(other, name) for name in _TABLES):
            return False
        return self.columns.keys() == other.columns.keys() and all(
            _same_bytes(mine, other.columns[name]) for name, mine in self.columns.items()
        )

    def __hash__(self) -> int:
        return hash((self.maker, self.strings, len(self)))


def from_bytes(data: bytes | bytearray | memoryview, most: int | None = None) -> Recording:
    """The recording in some bytes, packed or not; RecordingError if none can be read from them.

    `most` is how many bytes its columns may have; by default, as many as there is memory.
    """
    return decode(data, Recording, most)


class Happenings(Sequence[Located]):
    """The events of a recording, read one by one and kept."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._kept: dict[int, Located] = {}
        self._spans = recording.event_spans
        self._threads = recording.columns["event.thread"].tolist()

    def __len__(self) -> int:
        return len(self._spans)

    @overload
    def __getitem__(self, at: int) -> Located: ...

    @overload
    def __getitem__(self, at: slice) -> list[Located]: ...

    def __getitem__(self, at: int | slice) -> Located | list[Located]:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        located = self._kept.get(at)
        if located is None:
            index = range(len(self))[at]
            event = self._recording.event(index)
            located = Located(index, event, self._spans[index], self._threads[index])
            self._kept[index] = located
        return located


COMPUTING: Final = frozenset({GroupKind.COMPOSITE, GroupKind.MODULE})
"""The kinds of the groups that functions and classes of tf make."""
_TENSOR = ("role", "shape", "dtype", "name", "named", "variable", "span", "value")
_TABLES = (
    *("maker", "tape", "strings", "shapes", "dtypes"),
    *("ops", "groups", "sources", "variables", "nested", "settings", "framework"),
)


def _same_bytes(mine: NDArray[Any], other: NDArray[Any]) -> bool:
    return mine.dtype == other.dtype and mine.tobytes() == other.tobytes()
