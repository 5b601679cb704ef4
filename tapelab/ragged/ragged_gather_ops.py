"""Rows and entries of ragged tensors by number: indexing, gather, gather_nd, masks and where.

The gradient of a row that is gathered twice is the sum of both gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.array_ops import gather_ops, value_ops
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import implements, public
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.ops import index_tuples, indexed_rows, mask_ops
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import matched
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.shapes import reshape
from tapelab.ops.slices import _part
from tapelab.ragged.factories import ragged_in, rows_in
from tapelab.ragged.ragged_elementwise import broadcast, require_same_rows
from tapelab.ragged.ragged_shape_ops import as_deep, expand_dims, gathered, take
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.ragged.row_partition import Array, RowPartition, column_ranges, ranges, row_ids

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


@implements("ragged", gather_ops.gather)
@composite
def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None,
    batch_dims: int = 0, name: str | None = None,
) -> Any:  # fmt: skip
    """Rows, or entries of rows, by number; one that is picked twice receives both gradients."""
    along = batch_dims if axis is None else number(axis, "GatherV2")
    if along < 0:
        along += params._rank if isinstance(params, RaggedTensor) else as_tensor(params)._array.ndim
    if batch_dims:
        return _gather_in_rows(params, indices, along, batch_dims)
    if isinstance(indices, RaggedTensor):
        return indices._with_flat(gather_ops.gather(params, indices.flat_values, axis=along))
    if not isinstance(params, RaggedTensor):
        return gather_ops.gather(params, indices, axis=along)
    places = np.asarray(to_tensor(indices)._value)
    return _gather_columns(params, places, along) if along else _gather_rows(params, places)


def _gather_rows(params: Any, places: Array) -> Any:
    _check(places, rows_in(params))
    if not places.ndim:
        return params[int(places)]
    gathered = take(params, places.reshape(-1))
    rows = RaggedTensor._of(gathered._values, RowPartition._of(gathered._partition._splits))
    for length in reversed(places.shape[1:]):
        count = rows_in(rows) // length
        kind = params._partition._splits.dtype
        rows = RaggedTensor._of(rows, RowPartition._of_lengths(np.full(count, length, kind)))
    return rows


def _gather_columns(params: RaggedTensor, places: Array, along: int) -> Any:
    """The same entries of each row."""
    if along > 1:
        return params._over(gather_ops.gather(params._values, constant_of(places), axis=along - 1))
    partition = params._partition
    for length in partition._lengths:
        _check(places, int(length))
    spots = partition._splits[:-1].reshape(-1, *[1] * places.ndim) + places
    gathered = take(params._values, spots.reshape(-1))
    if isinstance(gathered, RaggedTensor):
        return RaggedTensor._of(gathered, RowPartition._evenly(len(spots), places.size))
    return reshape(gathered, shape=(*spots.shape, *gathered._array.shape[1:]))


def _gather_in_rows(params: Any, indices: Any, along: int, batch_dims: int) -> Any:
    """From each row of the params what the same row of the indices names."""
    rows, places = as_deep(params, _depth(params)), as_deep(indices, _depth(indices))
    if batch_dims > 1:
        inner = gather(rows._values, places._values, axis=along - 1, batch_dims=batch_dims - 1)
        return places._over(inner)
    if rows_in(rows) != rows_in(places):
        raise ValueError(f"The batches differ: {rows_in(rows)} and {rows_in(places)} rows.")
    owners, wanted = _owners(places), places.flat_values._value
    _check(wanted, rows._partition._lengths[owners])
    spots = rows._partition._splits[:-1][owners] + wanted
    gathered = take(rows._values, spots)
    if isinstance(indices, RaggedTensor) or isinstance(gathered, RaggedTensor):
        return places._with_flat(gathered)
    shape = (*to_tensor(indices)._array.shape, *gathered._array.shape[1:])
    return reshape(gathered, shape=shape)


def _owners(places: RaggedTensor) -> Array:
    """For each flat value the outermost row it is in."""
    owners = np.arange(rows_in(places))
    for partition in places._partitions:
        owners = np.repeat(owners, partition._lengths)
    return owners


def _depth(value: Any) -> int:
    return value.ragged_rank if isinstance(value, RaggedTensor) else 1


def _check(places: Array, lengths: Any) -> None:
    """InvalidArgumentError unless each place is in its row, whose length is given."""
    outside = (places < 0) | (places >= lengths)
    if np.any(outside):
        first = tuple(np.argwhere(outside)[0]) if places.ndim else ()
        at = f"[{','.join(map(str, first))}]" if first else ""
        length = np.broadcast_to(lengths, places.shape)[first]
        raise invalid_argument(
            "RaggedGather", f"indices{at} = {places[first]} is not in [0, {length})"
        )


@implements("ragged", gather_ops.gather_nd)
@composite
def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Any:
    """Entries, or whole rows, by index tuples."""
    if isinstance(indices, RaggedTensor):
        return indices._with_flat(gather_ops.gather_nd(params, indices.flat_values))
    tuples = np.asarray(to_tensor(indices)._value)
    values, spots, rest = params, tuples[..., 0], tuples[..., 1:]
    _check(spots, rows_in(params))
    while isinstance(values, RaggedTensor) and rest.shape[-1]:
        partition = values._partition
        _check(rest[..., 0], partition._lengths[spots])
        spots = partition._splits[:-1][spots] + rest[..., 0]
        values, rest = values._values, rest[..., 1:]
    if isinstance(values, RaggedTensor):
        return _gather_rows(values, spots)
    if not rest.shape[-1]:
        return indexed_rows.gather(values, constant_of(spots))
    whole = np.concatenate([spots[..., None], rest], axis=-1)
    return index_tuples.gather_nd(values, constant_of(whole))


@public(group=True, value_dependent_shape=True)
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The entries where the mask is true, each row keeping its own: rows may become shorter."""
    kept = mask if isinstance(mask, RaggedTensor) else to_tensor(mask, "bool")
    if not isinstance(kept, RaggedTensor) and not kept._array.ndim:
        raise ValueError("mask cannot be scalar.")
    if not isinstance(kept, RaggedTensor) and kept._array.ndim == 1:
        return _rows_where(data, np.asarray(kept._value))
    depth = kept._rank - 1 if isinstance(kept, RaggedTensor) else kept._array.ndim - 1
    deep_mask = as_deep(kept, depth)
    x = data if isinstance(data, RaggedTensor) else to_tensor(data)
    rows = as_deep(x, max(depth, _depth(x)))
    require_same_rows(deep_mask._partitions, rows._partitions[:depth])
    values: Any = rows
    for _ in range(depth):
        values = values._values
    flags = np.asarray(deep_mask.flat_values._value)
    inner = deep_mask._partitions[-1]
    counts = np.bincount(row_ids(inner._lengths)[flags], minlength=inner.static_nrows)
    shorter = RowPartition._of_lengths(counts.astype(inner._splits.dtype))
    partitions = [*deep_mask._partitions[:-1], shorter]
    return RaggedTensor._nested(_masked(values, flags), partitions)


