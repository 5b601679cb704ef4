"""A fusion group as plain data: elementwise steps and reductions on the same rows and columns.

The axes of a shape are split once: those before the split axis are the rows, the others the
columns; axes of size 1 do not count. `broadcast` and `reducing` say which layouts operands and
reductions need, and where they split the axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from tapelab.compile.program import Kind, ProgramOp, Settings
from tapelab.ops import broadcasting, reduce_ops

Layout = Literal["full", "row", "column", "one"]
"""How an operand lies on rows and columns: a number for each entry, for each column (the same in
all rows), for each row, or one for all."""
How = Literal["sum", "max", "min"]
Along = Literal["all", "row", "column"]

BLOCK: Final = 512
"""So many entries of a row are computed at once; their sums are rounded once in float64."""


@dataclass(frozen=True)
class Operand:
    """An input of a group: how it lies, and its kind."""

    layout: Layout
    kind: str
    scalar: bool = False  # a NumPy scalar and not an array


@dataclass(frozen=True)
class Step:
    """One op, or a constant, on values of the group; these are numbered, operands before steps."""

    op: ProgramOp | None
    inputs: tuple[int, ...]
    settings: tuple[tuple[str, Any], ...]
    kind: str


@dataclass(frozen=True)
class Reduction:
    """A result that takes many entries to one: of all, of each row, or of each column."""

    value: int
    how: How
    along: Along
    count: float = 1.0


@dataclass(frozen=True)
class Group:
    """What is computed for each entry of some rows and columns, and what is kept of it."""

    rows: int
    columns: int
    entries: int  # the last row may be shorter
    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]
    stored: tuple[int, ...]
    reductions: tuple[Reduction, ...]

    @property
    def arrays(self) -> int:
        """How many arrays a block reads and writes, but for those of sums along rows."""
        by_column = sum(each.along == "column" for each in self.reductions)
        return len(self.operands) + len(self.stored) + by_column

    def kind(self, value: int) -> str:
        """The kind of a value."""
        known = len(self.operands)
        return self.operands[value].kind if value < known else self.steps[value - known].kind


Shape = tuple[int, ...]


@dataclass(frozen=True)
class Placement:
    """The layout of something, and where it needs the axes to be cut; None if anywhere."""

    layout: Layout
    split_axis: int | None = None


@dataclass(frozen=True)
class Reducing:
    """What a reduction does, and where it needs the axes to be cut."""

    how: How
    along: Along
    split_axis: int | None
    count: int


def broadcast(shape: Shape, whole: Shape) -> Placement | None:
    """How an array lies that is broadcast; None if it is repeated along axes in between."""
    if math.prod(shape) == 1:
        return Placement("one")
    padded = (1,) * (len(whole) - len(shape)) + shape
    kept = [n != 1 for n in padded]
    axes = [at for at, n in enumerate(whole) if n != 1]
    if all(kept[at] for at in axes):
        return Placement("full")
    first, last = [kept[at] for at in axes].index(True), [kept[at] for at in axes][::-1].index(True)
    if all(kept[at] for at in axes[first:]):
        return Placement("row", axes[first])
    if all(kept[at] for at in axes[: len(axes) - last]):
        return Placement("column", axes[len(axes) - last])
    return None


def spread_shape(shape: Shape, whole: Shape, axis: Shape | None, keepdims: bool) -> Shape:
    """The shape of what a sum over axes left, with these axes as ones."""
    if keepdims or axis is None or not shape:
        return shape
    gone = {each % len(whole) for each in axis}
    return tuple(1 if at in gone else n for at, n in enumerate(whole))


def is_reduction(op: ProgramOp) -> bool:
    """Whether an op is a reduction that a group may end with."""
    return op in _HOWS


def reducing(op: ProgramOp, settings: Settings, kind: Kind, result: Kind) -> Reducing | None:
    """What a reduction takes together; None if that is not the beginning or the end of the axes."""
    how = _HOWS.get(op)
    if how is None or kind.dtype.char not in "fd" or kind.dtype != result.dtype:
        return None
    axes = [at for at, n in enumerate(kind.shape) if n != 1]
    gone = _gone(op, dict(settings), kind.shape)
    taken = [at in gone for at in axes]
    count = math.prod(kind.shape[at] for at in axes if at in gone)
    shared = count if op is reduce_ops.reduce_mean else 1
    if not any(taken):
        return None
    if all(taken):
        return Reducing(how, "all", None, shared)
    first = taken.index(True)
    if all(taken[first:]):
        return Reducing(how, "row", axes[first], shared)
    end = taken.index(False)
    if not any(taken[end:]) and how == "sum" and shared == 1:
        return Reducing(how, "column", axes[end], shared)
    return None


def _gone(op: ProgramOp, settings: dict[str, Any], shape: Shape) -> set[int]:
    if op is broadcasting.sum_to:
        padded = (1,) * (len(shape) - len(settings["shape"])) + tuple(settings["shape"])
        return {at for at, n in enumerate(padded) if n == 1}
    axis = settings.get("axis")
    if axis is None:
        return set(range(len(shape)))
    return {int(each) % len(shape) for each in (axis if isinstance(axis, tuple) else (axis,))}


_HOWS: Final[dict[ProgramOp, How]] = {
    reduce_ops.reduce_sum: "sum",
    reduce_ops.reduce_mean: "sum",
    broadcasting.sum_to: "sum",
    reduce_ops.reduce_max: "max",
    reduce_ops.reduce_min: "min",
}
