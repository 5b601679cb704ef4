"""Layers that reshape, permute, repeat, pad, crop or resize."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

from tapelab import image
from tapelab.array_ops import shape_ops
from tapelab.core.dispatch import public
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import BuiltInLayer
from tapelab.keras.layers.window_shapes import SpatialLayer, of_ranks

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


class _Margins(SpatialLayer):
    """Extends or shortens the spatial axes at both ends, by `amounts`: a pair for each axis."""

    _setting: ClassVar[str]
    _channel_axis = -1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.amounts = _pairs(getattr(self, self._setting), self.rank, type(self).__name__)
        setattr(self, self._setting, self.amounts if self.rank > 1 else self.amounts[0])

    def _output_lengths(self, lengths: Any) -> Any:
        sign = 1 if self._setting == "padding" else -1
        pairs = zip(lengths, self.amounts, strict=True)
        return [None if size is None else size + sign * sum(ends) for size, ends in pairs]


class _ZeroPadding(_Margins):
    """Pads {axes} with zeros at both ends."""

    _setting = "padding"
    padding: Any = setting(1)
    data_format: Any = setting(None)

    def call(self, inputs: Any) -> Any:
        """Return the padded tensor."""
        return shape_ops.pad(inputs, ((0, 0), *self.amounts, (0, 0)))


class _Cropping(_Margins):
    """Cuts {axes} at both ends."""

    _setting = "cropping"
    cropping: Any = setting(1)
    data_format: Any = setting(None)

    def call(self, inputs: Any) -> Any:
        """Return the middle part of the tensor."""
        middle = tuple(
            slice(before, size - after)
            for size, (before, after) in zip(inputs.shape[1:-1], self.amounts, strict=True)
        )
        return inputs[(slice(None), *middle)]


ZeroPadding1D, ZeroPadding2D, ZeroPadding3D = of_ranks("ZeroPadding{}D", _ZeroPadding)
Cropping1D, Cropping2D, Cropping3D = of_ranks("Cropping{}D", _Cropping)


class _UpSampling(SpatialLayer):
    """Repeats each position along the spatial axes."""

    size: Any
    _channel_axis = -1

    @property
    def _factors(self) -> tuple[int, ...]:
        return self.size if isinstance(self.size, tuple) else (self.size,)

    def call(self, inputs: Any) -> Any:
        """Return the repeated positions."""
        for axis, factor in enumerate(self._factors, 1):
            inputs = shape_ops.repeat(inputs, factor, axis=axis)
        return inputs

    def _output_lengths(self, lengths: Any) -> Any:
        pairs = zip(lengths, self._factors, strict=True)
        return [None if size is None else size * factor for size, factor in pairs]


class UpSampling1D(_UpSampling):
    """Repeats each step `size` times."""

    rank = 1
    size: int = setting(2)


class UpSampling2D(_UpSampling):
    """Repeats each pixel along both axes."""

    size: Any = setting((2, 2), convert=lambda n: (n, n) if isinstance(n, int) else tuple(n))
    data_format: Any = setting(None)
    interpolation: str = setting("nearest")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.interpolation != "nearest":
            raise ValueError(
                "tapelab's UpSampling2D repeats points (interpolation='nearest'). Received: "
                f"interpolation={self.interpolation!r}"
            )


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
