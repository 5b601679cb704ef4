"""The ragged tensor: rows of different lengths over one flat tensor of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import DispatchedType
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.dtypes import DType, as_dtype
from tapelab.ops.public import tensor as as_tensor
from tapelab.ragged import nested_lists
from tapelab.ragged.factories import Factories, axis_of, rows_in
from tapelab.ragged.row_partition import Array, RowPartition


class RaggedTensor(Factories, metaclass=DispatchedType):
    """Rows of different lengths: values in a row, and splits that say where each row ends.

    The values are a tensor, or themselves ragged where rows hold rows.
    """

    __slots__ = ()

    to_tensor: Callable[..., Tensor]
    to_sparse: Callable[..., Any]
    merge_dims: Callable[..., Any]

    @property
    def values(self) -> Any:
        """The rows laid end to end: a tensor, or a ragged one with one ragged axis less."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        flat: Tensor = values
        return flat

    @property
    def row_splits(self) -> Tensor:
        """Where each row ends and the next begins."""
        return self._partition.row_splits()

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of the rows if all are known to have one, else None."""
        return self._partition.uniform_row_length()

    @property
    def ragged_rank(self) -> int:
        """How many axes are cut by row splits."""
        return len(self._partitions)

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of all ragged axes, the outermost first."""
        return tuple(each.row_splits() for each in self._partitions)

    @property
    def dtype(self) -> DType:
        """What kind of number it holds."""
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        """How long it is along each axis, None where rows may differ."""
        uniform = [each.static_uniform_row_length for each in self._partitions]
        return TensorShape([rows_in(self), *uniform, *self.flat_values._array.shape[1:]])

    @property
    def _partitions(self) -> list[RowPartition]:
        """The partitions of all ragged axes, the outermost first."""
        partitions: list[RowPartition] = []
        values: Any = self
        while isinstance(values, RaggedTensor):
            partitions.append(values._partition)
            values = values._values
        return partitions

    @property
    def _splits(self) -> list[Array]:
        return [each._splits for each in self._partitions]

    @property
    def _rank(self) -> int:
        return len(self._partitions) + int(self.flat_values._array.ndim)

    def get_shape(self) -> TensorShape:
        """How long it is along each axis, None where rows may differ."""
        return self.shape

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        return _as(self._partition.nrows(), out_type)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins in the values."""
        return self._partition.row_starts()

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends in the values."""
        return self._partition.row_limits()

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The lengths of the rows along an axis."""
        at = axis_of(axis, self._rank)
        if at == 0:
            return self.nrows()
        if at == 1:
            return self._partition.row_lengths()
        if isinstance(self._values, RaggedTensor):
            return self._over(self._values.row_lengths(at - 1))
        shape = self._values._array.shape
        length = np.full(shape[: at - 1], shape[at - 1], self._partition.dtype.as_numpy_dtype)
        return self._over(constant_of(length))

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each value the number of its row."""
        return self._partition.value_rowids()

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The lengths of the rows of all ragged axes, the outermost first."""
        return tuple(each.row_lengths() for each in self._partitions)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """For each ragged axis the number of the row of each value, the outermost first."""
        return tuple(each.value_rowids() for each in self._partitions)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The shape of the smallest dense tensor that all rows fit into."""
        lengths = [rows_in(self)]
        lengths += [int(np.max(each._lengths, initial=0)) for each in self._partitions]
        lengths += self.flat_values._array.shape[1:]
        box: Array = np.array(lengths, self._partition.dtype.as_numpy_dtype)
        bounds = box if axis is None else box[as_tensor(axis)._value]
        return _as(constant_of(bounds), out_type)

    def with_values(self, new_values: Any) -> Self:
        """Other values in rows of the same lengths."""
        values = new_values if isinstance(new_values, RaggedTensor) else to_tensor(new_values)
        if rows_in(values) != rows_in(self._values):
            raise _unlike(rows_in(self._values), values)
        return self._over(values)

    def with_flat_values(self, new_values: Any) -> Any:
        """Other innermost values in rows of the same lengths."""
        values = new_values if isinstance(new_values, RaggedTensor) else to_tensor(new_values)
        if rows_in(values) != rows_in(self.flat_values):
            raise _unlike(rows_in(self.flat_values), values)
        return self._with_flat(values)

    def _over(self, values: Any) -> Self:
        return self._of(values, self._partition)

    def _with_flat(self, values: Any) -> Any:
        return self._nested(values, self._partitions)

    def with_row_splits_dtype(self, dtype: Any) -> Any:
        """The same rows with splits of another dtype, int32 or int64."""
        kind = as_dtype(dtype)
        if kind.name not in ("int32", "int64"):
            raise ValueError(
                f"Argument `row_splits` dtype must be int32 or int64. Received {kind}."
            )
        cast = [each.with_dtype(kind) for each in self._partitions]
        return self._nested(self.flat_values, cast)

    def consumers(self) -> list[Any]:
        """Nothing: there is no graph."""
        return []

    def numpy(self) -> Any:
        """A NumPy array: of rows as objects where their lengths differ."""
        return nested_lists.nested_array(self.flat_values.numpy(), self._splits)

    def to_list(self) -> list[Any]:
        """Nested Python lists."""
        return nested_lists.nested_list(self.flat_values.numpy().tolist(), self._splits)

    def _refusal(self) -> str:
        return (
            "TypeError: object of type 'RaggedTensor' has no len()\nA ragged tensor is not "
            "converted to a tensor silently: its rows differ in length. Try rt.to_tensor(), which "
            "pads them, or rt.flat_values."
        )

    def _components(self) -> Sequence[Any]:
        return [self.flat_values, *self.nested_row_splits]

    def _with_components(self, components: Sequence[Any]) -> Any:
        flat, *splits = components
        return self.from_nested_row_splits(flat, splits, validate=False)

    def _numbers(self) -> Tensor:
        return self.flat_values

    def _like(self, gradient: Any) -> Any:
        rows = gradient.dense() if isinstance(gradient, IndexedSlices) else gradient
        return self._with_flat(rows if isinstance(rows, Tensor) else constant_of(rows))

    def _printed(self, entry: Callable[[Any], str], ends: int) -> str:
        rows = np.asarray(self.flat_values._value).tolist()
        return nested_lists.list_text(nested_lists.nested_list(rows, self._splits), ends)

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(rows_in(self)))  # type: ignore[index]  # joined to the class elsewhere

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __repr__(self) -> str:
        flat = np.asarray(self.flat_values._value)
        return f"<tf.RaggedTensor {nested_lists.rows_text(flat, self._splits)}>"


def _as(tensor: Tensor, out_type: Any) -> Tensor:
    if out_type is None:
        return tensor
    return constant_of(tensor._value.astype(as_dtype(out_type).as_numpy_dtype))


def _unlike(rows: int, values: Any) -> ValueError:
    return ValueError(
        f"Shapes ({rows},) and ({rows_in(values)},) are incompatible: the rows hold {rows} values, "
        f"but {rows_in(values)} are given."
    )
