"""Functions of `tf.keras.ops` that summarise elements: averages, quantiles, and without NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import linalg, math
from tapelab.array_ops import creation, gather_ops, shape_ops, sort_ops, value_ops
from tapelab.keras import backend
from tapelab.keras.keras_tensor import Function, operation
from tapelab.keras.op_declarations import as_floats, promoted, summable


def _axes(axis: Any) -> Any:
    return list(axis) if isinstance(axis, tuple) else axis


@operation
def amax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the largest elements along axes."""
    return _extreme(math.reduce_max, math.reduce_any, x, axis, keepdims=keepdims)


@operation
def amin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the smallest elements along axes."""
    return _extreme(math.reduce_min, math.reduce_all, x, axis, keepdims=keepdims)


def _extreme(function: Function, of_truth: Function, x: Any, axis: Any, *, keepdims: bool) -> Any:
    given = backend.convert_to_tensor(x)
    reduce = of_truth if given.dtype.is_bool else function
    return reduce(given, _axes(axis), keepdims)


@operation
def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the distances from the smallest to the largest elements along axes."""
    given = backend.convert_to_tensor(x)
    axes = _axes(axis)
    return math.reduce_max(given, axes, keepdims) - math.reduce_min(given, axes, keepdims)


@operation
def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """Return weighted means along axes."""
    if weights is None:
        return math.reduce_mean(as_floats(x), _axes(axis))
    given, weight = (as_floats(each) for each in promoted(x, weights))
    if axis is not None and given.ndim != weight.ndim:
        total = linalg.tensordot(given, weight, [[axis], [0]])
        return total / math.reduce_sum(weight)
    axes = _axes(axis)
    return math.reduce_sum(given * weight, axes) / math.reduce_sum(weight, axes)


@operation
def corrcoef(x: Any) -> Any:
    """Return the correlations of the rows."""
    given = as_floats(x)
    if not given.ndim:
        return creation.fill([], value_ops.cast(np.nan, given.dtype))
    rows = shape_ops.reshape(given, [1, -1]) if given.ndim == 1 else given
    apart = rows - math.reduce_mean(rows, axis=-1, keepdims=True)
    covariance: Any = linalg.matmul(apart, apart, transpose_b=True)
    size: Any = math.sqrt(linalg.diag_part(covariance))
    scaled: Any = covariance / shape_ops.expand_dims(size, -1) / shape_ops.expand_dims(size, -2)
    bounded = value_ops.clip_by_value(scaled, -1.0, 1.0)
    return shape_ops.reshape(bounded, []) if given.ndim == 1 else bounded


@operation
def correlate(x1: Any, x2: Any, mode: str = "valid") -> Any:
    """Return the sums of products of two rows, one shifted against the other."""
    one, other = promoted(x1, x2)
    if one.dtype.name == "int64":
        one, other = value_ops.cast(one, "float64"), value_ops.cast(other, "float64")
    one, other = as_floats(one), as_floats(other)
    if one.ndim != 1 or other.ndim != 1:
        raise ValueError(
            "`x1` and `x2` must be 1-dimensional tensors, but received "
            f"shapes: x1.shape={one.shape}, x2.shape={other.shape}"
        )
    if mode not in {"valid", "same", "full"}:
        raise ValueError(f"mode must be either `valid`, `full`, or `same`, but received: {mode}")
    sizes = int(one.shape[0]), int(other.shape[0])
    before = sizes[1] - 1
    padded = shape_ops.pad(one, [[before, before]])
    places = np.arange(sum(sizes) - 1)[:, None] + np.arange(sizes[1])
    whole: Any = linalg.tensordot(gather_ops.gather(padded, places), other, 1)
    long, short = max(sizes), min(sizes)
    if mode == "valid":
        return whole[short - 1 : long]
    if mode == "full":
        return whole
    start: Any = (sum(sizes) - 1 - long) // 2
    if sizes[0] < sizes[1]:
        start = sum(sizes) - 1 - long - start
    return whole[start : start + long]


@operation
def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the middle elements along axes."""
    return quantile(x, 0.5, axis=axis, keepdims=keepdims)


@operation
def percentile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the elements below which so many per cent lie, along axes."""
    return quantile(x, as_floats(q) / 100.0, axis, method, keepdims)


