"""How operands lie on the rows and columns of a group, and what reductions take together.

The axes of a shape are cut once: those before the cut are the rows, the others the columns. Axes
of length 1 do not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from tapelab.compile.fusion.group import Along, How, Layout
from tapelab.compile.program import Kind, ProgramOp, Settings
from tapelab.ops import broadcasting, reduction

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Lying:
    """The layout of something, and where it needs the axes to be cut; None if anywhere."""

    layout: Layout
    cut: int | None = None


@dataclass(frozen=True)
class Reducing:
    """What a reduction does, and where it needs the axes to be cut."""

    how: How
    along: Along
    cut: int | None
    count: int


def broadcast(shape: Shape, whole: Shape) -> Lying | None:
    """How an array lies that is broadcast; None if it is repeated along axes in between."""
    if math.prod(shape) == 1:
        return Lying("one")
    padded = (1,) * (len(whole) - len(shape)) + shape
    kept = [n != 1 for n in padded]
    axes = [at for at, n in enumerate(whole) if n != 1]
    if all(kept[at] for at in axes):
        return Lying("full")
    first, last = [kept[at] for at in axes].index(True), [kept[at] for at in axes][::-1].index(True)
    if all(kept[at] for at in axes[first:]):
        return Lying("row", axes[first])
    if all(kept[at] for at in axes[: len(axes) - last]):
        return Lying("column", axes[len(axes) - last])
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
    shared = count if op is reduction.reduce_mean else 1
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
    reduction.reduce_sum: "sum",
    reduction.reduce_mean: "sum",
    broadcasting.sum_to: "sum",
    reduction.reduce_max: "max",
    reduction.reduce_min: "min",
}
