"""Layers that move entries to other places, repeat them, or put zeros around them."""

from __future__ import annotations

from math import prod
from typing import Any

from tapelab.array_ops import shape_ops
from tapelab.core.dispatch import public
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import Layer

Pairs = tuple[tuple[int, int], ...]


class Flatten(Layer):
    """All entries of each example in one row."""

    def __init__(self, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.input_spec = InputSpec(min_ndim=1)

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """The rows."""
        return shape_ops.reshape(inputs, self._filled(tuple(inputs.shape)))

    @staticmethod
    def _filled(shape: Any) -> Any:
        return (shape[0], prod(shape[1:]))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The batch, and how many entries an example has."""
        rest = input_shape[1:]
        return (input_shape[0], None if None in rest else prod(rest))


class Reshape(Layer):
    """The entries of each example in another shape; one length may be -1."""

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    @public(if_shape_is_open=True)
    def call(self, inputs: Any) -> Any:
        """The same entries in the other shape."""
        shape = self.compute_output_shape(tuple(inputs.shape))
        return shape_ops.reshape(inputs, shape)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The batch, then the shape asked for; ValueError if the entries do not fill it."""
        given, wanted = tuple(input_shape[1:]), self.target_shape
        if None in given:
            return (input_shape[0], *(None if each == -1 else each for each in wanted))
        known = prod(each for each in wanted if each != -1)
        rest = prod(given) // known if known else 0
        whole = tuple(rest if each == -1 else each for each in wanted)
        if prod(whole) != prod(given):
            raise ValueError(
                "The total size of the tensor must be unchanged. Received: "
                f"input_shape={given}, target_shape={wanted}"
            )
        return (input_shape[0], *whole)


class Permute(Layer):
    """The axes of each example in another order, counted from 1."""

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in "
                f"`dims` must be consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Any:
        """The same entries, turned."""
        return shape_ops.transpose(inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The lengths in the other order."""
        return (input_shape[0], *(input_shape[axis] for axis in self.dims))


class RepeatVector(Layer):
    """Each row n times: (batch, features) becomes (batch, n, features)."""

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Any) -> Any:
        """The copies side by side."""
        return shape_ops.repeat(shape_ops.expand_dims(inputs, 1), self.n, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """One more axis, of length n."""
        return (input_shape[0], self.n, input_shape[1])


class _Margins(Layer):
    """Changes the lengths of the middle axes by so much at both ends."""

    rank = 1
    sign = 1

    def __init__(self, margins: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.margins = _pairs(margins, self.rank, type(self).__name__)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The lengths with what is added or cut."""
        middle = [
            None if length is None else length + self.sign * sum(ends)
            for length, ends in zip(input_shape[1:-1], self.margins, strict=True)
        ]
        return (input_shape[0], *middle, input_shape[-1])


class ZeroPadding1D(_Margins):
    """Zeros before and after each row."""

    def __init__(self, padding: Any = 1, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(padding, **kwargs)
        self.padding = self.margins if self.rank > 1 else self.margins[0]

    def call(self, inputs: Any) -> Any:
        """The entries with zeros around them."""
        return shape_ops.pad(inputs, ((0, 0), *self.margins, (0, 0)))


class ZeroPadding2D(ZeroPadding1D):
    """Zeros around each picture."""

    rank = 2


class ZeroPadding3D(ZeroPadding1D):
    """Zeros around each block."""

    rank = 3


class Cropping1D(_Margins):
    """Cuts off the ends of each row."""

    sign = -1

    def __init__(self, cropping: Any = 1, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(cropping, **kwargs)
        self.cropping = self.margins if self.rank > 1 else self.margins[0]

    def call(self, inputs: Any) -> Any:
        """What is left in the middle."""
        middle = tuple(
            slice(before, length - after)
            for length, (before, after) in zip(inputs.shape[1:-1], self.margins, strict=True)
        )
        return inputs[(slice(None), *middle)]


class Cropping2D(Cropping1D):
    """Cuts off the edges of each picture."""

    rank = 2


class Cropping3D(Cropping1D):
    """Cuts off the faces of each block."""

    rank = 3


class UpSampling1D(Layer):
    """Each step several times."""

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = size
        self.input_spec = InputSpec(ndim=3)

    def call(self, inputs: Any) -> Any:
        """The copies next to each other."""
        return shape_ops.repeat(inputs, self.size, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The steps times the size."""
        batch, steps, channels = input_shape
        return (batch, None if steps is None else steps * self.size, channels)


class UpSampling2D(Layer):
    """Each point of a picture several times, down and across."""

    def __init__(
        self, size: Any = (2, 2), data_format: Any = None, interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if interpolation != "nearest":
            raise ValueError(
                "tapelab's UpSampling2D repeats points (interpolation='nearest'). Received: "
                f"interpolation={interpolation!r}"
            )
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        self.interpolation = interpolation
        self.input_spec = InputSpec(ndim=4)

    def call(self, inputs: Any) -> Any:
        """The copies next to each other."""
        rows = shape_ops.repeat(inputs, self.size[0], axis=1)
        return shape_ops.repeat(rows, self.size[1], axis=2)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Height and width times the size."""
        pairs = zip(input_shape[1:3], self.size, strict=True)
        middle = [None if length is None else length * factor for length, factor in pairs]
        return (input_shape[0], *middle, input_shape[3])


def _pairs(given: Any, rank: int, layer: str) -> Pairs:
    """A number, one number for each axis, or one for each end of each axis, as pairs."""
    if isinstance(given, int):
        return ((given, given),) * rank
    whole = tuple(given)
    if rank == 1 and len(whole) == 2 and all(isinstance(each, int) for each in whole):
        return ((whole[0], whole[1]),)
    if len(whole) != rank:
        raise ValueError(
            f"{layer} takes a number, or {rank} numbers or pairs of numbers. Received: {given}"
        )
    return tuple((each, each) if isinstance(each, int) else tuple(each) for each in whole)