@operation
def quantile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the elements below which a share of all lies, along axes."""
    rows, kept = _in_last_axis(as_floats(x), axis)
    shares = value_ops.cast(q, rows.dtype)
    values = _quantiles(sort_ops.sort(rows, -1), _flat(shares), int(rows.shape[-1]), method)
    has_nan = shape_ops.expand_dims(math.reduce_any(math.is_nan(rows), axis=-1), 0)
    values = value_ops.where(has_nan, value_ops.cast(np.nan, rows.dtype), values)
    return _in_shape(values, shares, _kept_shape(kept, axis, keepdims=keepdims))


def _kept_shape(kept: list[int], axis: Any, *, keepdims: bool) -> list[int]:
    dropped = _positions(axis, len(kept))
    return kept if keepdims else [size for at, size in enumerate(kept) if at not in dropped]


def _flat(x: Any) -> Any:
    return shape_ops.reshape(x, [-1])


def _positions(axis: Any, rank: int) -> list[int]:
    if axis is None:
        return [*range(rank)]
    return [at % rank for at in ([axis] if isinstance(axis, int) else axis)]


def _in_last_axis(x: Any, axis: Any) -> tuple[Any, list[int]]:
    """A tensor with the reduced axes joined at the end, and its shape with them of size 1."""
    reduced = _positions(axis, x.ndim)
    others = [at for at in range(x.ndim) if at not in reduced]
    moved = shape_ops.transpose(x, [*others, *reduced])
    sizes = [int(x.shape[at]) for at in others]
    kept = [1 if at in reduced else int(x.shape[at]) for at in range(x.ndim)]
    return shape_ops.reshape(moved, [*sizes, -1]), kept


def _in_shape(values: Any, shares: Any, shape: list[int]) -> Any:
    return shape_ops.reshape(values, [*([] if not shares.ndim else [int(shares.shape[0])]), *shape])


def _quantiles(ordered: Any, shares: Any, count: int, method: str) -> Any:
    """The quantiles of sorted rows, along a first axis for the shares."""
    place: Any = math.multiply(value_ops.cast(shares, "float64"), float(count - 1))
    low, high = math.floor(place), math.ceil(place)

    def at(places: Any) -> Any:
        taken = gather_ops.gather(ordered, value_ops.cast(places, "int32"), axis=-1)
        order = [taken.ndim - 1, *range(taken.ndim - 1)]
        return shape_ops.transpose(taken, order)

    if method == "lower":
        return at(low)
    if method == "higher":
        return at(high)
    if method == "nearest":
        return at(math.round(place))
    if method == "midpoint":
        return 0.5 * (at(low) + at(high))
    if method != "linear":
        raise ValueError(
            "Invalid method. Expected one of 'linear', 'lower', 'higher', 'midpoint', 'nearest'. "
            f"Received: method={method}"
        )
    part: Any = value_ops.cast(place - low, ordered.dtype)
    share: Any = shape_ops.reshape(part, [-1] + [1] * (ordered.ndim - 1))
    return at(low) * (1.0 - share) + at(high) * share


def _known(x: Any, value: Any) -> Any:
    """A tensor with a value in place of NaN."""
    given = backend.convert_to_tensor(x)
    if not given.dtype.is_floating:
        return given
    return value_ops.where(math.is_nan(given), value_ops.cast(value, given.dtype), given)


def _is_known(x: Any) -> Any:
    given = backend.convert_to_tensor(x)
    if not given.dtype.is_floating:
        return creation.ones_like(given, "bool")
    return math.logical_not(math.is_nan(given))


@operation
def nansum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return sums along axes, without NaN."""
    return math.reduce_sum(summable(_known(x, 0)), _axes(axis), keepdims)


@operation
def nanprod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return products along axes, without NaN."""
    return math.reduce_prod(summable(_known(x, 1)), _axes(axis), keepdims)


@operation
def nancumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return cumulative sums along an axis, NaN counting as 0."""
    return _cumulative(math.cumsum, _known(x, 0), axis, dtype)


