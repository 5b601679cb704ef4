"""Reductions of ragged tensors along axes, and functions that apply to their flat values.

Entries that are reduced to one result get the same segment id: along a ragged axis the number of
their row, along axis 0 their position in it. The segment ops then reduce them, with their
gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops import creation, gather_ops, partition_ops, shape_ops
from tapelab.array_ops.value_ops import stop_gradient
from tapelab.core.dispatch import implements
from tapelab.core.execute import composite
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import constant_of
from tapelab.dtypes import int32
from tapelab.errors import InvalidArgumentError
from tapelab.linalg import matmul as dense_matmul
from tapelab.math import counts, segment_reductions
from tapelab.nn import cross_entropy
from tapelab.ops import losses, reduce_ops, segments
from tapelab.ops import shapes as dense_shape
from tapelab.ops.casts import cast
from tapelab.ops.integer_arguments import lengths as as_lengths
from tapelab.ops.shapes import reshape
from tapelab.ragged.factories import axis_of
from tapelab.ragged.ragged_elementwise import broadcast
from tapelab.ragged.ragged_shape_ops import expand_dims
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.ragged.row_partition import Array, RowPartition, offsets, row_ids

Public = Callable[..., Any]


def _any(x: Any, ids: Any, *, count: int) -> Any:
    counts = segments.segment_sum(cast(x, dtype=np.int32), ids, count=count)
    return math.not_equal(counts, 0)


def _all(x: Any, ids: Any, *, count: int) -> Any:
    return math.logical_not(_any(math.logical_not(x), ids, count=count))


BY_SEGMENT: Final[dict[Op, Public]] = {
    reduce_ops.reduce_sum: segments.segment_sum,
    reduce_ops.reduce_prod: segments.segment_prod,
    reduce_ops.reduce_max: segments.segment_max,
    reduce_ops.reduce_min: segments.segment_min,
    reduce_ops.reduce_any: _any,
    reduce_ops.reduce_all: _all,
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
    return dense_shape.expand_dims(result, axis=at)


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


reduce_sum = _along(math.reduce_sum, reduce_ops.reduce_sum)
reduce_prod = _along(math.reduce_prod, reduce_ops.reduce_prod)
reduce_max = _along(math.reduce_max, reduce_ops.reduce_max)
reduce_min = _along(math.reduce_min, reduce_ops.reduce_min)
reduce_all = _along(math.reduce_all, reduce_ops.reduce_all)
reduce_any = _along(math.reduce_any, reduce_ops.reduce_any)


@implements("ragged", math.reduce_mean)
@composite
def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The sum along the axes divided by how many entries there are; integers give float64."""
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
        return reduce_ops.reduce_logsumexp(input_tensor.flat_values, axis=None, keepdims=False)
    top = math.reduce_max(input_tensor, axis, keepdims=True)
    total = math.reduce_sum(math.exp(input_tensor - stop_gradient(top)), axis, keepdims)
    largest = stop_gradient(math.reduce_max(input_tensor, axis, keepdims))
    return math.log(total) + largest


@implements("ragged", shape_ops.size)
def size(input: Any, out_type: Any = "int32", name: str | None = None) -> Any:
    """How many entries there are in all rows together."""
    return shape_ops.size(input.flat_values, out_type)


@implements("ragged", shape_ops.rank)
def rank(input: Any, name: str | None = None) -> Any:
    """How many axes there are, as a tensor."""
    return creation.constant(input._rank)


@implements("ragged", counts.bincount)
def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
    dtype: Any = int32, name: str | None = None, axis: int | None = None,
    binary_output: bool = False,
) -> Any:  # fmt: skip
    """How often each number occurs in all rows together; with axis=-1 in each row."""
    if weights is not None and not isinstance(weights, RaggedTensor):
        raise ValueError(
            "`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument "
            f"weights={weights} of type: {type(weights).__name__}."
        )
    of_entries = None if weights is None else weights.flat_values
    limits = minlength, maxlength, dtype
    if axis != -1:
        return math.bincount(
            arr.flat_values, of_entries, *limits, axis=axis, binary_output=binary_output
        )
    rows = arr.value_rowids().numpy()
    return counts.counts_by_row(
        arr.flat_values, rows, int(arr.nrows()), of_entries, *limits, binary_output
    )


