"""What is known of a tensor before it is there: `tf.TensorSpec`, and the type above all specs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any, Self

from tapelab import nest
from tapelab.core.convert import to_tensor
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import ShapeLike, TensorShape
from tapelab.core.value_types import DTypeLike, Nest
from tapelab.core.variable import Variable
from tapelab.dtypes import DType, as_dtype, float32


class TypeSpec:
    """A description of values that are not there yet: their dtype, their shape, their parts."""

    @property
    def value_type(self) -> type:
        """The type of the values it describes."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def is_compatible_with(self, spec_or_value: Nest) -> bool:
        """Whether a value, or all values of another spec, may be what this one describes."""
        other = spec_or_value
        return type(other) is type(self) and other == self

    def is_subtype_of(self, other: TypeSpec) -> bool:
        """Whether everything this describes is also described by the other."""
        return type(other) is type(self) and other == self

    def most_specific_common_supertype(self, others: Iterable[TypeSpec]) -> Self | None:
        """The narrowest spec that describes what this and the others do, None if there is none."""
        return self if all(each == self for each in others) else None


class ShapedSpec(TypeSpec):
    """A description of values that have a shape and one kind of number."""

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: ShapeLike, dtype: DTypeLike) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """How long it is along each axis; None where that is open."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """What kind of number it holds."""
        return self._dtype

    def _arguments(self) -> tuple[Any, ...]:
        """The arguments with which to make an equal spec."""
        return self._shape, self._dtype

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapedSpec) or type(other) is not type(self):
            return False
        return self._arguments() == other._arguments()

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments()


class TensorSpec(ShapedSpec):
    """The shape and dtype of a tensor that a function will be given; None for any length."""

    __slots__ = ("_name",)

    def __init__(
        self, shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """The same spec, under another name if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Nest, name: str | None = None) -> TensorSpec:
        """The spec that a tensor fits exactly."""
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def name(self) -> str | None:
        """What the tensor is called inside a graph, if anything."""
        return self._name

    @property
    def value_type(self) -> type:
        """The type of the values: a tensor."""
        return Tensor

    def is_compatible_with(self, spec_or_value: Nest) -> bool:
        """Whether a tensor, or another spec, has this dtype and a shape that fits."""
        other = spec_or_value
        fits = isinstance(other, (Tensor, TensorSpec)) and other.dtype is self._dtype
        return fits and self._shape.is_compatible_with(other.shape)

    def is_subtype_of(self, other: TypeSpec) -> bool:
        """Whether every tensor of this spec is one of the other."""
        if not isinstance(other, TensorSpec) or other._dtype is not self._dtype:
            return False
        ours, theirs = self._shape._dims, other._shape._dims
        if ours is None or theirs is None:
            return theirs is None
        return len(ours) == len(theirs) and all(
            b is None or a == b for a, b in zip(ours, theirs, strict=True)
        )

    def most_specific_common_supertype(self, others: Iterable[TypeSpec]) -> Any:
        """The narrowest spec for this and the others: lengths that differ become None."""
        shape = self._shape
        for other in others:
            if not isinstance(other, TensorSpec) or other._dtype is not self._dtype:
                return None
            shape = common_shape(shape, other._shape)
        return TensorSpec(shape, self._dtype, self._name)

    def most_specific_compatible_type(self, other: TypeSpec) -> TensorSpec:
        """The narrowest spec for both; ValueError where the dtypes differ."""
        spec: TensorSpec | None = self.most_specific_common_supertype([other])
        if spec is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return spec

    def _arguments(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


def common_shape(one: TensorShape, other: TensorShape) -> TensorShape:
    """What two shapes have in common: None where their lengths differ, unknown where ranks do."""
    ours, theirs = one._dims, other._dims
    if ours is None or theirs is None or len(ours) != len(theirs):
        return TensorShape(None)
    return TensorShape([a if a == b else None for a, b in zip(ours, theirs, strict=True)])


class VariableSpec(TensorSpec):
    """The shape and dtype of a variable, and whether tapes watch it by themselves."""

    __slots__ = ("alias_id", "trainable")

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike = float32,
        trainable: bool = True,
        alias_id: Any = None,
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @property
    def value_type(self) -> type:
        """The type of the values: a variable."""
        return Variable

    def _arguments(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self.trainable, self.alias_id

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, "
            f"trainable={self.trainable}, alias_id={self.alias_id})"
        )


def type_spec_from_value(value: Nest) -> Any:
    """The spec that a tensor, or what converts to one, fits exactly; TypeError for other things."""
    if nest.is_composite(value):
        return spec_of_composite(value)
    if isinstance(value, Variable):
        return VariableSpec(value.shape, value.dtype, value.trainable)
    if not isinstance(value, TypeSpec):
        try:
            return TensorSpec.from_tensor(to_tensor(value))
        except (TypeError, ValueError):
            pass
    raise _without_spec(value)


@singledispatch
def spec_of_composite(value: Nest, skipped: int = 0) -> Any:
    """The spec that a composite tensor fits exactly, without the first `skipped` axes (0 or 1).

    The spec of each kind of composite registers here how it is made; TypeError for other kinds.
    """
    del skipped
    raise _without_spec(value)


def _without_spec(value: Nest) -> TypeError:
    return TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")