@operation
def nancumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return cumulative products along an axis, NaN counting as 1."""
    return _cumulative(math.cumprod, _known(x, 1), axis, dtype)


def _cumulative(function: Function, x: Any, axis: int | None, dtype: Any) -> Any:
    given = backend.convert_to_tensor(x, dtype)
    if given.dtype.is_bool:
        given = value_ops.cast(given, "int32")
    return function(_flat(given), 0) if axis is None else function(given, axis)


@operation
def nanmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the largest elements along axes that are not NaN."""
    return _nan_extreme(math.reduce_max, -np.inf, x, axis, keepdims=keepdims)


@operation
def nanmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the smallest elements along axes that are not NaN."""
    return _nan_extreme(math.reduce_min, np.inf, x, axis, keepdims=keepdims)


def _nan_extreme(function: Function, limit: float, x: Any, axis: Any, *, keepdims: bool) -> Any:
    given, axes = backend.convert_to_tensor(x), _axes(axis)
    if not given.dtype.is_floating:
        return function(given, axes, keepdims)
    values = function(_known(given, limit), axes, keepdims)
    has_some = math.reduce_any(_is_known(given), axes, keepdims)
    return value_ops.where(has_some, values, value_ops.cast(np.nan, values.dtype))


@operation
def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return means along axes, without NaN."""
    given, axes = as_floats(x), _axes(axis)
    count = math.reduce_sum(value_ops.cast(_is_known(given), given.dtype), axes, keepdims)
    return math.reduce_sum(_known(given, 0), axes, keepdims) / count


@operation
def nanvar(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return variances along axes, without NaN."""
    given, axes = as_floats(x), _axes(axis)
    return nanmean(math.square(given - nanmean(given, axes, True)), axes, keepdims)


@operation
def nanstd(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return standard deviations along axes, without NaN."""
    return math.sqrt(nanvar(x, axis, keepdims))


@operation
def nanargmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the index of the largest element that is not NaN; -1 where all are."""
    return _nan_index(math.argmax, -np.inf, x, axis, keepdims=keepdims)


@operation
def nanargmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the index of the smallest element that is not NaN; -1 where all are."""
    return _nan_index(math.argmin, np.inf, x, axis, keepdims=keepdims)


def _nan_index(search: Function, limit: float, x: Any, axis: Any, *, keepdims: bool) -> Any:
    given = backend.convert_to_tensor(x)
    known, at = _known(given, limit), 0 if axis is None else axis
    flat = _flat(known) if axis is None else known
    index = search(flat, at, "int32")
    is_known = _is_known(_flat(given) if axis is None else given)
    index = value_ops.where(math.reduce_any(is_known, at), index, -1)
    if not keepdims:
        return index
    if axis is None:
        return shape_ops.reshape(index, [1] * given.ndim)
    return shape_ops.expand_dims(index, axis)


@operation
def nanmedian(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the middle elements along axes, without NaN."""
    return nanquantile(x, 0.5, axis=axis, keepdims=keepdims)


@operation
def nanpercentile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the elements below which so many per cent lie, along axes, without NaN."""
    return nanquantile(x, as_floats(q) / 100.0, axis, method, keepdims)


@operation
def nanquantile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the elements below which a share of all lies, along axes, without NaN."""
    rows, kept = _in_last_axis(as_floats(x), axis)
    shares = value_ops.cast(q, rows.dtype)
    sizes = [int(size) for size in rows.shape[:-1]]
    flat = shape_ops.reshape(rows, [-1, int(rows.shape[-1])])
    columns = []
    for row in shape_ops.unstack(flat, axis=0):
        known = gather_ops.boolean_mask(row, _is_known(row))
        count = int(known.shape[0])
        if count:
            columns.append(_quantiles(sort_ops.sort(known, -1), _flat(shares), count, method))
        else:
            columns.append(creation.fill(_flat(shares).shape, value_ops.cast(np.nan, rows.dtype)))
    values = shape_ops.reshape(shape_ops.stack(columns, axis=-1), [-1, *sizes])
    return _in_shape(values, shares, _kept_shape(kept, axis, keepdims=keepdims))
