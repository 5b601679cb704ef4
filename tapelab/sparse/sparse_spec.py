"""What is known of a sparse tensor before it is there: its shape and dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.core.type_spec import ShapedSpec, spec_of_composite
from tapelab.dtypes import float32
from tapelab.sparse.sparse_tensor import SparseTensor


class SparseTensorSpec(ShapedSpec):
    """The shape and dtype of a sparse tensor that a function will be given; None for any length."""

    def __init__(self, shape: Any = None, dtype: Any = float32) -> None:
        super().__init__(shape, dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The spec that a sparse tensor fits exactly; TypeError for anything else."""
        if not isinstance(value, SparseTensor):
            raise TypeError(f"Expected SparseTensor or SparseTensorValue, not {value!r}.")
        return cls(value.shape, value.dtype)

    @property
    def value_type(self) -> type:
        """The type of the values: a sparse tensor."""
        return SparseTensor

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a sparse tensor, or another spec, has this dtype and a shape that fits."""
        other = spec_or_value
        fits = isinstance(other, (SparseTensor, SparseTensorSpec)) and other.dtype is self._dtype
        return fits and self._shape.is_compatible_with(other.shape)

    def _batched(self, length: int | None) -> SparseTensorSpec:
        """What is known of several such tensors put together."""
        whole = None if self._shape.rank is None else [length, *self._shape]
        return SparseTensorSpec(whole, self._dtype)

    def _of_row(self) -> SparseTensorSpec:
        """What is known of one row of such a tensor."""
        return SparseTensorSpec(self._shape[1:], self._dtype)

    def _reshaped(self, shape: Any) -> SparseTensorSpec:
        """The same kind of sparse tensor in another shape."""
        return SparseTensorSpec(shape, self._dtype)

    def _made(self, length: int, fill: Callable[[Any], Any]) -> SparseTensor:
        """A sparse tensor of this kind with one entry, of `length` where its size is open."""
        sizes = [None, None] if self._shape.rank is None else list(self._shape)
        lengths = [length if n is None else n for n in sizes]
        count = int(all(lengths))
        return SparseTensor(np.zeros((count, len(lengths)), np.int64), fill((count,)), lengths)

    @property
    def ragged_rank(self) -> int:
        """How many axes are cut by row splits: none."""
        return 0

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"


@spec_of_composite.register(SparseTensor)
def spec_of_sparse(value: SparseTensor, skipped: int = 0) -> SparseTensorSpec:
    """The spec of a sparse tensor, or of one of its rows."""
    return SparseTensorSpec(value.shape[skipped:], value.dtype)
