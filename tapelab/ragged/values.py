"""Functions that work on the flat values of ragged tensors, or count what is in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import math
from tapelab.array_ops import creation, measuring, partitioning, picking
from tapelab.core.dispatch import implements
from tapelab.core.execute import composite
from tapelab.errors import InvalidArgumentError
from tapelab.linalg import matmul as dense_matmul
from tapelab.math import counting, segmenting
from tapelab.nn import scoring
from tapelab.ops import losses
from tapelab.ragged.broadcasting import broadcast
from tapelab.ragged.factories import axis_of
from tapelab.ragged.rows import row_ids
from tapelab.ragged.tensor import RaggedTensor


@implements("ragged", measuring.size)
def size(input: Any, out_type: Any = "int32", name: str | None = None) -> Any:
    """How many entries there are in all rows together."""
    return measuring.size(input.flat_values, out_type)


@implements("ragged", measuring.rank)
def rank(input: Any, name: str | None = None) -> Any:
    """How many axes there are, as a tensor."""
    return creation.constant(input._rank)


@implements("ragged", counting.bincount)
def bincount(arr: Any, *settings: Any, **named: Any) -> Any:
    """How often each number occurs in all rows together."""
    return math.bincount(arr.flat_values, *settings, **named)


@implements("ragged", math.add_n)
def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of several tensors with rows of equal lengths."""
    total, *rest = inputs
    for each in rest:
        total = math.add(total, each)
    return total


@implements("ragged", partitioning.dynamic_partition)
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> Any:
    """The entries dealt out to several tensors, by the number that each has in `partitions`."""
    flat, heaps = _flat(data, partitions)
    return partitioning.dynamic_partition(flat, heaps, num_partitions)


def _segments(function: Callable[..., Any]) -> None:
    """The sums, the largest ... of the entries of all rows that have the same id."""

    @implements("ragged", function)
    def of_rows(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return function(*_flat(data, segment_ids), num_segments)


for _function in (
    segmenting.unsorted_segment_sum,
    segmenting.unsorted_segment_max,
    segmenting.unsorted_segment_min,
    segmenting.unsorted_segment_prod,
    segmenting.unsorted_segment_mean,
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


@implements("ragged", scoring.softmax)
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
    top = picking.gather(math.reduce_max(inner, 1), ids)
    weights = inner._over(math.exp(flat - top))
    total = picking.gather(math.reduce_sum(weights, 1), ids)
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
