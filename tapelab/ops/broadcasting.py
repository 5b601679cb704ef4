"""Broadcasting and its way back: stretching an array, and summing what was stretched."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy import ndarray

from tapelab.core.op import REGISTRY, op
from tapelab.ops import samples
from tapelab.recording.facts import KEPT_ELEMENTS

Shape = tuple[int, ...]
_sum: Final[Any] = np.add.reduce


def stretched(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the shape to stretch them to."""
    shapes = [((), (2, 3)), ((3,), (2, 3)), ((2, 1), (2, 3))]
    return [((rng.normal(size=small),), {"shape": big}) for small, big in shapes]


def summed(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the shape to sum them down to."""
    shapes = [((2, 3), ()), ((2, 3), (3,)), ((2, 3), (2, 1))]
    return [((rng.normal(size=big),), {"shape": small}) for big, small in shapes]


@op(formula=r"y = \operatorname{broadcast}(x)", samples=stretched)
def broadcast_to(x: Any, *, shape: Shape) -> Any:
    """Repeat an array along new or length-1 axes until it has the given shape."""
    return np.broadcast_to(x, shape)


@op(formula=r"y = \sum x", glyph="Σ", title="Sum to shape", raw="Sum", samples=summed)
def sum_to(x: Any, *, shape: Shape) -> Any:
    """Sum an array over the axes along which an array of the given shape was broadcast."""
    there = np.shape(x)
    extra = len(there) - len(shape)
    stretched = [i + extra for i, n in enumerate(shape) if n == 1 and there[i + extra] != 1]
    axes = (*range(extra), *stretched)
    if not axes:
        return np.reshape(x, shape)
    y = _sum(x, axis=axes)
    return y if y.shape == shape else y.reshape(shape)


def spreads(rng: np.random.Generator) -> list[samples.Sample]:
    """What sums leave behind, with the shape and the axes they were taken of."""
    cases: list[tuple[Any, Any, Any, bool]] = [
        ((), (2, 3), None, False), ((3,), (2, 3), (0,), False),
        ((2, 1), (2, 3), (1,), True), ((3,), (2, 3, 2), (0, -1), False),
    ]  # fmt: skip
    return [((rng.normal(size=small),), {"shape": big, "axis": axis, "keepdims": keep})
            for small, big, axis, keep in cases]  # fmt: skip


@op(formula=r"y = \operatorname{broadcast}(x)", samples=spreads)
def spread(x: Any, *, shape: Shape, axis: Shape | None, keepdims: bool) -> Any:
    """Repeat what a sum over the axes left until it has the shape again: the way back of a sum."""
    if not keepdims and axis is not None and np.ndim(x):
        gone = {each % len(shape) for each in axis}
        x = np.reshape(x, [1 if at in gone else n for at, n in enumerate(shape)])
    return _repeated(x, shape)[()]


def _repeated(x: Any, shape: Shape) -> Any:
    """What NumPy's own `broadcast_to` gives, which takes long where there is little to do."""
    if type(x) is ndarray or math.prod(shape) > KEPT_ELEMENTS:
        return np.broadcast_to(x, shape)
    y = np.empty(shape, x.dtype)
    y.fill(x)
    return y


@spread.grad("x", r"\bar x = \sum \bar y")
def spread_grad_x(
    dy: Any, y: Any, x: Any, *, shape: Shape, axis: Shape | None, keepdims: bool
) -> Any:
    return REGISTRY["reduce_sum"](dy, axis=axis, keepdims=keepdims)


@broadcast_to.grad("x", r"\bar x = \sum \bar y")
def broadcast_to_grad_x(dy: Any, y: Any, x: Any, *, shape: Any) -> Any:
    """An entry that was repeated receives the sum of all its copies' gradients."""
    return sum_to(dy, shape=tuple(x.shape))


@sum_to.grad("x", r"\bar x = \operatorname{broadcast}(\bar y)")
def sum_to_grad_x(dy: Any, y: Any, x: Any, *, shape: Any) -> Any:
    """Every entry counts in full, so each receives the whole gradient."""
    return broadcast_to(dy, shape=tuple(x.shape))
