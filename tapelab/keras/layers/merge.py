"""Merge layers, which combine several tensors; Keras calls them "merging layers"."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import zip_longest
from typing import Any

from tapelab import linalg, math, nn
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.layer import BuiltInLayer

Combination = Callable[[Any, Any], Any]


class _Merge(BuiltInLayer):
    """Combines a list of tensors element by element, after broadcasting."""

    combine: Combination
    supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Raise ValueError unless the shapes can be broadcast; there are no weights."""
        self.check_list(input_shape)
        if len({shape[0] for shape in input_shape} - {None}) > 1:
            raise ValueError(
                "Cannot merge tensors with different batch sizes. Received tensors with shapes "
                f"{input_shape}"
            )
        self.compute_output_shape(input_shape)

    @staticmethod
    def check_list(input_shape: Any) -> None:
        """Raise ValueError unless it is a list of shapes."""
        is_list = isinstance(input_shape, (tuple, list)) and bool(input_shape)
        if not is_list or not isinstance(input_shape[0], (tuple, list)):
            raise ValueError(
                "A merge layer should be called on a list of inputs. Received: "
                f"input_shape={input_shape} (not a list of shapes)"
            )

    def call(self, inputs: Any) -> Any:
        """Return the combination, computed from left to right."""
        rank = max(each.ndim for each in inputs)
        return reduce(type(self).combine, [_expanded(each, rank) for each in inputs])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return where a mask of the inputs is true; None unless all have one."""
        masks = _checked_masks(inputs, mask)
        if masks is None or any(each is None for each in masks):
            return None
        return reduce(math.logical_or, [value_ops.cast(each, "bool") for each in masks])

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the broadcast shape."""
        return reduce(_broadcast, (tuple(shape) for shape in input_shape))


def _elementwise(name: str, combine: Combination, doc: str) -> type[_Merge]:
    """A layer that combines its inputs from left to right, and does nothing else."""
    body = {"combine": staticmethod(combine), "__doc__": doc, "__module__": __name__}
    return type(name, (_Merge,), body)


class Subtract(_Merge):
    """The first input minus the second."""

    combine = staticmethod(math.subtract)

    def build(self, input_shape: Any) -> None:
        """Raise ValueError unless there are two inputs."""
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(
                "A `Subtract` layer should be called on exactly 2 inputs. Received: "
                f"input_shape={input_shape}"
            )


Add = _elementwise("Add", math.add, "The sum of the inputs.")
Multiply = _elementwise("Multiply", math.multiply, "The product of the inputs.")
Maximum = _elementwise("Maximum", math.maximum, "The maximum of the inputs.")
Minimum = _elementwise("Minimum", math.minimum, "The minimum of the inputs.")


class Average(_Merge):
    """The mean of the inputs."""

    combine = staticmethod(math.add)

    def call(self, inputs: Any) -> Any:
        """Return the sum divided by the number of inputs."""
        return super().call(inputs) / len(inputs)


class Concatenate(_Merge):
    """The concatenation of the inputs along an axis."""

    axis: int = setting(-1)

    def build(self, input_shape: Any) -> None:
        """Raise ValueError unless the other axes match."""
        self.check_list(input_shape)
        self.compute_output_shape(input_shape)

    def call(self, inputs: Any) -> Any:
        """Return the concatenation."""
        return shape_ops.concat(list(inputs), self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return where the concatenation of the masks is true; an input without one counts."""
        masks = _checked_masks(inputs, mask)
        if masks is None or all(each is None for each in masks):
            return None
        wide = [_mask_of_elements(x, each) for x, each in zip(inputs, masks, strict=True)]
        return math.reduce_any(shape_ops.concat(wide, self.axis), axis=-1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the sum of the sizes; ValueError if another axis differs."""
        shapes = [list(shape) for shape in input_shape]
        axis = self.axis % len(shapes[0])
        sizes = [shape.pop(axis) for shape in shapes]
        if any(len(shape) != len(shapes[0]) or not _match(shape, shapes[0]) for shape in shapes):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the "
                f"concatenation axis. Received: input_shape={input_shape}"
            )
        total = None if None in sizes else sum(sizes)
        return (*shapes[0][:axis], total, *shapes[0][axis:])


