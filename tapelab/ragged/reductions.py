"""Sums, means, largest and smallest entries along axes of ragged tensors.

Entries that meet in one result get the same id, along a ragged axis the number of their row and
along axis 0 their place in it; then they are reduced by the ops for segments, whose gradients these
are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops.choosing import stop_gradient
from tapelab.core.dispatch import implements
from tapelab.core.execute import composite
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import constant_of
from tapelab.ops import reduction, reduction_product, segments
from tapelab.ops import shape as shape_ops
from tapelab.ops.casting import cast
from tapelab.ops.settings import lengths as as_lengths
from tapelab.ops.shape import reshape
from tapelab.ragged.factories import axis_of
from tapelab.ragged.partition import RowPartition
from tapelab.ragged.rows import Array, offsets, row_ids
from tapelab.ragged.shaping import expand_dims
from tapelab.ragged.tensor import RaggedTensor

Public = Callable[..., Any]


def _any(x: Any, ids: Any, *, count: int) -> Any:
    found = segments.segment_sum(cast(x, dtype=np.int32), ids, count=count)
    return math.not_equal(found, 0)


def _all(x: Any, ids: Any, *, count: int) -> Any:
    return math.logical_not(_any(math.logical_not(x), ids, count=count))


BY_SEGMENT: Final[dict[Op, Public]] = {
    reduction.reduce_sum: segments.segment_sum,
    reduction_product.reduce_prod: segments.segment_prod,
    reduction.reduce_max: segments.segment_max,
    reduction.reduce_min: segments.segment_min,
    reduction.reduce_any: _any,
    reduction.reduce_all: _all,
}
"""For each reduction what does the same to the rows with one id."""


def _along(function: Public, op: Op) -> Public:
    """The reduction of ragged tensors by an op that reduces dense ones."""

    @implements("ragged", function)
    def reduce(
        input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
    ) -> Any:
        if not isinstance(input_tensor, RaggedTensor):
            return NotImplemented
        if axis is None:
            whole = op(input_tensor.flat_values, axis=None, keepdims=False)
            return _kept(whole, input_tensor._rank) if keepdims else whole
        rank = input_tensor._rank
        axes = sorted({axis_of(each, rank) for each in as_lengths(axis, op.raw)}, reverse=True)
        result = input_tensor
        for at in axes:
            result = _reduced(result, at, op, keepdims=keepdims)
        return result

    reduce.__name__ = op.name
    return composite(reduce)


def _kept(whole: Any, rank: int) -> Any:
    return reshape(whole, shape=(1,) * rank)


def _reduced(rows: Any, at: int, op: Op, *, keepdims: bool) -> Any:
    """The reduction along one axis of what may no longer be ragged."""
    if not isinstance(rows, RaggedTensor):
        return op(rows, axis=(at,), keepdims=keepdims)
    if at == 0:
        lengths = rows._partition._lengths
        result = _met(rows._values, offsets(lengths), int(lengths.max(initial=0)), op)
    elif at == 1:
        lengths = rows._partition._lengths
        result = _met(rows._values, row_ids(lengths), len(lengths), op)
    else:
        return rows._over(_reduced(rows._values, at - 1, op, keepdims=keepdims))
    if not keepdims:
        return result
    if isinstance(result, RaggedTensor):
        return expand_dims(result, at)
    return shape_ops.expand_dims(result, axis=at)


def _met(values: Any, ids: Array, count: int, op: Op) -> Any:
    """All values with one id reduced to one; rows with one id meet entry by entry."""
    if not isinstance(values, RaggedTensor):
        return BY_SEGMENT[op](values, constant_of(ids), count=count)
    lengths = values._partition._lengths
    longest = np.zeros(count, lengths.dtype)
    np.maximum.at(longest, ids, lengths)
    partition = RowPartition._of_lengths(longest)
    places = partition._splits[:-1][np.repeat(ids, lengths)] + offsets(lengths)
    return RaggedTensor._of(_met(values._values, places, partition._total, op), partition)


reduce_sum = _along(math.reduce_sum, reduction.reduce_sum)
reduce_prod = _along(math.reduce_prod, reduction_product.reduce_prod)
reduce_max = _along(math.reduce_max, reduction.reduce_max)
reduce_min = _along(math.reduce_min, reduction.reduce_min)
reduce_all = _along(math.reduce_all, reduction.reduce_all)
reduce_any = _along(math.reduce_any, reduction.reduce_any)


@implements("ragged", math.reduce_mean)
@composite
def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The sum along the axes divided by how many entries there are; whole numbers give float64."""
    x = input_tensor
    ones = x._with_flat(constant_of(np.ones_like(x.flat_values._value)))
    total, count = (math.reduce_sum(each, axis, keepdims) for each in (x, ones))
    return math.truediv(total, count)


@implements("ragged", math.reduce_variance)
@composite
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The mean of the squares along the axes less the square of the mean."""
    of_squares = math.reduce_mean(math.square(input_tensor), axis, keepdims)
    return of_squares - math.square(math.reduce_mean(input_tensor, axis, keepdims))


@implements("ragged", math.reduce_std)
@composite
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The square root of the variance."""
    return math.sqrt(math.reduce_variance(input_tensor, axis, keepdims))


@implements("ragged", math.reduce_logsumexp)
@composite
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The logarithm of the sum of exponentials, the largest entry taken out first."""
    if axis is None:
        return reduction.reduce_logsumexp(input_tensor.flat_values, axis=None, keepdims=False)
    top = math.reduce_max(input_tensor, axis, keepdims=True)
    total = math.reduce_sum(math.exp(input_tensor - stop_gradient(top)), axis, keepdims)
    largest = stop_gradient(math.reduce_max(input_tensor, axis, keepdims))
    return math.log(total) + largest
