"""The sparse gradient of picking rows: the rows that were picked, repeats kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.core.arrays import typed_array
from tapelab.core.core_ops import CORE
from tapelab.core.dispatch import public
from tapelab.core.host_values import as_setting, compute_on_host, depends_on
from tapelab.core.large_values import Dropped
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.value_types import DTypeLike, Value
from tapelab.dtypes import DType
from tapelab.recording.facts import KEPT_ELEMENTS


def _tensor(value: Value) -> Tensor:
    if isinstance(value, Tensor):
        return value
    return constant_of(value if isinstance(value, (np.ndarray, np.generic)) else typed_array(value))


class IndexedSlices:
    """Rows `values` that belong at `indices` of a tensor of `dense_shape`; repeats add up."""

    def __init__(self, values: Value, indices: Value, dense_shape: Value = None) -> None:
        self._rows = values
        self._indices = indices
        self._lengths = dense_shape
        self._shape = (
            tuple(int(n) for n in np.asarray(dense_shape)) if dense_shape is not None else None
        )

    @property
    def values(self) -> Tensor:
        """The rows, one per index."""
        return _tensor(self._rows)

    @property
    def indices(self) -> Tensor:
        """Where each row belongs."""
        return _tensor(self._indices)

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole, as the tensor that was given or as one of int32."""
        if self._shape is None:
            return None
        if isinstance(self._lengths, Tensor):
            return self._lengths
        counted = self._lengths.dtype if isinstance(self._lengths, np.ndarray) else np.int32
        return constant_of(np.array(self._shape, counted))

    @property
    def dtype(self) -> DType:
        """What kind of number the rows hold."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return TensorShape(self._shape)

    @public
    def dense(self) -> Any:
        """The whole, repeated rows added up, as the raw array or the tensor that the rows are."""
        if self._shape is None:
            raise ValueError(
                "These IndexedSlices have no dense_shape, so they cannot be made dense."
            )
        indices = as_setting(self._indices) if isinstance(self._indices, Tensor) else self._indices
        rows = self._rows
        if isinstance(rows, (list, tuple)) or isinstance(indices, (list, tuple)):  # written by hand
            rows, indices = self.values, as_setting(self.indices)
        return CORE.scatter_rows(rows, indices=indices, shape=self._shape)

    def preview(self) -> Any:
        """The whole for a picture, off the log: raw numbers, or only the shape of a large one."""
        shape = self._shape or ()
        rows, indices = (
            x._array if isinstance(x, Tensor) else x for x in (self._rows, self._indices)
        )
        if math.prod(shape) > KEPT_ELEMENTS:
            from tapelab.core.large_values import Buffer

            nbytes = np.asarray(rows).nbytes + np.asarray(indices).nbytes
            return Dropped(shape, rows.dtype, buffer=Buffer(nbytes))
        return CORE.scatter_rows.kernel(rows, indices=indices, shape=shape)

    def mapped(self, function: Callable[[Any], Any]) -> IndexedSlices:
        """The same places with other rows: what the function makes of them."""
        return IndexedSlices(function(self._rows), self._indices, self._lengths)

    def between(self, start: int, stop: int) -> IndexedSlices:
        """The rows of one stretch of the whole, which are counted from its start."""
        indices = np.asarray(
            self._indices._array if isinstance(self._indices, Tensor) else self._indices
        )
        depends_on(self._indices)
        kept = np.flatnonzero((indices >= start) & (indices < stop))
        rows = CORE.gather(self._rows, kept)
        return IndexedSlices(rows, indices[kept] - start, (stop - start, *(self._shape or ())[1:]))

    def cut(self, sizes: tuple[int, ...], axis: int) -> list[IndexedSlices]:
        """The pieces of every row along a later axis, of the given lengths."""
        whole = self._shape or ()
        pieces = CORE.split(self._rows, sizes=sizes, axis=axis)
        shapes = ((*whole[:axis], size, *whole[axis + 1 :]) for size in sizes)
        return [IndexedSlices(*each) for each in
                zip(pieces, [self._indices] * len(sizes), shapes, strict=True)]  # fmt: skip

    def __neg__(self) -> IndexedSlices:
        return self.mapped(CORE.negative)

    def merged(self, other: IndexedSlices) -> IndexedSlices:
        """The rows of both, one after the other."""
        rows = CORE.concat(self._rows, other._rows, axis=0)
        return IndexedSlices(
            rows, compute_on_host(_joined, self._indices, other._indices), self._lengths
        )

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> Any:
        return np.asarray(_tensor(self.dense()), dtype=dtype)

    def __str__(self) -> str:
        shape = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{shape})"


def _joined(one: Value, other: Value) -> Any:
    return np.concatenate((np.asarray(one), np.asarray(other)))
