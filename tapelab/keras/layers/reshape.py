"""Layers that reshape, permute, repeat, pad, crop or resize."""

from __future__ import annotations

from math import prod
from typing import Any

from tapelab import image
from tapelab.array_ops import shape_ops
from tapelab.core.dispatch import public
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import BuiltInLayer

Pairs = tuple[tuple[int, int], ...]


class Flatten(BuiltInLayer):
    """Flattens each example to a vector."""

    data_format: Any = setting(None)
    input_spec = InputSpec(min_ndim=1)

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """Return the vectors, shape (batch, elements)."""
        return shape_ops.reshape(inputs, (inputs.shape[0], prod(inputs.shape[1:])))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the batch and the number of elements of an example."""
        rest = input_shape[1:]
        return (input_shape[0], None if None in rest else prod(rest))


class Reshape(BuiltInLayer):
    """Reshapes each example; one size may be -1."""

    target_shape: tuple[int, ...] = setting(convert=tuple)

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """Return the reshaped examples."""
        shape = self.compute_output_shape(tuple(inputs.shape))
        return shape_ops.reshape(inputs, shape)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the batch and the target shape; ValueError if the elements do not fill it."""
        given, target = tuple(input_shape[1:]), self.target_shape
        if None in given:
            return (input_shape[0], *(None if size == -1 else size for size in target))
        known = prod(size for size in target if size != -1)
        rest = prod(given) // known if known else 0
        filled = tuple(rest if size == -1 else size for size in target)
        if prod(filled) != prod(given):
            raise ValueError(
                "The total size of the tensor must be unchanged. Received: "
                f"input_shape={given}, target_shape={target}"
            )
        return (input_shape[0], *filled)


class Permute(BuiltInLayer):
    """Permutes the axes of each example, which are counted from 1."""

    dims: tuple[int, ...] = setting(convert=tuple)

    def __post_init__(self) -> None:
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in "
                f"`dims` must be consecutive and start from 1. Received dims={self.dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Any:
        """Return the transposed tensor."""
        return shape_ops.transpose(inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the permuted shape."""
        return (input_shape[0], *(input_shape[axis] for axis in self.dims))


class RepeatVector(BuiltInLayer):
    """Repeats each vector n times: (batch, features) becomes (batch, n, features)."""

    n: int = setting()
    input_spec = InputSpec(ndim=2)

    def __post_init__(self) -> None:
        if not isinstance(self.n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(self.n)}.")

    def call(self, inputs: Any) -> Any:
        """Return the repeated vectors."""
        return shape_ops.repeat(shape_ops.expand_dims(inputs, 1), self.n, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with an axis of size n."""
        return (input_shape[0], self.n, input_shape[1])


class _Margins(BuiltInLayer):
    """Extends or shortens the middle axes at both ends, by `amounts`: a pair for each axis."""

    rank = 1
    amounts: Pairs
    sign = 1

    def _set_amounts(self, value: Any) -> Any:
        """Store the amounts, and return them as the setting shows them."""
        self.amounts = _pairs(value, self.rank, type(self).__name__)
        self.input_spec = InputSpec(ndim=self.rank + 2)
        return self.amounts if self.rank > 1 else self.amounts[0]

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with what is added or cut."""
        middle = [
            None if size is None else size + self.sign * sum(ends)
            for size, ends in zip(input_shape[1:-1], self.amounts, strict=True)
        ]
        return (input_shape[0], *middle, input_shape[-1])


class _ZeroPadding(_Margins):
    padding: Any = setting(1)
    data_format: Any = setting(None)

    def __post_init__(self) -> None:
        self.padding = self._set_amounts(self.padding)

    def call(self, inputs: Any) -> Any:
        """Return the padded tensor."""
        return shape_ops.pad(inputs, ((0, 0), *self.amounts, (0, 0)))


class ZeroPadding1D(_ZeroPadding):
    """Pads one axis with zeros at both ends."""


class ZeroPadding2D(_ZeroPadding):
    """Pads two axes with zeros at both ends."""

    rank = 2


class ZeroPadding3D(_ZeroPadding):
    """Pads three axes with zeros at both ends."""

    rank = 3


class _Cropping(_Margins):
    cropping: Any = setting(1)
    data_format: Any = setting(None)
    sign = -1

    def __post_init__(self) -> None:
        self.cropping = self._set_amounts(self.cropping)

    def call(self, inputs: Any) -> Any:
        """Return the middle part of the tensor."""
        middle = tuple(
            slice(before, size - after)
            for size, (before, after) in zip(inputs.shape[1:-1], self.amounts, strict=True)
        )
        return inputs[(slice(None), *middle)]


class Cropping1D(_Cropping):
    """Cuts one axis at both ends."""


class Cropping2D(_Cropping):
    """Cuts two axes at both ends."""

    rank = 2


class Cropping3D(_Cropping):
    """Cuts three axes at both ends."""

    rank = 3


class UpSampling1D(BuiltInLayer):
    """Repeats each step `size` times."""

    size: int = setting(2)
    input_spec = InputSpec(ndim=3)

    def call(self, inputs: Any) -> Any:
        """Return the repeated steps."""
        return shape_ops.repeat(inputs, self.size, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with `size` times as many steps."""
        batch, steps, channels = input_shape
        return (batch, None if steps is None else steps * self.size, channels)


class UpSampling2D(BuiltInLayer):
    """Repeats each pixel along both axes."""

    size: Any = setting((2, 2), convert=lambda n: (n, n) if isinstance(n, int) else tuple(n))
    data_format: Any = setting(None)
    interpolation: str = setting("nearest")
    input_spec = InputSpec(ndim=4)

    def __post_init__(self) -> None:
        if self.interpolation != "nearest":
            raise ValueError(
                "tapelab's UpSampling2D repeats points (interpolation='nearest'). Received: "
                f"interpolation={self.interpolation!r}"
            )

    def call(self, inputs: Any) -> Any:
        """Return the repeated pixels."""
        rows = shape_ops.repeat(inputs, self.size[0], axis=1)
        return shape_ops.repeat(rows, self.size[1], axis=2)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with height and width times the size."""
        pairs = zip(input_shape[1:3], self.size, strict=True)
        middle = [None if size is None else size * factor for size, factor in pairs]
        return (input_shape[0], *middle, input_shape[3])


class Resizing(BuiltInLayer):
    """Resizes images to a height and a width."""

    height: int = setting()
    width: int = setting()
    interpolation: str = setting("bilinear")
    input_spec = InputSpec(min_ndim=3, max_ndim=4)

    def call(self, inputs: Any) -> Any:
        """Return the resized images."""
        return image.resize(inputs, (self.height, self.width), self.interpolation)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the new height and width."""
        return (*input_shape[:-3], self.height, self.width, input_shape[-1])


def _pairs(given: Any, rank: int, layer: str) -> Pairs:
    """A number, a number per axis, or a pair per axis, as a pair per axis."""
    if isinstance(given, int):
        return ((given, given),) * rank
    amounts = tuple(given)
    if rank == 1 and len(amounts) == 2 and all(isinstance(each, int) for each in amounts):
        return ((amounts[0], amounts[1]),)
    if len(amounts) != rank:
        raise ValueError(
            f"{layer} takes a number, or {rank} numbers or pairs of numbers. Received: {given}"
        )
    return tuple((each, each) if isinstance(each, int) else tuple(each) for each in amounts)