class Dot(_Merge):
    """The dot products of two inputs along an axis of each; `normalize` gives cosines."""

    axes: Any = setting()
    normalize: bool = setting(False)

    def call(self, inputs: Any) -> Any:
        """Return the dot product of each pair of vectors of an example."""
        x, y = inputs
        first, second = self._positive_axes(x.ndim, y.ndim)
        if self.normalize:
            x, y = nn.l2_normalize(x, first), nn.l2_normalize(y, second)
        if x.ndim == y.ndim == 2:
            return math.reduce_sum(x * y, axis=1, keepdims=True)
        rest = [at for at in range(1, x.ndim) if at != first]
        others = [at for at in range(1, y.ndim) if at != second]
        left = shape_ops.transpose(x, [0, *rest, first])
        right = shape_ops.transpose(y, [0, second, *others])
        return linalg.matmul(left, right)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return None: dot products have no mask."""

    def _positive_axes(self, one: int, other: int) -> tuple[int, int]:
        axes = (self.axes, self.axes) if isinstance(self.axes, int) else tuple(self.axes)
        return axes[0] % one, axes[1] % other

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the remaining axes of both; ValueError if the vectors differ in size."""
        x, y = (list(shape) for shape in input_shape)
        first, second = self._positive_axes(len(x), len(y))
        if x[first] != y[second]:
            raise ValueError(
                "Incompatible input shapes: axis values "
                f"{x[first]} (at axis {first}) != {y[second]} (at axis {second}). Full input "
                f"shapes: {tuple(x)}, {tuple(y)}"
            )
        del x[first], y[second]
        return (*x, *y[1:]) if len(x) + len(y) > 2 else (x[0], 1)


def _checked_masks(inputs: Any, mask: Any) -> Any:
    """The masks of the inputs; ValueError unless there is one for each, or none at all."""
    if mask is None:
        return None
    if not isinstance(mask, (tuple, list)):
        raise ValueError(f"`mask` should be a list. Received: mask={mask}")
    if not isinstance(inputs, (tuple, list)):
        raise ValueError(f"`inputs` should be a list. Received: inputs={inputs}")
    if len(mask) != len(inputs):
        raise ValueError(
            "The lists `inputs` and `mask` should have the same length. Received: "
            f"inputs={inputs} of length {len(inputs)}, and mask={mask} of length {len(mask)}"
        )
    return mask


def _mask_of_elements(x: Any, mask: Any) -> Any:
    """A mask of the steps of a tensor as one of its elements."""
    everything = creation.ones_like(x, "bool")
    if mask is None:
        return everything
    mask = value_ops.cast(mask, "bool")
    return (
        math.logical_and(shape_ops.expand_dims(mask, -1), everything)
        if mask.ndim < x.ndim
        else mask
    )


def _broadcast(one: Any, other: Any) -> tuple[int | None, ...]:
    """The broadcast shape of two tensors, without the batch axis."""
    pairs = [*zip_longest(one[:0:-1], other[:0:-1], fillvalue=1)][::-1]
    if any(a != b and not {a, b} & {1, None} for a, b in pairs):
        raise ValueError(
            f"Inputs have incompatible shapes. Received shapes {one[1:]} and {other[1:]}"
        )
    batch = other[0] if one[0] is None else one[0]
    return (batch, *(b if a in {1, None} else a for a, b in pairs))


def _expanded(x: Any, rank: int) -> Any:
    """The tensor with axes of size 1 behind the batch, up to a rank."""
    return x if x.ndim >= rank else _expanded(shape_ops.expand_dims(x, 1), rank)


def _match(one: Any, other: Any) -> bool:
    return all(a == b or None in {a, b} for a, b in zip(one, other, strict=True))


def _function(kind: Any) -> Callable[..., Any]:
    """A function that constructs a layer and calls it."""

    def merge(inputs: Any, **kwargs: Any) -> Any:
        return kind(**kwargs)(inputs)

    merge.__name__ = kind.__name__.lower()
    merge.__doc__ = kind.__doc__
    return merge


add, subtract, multiply = _function(Add), _function(Subtract), _function(Multiply)
average, maximum, minimum = _function(Average), _function(Maximum), _function(Minimum)
concatenate, dot = _function(Concatenate), _function(Dot)
