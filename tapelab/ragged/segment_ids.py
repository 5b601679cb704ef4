"""`tf.ragged`: ranges, row splits and segment ids, and rows by dynamic partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.shape_ops import expand_dims
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import as_dtype, int64
from tapelab.errors import invalid_argument
from tapelab.ops.public import matched
from tapelab.ragged.factories import rows_in
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.ragged.row_partition import Array, RowPartition, whole_numbers


@public
def range(
    starts: Any, limits: Any = None, deltas: Any = 1, dtype: Any = None, name: str | None = None,
    row_splits_dtype: Any = int64,
) -> RaggedTensor:  # fmt: skip
    """Rows of evenly spaced numbers, each from its start up to its limit, which is left out."""
    if limits is None:
        starts, limits = 0, starts
    if dtype is not None:
        given = [to_tensor(each, dtype)._value for each in (starts, limits, deltas)]
    else:
        given = [each._value for each in _one_dtype(starts, limits, deltas)]
    if any(np.ndim(each) > 1 for each in given):
        raise invalid_argument(
            "RaggedRange", "starts, limits and deltas must be scalars or vectors"
        )
    vectors = [np.atleast_1d(each) for each in given]
    count = max(len(each) for each in vectors)
    if {len(each) for each, one in zip(vectors, given, strict=True) if np.ndim(one)} - {count}:
        raise invalid_argument("RaggedRange", "starts, limits, and deltas must have the same shape")
    first, last, step = (np.broadcast_to(each, count) for each in vectors)
    if np.any(step == 0):
        raise invalid_argument("RaggedRange", "Requires delta != 0")
    rows = [np.arange(*ends, dtype=first.dtype) for ends in zip(first, last, step, strict=True)]
    kind = as_dtype(row_splits_dtype).as_numpy_dtype
    lengths: Array = np.array([len(row) for row in rows], kind)
    flat = np.concatenate([np.zeros(0, first.dtype), *rows])
    return RaggedTensor._of(constant_of(flat), RowPartition._of_lengths(lengths))


def _one_dtype(*given: Any) -> tuple[Tensor, ...]:
    """Starts, limits and steps in one dtype: a step of 1 fits integers and floats alike."""
    kinds = [to_tensor(each).dtype for each in given]
    floats = [kind for kind in kinds if kind.is_floating]
    wide = [kind for kind in kinds if kind is int64]
    like = [*floats, *wide, kinds[1]][0]
    return matched(*[each if hasattr(each, "dtype") else to_tensor(each, like) for each in given])


@public
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """For each value the number of its row."""
    ids = RowPartition._of(whole_numbers(splits, "splits")).value_rowids()
    return ids if out_type is None else constant_of(ids._value.astype(as_dtype(out_type)._numpy))


@public
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """Where the rows of sorted ids begin and end."""
    empty = not np.size(np.asarray(to_tensor(segment_ids)._value))
    ids = np.zeros(0, np.int64) if empty else whole_numbers(segment_ids, "segment_ids")
    splits = RowPartition.from_value_rowids(ids, num_segments, validate=False).row_splits()
    return splits if out_type is None else constant_of(
        splits._value.astype(as_dtype(out_type)._numpy)
    )  # fmt: skip


@public(group=True)
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """Entries sorted into rows by the number of a row that each is given."""
    values: Any
    owners: Any
    values, owners = (
        each if isinstance(each, RaggedTensor) else to_tensor(each) for each in (data, partitions)
    )
    count = int(to_tensor(num_partitions)._value)
    while len(owners.shape) > 1:
        values, owners = _without_outer_rows(values, owners)
    ids = owners._value
    if not ids.ndim:
        values, ids = expand_dims(values, 0), ids.reshape(1)
    if np.min(ids, initial=0) < 0:
        raise invalid_argument("DynamicPartition", "partitions must be non-negative")
    if np.max(ids, initial=-1) >= count:
        raise invalid_argument("DynamicPartition", "partitions must be less than num_partitions")
    if rows_in(values) != ids.size:
        raise ValueError(f"Shapes {values.shape[:1]} and {owners.shape} are incompatible")
    order = constant_of(np.argsort(ids, kind="stable"))
    rows = RowPartition._of_lengths(np.bincount(ids, minlength=count))
    return RaggedTensor._of(gather(values, order), rows)


def _without_outer_rows(values: Any, owners: Any) -> tuple[Any, Any]:
    """Data and the numbers of their partitions, both with one axis less: their rows are joined."""
    dense = isinstance(values, Tensor) and isinstance(owners, Tensor)
    if dense and values.shape[: owners.shape.rank] != owners.shape:
        raise ValueError(f"Shapes {values.shape} and {owners.shape} are incompatible")
    ragged = [
        x if isinstance(x, RaggedTensor) else RaggedTensor.from_tensor(x, ragged_rank=1)
        for x in (values, owners)
    ]
    if not np.array_equal(*(x.row_splits._value for x in ragged)):
        raise invalid_argument(
            "DynamicPartition", "data and partitions have incompatible ragged shapes"
        )
    return ragged[0].values, ragged[1].values
