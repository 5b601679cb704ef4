"""From lists to ragged tensors, and from ragged tensors to dense and sparse ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.array_ops import creation
from tapelab.core.convert import to_tensor as as_tensor
from tapelab.core.dispatch import public
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.dtypes import as_dtype, int64
from tapelab.errors import invalid_argument
from tapelab.ops.broadcasting import broadcast_to
from tapelab.ops.concatenation import concat
from tapelab.ops.indexed_rows import gather
from tapelab.ops.shapes import reshape
from tapelab.ragged.factories import axis_of, rows_in
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.ragged.row_partition import Array, RowPartition


@public
def constant(
    pylist: Any, dtype: Any = None, ragged_rank: int | None = None, inner_shape: Any = None,
    name: str | None = None, row_splits_dtype: Any = int64,
) -> Any:  # fmt: skip
    """A ragged tensor of nested lists; a list of numbers, or one number, is a dense tensor."""
    if inner_shape is not None and not isinstance(inner_shape, (list, tuple)):
        inner_shape = (inner_shape,)
    deepest, depth = _depths(pylist)
    if deepest is not None and depth != deepest:
        raise ValueError(
            f"Invalid pylist={pylist}: empty list nesting is greater than scalar value nesting"
        )
    if not _nested(pylist):
        return creation.constant(pylist, dtype)
    wanted = _ragged_rank(ragged_rank, inner_shape, depth, deepest, pylist)
    kind = as_dtype(row_splits_dtype).as_numpy_dtype
    level, partitions = [list(pylist)], []
    for _ in range(wanted):
        level = [each for row in level for each in row]
        partitions.append(RowPartition._of_lengths(np.array([len(each) for each in level], kind)))
    values = [each for row in level for each in row]
    flat = creation.constant(values, dtype) if inner_shape is None else _shaped(
        values, dtype, inner_shape
    )  # fmt: skip
    return RaggedTensor._nested(flat, partitions)


def _shaped(values: Any, dtype: Any, inner_shape: Any) -> Any:
    return creation.constant(values, dtype, shape=(len(values), *inner_shape))


def _nested(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or (isinstance(item, np.ndarray) and item.ndim > 0)


def _depths(item: Any) -> tuple[int | None, int]:
    """How deep the numbers lie (None if there are none), and how deep any list goes."""
    if not _nested(item):
        return 0, 0
    below = [_depths(each) for each in item]
    scalars = {each for each, _ in below if each is not None}
    if len(scalars) > 1:
        raise ValueError(
            "all scalar values must have the same nesting depth: in a ragged tensor rows differ in "
            f"length, not in depth. Here some numbers lie {min(scalars) + 1} lists deep, others "
            f"{max(scalars) + 1}."
        )
    deepest = max((depth for _, depth in below), default=0) + 1
    return (scalars.pop() + 1 if scalars else None), deepest


def _ragged_rank(
    ragged_rank: int | None, inner_shape: Any, depth: int, scalars: int | None, pylist: Any
) -> int:
    inner = 0 if inner_shape is None else len(inner_shape)
    if ragged_rank is None:
        return max(depth - 1 - inner, 0)
    if scalars is not None and ragged_rank >= scalars:
        raise ValueError(
            f"pylist has scalar values depth {scalars}, but ragged_rank={ragged_rank} requires "
            f"scalar value depth greater than {ragged_rank}"
        )
    if scalars is not None and inner_shape is not None and scalars != ragged_rank + 1 + inner:
        raise ValueError(
            f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank} and "
            f"dim(inner_shape)={inner}"
        )
    return ragged_rank


@composite
def to_tensor(
    self: RaggedTensor, default_value: Any = None, name: str | None = None, shape: Any = None
) -> Tensor:
    """A dense tensor: short rows are filled up, and what exceeds a given shape is cut off."""
    flat = self.flat_values
    count, *inner = flat._array.shape
    fill = _filling(default_value, flat)
    lengths = _box(self, shape)
    outer = lengths[: self.ragged_rank + 1]
    places, fits = _places(self, outer)
    table = np.full(int(np.prod(outer, dtype=int)), count, np.int32)
    table[places[fits]] = np.flatnonzero(fits)
    filled = concat(flat, fill, axis=0)
    whole = gather(filled, constant_of(table.reshape(outer)))
    dense: Tensor = _cut_inside(whole, self, lengths, inner)
    return dense


def _filling(default: Any, flat: Tensor) -> Tensor:
    """One more row of values, for the places that no value takes."""
    inner = flat._array.shape[1:]
    if default is None:
        kind = flat._array.dtype
        empty: Any = np.full((1, *inner), b"" if kind.kind == "O" else 0, kind)
        return constant_of(empty)
    given = as_tensor(default, flat.dtype)
    if given._array.ndim > len(inner):
        raise invalid_argument(
            "RaggedTensorToTensor", f"default_value.shape={list(given._array.shape)} and "
            f"rt_input.flat_values.shape={list(flat._array.shape)} are incompatible: "
            f"default_value.rank = {given._array.ndim}  must be less than "
            f"rt_input.flat_values.rank = {len(inner) + 1}",
        )  # fmt: skip
    return broadcast_to(given, shape=(1, *inner))


def _box(rows: RaggedTensor, shape: Any) -> list[int]:
    """The lengths of the dense tensor: those that are asked for, else the longest there are."""
    longest = [int(n) for n in rows.bounding_shape()._value]
    if shape is None:
        return longest
    given = shape if isinstance(shape, (list, tuple, TensorShape)) else as_tensor(shape)._value
    wanted = list(TensorShape([None if n is None or n == -1 else n for n in given]))
    if len(wanted) != len(longest):
        raise invalid_argument(
            "RaggedTensorToTensor", f"rt_input.shape and shape={wanted} are incompatible: "
            f"rt_input.rank = {len(longest)} but shape.rank = {len(wanted)}",
        )  # fmt: skip
    return [n if n is not None else own for n, own in zip(wanted, longest, strict=True)]


def _places(rows: RaggedTensor, outer: list[int]) -> tuple[Array, Array]:
    """For each flat value its place in the dense tensor flattened, and whether it has one."""
    places = np.arange(rows_in(rows))
    fits = places < outer[0]
    for partition, length in zip(rows._partitions, outer[1:], strict=True):
        ids = partition.value_rowids()._value
        within = partition.offsets_in_rows()._value
        places, fits = places[ids] * length + within, fits[ids] & (within < length)
    return places, fits


def _cut_inside(dense: Any, rows: RaggedTensor, lengths: list[int], inner: Any) -> Any:
    """The axes inside the values, which are uniform, cut where a shape asks for less."""
    wanted = lengths[rows.ragged_rank + 1 :]
    if list(inner) == wanted:
        return dense
    return dense[(..., *[slice(n) for n in wanted])]


@composite
def to_sparse(self: RaggedTensor, name: str | None = None) -> Any:
    """A sparse tensor with an entry for each value."""
    from tapelab.sparse import SparseTensor  # the one kind needs the other only here

    flat = self.flat_values
    inner = np.indices(flat._array.shape).reshape(flat._array.ndim, -1)
    columns = [inner[0], *inner[1:]]
    for partition in reversed(self._partitions):
        outer = partition.value_rowids()._value[columns[0]]
        columns = [outer, partition.offsets_in_rows()._value[columns[0]], *columns[1:]]
    places = np.stack(columns, axis=1).astype(np.int64)
    values = reshape(flat, shape=(len(places),))
    return SparseTensor(
        constant_of(places), values, constant_of(self.bounding_shape()._value.astype(np.int64))
    )


@composite
def merge_dims(self: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """Rows of rows as longer rows: the axes from one to another become one."""
    first, last = axis_of(outer_axis, self._rank), axis_of(inner_axis, self._rank)
    if first > last:
        raise ValueError(
            f"Expected outer_axis ({first}) to be less than or equal to inner_axis ({last})."
        )
    return _merged(self, first, last)


def _merged(rows: Any, first: int, last: int) -> Any:
    if first == last:
        return rows
    if not isinstance(rows, RaggedTensor):
        shape = rows._array.shape
        flat = int(np.prod(shape[first : last + 1], dtype=int))
        return reshape(rows, shape=(*shape[:first], flat, *shape[last + 1 :]))
    if first > 1:
        return rows._over(_merged(rows._values, first - 1, last - 1))
    if first == 0:
        return _merged(rows._values, 0, last - 1)
    values, partition = rows._values, rows._partition
    if isinstance(values, RaggedTensor):
        splits = values._partition._splits[partition._splits]
        return _merged(RaggedTensor._of(values._values, RowPartition._of(splits)), 1, last - 1)
    inner = values._array.shape[1:last]
    wider = RowPartition._of(partition._splits * int(np.prod(inner, dtype=int)))
    return RaggedTensor._of(_merged(values, 0, last - 1), wider)


def install() -> None:
    """Give ragged tensors these methods."""
    for name, method in {
        "to_tensor": to_tensor, "to_sparse": to_sparse, "merge_dims": merge_dims,
    }.items():  # fmt: skip
        setattr(RaggedTensor, name, method)