@implements("ragged", math.add_n)
def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of several tensors with rows of equal lengths."""
    total, *rest = inputs
    for each in rest:
        total = math.add(total, each)
    return total


@implements("ragged", partition_ops.dynamic_partition)
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> Any:
    """The entries dealt out to several tensors, by the number that each has in `partitions`."""
    flat, heaps = _flat(data, partitions)
    return partition_ops.dynamic_partition(flat, heaps, num_partitions)


def _segments(function: Callable[..., Any]) -> None:
    """The sums, the largest ... of the entries of all rows that have the same id."""

    @implements("ragged", function)
    def of_rows(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return function(*_flat(data, segment_ids), num_segments)


for _function in (
    segment_reductions.unsorted_segment_sum,
    segment_reductions.unsorted_segment_max,
    segment_reductions.unsorted_segment_min,
    segment_reductions.unsorted_segment_prod,
    segment_reductions.unsorted_segment_mean,
):
    _segments(_function)


def _flat(*given: Any) -> list[Any]:
    """The flat values of tensors whose rows must be the same."""
    if not all(isinstance(each, RaggedTensor) for each in given):
        raise ValueError("If one argument is ragged, the other must have the same rows.")
    flat: list[Any] = broadcast(*given)[0]
    return flat


@implements("ragged", math.cumsum)
@composite
def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """Running sums along an axis, within each row."""
    dense = math.cumsum(x.to_tensor(), axis_of(axis, x._rank), exclusive, reverse)
    lengths = [each._value for each in x.nested_row_lengths()]
    return RaggedTensor.from_tensor(
        dense, lengths=lengths if len(lengths) > 1 else lengths[0],
        row_splits_dtype=x._partition.dtype,
    )  # fmt: skip


@implements("ragged", cross_entropy.softmax)
@composite
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Shares of a whole in proportion to the exponentials, row by row."""
    if axis is not None and axis_of(axis, logits._rank) != logits._rank - 1:
        raise ValueError("The softmax of a ragged tensor is along its last axis.")
    flat = logits.flat_values
    if flat._array.ndim > 1:
        return logits._with_flat(losses.softmax(flat))
    inner = logits
    while isinstance(inner.values, RaggedTensor):
        inner = inner.values
    ids = row_ids(inner._partition._lengths)
    top = gather_ops.gather(math.reduce_max(inner, 1), ids)
    weights = inner._over(math.exp(flat - top))
    total = gather_ops.gather(math.reduce_sum(weights, 1), ids)
    return logits._with_flat(weights.values / total)


@implements("ragged", dense_matmul)
@composite
def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False,
    adjoint_a: bool = False, adjoint_b: bool = False, *_: Any, **__: Any,
) -> Any:  # fmt: skip
    """The product of each pair of matrices in two batches; their numbers of rows may differ."""
    ranks = [each._rank if isinstance(each, RaggedTensor) else each.ndim for each in (a, b)]
    if ranks[0] != ranks[1]:
        raise ValueError("`a` and `b` must have the same rank.")
    if transpose_a or transpose_b or adjoint_a or adjoint_b:
        raise NotImplementedError("matmul of ragged tensors takes no transpose. Try tf.transpose.")
    if isinstance(a, RaggedTensor) and (ranks[0] < 3 or a.ragged_rank > 1):
        raise InvalidArgumentError(
            None, None, "The matrices in `a` and `b` may not be ragged in their innermost "
            "dimension.\nCondition x == y did not hold.",
        )  # fmt: skip
    dense = [each.to_tensor() if isinstance(each, RaggedTensor) else each for each in (a, b)]
    product = dense_matmul(dense[0], dense[1])
    if not isinstance(a, RaggedTensor):
        return product
    return RaggedTensor.from_tensor(product, lengths=a.row_lengths())
