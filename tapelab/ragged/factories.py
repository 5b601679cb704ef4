"""Ragged tensors from values and row splits, lengths or ids, and from dense tensors.

`Factories` holds the class methods of `RaggedTensor` that construct one.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tapelab.core.composite_tensor import CompositeTensor, composite_in
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import as_dtype, int64
from tapelab.errors import invalid_argument
from tapelab.ops.integer_arguments import number
from tapelab.ops.mask_ops import boolean_mask
from tapelab.ops.shapes import reshape
from tapelab.ragged.row_partition import Array, RowPartition, invalid_rows, whole_numbers

Partitions = list[RowPartition]


class Factories(CompositeTensor):
    """The class methods of RaggedTensor that make one."""

    __slots__ = ("__weakref__", "_partition", "_values")

    kind = "ragged"
    _values: Any
    _partition: RowPartition

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        raise ValueError(
            "RaggedTensor constructor is private; please use one of the factory methods instead "
            "(e.g., RaggedTensor.from_row_lengths())"
        )

    @classmethod
    def _of(cls, values: Any, partition: RowPartition) -> Self:
        """A ragged tensor of a tensor, or a ragged one, and rows that are known to fit."""
        ragged = object.__new__(cls)
        ragged._values = values
        ragged._partition = partition
        return ragged

    @classmethod
    def _nested(cls, flat: Any, partitions: Partitions) -> Any:
        """Flat values under several partitions, the outermost first; itself under none."""
        for partition in reversed(partitions):
            flat = cls._of(flat, partition)
        return flat

    @classmethod
    def _checked(cls, given: Any, partition: RowPartition) -> Self:
        values = as_values(given)
        if isinstance(values, Tensor) and not values.ndim:
            raise invalid_argument(
                "StridedSlice", "slice index 0 of dimension 0 out of bounds. The values of a "
                "ragged tensor need rank 1 or more, not a scalar",
            )  # fmt: skip
        if partition._total != rows_in(values):
            raise invalid_rows(
                "Arguments to _from_row_partition do not form a valid RaggedTensor\nCondition "
                f"x == y did not hold.\nFirst 1 elements of x:\n[{partition._total}]\nFirst 1 "
                f"elements of y:\n[{rows_in(values)}]\nThe rows hold {partition._total} values in "
                f"all, but {rows_in(values)} are given."
            )
        return cls._of(values, partition)

    @classmethod
    @public
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that begin and end at the splits: row i is values[splits[i]:splits[i + 1]]."""
        return cls._checked(values, RowPartition.from_row_splits(row_splits, validate))

    @classmethod
    @public
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows of the given lengths, one after the other."""
        return cls._checked(values, RowPartition.from_row_lengths(row_lengths, validate))

    @classmethod
    @public
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that begin at the given places; the last ends with the values."""
        given = as_values(values)
        return cls._checked(
            given, RowPartition.from_row_starts(row_starts, rows_in(given), validate)
        )

    @classmethod
    @public
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that end at the given places; the first begins with the values."""
        return cls._checked(values, RowPartition.from_row_limits(row_limits, validate))

    @classmethod
    @public
    def from_value_rowids(
        cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None,
        validate: bool = True,
    ) -> Self:  # fmt: skip
        """Each value with the number of its row; rows that no value names are empty."""
        given = as_values(values)
        ids = whole_numbers(value_rowids, "value_rowids")
        if len(ids) != rows_in(given):
            raise ValueError(f"Shapes ({rows_in(given)},) and ({len(ids)},) are incompatible")
        return cls._checked(given, RowPartition.from_value_rowids(ids, nrows, validate))

    @classmethod
    @public
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Rows of one length, so that the shape knows it."""
        given = as_values(values)
        rows = RowPartition.from_uniform_row_length(uniform_row_length, rows_in(given), nrows)
        return cls._checked(given, rows)

    @classmethod
    @public
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Any, name: str | None = None,
        validate: bool = True,
    ) -> Any:  # fmt: skip
        """Rows of rows by their splits, the outermost first."""
        return cls._wrapped(flat_values, nested_row_splits, cls.from_row_splits, validate)

    @classmethod
    @public
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Any, name: str | None = None,
        validate: bool = True,
    ) -> Any:  # fmt: skip
        """Rows of rows by their lengths, the outermost first."""
        return cls._wrapped(flat_values, nested_row_lengths, cls.from_row_lengths, validate)

    @classmethod
    @public
    def from_nested_value_rowids(
        cls, flat_values: Any, nested_value_rowids: Any, nested_nrows: Any = None,
        name: str | None = None, validate: bool = True,
    ) -> Any:  # fmt: skip
        """Rows of rows by the row of each value, the outermost first."""
        result = as_values(flat_values)
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        if len(counts) != len(nested_value_rowids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as argument "
                f"`nested_value_rowids`. len(nested_nrows) = {len(counts)} vs. "
                f"len(nested_values_rowids) = {len(nested_value_rowids)}."
            )
        for ids, count in reversed(list(zip(nested_value_rowids, counts, strict=True))):
            result = cls.from_value_rowids(result, ids, count, validate=validate)
        return result

    @classmethod
    def _wrapped(cls, flat: Any, nested: Any, make: Any, validate: bool) -> Any:
        if isinstance(nested, Tensor):
            raise TypeError(f"The nested rows must be a list of tensors. Received: {nested}")
        result = as_values(flat)
        for rows in reversed(list(nested)):
            result = make(result, rows, validate=validate)
        return result

    @classmethod
    @public(group=True)
    def from_tensor(
        cls, tensor: Any, lengths: Any = None, padding: Any = None, ragged_rank: int = 1,
        name: str | None = None, row_splits_dtype: Any = int64,
    ) -> Any:  # fmt: skip
        """The rows of a dense tensor: whole, cut to lengths, or without padding at their end."""
        if lengths is not None and padding is not None:
            raise ValueError("Specify argument `lengths` or `padding`, but not both.")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if ragged_rank <= 0:
            raise ValueError(
                f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}."
            )
        x = to_tensor(tensor)
        if x._array.ndim <= ragged_rank:
            raise ValueError(
                "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't "
                f"have ragged dimensions. Received argument `tensor` with rank {x._array.ndim}."
            )
        kind = as_dtype(row_splits_dtype).as_numpy_dtype
        if _is_nested(lengths):
            return _cut_often(cls, x, list(lengths), kind)
        if ragged_rank > 1 and (lengths is not None or padding is not None):
            return _cut_inside(cls, x, lengths, padding, ragged_rank, kind)
        if lengths is None and padding is None:
            return _uncut(cls, x, ragged_rank, kind)
        wanted = _unpadded(x, padding) if lengths is None else to_tensor(lengths)._value
        return _cut(cls, x, np.asarray(wanted), kind)

    @classmethod
    @public
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = int64
    ) -> Self:
        """The entries of a sparse matrix, whose rows must have no gaps."""
        kind = as_dtype(row_splits_dtype).as_numpy_dtype
        places, shape = st_input.indices._value, st_input.dense_shape._value
        if len(shape) != 2:
            raise ValueError("rank(st_input) must be 2.")
        lengths: Array = np.bincount(places[:, 0], minlength=int(shape[0])).astype(kind)
        partition = RowPartition._of_lengths(lengths)
        if not np.array_equal(places[:, 1], partition.offsets_in_rows()._value):
            raise invalid_rows(
                "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                f"b'SparseTensor is not right-ragged'\nb'SparseTensor.indices ='\n{places}"
            )
        return cls._checked(st_input.values, partition)


