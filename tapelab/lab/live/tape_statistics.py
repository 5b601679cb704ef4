"""Numbers that the Tape panel shows: norms, losses, and the ops and bytes of a tape.

`Meter` counts a tape while it records: each call takes up where the last one ended, and counts a
bounded number of records, so that a long tape costs no frame more than a few milliseconds.
"""

from __future__ import annotations

import math
from itertools import islice
from types import CodeType
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.large_values import Dropped
from tapelab.core.origin import ModuleScope, Scope
from tapelab.core.records import OP_RUNS, TapedCall, as_op_run, kind_of, tapes_of, view
from tapelab.recording.schema import Role, TensorFacts
from tapelab.views.number_format import format_brief

if TYPE_CHECKING:
    from tapelab.core.origin import Origin
    from tapelab.core.records import OpRun, Record
    from tapelab.core.tape import GradientTape
    from tapelab.core.tensor import Tensor

Carried = float | str | None
"""A number as JSON takes it: what is not finite goes as a word."""
AT_ONCE: Final = 1 << 20
"""So many elements of a gradient are squared at once."""
ROOM: Final = 28
"""The value of a variable takes at most so many characters."""


def carried(number: float | None) -> Carried:
    """A number that JSON can carry."""
    if number is None or math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"


def norm(result: Tensor | IndexedSlices | Dropped | None) -> float | None:
    """The length of a gradient as a vector; None if there is none, or its numbers were not kept.

    Of `IndexedSlices` the norm of their values, as they were propagated.
    """
    if isinstance(result, IndexedSlices):
        result = result.values
    value: Any = getattr(result, "_value", result)
    if value is None or type(value) is Dropped:
        return None
    flat = np.ravel(value)
    if flat.dtype.kind == "c":
        flat = np.abs(flat)
    parts = (flat[at : at + AT_ONCE] for at in range(0, flat.size, AT_ONCE))
    return math.sqrt(sum(map(_squared, parts)))


def _squared(part: NDArray[Any]) -> float:
    """Not as a product of vectors, which would wake the threads that the learner's code needs."""
    part = part.astype(np.float64)
    with np.errstate(all="ignore"):
        return float(np.add.reduce(part * part))


def loss(values: list[Any]) -> float | None:
    """The sum of targets, which is what is differentiated; None if numbers were not kept."""
    if any(type(value) is Dropped for value in values):
        return None
    with np.errstate(all="ignore"):
        total = sum(np.sum(value) for value in values)
    return None if np.iscomplexobj(total) else float(total)


def nbytes(value: NDArray[Any] | Dropped) -> int:
    """The size of a value in bytes; 0 for strings."""
    dtype = value.dtype
    return 0 if dtype.kind == "O" else math.prod(value.shape) * int(dtype.itemsize)


def brief(value: NDArray[Any] | Dropped, dtype: str) -> str:
    """A value in a few characters: its numbers, or else its shape."""
    array = None if type(value) is Dropped else np.asarray(value)
    facts = TensorFacts(-1, Role.STATE, tuple(value.shape), dtype, "", False, -1, -1, array)
    return format_brief(facts, ROOM)


A_LOOK: Final = 4_000
"""So many records are counted in one look, which takes a few milliseconds."""
PLACES: Final = 1_000
"""So many places of the code are remembered."""
MOST_PARTS: Final = 8


class Meter:
    """Counts the ops of one tape, the bytes they keep, and the lines they stand in."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = ref(tape)
        self.ops = self.bytes = 0
        self.exact = True
        self.places: dict[tuple[CodeType, int], Origin] = {}
        self.last: Origin | None = None
        self._serial = tape._serial
        self._opened = tape._opened
        self._parts: dict[str, int] = {}
        self._counted: set[int] = set()
        self._window = self._at = 0

    def is_of(self, tape: GradientTape) -> bool:
        """Whether this is the counted tape, and it was not reset."""
        return self.tape() is tape and self._opened == tape._opened

    def look(self, tape: GradientTape) -> None:
        """Count what is new, as far as one look goes."""
        left, self.exact = A_LOOK, True
        for number, (log, start, stop) in enumerate(list(tape._windows)):
            if number > self._window and self.exact:
                self._window, self._at = number, start
            if number == self._window:
                at = max(self._at, start)
                end = len(log.records) if stop is None else stop
                self._at = min(end, at + left)
                for record in log.records[at : self._at]:
                    self._count(record)
                left -= self._at - at
                self.exact = self._at >= end

    def _count(self, record: Record) -> None:
        kind = kind_of(record)
        if kind in OP_RUNS and self._serial in tapes_of(record):
            self._count_op(as_op_run(record))
        elif kind is TapedCall and self._serial in tapes_of(record):
            for run in map(as_op_run, view(TapedCall, record).call.op_runs(record)):
                if self._serial in run.tapes:
                    self._count_op(run)

    def _count_op(self, run: OpRun) -> None:
        origin, fresh = run.origin, 0
        for number, value in (*zip(run.input_ids, run.inputs, strict=True), *run.result_pairs):
            if number not in self._counted:
                self._counted.add(number)
                fresh += nbytes(value)
        self.ops += 1
        self.bytes += fresh
        part = _part(origin.scope).name if origin.scope else run.op.name
        self._parts[part] = self._parts.get(part, 0) + fresh
        self.last = origin
        if len(self.places) < PLACES:
            self.places.setdefault((origin.code, origin.instruction), origin)

    def parts(self) -> list[list[Any]]:
        """Who keeps the bytes, in the order of the tape; of many the largest."""
        large = sorted(self._parts, key=lambda part: self._parts[part], reverse=True)
        shown = {*islice(large, MOST_PARTS)}
        return [[part, held] for part, held in self._parts.items() if part in shown and held]


def _part(scope: Scope) -> Scope:
    """The outermost call that an op ran in; of a model that has parts, the part."""
    part = scope
    while scope.outer is not None:
        part, scope = scope, scope.outer
    return part if type(scope) is ModuleScope else scope
