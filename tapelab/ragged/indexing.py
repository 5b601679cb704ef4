"""Square brackets of a ragged tensor: rows by number, slices of rows and of what is in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.execute import composite
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.ops.subscripts import _part
from tapelab.ragged.factories import ragged_in, rows_in
from tapelab.ragged.partition import RowPartition
from tapelab.ragged.rows import column_ranges, ranges
from tapelab.ragged.shaping import expand_dims
from tapelab.ragged.taking import gathered, take
from tapelab.ragged.tensor import RaggedTensor

Keys = tuple[Any, ...]


@composite
def item(self: RaggedTensor, key: Any) -> Any:
    """The piece of a ragged tensor that an index cuts out."""
    parts = tuple(key) if isinstance(key, (list, tuple)) else (key,)
    if any(ragged_in(each) for each in parts):
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {key!r}. To pick by true and false, "
            "try tf.ragged.boolean_mask(x, mask)."
        )
    return _cut(self, _spread(tuple(_part(each) for each in parts), self._rank))


def _spread(keys: Keys, rank: int) -> Keys:
    """The keys with `...` written out."""
    if ... not in keys:
        return keys
    if keys.count(...) > 1:
        raise invalid_argument("StridedSlice", "Multiple ellipses in slice spec not allowed")
    at = keys.index(...)
    named = sum(each is not None and each is not ... for each in keys)
    return (*keys[:at], *[slice(None)] * (rank - named), *keys[at + 1 :])


def _cut(rows: RaggedTensor, keys: Keys) -> Any:
    """Rows by the first key, and what is in them by the others."""
    if not keys:
        return rows
    first, *rest = keys
    if first is None:
        return _with_axis(_cut(rows, tuple(rest)), 0)
    if isinstance(first, slice):
        kept = np.arange(rows_in(rows))[first]
        return _inside(take(rows, kept), tuple(rest))
    row = _row(rows, first)
    if not rest:
        return row
    return _cut(row, tuple(rest)) if isinstance(row, RaggedTensor) else row[tuple(rest)]


def _with_axis(piece: Any, axis: int) -> Any:
    """A new axis of length 1, also around a piece that is no longer ragged."""
    if isinstance(piece, RaggedTensor):
        return expand_dims(piece, axis)
    return piece[(*[slice(None)] * axis, None)]


def _row(rows: RaggedTensor, number: int) -> Any:
    count = rows_in(rows)
    if number >= count:
        raise IndexError(f"Row key {number} out of bounds: there are {count} rows.")
    if number < -count:
        raise invalid_argument(
            "StridedSlice", f"slice index {number + count} of dimension 0 out of bounds."
        )
    start, stop = rows._partition._splits[number % count :][:2]
    return take(rows._values, np.arange(start, stop))


def _inside(rows: Any, keys: Keys) -> Any:
    """All rows, the keys cutting what is in them."""
    if not isinstance(rows, RaggedTensor):
        return rows[(slice(None), *keys)] if keys else rows
    if not keys:
        return rows
    first, *rest = keys
    if first is None:
        return _with_axis(_inside(rows, tuple(rest)), 1)
    if isinstance(first, slice):
        return _columns(rows, first, tuple(rest))
    return _inside(_column(rows, first), tuple(rest))


def _columns(rows: RaggedTensor, piece: slice, rest: Keys) -> RaggedTensor:
    """A slice of each row."""
    partition = rows._partition
    starts, lengths, steps = column_ranges(partition._lengths, piece)
    places = ranges(partition._splits[:-1] + starts, lengths, steps)
    cut = RowPartition._of_lengths(lengths)
    if partition.is_uniform():
        length = int(lengths[0]) if len(lengths) else len(range(partition._uniform or 0)[piece])
        cut = RowPartition._evenly(len(lengths), length, lengths.dtype.type)
    return RaggedTensor._of(_inside(gathered(rows._values, places), rest), cut)


def _column(rows: RaggedTensor, number: int) -> Any:
    """One entry of each row, which all of them must have."""
    length = rows._partition.static_uniform_row_length
    if length is None:
        raise ValueError(
            "Cannot index into an inner ragged dimension. Rows differ in length, so not every row "
            f"has an entry {number}. Try rt[:, {number}:{number + 1 or None}], or rt.to_tensor() "
            "first."
        )
    if not -length <= number < length:
        raise InvalidArgumentError(
            None, None, "Index out of bounds when indexing into a ragged tensor\nCondition x < y "
            f"did not hold.\nFirst 1 elements of x:\n[{number}]\nFirst 1 elements of y:\n"
            f"[{length}]",
        )  # fmt: skip
    return take(rows._values, rows._partition._splits[:-1] + number % length)


def install() -> None:
    """Give ragged tensors their square brackets."""
    setattr(RaggedTensor, "__getitem__", item)  # noqa: B010 - mypy knows no assignment to a type