def _masked(values: Any, flags: Array) -> Any:
    if isinstance(values, RaggedTensor):
        return take(values, np.flatnonzero(flags))
    return mask_ops.boolean_mask(values, constant_of(flags))


def _rows_where(data: Any, flags: Array) -> Any:
    x = data if isinstance(data, RaggedTensor) else to_tensor(data)
    if not isinstance(x, RaggedTensor):
        return gather_ops.boolean_mask(x, flags)
    if rows_in(x) != len(flags):
        raise ValueError(f"Shapes ({rows_in(x)},) and ({len(flags)},) are incompatible")
    return take(x, np.flatnonzero(flags))


@implements("ragged", value_ops.where)
@composite
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Each entry from x where the condition holds, else from y; alone, the places that are true."""
    if x is None and y is None:
        return _true_places(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    given = (x, y)
    numbers = matched(*[e.flat_values if isinstance(e, RaggedTensor) else e for e in given])
    operands = [
        each._with_flat(operand) if isinstance(each, RaggedTensor) else operand
        for each, operand in zip(given, numbers, strict=True)
    ]
    picks = condition if isinstance(condition, RaggedTensor) else to_tensor(condition, "bool")
    flat, partitions = broadcast(picks, *operands)
    return RaggedTensor._nested(value_ops.where(*flat), partitions)


def _true_places(condition: RaggedTensor) -> Tensor:
    flat = np.argwhere(np.asarray(condition.flat_values._value))
    columns = [flat[:, 0], *flat.T[1:]]
    for partition in reversed(condition._partitions):
        outer = row_ids(partition._lengths)[columns[0]]
        columns = [outer, columns[0] - partition._splits[:-1][outer], *columns[1:]]
    return constant_of(np.stack(columns, axis=1).astype(np.int64))
