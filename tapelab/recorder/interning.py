"""The growing tables of a recording: each value is entered once and known by its index."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from math import prod
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.core.large_values import Dropped, truncated
from tapelab.core.origin import Origin
from tapelab.core.value_types import Nest, Value
from tapelab.recorder.shared_buffers import shared_buffers
from tapelab.recording import source
from tapelab.recording.facts import KEPT_ELEMENTS, WORDS
from tapelab.recording.measures import Measure, measured
from tapelab.recording.measures import as_columns as measure_columns
from tapelab.recording.previews import Preview, PreviewBudget
from tapelab.recording.previews import as_columns as preview_columns
from tapelab.recording.schema import Role, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray


Kind = tuple[tuple[int, ...], Any]
"""A shape and a dtype."""
NOWHERE: Final = np.array([-1, 0, -1, -1], np.intc)
"""The name, whether it is one, the variable and the span of a tensor without an origin."""


def kinds_of(values: Sequence[Any], types: set[type]) -> dict[Kind, Sequence[int]]:
    """The positions of the values of each shape and dtype; scalars of one type have only one."""
    first = next(iter(types), object)
    if len(types) == 1 and issubclass(first, np.number):
        return {((), np.dtype(first)): range(len(values))}
    kinds: dict[Kind, list[int]] = {}
    for at, value in enumerate(values):
        kinds.setdefault((value.shape, value.dtype), []).append(at)
    return dict(kinds)


def is_kept(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bool:
    """Whether the elements of a value are real numbers, and few enough to be kept."""
    return 0 < prod(shape) <= KEPT_ELEMENTS and dtype.kind in "fiub"


def distinct(things: Sequence[Any]) -> tuple[list[Any], NDArray[np.intc]]:
    """The different objects among many that are mostly the same, and which of them each is."""
    known = dict(zip(map(id, things), things, strict=True))
    numbers = dict(zip(known, range(len(known)), strict=True))
    at = np.fromiter(map(numbers.__getitem__, map(id, things)), np.intc, len(things))
    return list(known.values()), at


def numbers_of(values: Sequence[Any], dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """The elements of values of one shape and dtype, in a row for each value."""
    # Where the dtype is that of the values, NumPy copies them without asking each for its number.
    return np.array(values, dtype).reshape(len(values), -1).astype(np.float64)


Extent = source.Extent
CELL: Final = "<module>"
"""What Python calls the code of a cell, or of a file that is no function's."""
_TAPE: Final = re.compile(r"\bas (\w+)")


class Interned(dict[Any, int]):
    """Different values in the order in which they were first met, each with its index."""

    def index(self, key: Any) -> int:
        """The index of a key, entered now if it is new."""
        index = self.get(key)
        if index is None:
            index = self[key] = len(self)
        return index


