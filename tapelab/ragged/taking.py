"""Picking whole rows of ragged tensors, on which indexing, joining and reversing are built."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.tensor import Tensor, constant_of
from tapelab.ops.gathering import gather
from tapelab.ops.slicing import strided_slice
from tapelab.ragged.partition import RowPartition
from tapelab.ragged.rows import Array, ranges
from tapelab.ragged.tensor import RaggedTensor


def take(values: Any, rows: Array) -> Any:
    """Some rows of a tensor or a ragged tensor, in the order in which they are named."""
    if not isinstance(values, RaggedTensor):
        return _rows_of(values, rows)
    partition = values._partition
    lengths = partition._lengths[rows]
    inner = ranges(partition._splits[:-1][rows], lengths)
    return RaggedTensor._of(take(values._values, inner), picked(partition, rows))


def gathered(values: Any, rows: Array) -> Any:
    """The same, always gathered: the gradient of a tensor's rows is IndexedSlices."""
    if isinstance(values, RaggedTensor):
        return take(values, rows)
    return gather(values, constant_of(rows))


def picked(partition: RowPartition, rows: Array) -> RowPartition:
    """The partition of some rows."""
    length = partition.static_uniform_row_length
    if length is not None:
        return RowPartition._evenly(len(rows), length, partition._splits.dtype.type)
    return RowPartition._of_lengths(partition._lengths[rows])


def _rows_of(values: Tensor, rows: Array) -> Any:
    """A run of rows is a slice; a slice's gradient is dense, and its picture says what it is."""
    start, count = int(rows[0]) if len(rows) else 0, len(rows)
    if np.array_equal(rows, np.arange(start, start + count)):
        if start == 0 and count == len(values._value):
            return values
        return strided_slice(values, key=(slice(start, start + count),))
    return gather(values, constant_of(rows))
