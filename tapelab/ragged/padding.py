"""From ragged to dense and sparse tensors, and the axes of rows merged."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.convert import to_tensor as as_tensor
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.errors import invalid_argument
from tapelab.ops.broadcasting import broadcast_to
from tapelab.ops.gathering import gather
from tapelab.ops.shape import reshape
from tapelab.ops.stacking import concat
from tapelab.ragged.factories import axis_of, rows_in
from tapelab.ragged.partition import RowPartition
from tapelab.ragged.rows import Array
from tapelab.ragged.tensor import RaggedTensor


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
    made: Tensor = _cut_inside(whole, self, lengths, inner)
    return made


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
    made: Tensor = broadcast_to(given, shape=(1, *inner))
    return made


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
    """For each flat value its place in the dense tensor laid flat, and whether it has one."""
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
