"""The shape of a ragged tensor with all its row lengths: `tf.experimental.DynamicRaggedShape`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapelab.array_ops import creation, shape_ops
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import implements
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import DType, as_dtype, int32, int64
from tapelab.errors import InvalidArgumentError
from tapelab.ops import broadcasting
from tapelab.ops.public import tensor as as_tensor
from tapelab.ragged.factories import axis_of
from tapelab.ragged.ragged_elementwise import broadcast
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.ragged.row_partition import RowPartition, splits_of, whole_numbers


class DynamicRaggedShape(CompositeTensor):
    """How long a ragged tensor is along each axis: one number, or one for each row."""

    __slots__ = ("_dtype", "_inner", "_partitions")

    kind = "ragged shape"

    def __init__(
        self, row_partitions: Sequence[RowPartition], inner_shape: Any, dtype: Any = None
    ) -> None:
        own = row_partitions[0].dtype if row_partitions else int64
        self._dtype = own if dtype is None else as_dtype(dtype)
        self._partitions = tuple(each.with_dtype(self._dtype) for each in row_partitions)
        self._inner = tuple(int(n) for n in np.ravel(as_tensor(inner_shape)._value))

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: int | None = None, dtype: Any = int64
    ) -> DynamicRaggedShape:
        """A shape of one entry per axis: a length, or a tuple with the length of each row."""
        ragged = [at for at, each in enumerate(lengths) if isinstance(each, (list, tuple))]
        depth = max(ragged, default=0) if num_row_partitions is None else num_row_partitions
        if 0 in ragged:
            raise ValueError(f"Shape (1, {len(lengths[0])}) must have rank 1")
        kind = as_dtype(dtype).as_numpy_dtype
        partitions, rows = [], int(lengths[0]) if lengths else 0
        for each in lengths[1 : depth + 1]:
            if not isinstance(each, (list, tuple)):
                partitions.append(RowPartition._evenly(rows, int(each), kind))
            elif len(each) == rows:
                partitions.append(RowPartition._of(splits_of(np.array(each, kind))))
            else:
                raise ValueError(
                    f"Shape not consistent. There are {rows} rows, but {len(each)} lengths: {each}"
                )
            rows = partitions[-1]._total
        inner = [rows, *lengths[depth + 1 :]] if lengths else []
        return cls(partitions, inner, dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of a ragged or dense tensor."""
        if isinstance(t, RaggedTensor):
            return cls(t._partitions, list(t.flat_values._array.shape), dtype)
        return cls((), list(to_tensor(t)._array.shape), dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of rows over scalars."""
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, [row_partitions[-1]._total], dtype)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._partitions) + len(self._inner)

    @property
    def num_row_partitions(self) -> int:
        """How many axes are cut by row splits."""
        return len(self._partitions)

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The rows of each ragged axis, the outermost first."""
        return self._partitions

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the values inside all rows."""
        return constant_of(np.array(self._inner, self._dtype.as_numpy_dtype))

    @property
    def inner_rank(self) -> int:
        """How many axes the values inside all rows have."""
        return len(self._inner)

    @property
    def dtype(self) -> DType:
        """The dtype of the lengths."""
        return self._dtype

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """The same shape with lengths of another dtype."""
        return DynamicRaggedShape(self._partitions, [*self._inner], dtype)

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows along an axis are known to have one length."""
        return isinstance(self.static_lengths()[axis_of(axis, self.rank)], int)

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """One entry per axis: the one length, or a tuple with the length of each row."""
        if not self._partitions:
            return list(self._inner)
        outer: list[Any] = [self._partitions[0].static_nrows]
        for each in self._partitions:
            uniform = each.static_uniform_row_length
            rows = tuple(each._lengths.tolist()) if ragged_lengths else None
            outer.append(rows if uniform is None else uniform)
        return [*outer, *self._inner[1:]]

    def __getitem__(self, key: Any) -> Any:
        lengths = self.static_lengths()
        if isinstance(key, slice):
            return self._sliced(key)
        at = axis_of(key, self.rank)
        if not isinstance(lengths[at], int):
            raise ValueError(f"Index {at} is not uniform: its rows have lengths {lengths[at]}.")
        return constant_of(self._dtype.as_numpy_dtype(lengths[at]))

    def _sliced(self, key: slice) -> DynamicRaggedShape:
        start, stop, step = key.indices(self.rank)
        if step != 1:
            raise IndexError("Cannot stride through a shape")
        lengths = self.static_lengths()[start:stop]
        if start and not all(isinstance(each, int) for each in self.static_lengths()[:stop]):
            raise ValueError("All relevant dimensions must be uniform")
        kept = max(min(stop - 1, self.num_row_partitions), 0) if start == 0 else 0
        return DynamicRaggedShape.from_lengths(lengths, kept, self._dtype)

    def __eq__(self, other: object) -> Any:
        same = isinstance(other, DynamicRaggedShape) and (
            self.static_lengths() == other.static_lengths()
        )
        return constant_of(np.bool_(same))

    __hash__ = None  # type: ignore[assignment]  # a tensor is in it

    def _refusal(self) -> str:
        return "TypeError: object of type 'DynamicRaggedShape' has no len()"

    def _components(self) -> Sequence[Any]:
        return [*(each.row_splits() for each in self._partitions), self.inner_shape]

    def _with_components(self, components: Sequence[Any]) -> DynamicRaggedShape:
        *splits, inner = components
        rows = [RowPartition._of(whole_numbers(each, "row_splits")) for each in splits]
        return DynamicRaggedShape(rows, inner)

    def __repr__(self) -> str:
        inside = ", ".join(map(_shown, self.static_lengths()))
        count = self.num_row_partitions
        return f"<DynamicRaggedShape lengths=[{inside}] num_row_partitions={count}>"


def _shown(length: Any) -> str:
    if isinstance(length, int):
        return str(length)
    return f"({', '.join(map(str, length))}{',' if len(length) == 1 else ''})"


@implements("ragged", shape_ops.shape)
def shape(input: Any, out_type: Any = int32, name: str | None = None) -> DynamicRaggedShape:
    """How long a ragged tensor is along each axis, with the length of each row."""
    return DynamicRaggedShape.from_tensor(input, out_type)


@implements("ragged shape", shape_ops.broadcast_to)
@implements("ragged", shape_ops.broadcast_to)
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """Repeat a tensor along axes of length 1 until it has the given ragged shape."""
    if not isinstance(shape, DynamicRaggedShape):
        lengths = [int(n) for n in np.ravel(as_tensor(shape)._value)]
        shape = DynamicRaggedShape.from_lengths(lengths, 0)
    x = input if isinstance(input, RaggedTensor) else to_tensor(input)
    if not shape.num_row_partitions:
        dense = not isinstance(x, RaggedTensor)
        return shape_ops.broadcast_to(x, list(shape._inner)) if dense else NotImplemented
    frame = _frame(shape)
    flat, partitions = broadcast(x, frame)
    if [each._total for each in partitions] != [each._total for each in shape.row_partitions]:
        raise InvalidArgumentError(
            None, None, f"Cannot broadcast\nCondition x == y did not hold.\n{x.shape} is larger "
            f"than {shape}",
        )  # fmt: skip
    whole = broadcasting.broadcast_to(flat[0], shape=tuple(flat[1]._array.shape))
    return RaggedTensor._nested(whole, list(shape.row_partitions))


def _frame(shape: DynamicRaggedShape) -> Any:
    """A tensor of zeros that has the shape, ragged if the shape is."""
    zeros = constant_of(np.zeros(shape._inner, np.int32)[()])
    return RaggedTensor._nested(zeros, list(shape.row_partitions))


@implements("ragged shape", shape_ops.reshape)
@implements("ragged", shape_ops.reshape)
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The same entries in the same order in rows of other lengths."""
    flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else to_tensor(tensor)
    if not isinstance(shape, DynamicRaggedShape):
        return shape_ops.reshape(flat, shape)
    values = shape_ops.reshape(flat, list(shape._inner))
    return RaggedTensor._nested(values, list(shape.row_partitions))


@implements("ragged shape", creation.zeros)
def zeros(shape: Any, dtype: Any = "float32", name: str | None = None) -> Any:
    """Zeros in rows of the given lengths."""
    return reshape(creation.zeros(list(shape._inner), dtype), shape)


@implements("ragged shape", creation.ones)
def ones(shape: Any, dtype: Any = "float32", name: str | None = None) -> Any:
    """Ones in rows of the given lengths."""
    return reshape(creation.ones(list(shape._inner), dtype), shape)


@implements("ragged shape", creation.fill)
def fill(dims: Any, value: Any, name: str | None = None) -> Any:
    """The same scalar everywhere in rows of the given lengths."""
    return reshape(creation.fill(list(dims._inner), value), dims)


@implements("ragged shape", shape_ops.broadcast_dynamic_shape)
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> DynamicRaggedShape:
    """The shape that two shapes broadcast to."""
    given = [
        each if isinstance(each, DynamicRaggedShape) else DynamicRaggedShape((), each)
        for each in (shape_x, shape_y)
    ]
    frames = [_frame(each) for each in given]
    flat, partitions = broadcast(*frames)
    inner = np.broadcast_shapes(*[each._array.shape for each in flat])
    return DynamicRaggedShape(partitions, list(inner))
