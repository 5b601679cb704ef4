"""Layers that reshape, permute, repeat, pad, crop or resize."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

from tapelab.array_ops import shape_ops
from tapelab.core.dispatch import public
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.image_sizes import INTERPOLATIONS, resized
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import BuiltInLayer
from tapelab.keras.layers.window_shapes import SpatialLayer, layout_of, of_ranks, sizes

Pairs = tuple[tuple[int, int], ...]


class Flatten(BuiltInLayer):
    """Flattens each example to a vector."""

    data_format: Any = setting(None, convert=layout_of)
    input_spec = InputSpec(min_ndim=1)

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """Return the vectors, shape (batch, elements)."""
        if self.data_format == "channels_first" and inputs.ndim > 2:
            inputs = shape_ops.transpose(inputs, (0, *range(2, inputs.ndim), 1))
        return shape_ops.reshape(inputs, (inputs.shape[0], prod(inputs.shape[1:])))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the batch and the number of elements of an example."""
        rest = input_shape[1:]
        return (input_shape[0], None if None in rest else prod(rest))


class Reshape(BuiltInLayer):
    """Reshapes each example; one size may be -1."""

    target_shape: tuple[int, ...] = setting(convert=tuple)

    def __post_init__(self) -> None:
        if any(not isinstance(size, int) or size < -1 for size in self.target_shape):
            raise ValueError(
                "All elements of `target_shape` must be a non-negative integer, or -1. Received: "
                f"target_shape={self.target_shape}"
            )
        if self.target_shape.count(-1) > 1:
            raise ValueError(
                "The `target_shape` argument must not contain more than one `-1` value. Received: "
                f"target_shape={self.target_shape}"
            )

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
        if self.n <= 0:
            raise ValueError(f"The `n` argument should be a positive integer. Received: n={self.n}")

    def call(self, inputs: Any) -> Any:
        """Return the repeated vectors."""
        return shape_ops.repeat(shape_ops.expand_dims(inputs, 1), self.n, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with an axis of size n."""
        return (input_shape[0], self.n, input_shape[1])


class _Margins(SpatialLayer):
    """Extends or shortens the spatial axes at both ends, by `amounts`: a pair for each axis."""

    _setting: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.amounts = _pairs(getattr(self, self._setting), self.rank, type(self).__name__)
        setattr(self, self._setting, self.amounts if self.rank > 1 else self.amounts[0])

    def _output_lengths(self, lengths: Any) -> Any:
        sign = 1 if self._setting == "padding" else -1
        pairs = zip(lengths, self.amounts, strict=True)
        return [None if size is None else size + sign * sum(ends) for size, ends in pairs]

    def _by_axis(self, ends: Any, whole: Any) -> tuple[Any, ...]:
        """A part for each axis of the tensor: `ends` for the spatial ones, else `whole`."""
        return (whole, *ends, whole) if self._channel_axis == -1 else (whole, whole, *ends)


class _ZeroPadding(_Margins):
    """Pads {axes} with zeros at both ends."""

    _setting = "padding"
    padding: Any = setting(1)
    data_format: Any = setting(None, convert=layout_of)

    def call(self, inputs: Any) -> Any:
        """Return the padded tensor."""
        return shape_ops.pad(inputs, self._by_axis(self.amounts, (0, 0)))


class _Cropping(_Margins):
    """Cuts {axes} at both ends."""

    _setting = "cropping"
    cropping: Any = setting(1)
    data_format: Any = setting(None, convert=layout_of)

    def call(self, inputs: Any) -> Any:
        """Return the middle part of the tensor."""
        self.compute_output_shape(tuple(inputs.shape))  # refuses to cut everything away
        parts = [slice(before, -after or None) for before, after in self.amounts]
        return inputs[self._by_axis(parts, slice(None))]

    def _output_lengths(self, lengths: Any) -> Any:
        lengths = super()._output_lengths(lengths)
        if any(size is not None and size <= 0 for size in lengths):
            raise ValueError(
                f"Values in `cropping` argument should be smaller than the corresponding spatial "
                f"dimension of the input. Received: cropping={self.cropping}"
            )
        return lengths


class Cropping2D(_Cropping):
    """Cuts both axes of images at both ends."""

    rank = 2
    cropping: Any = setting(((0, 0), (0, 0)))


class Cropping1D(_Cropping):
    """Cuts steps of a sequence at both ends."""

    rank = 1
    data_format = "channels_last"


ZeroPadding1D, ZeroPadding2D, ZeroPadding3D = of_ranks("ZeroPadding{}D", _ZeroPadding)
(Cropping3D,) = of_ranks("Cropping{}D", _Cropping, 3)


class _UpSampling(SpatialLayer):
    """Repeats each position along {axes}."""

    size: Any = setting(2)
    data_format: Any = setting(None, convert=layout_of)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._factors = sizes(self.size, self.rank, "size")
        self.size = self._factors if self.rank > 1 else self._factors[0]

    @property
    def _first_axis(self) -> int:
        return 1 if self._channel_axis == -1 else 2

    def call(self, inputs: Any) -> Any:
        """Return the repeated positions."""
        for axis, factor in enumerate(self._factors, self._first_axis):
            inputs = shape_ops.repeat(inputs, factor, axis=axis)
        return inputs

    def _output_lengths(self, lengths: Any) -> Any:
        pairs = zip(lengths, self._factors, strict=True)
        return [None if size is None else size * factor for size, factor in pairs]


class UpSampling1D(_UpSampling):
    """Repeats each step `size` times."""

    rank = 1
    data_format = "channels_last"


class UpSampling2D(_UpSampling):
    """Enlarges images by repeating or interpolating pixels along both axes."""

    interpolation: str = setting("nearest", convert=str.lower)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.interpolation not in INTERPOLATIONS:
            raise ValueError(
                "`interpolation` argument should be one of "
                f"{INTERPOLATIONS}. Received: interpolation={self.interpolation}."
            )

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """Return the enlarged images."""
        if self.interpolation == "nearest":
            return super().call(inputs)
        axes = range(self._first_axis, self._first_axis + 2)
        pairs = zip(axes, self._factors, strict=True)
        lengths = [inputs.shape[axis] * factor for axis, factor in pairs]
        return resized(inputs, lengths, self.interpolation, self._layout)


(UpSampling3D,) = of_ranks("UpSampling{}D", _UpSampling, 3)


def _pairs(given: Any, rank: int, layer: str) -> Pairs:
    """A number, a number per axis, or a pair per axis, as a pair per axis."""
    amounts = given
    if rank == 1 and isinstance(given, (tuple, list)):
        amounts = (given,) if _is_pair(given) else ()
    if isinstance(given, int):
        amounts = (given,) * rank
    if isinstance(amounts, (tuple, list)) and len(amounts) == rank:
        pairs = tuple((each, each) if isinstance(each, int) else each for each in amounts)
        if all(_is_pair(each) for each in pairs):
            return tuple((each[0], each[1]) for each in pairs)
    raise ValueError(
        f"{layer} takes a number, or {rank} numbers or pairs of numbers, none below 0. "
        f"Received: {given}"
    )


def _is_pair(value: Any) -> bool:
    """Whether it is two integers, none below 0."""
    is_sequence = isinstance(value, (tuple, list)) and len(value) == 2
    return is_sequence and all(isinstance(each, int) and each >= 0 for each in value)
