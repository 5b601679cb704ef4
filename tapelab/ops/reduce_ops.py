"""Reductions along axes: sum, mean, product, max, min, any, all."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy import ndarray

from tapelab import kernels
from tapelab.core.batching import BatchedCall, along_axes, reshaped
from tapelab.core.op import op
from tapelab.kernels import softmax
from tapelab.kernels.elementwise_kernels import LARGE
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated, divide_no_nan
from tapelab.ops.broadcasting import broadcast_to
from tapelab.ops.casts import cast
from tapelab.ops.comparison import equal
from tapelab.ops.pass_through import stop_gradient
from tapelab.ops.powers import exp
from tapelab.ops.rules import FLOATS, NUMBERS, PREDICATE, REALS, numpy_dtype
from tapelab.recording.facts import KEPT_ELEMENTS

Shape = tuple[int, ...]
Axes = Shape | None

sum_along: Final[Any] = np.add.reduce
max_along: Final[Any] = np.maximum.reduce
min_along: Final[Any] = np.minimum.reduce
all_along: Final[Any] = np.logical_and.reduce
any_along: Final[Any] = np.logical_or.reduce

NORMAL = samples.along_axes(samples.normal)
DISTINCT = samples.along_axes(samples.distinct)
TRUTHS = samples.along_axes(samples.truths)


spreads = samples.normals(
    ((), {"shape": (2, 3), "axis": None, "keepdims": False}),
    ((3,), {"shape": (2, 3), "axis": (0,), "keepdims": False}),
    ((2, 1), {"shape": (2, 3), "axis": (1,), "keepdims": True}),
    ((3,), {"shape": (2, 3, 2), "axis": (0, -1), "keepdims": False}),
)
"""What sums leave behind, with the shape and the axes they were taken of."""


@op(formula=r"y = \sum x", glyph="Σ", title="Sum", raw="Sum", samples=NORMAL, kinds=NUMBERS,
    reference=np.sum, linear=True, batching=along_axes)  # fmt: skip
def reduce_sum(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The sum of the entries along the axes."""
    if x.size >= LARGE:
        return summed(x, axis, keepdims=keepdims, dtype=x.dtype)
    return sum_along(x, axis=axis, keepdims=keepdims, dtype=x.dtype)[()]