class Spans:
    """Spans of the user's source code, and the names that assignments give to their values."""

    def __init__(self) -> None:
        self.by_place: dict[tuple[int, int], int] = {}
        self.rows: list[tuple[int, int, int, int, int]] = []
        self.functions: list[str] = []
        self.files = Interned()
        self._names: dict[str, source.Names] = {}
        self._alive: list[Any] = []

    def of(self, code: Any, instruction: int) -> int:
        """The span of an instruction."""
        place = id(code), instruction
        span = self.by_place.get(place)
        if span is None:
            self._alive.append(code)
            file = self.files.index(code.co_filename)
            span = self.by_place[place] = len(self.rows)
            self.rows.append((file, *source.extent_of(code, instruction)))
            self.functions.append(source.function_of(code))
        return span

    def of_origin(self, origin: Origin | None) -> int:
        """The span where something was made; -1 without an origin."""
        return -1 if origin is None else self.of(*place_of(origin))

    def name(self, span: int) -> str:
        """The name that the code gives to what a span computes; empty if it gives none."""
        if span < 0:
            return ""
        return self._names_at(span).by_extent.get(self.extent(span), "")

    def _names_at(self, span: int) -> source.Names:
        return self._names_in(list(self.files)[self.rows[span][0]])

    def _names_in(self, file: str) -> source.Names:
        if file not in self._names:
            self._names[file] = source.Names.of(file)
        return self._names[file]

    def targets(self, span: int) -> tuple[str, ...]:
        """The names that the code unpacks what a span computes into; none if it does not."""
        return self._names_at(span).unpacked.get(self.extent(span), ()) if span >= 0 else ()

    def returns(self, code: CodeType) -> Sequence[tuple[str | Extent, ...]]:
        """What each `return` of a function returns: names, and the places of other expressions."""
        names = self._names_in(code.co_filename)
        return names.returns.get((code.co_firstlineno, code.co_name), ())

    def extent(self, span: int) -> Extent:
        """Where a span stands in its file."""
        return self.rows[span][1:]

    def text(self, span: int) -> str:
        """The source text of a span, its first line if it has several."""
        if span < 0:
            return ""
        file, line, start, end_line, end = self.rows[span]
        lines = source.lines_of(list(self.files)[file])
        if not 0 < line <= len(lines):
            return ""
        return lines[line - 1][start : end if end_line == line else None]

    def whole_text(self, span: int) -> str:
        """The source text of a span in one line."""
        file, line, start, end_line, end = self.rows[span]
        lines = source.lines_of(list(self.files)[file])[line - 1 : end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        return " ".join(" ".join(lines).split())

    def tape(self, span: int) -> str:
        """What a `with` calls the tape that it opens."""
        name = _TAPE.search(self.text(span))
        return self.name(span) or (name[1] if name else "tape")

    def sources(self) -> tuple[Source, ...]:
        """The cells and files that the spans lie in."""
        used: dict[int, list[int]] = {}
        for file, line, _, end_line, _ in self.rows:
            used.setdefault(file, []).extend((line, end_line))
        sources = []
        for number, file in enumerate(self.files):
            first, text = source.window(file, used[number])
            shown = "" if file.startswith("<") else file.rsplit("/", 1)[-1]
            sources.append(Source(source.title_of(file), shown, first, text))
        return tuple(sources)


def place_of(origin: Origin) -> tuple[CodeType, int]:
    """The code and the instruction of an origin.

    An op of a traced function that is not the user's, such as `tf.function(model)`, has the place
    where that was called when it was traced: in a cell, which runs but once. The composite that the
    op runs in says where it is called now.
    """
    code, scope = origin.code, origin.scope
    place = code, origin.instruction
    while scope is not None and code.co_name == CELL:
        if scope.code.co_name == CELL and scope.code.co_filename == code.co_filename:
            place = scope.code, scope.instruction
        scope = scope.outer
    return place


_COLUMNS = {
    "role": "u1",
    "shape": "<i4",
    "dtype": "<i4",
    "name": "<i4",
    "named": "u1",
    "variable": "<i4",
    "span": "<i4",
    "value": "<i4",
}

WIDTH: Final = len(_COLUMNS)
MOST_WORDS: Final = 16
LONGEST_WORDS: Final = 120
"""Words that are more, or longer when they are printed, are not kept."""


class Tensors:
    """The tensors of a recording as columns."""

    def __init__(self, strings: Interned) -> None:
        self.by_id = Interned()
        self._strings = strings
        self.shapes = Interned()
        self.dtypes = Interned()
        self.rows = array("i")
        self._known: dict[Any, int] = {}
        self._single: dict[type, tuple[int, int]] = {}
        self.values = array("d")
        self.measures: dict[int, Measure] = {}
        self.previews: dict[int, Preview] = {}
        self.gone: set[int] = set()
        self._alive: list[Any] = []
        self._room = PreviewBudget()

    def add(
        self, value: Value, role: int, span: int = -1, name: int = -1, named: int = 0,
        variable: int = -1,
    ) -> int:  # fmt: skip
        """Enter one tensor; returns its index."""
        at = len(self.rows) // WIDTH
        self._alive.append(value)
        single = self._single.get(type(value))
        if single is not None:
            self.rows.extend((role, *single, name, named, variable, span, len(self.values)))
            self.values.append(value)
            return at
        shape, dtype = self.shapes.index(value.shape), self._known.get(value.dtype, -1)
        if dtype < 0:
            dtype = self._dtype(value.dtype)
        if isinstance(value, np.number) and value.dtype.kind in "fiu":
            self._single[type(value)] = shape, dtype
        kept = self._keep(value)
        self.rows.extend((role, shape, dtype, name, named, variable, span, kept))
        if kept < 0:
            self.measure(at, value)
        return at

    def add_all(
        self, values: Sequence[Any], role: int, places: NDArray[np.intc] = NOWHERE
    ) -> range:
        """Enter many tensors, with the name, whether it is one, variable and span of each."""
        first, types = len(self.rows) // WIDTH, {*map(type, values)}
        kinds = kinds_of(values, types)
        if all(is_kept(*kind) for kind in kinds) and Dropped not in types:
            rows = np.empty((len(values), WIDTH), np.intc)
            rows[:, 0], rows[:, 3:7] = role, places
            for (shape, dtype), chosen in kinds.items():
                rows[chosen, 1:3] = self.shapes.index(shape), self._dtype(dtype)
                alike = values if len(kinds) == 1 else [values[at] for at in chosen]
                rows[chosen, 7] = self._keep_all(alike, dtype)
            self.rows.frombytes(rows.tobytes())
            self._alive += values
        else:
            given = np.broadcast_to(places, (len(values), 4)).tolist()
            for value, (name, named, variable, span) in zip(values, given, strict=True):
                self.add(value, role, span, name, named, variable)
        return range(first, first + len(values))

    def _keep_all(self, values: Sequence[Any], dtype: np.dtype[Any]) -> Any:
        """Where the elements of values of one shape begin among all."""
        numbers = numbers_of(values, dtype)
        starts = len(self.values) + np.arange(len(values)) * numbers.shape[1]
        self.values.frombytes(numbers.tobytes())
        return starts

    def measure(self, at: int, value: Value) -> None:
        """Keep the measure and the preview of a large tensor whose elements are still there."""
        if at in self.measures:
            return
        gone = type(value) is Dropped
        measure = value.measure if gone else measured(value)
        if measure is None:
            if gone:
                self.gone.add(at)
            return
        self.measures[at] = measure
        image = self.rows[at * WIDTH] != Role.GRADIENT
        preview = value.preview if gone else self._room.preview(value, image=image)
        if preview is not None:
            self.previews[at] = preview

    def shape(self, index: int) -> tuple[int, ...]:
        """The shape of a tensor."""
        shapes: list[tuple[int, ...]] = list(self.shapes)
        return shapes[self.rows[index * WIDTH + list(_COLUMNS).index("shape")]]

    def variable(self, index: int) -> int:
        """The variable that a tensor is a state of; -1 for none."""
        return self.rows[index * WIDTH + list(_COLUMNS).index("variable")]

    def release(self, index: int) -> None:
        """Give back the memory of a large tensor, whose measure and preview are kept."""
        self._alive[index] = truncated(self._alive[index])

    def rename(self, index: int, name: int, *, named: bool = False) -> None:
        """Give a tensor another name of the user's, or a text of ours in place of it."""
        at = index * WIDTH
        self.rows[at + list(_COLUMNS).index("name")] = name
        self.rows[at + list(_COLUMNS).index("named")] = int(named)

    def is_named(self, index: int) -> bool:
        """Whether a tensor has a name of the user's."""
        return bool(self.rows[index * WIDTH + list(_COLUMNS).index("named")])

    def _dtype(self, dtype: np.dtype[Any]) -> int:
        name = "string" if dtype.kind == "O" else dtype.name
        index = self._known[dtype] = self.dtypes.index(name)
        return index

    def _keep(self, value: Value) -> int:
        if type(value) is Dropped or value.size > KEPT_ELEMENTS:
            return -1
        if value.dtype.kind == "O":
            printed = words_of(value)
            return WORDS - self._strings.index(printed) if printed else -1
        at = len(self.values)
        if value.ndim == 0 and value.dtype.kind in "fiub":
            self.values.append(value)
            return at
        kind = np.complex128 if value.dtype.kind == "c" else np.float64
        self.values.frombytes(np.asarray(value, kind).tobytes())
        return at

    def as_columns(self) -> dict[str, NDArray[Any]]:
        """The columns of the file format."""
        rows = np.array(self.rows, "<i4").reshape(-1, len(_COLUMNS))
        columns = {
            f"tensor.{name}": rows[:, at].astype(kind)
            for at, (name, kind) in enumerate(_COLUMNS.items())
        }
        large = measure_columns(self.measures) | preview_columns(self.previews)
        shared = shared_buffers(self._alive)
        return {**columns, **large, **shared, "values": np.array(self.values, "<f8")}


def words_of(value: NDArray[Any]) -> str:
    """Words as they are printed, such as `[b'yes' b'no']`; nothing where they are too many."""

    def printed(part: Nest) -> str:
        return f"[{' '.join(map(printed, part))}]" if isinstance(part, list) else repr(part)

    text = printed(value.tolist()) if value.size <= MOST_WORDS else ""
    return text if len(text) <= LONGEST_WORDS else ""
