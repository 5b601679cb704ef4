"""What is known of a ragged tensor before it is there: `tf.RaggedTensorSpec`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np

from tapelab.core.tensor_shape import TensorShape
from tapelab.core.type_spec import ShapedSpec, common_shape, spec_of_composite
from tapelab.dtypes import DType, as_dtype, float32, int64
from tapelab.ragged.ragged_tensor import RaggedTensor


class RaggedTensorSpec(ShapedSpec):
    """The shape, dtype and ragged rank of a ragged tensor that a function will be given."""

    __slots__ = ("_ragged_rank", "_splits")

    def __init__(
        self, shape: Any = None, dtype: Any = float32, ragged_rank: int | None = None,
        row_splits_dtype: Any = int64, flat_values_spec: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(shape, dtype if flat_values_spec is None else flat_values_spec.dtype)
        self._splits = as_dtype(row_splits_dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec that a ragged tensor fits exactly; TypeError for anything else."""
        if not isinstance(value, RaggedTensor):
            raise TypeError(f"Expected a RaggedTensor, not {value!r}.")
        return cls(value.shape, value.dtype, value.ragged_rank, value._partition.dtype)

    @property
    def ragged_rank(self) -> int:
        """How many axes are cut by row splits."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The dtype of the splits."""
        return self._splits

    @property
    def flat_values_spec(self) -> None:
        """Nothing: the values inside the rows are a tensor."""
        return

    @property
    def value_type(self) -> type:
        """The type of the values: a ragged tensor."""
        return RaggedTensor

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a ragged tensor, or another spec, may be what this one describes."""
        other = spec_or_value
        if isinstance(other, RaggedTensor):
            other = RaggedTensorSpec.from_value(other)
        return (
            isinstance(other, RaggedTensorSpec)
            and other._kind() == self._kind()
            and self._shape.is_compatible_with(other._shape)
        )

    def most_specific_common_supertype(self, others: Any) -> Any:
        """The narrowest spec for this and the others: lengths that differ become None."""
        shape = self._shape
        for other in others:
            if not isinstance(other, RaggedTensorSpec) or other._kind() != self._kind():
                return None
            shape = common_shape(shape, other._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank, self._splits)

    def most_specific_compatible_type(self, other: Any) -> RaggedTensorSpec:
        """The narrowest spec for both; ValueError where they have none."""
        common: RaggedTensorSpec | None = self.most_specific_common_supertype([other])
        if common is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return common

    def _batched(self, length: int | None) -> RaggedTensorSpec:
        """The spec of several such tensors, one under the other."""
        shape = TensorShape([length]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._splits)

    def _of_row(self) -> RaggedTensorSpec:
        """The spec of one row of such a tensor."""
        return RaggedTensorSpec(self._shape[1:], self._dtype, self._ragged_rank - 1, self._splits)

    def _reshaped(self, shape: Any) -> RaggedTensorSpec:
        """The same kind of ragged tensor in another shape."""
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank, self._splits)

    def _made(self, length: int, fill: Callable[[Any], Any]) -> RaggedTensor:
        """A ragged tensor of this kind, with `length` rows where their number is open."""
        cut, shape = self._ragged_rank, self._shape
        sizes = [None] * (cut + 1) if shape.rank is None else list(shape)
        known = [(length, 2)[0 < at <= cut] if n is None else n for at, n in enumerate(sizes)]
        counts = list(accumulate(known[: cut + 1], mul))
        splits = [
            np.arange(count + 1, dtype=self._splits.as_numpy_dtype) * size
            for count, size in zip(counts, known[1 : cut + 1], strict=False)
        ]
        ragged: RaggedTensor = RaggedTensor.from_nested_row_splits(
            fill((counts[cut], *known[cut + 1 :])), splits
        )
        return ragged

    def _kind(self) -> tuple[Any, ...]:
        return self._dtype.name, self._ragged_rank, self._splits.name

    def _arguments(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._splits

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank}, "
            f"{self._splits!r})"
        )


@spec_of_composite.register(RaggedTensor)
def spec_of_ragged(value: RaggedTensor, skipped: int = 0) -> RaggedTensorSpec:
    """The spec of a ragged tensor, or of one of its rows."""
    whole = RaggedTensorSpec.from_value(value)
    return whole._of_row() if skipped else whole
