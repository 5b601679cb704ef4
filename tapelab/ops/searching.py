"""Where the largest and the smallest entries are; the answers are positions, whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.rules import REALS, WHOLE


def along_one_axis(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays of distinct numbers with one axis."""
    shapes = [((3,), 0), ((2, 3), 1), ((2, 3), 0)]
    return [((samples.distinct(rng, shape),), {"axis": axis}) for shape, axis in shapes]


@op(formula=r"y = \operatorname{argmax}(x)", glyph="argmax", raw="ArgMax", pattern="integer",
    samples=along_one_axis, kinds=REALS + "b", reference=lambda x,
    axis: np.argsort(x, axis).take(-1, axis))  # fmt: skip
def argmax(x: Any, *, axis: int = 0) -> Any:
    """The position of the largest entry along the axis, of the first one if there are several."""
    return np.argmax(x, axis=axis)


@op(formula=r"y = \operatorname{argmin}(x)", glyph="argmin", raw="ArgMin", pattern="integer",
    samples=along_one_axis, kinds=REALS + "b", reference=lambda x,
    axis: np.argsort(x, axis).take(0, axis))  # fmt: skip
def argmin(x: Any, *, axis: int = 0) -> Any:
    """The position of the smallest entry along the axis, of the first one if there are several."""
    return np.argmin(x, axis=axis)


for _position in (argmax, argmin):
    _position.no_grad("x", because=WHOLE.format(_position.name))


@op(formula=r"y = \operatorname{where}(x)", glyph="where?", raw="Where", pattern="integer",
    samples=samples.integers_with_axes, dtypes=("int32",),
    reference=lambda x: np.transpose(np.nonzero(x)))  # fmt: skip
def true_positions(x: Any) -> Any:
    """The positions of the entries that are true, or not 0, one row each."""
    if x.ndim == 0:
        raise invalid_argument("Where", "WhereOp : Unhandled input dimensions: 0")
    return np.argwhere(x)


true_positions.no_grad("x", because=WHOLE.format("where() of one argument"))
