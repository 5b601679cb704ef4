"""The product along axes, whose gradient needs no division and so survives zeros."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapelab.core.batching import along_axes
from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.reduction import NORMAL, Axes, reduce_sum, spread
from tapelab.ops.rules import NUMBERS
from tapelab.ops.shielded import divide_no_nan

multiply_along: Final[Any] = np.multiply.reduce


def without_keepdims(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the axes of a product."""
    return [(arrays, {"axis": along["axis"]}) for arrays, along in NORMAL(rng)]


@op(formula=r"y = \prod x", glyph="Π", title="Product along axes", raw="Prod", samples=NORMAL,
    kinds=NUMBERS, reference=np.prod, batching=along_axes)  # fmt: skip
def reduce_prod(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The product of the entries along the axes."""
    return multiply_along(x, axis=axis, keepdims=keepdims, dtype=x.dtype)[()]


@reduce_prod.grad("x", r"\bar x = \bar y \cdot \prod \text{of the others}")
def reduce_prod_grad_x(
    dy: Any, y: Any, x: Any, *, axis: Axes = None, keepdims: bool = False
) -> Any:
    others = product_of_others(x, axis=axis)
    return spread(dy, shape=tuple(x.shape), axis=axis, keepdims=keepdims) * conjugated(others)


@op(formula=r"y_i = \prod_{j \neq i} x_j", output="y", glyph="Π others", samples=without_keepdims,
    kinds=NUMBERS, reference=lambda x, axis: np.prod(x, axis=axis, keepdims=True) / x)  # fmt: skip
def product_of_others(x: Any, *, axis: Axes = None) -> Any:
    """For each entry the product of all the other ones along the axes."""
    axes = tuple(range(x.ndim)) if axis is None else tuple(each % x.ndim for each in axis)
    last = tuple(range(x.ndim - len(axes), x.ndim))
    moved = np.moveaxis(np.asarray(x), axes, last)
    kept = last[0] if last else x.ndim
    rows = moved.reshape(*moved.shape[:kept], math.prod(moved.shape[kept:]))
    others = _before(rows) * _before(rows[..., ::-1])[..., ::-1]
    return np.moveaxis(others.reshape(moved.shape), last, axes)[()]


def _before(rows: Any) -> Any:
    """The product of the entries to the left of each, 1 for the first."""
    shifted = np.ones_like(rows)
    shifted[..., 1:] = rows[..., :-1]
    return np.multiply.accumulate(shifted, axis=-1, dtype=rows.dtype)


@product_of_others.grad(
    "x", r"\bar x_k = \frac{1}{x_k} ( \sum \bar y \cdot y - \bar y_k \cdot y_k )"
)
def product_of_others_grad_x(dy: Any, y: Any, x: Any, *, axis: Axes = None) -> Any:
    each = dy * conjugated(y)
    total = spread(
        reduce_sum(each, axis=axis, keepdims=True), shape=tuple(x.shape), axis=axis, keepdims=True
    )
    return divide_no_nan(total - each, conjugated(x))