def as_values(given: Any) -> Any:
    """What a ragged tensor may be made of: another one, or a tensor."""
    return given if isinstance(given, Factories) else to_tensor(given)


def rows_in(values: Any) -> int:
    """How many rows a tensor or a ragged tensor has."""
    if isinstance(values, Factories):
        return values._partition.static_nrows
    return int(values._array.shape[0]) if values._array.ndim else 0


def axis_of(axis: Any, rank: int) -> int:
    """An axis as a position from 0; ValueError if there is no such axis."""
    at = number(axis, "Axis")
    if not -rank <= at < rank:
        raise ValueError(f"axis={at} out of bounds: expected {-rank}<=axis<{rank}")
    return at % rank


def _is_nested(lengths: Any) -> bool:
    return isinstance(lengths, (list, tuple)) and bool(lengths) and not np.isscalar(lengths[0])


def _uncut(cls: Any, x: Tensor, ragged_rank: int, kind: Any) -> Any:
    shape = x._array.shape
    partitions = [
        RowPartition._evenly(int(np.prod(shape[: at + 1], dtype=int)), shape[at + 1], kind)
        for at in range(ragged_rank)
    ]
    flat = reshape(x, shape=(-1 if x._array.size else 0, *shape[ragged_rank + 1 :]))
    return cls._nested(flat, partitions)


def _cut(cls: Any, x: Tensor, lengths: Any, kind: Any) -> Any:
    count, longest, *rest = x._array.shape
    if len(lengths) != count:
        shapes = f"({count}, {longest}) and ({len(lengths)}, {longest})"
        raise ValueError(f"Shapes {shapes} are incompatible")
    kept = np.arange(longest) < lengths[:, None]
    rows = reshape(x, shape=(count * longest, *rest))
    values = boolean_mask(rows, constant_of(kept.ravel()))
    return cls._of(values, RowPartition._of_lengths(kept.sum(axis=1).astype(kind)))


def _cut_inside(cls: Any, x: Tensor, lengths: Any, padding: Any, depth: int, kind: Any) -> Any:
    """Rows of rows where only the innermost are cut."""
    outer = _uncut(cls, x, depth - 1, kind)
    inner = cls.from_tensor(outer.flat_values, lengths, padding, row_splits_dtype=kind)
    return outer._with_flat(inner)


def _cut_often(cls: Any, x: Tensor, lengths: list[Any], kind: Any) -> Any:
    """Rows cut to the first lengths, the rows in them to the next, and so on."""
    first = cls.from_tensor(x, lengths[0], row_splits_dtype=kind)
    if len(lengths) == 1:
        return first
    inner = lengths[1:] if len(lengths) > 2 else lengths[1]
    return cls._of(cls.from_tensor(first.values, inner, row_splits_dtype=kind), first._partition)


def _unpadded(x: Tensor, padding: Any) -> Any:
    """How long each row is without the entries at its end that are padding."""
    value = x._value
    same = value == to_tensor(padding, x.dtype)._value
    if value.ndim > 2:
        same = same.all(axis=tuple(range(2, value.ndim)))
    places = np.arange(1, value.shape[1] + 1)
    return np.where(same, 0, places).max(axis=1, initial=0)


def ragged_in(values: Any) -> bool:
    """Whether a nest of arguments holds a ragged tensor."""
    composite = composite_in(values)
    return composite is not None and composite.kind == "ragged"
