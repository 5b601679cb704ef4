"""The Recording itself: tables in a plain header, structure and numbers in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from tapelab.errors import RecordingError
from tapelab.recording.drawable import FORMS, Pictured
from tapelab.recording.events import KIND_OF, Event, Located, unpack
from tapelab.recording.facts import WORDS
from tapelab.recording.measures import Measures
from tapelab.recording.nested import Nested
from tapelab.recording.op_facts import OpFacts
from tapelab.recording.previews import Previews

SCHEMA: Final = 1


@dataclass(frozen=True)
class TapeFacts:
    """How the tape was made, and whether it has answered already."""

    name: str = "tape"
    persistent: bool = False
    watch_accessed_variables: bool = True
    consumed: bool = False


@dataclass(frozen=True)
class Group:
    """A composite such as softmax, so that a picture can fold its ops."""

    name: str
    parent: int
    span: int


@dataclass(frozen=True)
class Source:
    """A cell or a file, or the part of it that matters."""

    title: str
    file: str
    first_line: int
    text: str

    def line(self, number: int) -> str:
        """One line of the text by its number in the cell or file; empty if it is not here."""
        lines = self.text.split("\n")
        at = number - self.first_line
        return lines[at] if 0 <= at < len(lines) else ""


@dataclass(frozen=True)
class VariableFacts:
    """A variable of the learner's.

    `tracked` says that a module or a layer lists it, `frozen` that its layer is not trained though
    tapes watch it.
    """

    name: str
    trainable: bool
    span: int
    shape: int
    dtype: int
    tracked: bool = False
    frozen: bool = False


@dataclass(frozen=True)
class Span:
    """A stretch of code; lines from 1, columns from 0 in characters, the end exclusive."""

    source: int
    line: int
    column: int
    end_line: int
    end_column: int


class Role:
    """What a tensor of a recording is (`tensor.role`)."""

    RESULT, STATE, CONSTANT, OUTSIDE, GRADIENT = range(5)


@dataclass(frozen=True)
class TensorFacts:
    """One tensor of a recording; `value` is None where the numbers were not kept.

    `words` has words as they are printed, where they are few.
    """

    index: int
    role: int
    shape: tuple[int, ...]
    dtype: str
    name: str
    named: bool
    variable: int
    span: int
    value: NDArray[Any] | None
    words: str = ""


Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Recording(Pictured):
    """What one tape saw, and what was asked of it, with nothing alive in it."""

    maker: str
    tape: TapeFacts
    strings: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    ops: tuple[OpFacts, ...]
    groups: tuple[Group, ...]
    sources: tuple[Source, ...]
    variables: tuple[VariableFacts, ...]
    columns: Columns = field(repr=False)
    nested: tuple[Nested, ...] = ()
    read_from: bytes = field(default=b"", init=False, repr=False)
    """The bytes that a long one was read from, packed or not: they need not be made anew."""

    def save(self, path: str | PathLike[str]) -> Path:
        """Write it to a `.tape` file, whole or not at all; a name without that ending gets it.

        A name that ends as a picture does, such as `.html` or `.png`, gets the picture.
        """
        from tapelab.recording.files import save  # which makes bytes of recordings

        return super().save(path) if Path(path).suffix.lower() in FORMS else save(self, path)

    @staticmethod
    def load(path: str | PathLike[str]) -> Recording:
        """The recording in a `.tape` file; RecordingError where there is none that can be read."""
        from tapelab.recording.files import load  # which makes recordings of bytes

        return load(path)

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
        found = self._kept.get(at)
        if found is None:
            index = range(len(self))[at]
            event = self._recording.event(index)
            found = Located(index, event, self._spans[index], self._threads[index])
            self._kept[index] = found
        return found


_TENSOR = ("role", "shape", "dtype", "name", "named", "variable", "span", "value")
_TABLES = (
    *("maker", "tape", "strings", "shapes", "dtypes"),
    *("ops", "groups", "sources", "variables", "nested"),
)


def _same_bytes(mine: NDArray[Any], other: NDArray[Any]) -> bool:
    return mine.dtype == other.dtype and mine.tobytes() == other.tobytes()