@reduce_sum.grad("x", r"\bar x = \operatorname{broadcast}(\bar y)")
def reduce_sum_grad_x(dy: Any, y: Any, x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """Every entry counts in full, so each receives the whole gradient."""
    return spread(dy, shape=tuple(x.shape), axis=axis, keepdims=keepdims)


@op(formula=r"y = \operatorname{broadcast}(x)", samples=spreads)
def spread(x: Any, *, shape: Shape, axis: Shape | None, keepdims: bool) -> Any:
    """Repeat what a sum over the axes left until it has the shape again: the VJP of a sum."""
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


@spread.batch
def spread_batch(call: BatchedCall) -> Any:
    (x,), shape, axis = call.operands, call.settings["shape"], call.settings["axis"]
    rows = x.value
    if len(x.shape) != len(shape):
        gone = range(len(shape)) if axis is None else [each % len(shape) for each in axis]
        left = [1 if at in gone else length for at, length in enumerate(shape)]
        rows = reshaped(rows, (call.rows, *left))
    return broadcast_to(rows, shape=(call.rows, *shape))


@spread.grad("x", r"\bar x = \sum \bar y")
def spread_grad_x(
    dy: Any, y: Any, x: Any, *, shape: Shape, axis: Shape | None, keepdims: bool
) -> Any:
    return reduce_sum(dy, axis=axis, keepdims=keepdims)


@op(formula=r"y = \frac{1}{n} \sum x", glyph="mean", title="Mean", raw="Mean", samples=NORMAL,
    kinds=NUMBERS, reference=np.mean, linear=True, batching=along_axes)  # fmt: skip
def reduce_mean(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The sum of the entries along the axes divided by their number n."""
    wide = np.int64 if x.dtype.kind in "iu" else x.dtype
    total = summed(x, axis, keepdims=keepdims, dtype=wide)
    count = count_along(x.shape, axis)
    if x.dtype.kind in "iu":
        return np.trunc(total / max(count, 1)).astype(x.dtype)
    if x.dtype.kind == "c":
        return total / x.dtype.type(max(count, 1))
    return total / x.dtype.type(count)


@reduce_mean.grad("x", r"\bar x = \frac{1}{n} \operatorname{broadcast}(\bar y)")
def reduce_mean_grad_x(
    dy: Any, y: Any, x: Any, *, axis: Axes = None, keepdims: bool = False
) -> Any:
    """Every entry counts for its share of the mean."""
    shape = tuple(x.shape)
    share = dy / float(max(count_along(shape, axis), 1))
    return spread(share, shape=shape, axis=axis, keepdims=keepdims)


@op(formula=r"y = \max x", glyph="max", title="Maximum along axes", raw="Max", samples=DISTINCT,
    kinds=REALS, reference=np.max, batching=along_axes)  # fmt: skip
def reduce_max(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The largest entry along the axes; equal ones share the gradient evenly."""
    start = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return max_along(x, axis=axis, keepdims=keepdims, initial=x.dtype.type(start))[()]


@op(formula=r"y = \min x", glyph="min", title="Minimum along axes", raw="Min", samples=DISTINCT,
    kinds=REALS, reference=np.min, batching=along_axes)  # fmt: skip
def reduce_min(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The smallest entry along the axes; equal ones share the gradient evenly."""
    start = np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max
    return min_along(x, axis=axis, keepdims=keepdims, initial=x.dtype.type(start))[()]


@reduce_max.grad("x", r"\bar x = \bar y \text{ shared where } x = y")
@reduce_min.grad("x", r"\bar x = \bar y \text{ shared where } x = y")
def reduce_extreme_grad_x(
    dy: Any, y: Any, x: Any, *, axis: Axes = None, keepdims: bool = False
) -> Any:
    """Only the entry that won passes the gradient on; ties share it."""
    settings: Any = {"shape": tuple(x.shape), "axis": axis, "keepdims": keepdims}
    hits = cast(equal(x, spread(y, **settings)), dtype=numpy_dtype(x))
    share = dy / reduce_sum(hits, axis=axis, keepdims=keepdims)
    return hits * spread(share, **settings)


@op(formula=r"y = \ln \sum e^x", glyph="ln Σ eˣ", title="Log of the sum of exponentials",
    samples=NORMAL, kinds=FLOATS, raw="LogSumExp", reference=lambda x,
    **along: np.log(np.sum(np.exp(x), **along)), batching=along_axes)  # fmt: skip
def reduce_logsumexp(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The logarithm of the sum of exponentials along the axes: a smooth maximum."""
    rows = softmax.logsumexp(x, axis) if x.size >= softmax.COMPILED_FROM else None
    if rows is not None:
        return rows.reshape(*rows.shape, 1) if keepdims else rows[()]
    top = max_along(x, axis=axis, keepdims=True, initial=x.dtype.type(-np.inf))
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    total = sum_along(np.exp(x - top), axis=axis, keepdims=True)
    y = np.log(total) + top
    return y[()] if keepdims else np.reshape(y, _left(x.shape, axis))[()]


@reduce_logsumexp.grad("x", r"\bar x = \bar y \cdot e^{x - y}")
def reduce_logsumexp_grad_x(
    dy: Any, y: Any, x: Any, *, axis: Axes = None, keepdims: bool = False
) -> Any:
    dx = softmax.scaled_softmax(dy, x, axis)
    if dx is not None:
        return dx
    along: Any = {"axis": axis, "keepdims": True}
    shape = tuple(x.shape)
    top = stop_gradient(reduce_max(x, **along))  # e^(x - y) itself would lose digits
    weights = exp(x - spread(top, shape=shape, **along))
    share = weights / spread(reduce_sum(weights, **along), shape=shape, **along)
    return spread(dy, shape=shape, axis=axis, keepdims=keepdims) * share


@op(formula=r"y = \sqrt{\sum x^2}", glyph="‖x‖", title="Euclidean norm", raw="EuclideanNorm",
    samples=NORMAL, kinds=NUMBERS, reference=lambda x,
    **along: np.sqrt(np.sum(x * x, **along)), batching=along_axes)  # fmt: skip
def reduce_euclidean_norm(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The length of the entries along the axes, taken as a vector."""
    squares = np.square(np.abs(x))
    y = np.sqrt(sum_along(squares, axis=axis, keepdims=keepdims))
    return y.astype(x.dtype)[()]


@reduce_euclidean_norm.grad("x", r"\bar x = \bar y \cdot \frac{x}{y}")
def reduce_euclidean_norm_grad_x(
    dy: Any, y: Any, x: Any, *, axis: Axes = None, keepdims: bool = False
) -> Any:
    return x * spread(dy / y, shape=tuple(x.shape), axis=axis, keepdims=keepdims)


@op(formula=r"y = \operatorname{all}(x)", glyph="all", raw="All", pattern="predicate-only",
    kinds="b", title="All", samples=TRUTHS, dtypes=("bool",), reference=np.min,
    batching=along_axes)  # fmt: skip
def reduce_all(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """True where all entries along the axes are."""
    return all_along(x, axis=axis, keepdims=keepdims)[()]


@op(formula=r"y = \operatorname{any}(x)", glyph="any", raw="Any", pattern="predicate-only",
    kinds="b", title="Any", samples=TRUTHS, dtypes=("bool",), reference=np.max,
    batching=along_axes)  # fmt: skip
def reduce_any(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """True where at least one entry along the axes is."""
    return any_along(x, axis=axis, keepdims=keepdims)[()]


for _question in (reduce_all, reduce_any):
    _question.no_grad("x", because=PREDICATE.format(_question.name))


def summed(x: Any, axis: Axes, *, keepdims: bool, dtype: Any) -> Any:
    """The sum of an array along axes; a number of NumPy where none is left."""
    total = kernels.bulk.sum_along(x, axis) if x.size >= LARGE else None
    if total is None:
        return sum_along(x, axis=axis, keepdims=keepdims, dtype=dtype)[()]
    return np.reshape(total, _kept(x.shape, axis)) if keepdims else total


def count_along(shape: Any, axis: Axes) -> int:
    """How many entries of an array of that shape meet in one result."""
    lengths = shape if axis is None else [shape[each] for each in axis]
    count = 1
    for length in lengths:
        count *= length
    return count


def _kept(shape: Any, axis: Axes) -> tuple[int, ...]:
    gone = range(len(shape)) if axis is None else [each % len(shape) for each in axis]
    return tuple(1 if at in gone else length for at, length in enumerate(shape))


def _left(shape: Any, axis: Axes) -> tuple[int, ...]:
    gone = range(len(shape)) if axis is None else [each % len(shape) for each in axis]
    return tuple(length for at, length in enumerate(shape) if at not in gone)


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
