"""Public functions that ask for the shape of tensors and change it, join them and split them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.cell import Holder
from tapelab.core.convert import new_constant, to_tensor
from tapelab.core.dispatch import public
from tapelab.core.fast_path import fast_path_with_settings
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.text_forms import brackets, require_one_dtype
from tapelab.dtypes import as_dtype, int32
from tapelab.errors import invalid_argument
from tapelab.ops import broadcasting, concatenation, pass_through, rearrangement, shapes
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.integer_arguments import lengths, number, require_sequence, whole
from tapelab.ops.public import matched, strict_operand, tensor, unary
from tapelab.ops.public import tensor as as_tensor

Array = Any
"""A raw array, or a NumPy scalar where the shape is ()."""
_INTS: Final = frozenset({int})

identity = unary(pass_through.identity)


def _shape_setting(
    array: Array, shape: Any = None, name: str | None = None
) -> dict[str, Any] | None:
    plain = type(shape) in (list, tuple) and name is None
    return {"shape": tuple(shape)} if plain and _INTS.issuperset(map(type, shape)) else None


def _perm_setting(
    array: Array, perm: Any = None, conjugate: bool = False, name: str | None = "transpose"
) -> dict[str, Any] | None:
    if perm is None:
        return {"perm": None} if name == "transpose" else None
    plain = type(perm) in (list, tuple) and name == "transpose"
    return {"perm": tuple(perm)} if plain and _INTS.issuperset(map(type, perm)) else None


def _axis_setting(array: Array, axis: Any = None, name: str | None = None) -> dict[str, Any] | None:
    return {"axis": axis} if type(axis) is int and name is None else None


@public(shape_argument=True, fast_path=fast_path_with_settings(shapes.reshape, _shape_setting))
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same entries in the same order, laid out in another shape; one length may be -1."""
    return shapes.reshape(as_tensor(tensor), shape=lengths(shape, "Reshape"))


@public(graph_name="transpose", fast_path=fast_path_with_settings(shapes.transpose, _perm_setting))
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """The same entries with the axes in another order; without `perm` the order is reversed."""
    order = None if perm is None else lengths(perm, "Transpose")
    transposed: Tensor = shapes.transpose(as_tensor(a), perm=order)
    return conjugated(transposed) if conjugate else transposed


@public(fast_path=fast_path_with_settings(shapes.expand_dims, _axis_setting))
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """The same entries with one more axis, of length 1."""
    place = whole(axis, "ExpandDims")
    if place.size != 1:
        raise invalid_argument("ExpandDims", "'dim' must be a tensor with a single value")
    return shapes.expand_dims(as_tensor(input), axis=int(place.reshape(-1)[0]))


@public
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The same entries without the axes of length 1, or without those of them that are named."""
    places = None if axis is None else lengths(axis, "Squeeze")
    return shapes.squeeze(as_tensor(input), axis=places)


@public
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeat a tensor along new or length-1 axes until it has the given shape."""
    x, wanted = as_tensor(input), lengths(shape, "BroadcastTo")
    try:
        repeated: Tensor = broadcasting.broadcast_to(x, shape=wanted)
    except Exception as error:
        shape, rank = x._array.shape, len(wanted)
        if len(shape) > rank:
            raise invalid_argument(
                "BroadcastTo", f"Rank of input ({len(shape)}) must be no greater than rank of "
                f"output shape ({rank}).",
            ) from error  # fmt: skip
        raise invalid_argument(
            "BroadcastTo",
            f"Unable to broadcast tensor of shape {brackets(shape)} to tensor of shape "
            f"{brackets(wanted)}",
        ) from error
    return repeated


@public(graph_name="stack")
def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape laid side by side along a new axis."""
    given_tensor = isinstance(values, (Tensor, Holder))
    if not isinstance(values, (list, tuple)):
        x = to_tensor(values)  # a variable's value as a tensor of its own
        if axis == 0:
            return x
        if x._array.shape[:1] != (0,):  # one without rows stumbles over the first, below
            require_sequence(values, "N")
        values = unstack(x)
    plain = not any(isinstance(each, (Tensor, Holder)) for each in values)
    if plain and axis == 0:
        return to_tensor(values)
    if not len(values):
        message = (
            "slice index 0 of dimension 0 out of bounds: an empty list shows no shape to stack"
        )
        raise invalid_argument("StridedSlice", message) if given_tensor else IndexError(message)
    parts = matched(*values)
    _require_axis(axis, parts[0]._array.ndim + 1)
    return concatenation.stack(*parts, axis=axis)


@public(graph_name="unstack")
def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """The slices of a tensor along an axis, each a tensor of its own without that axis."""
    x = as_tensor(value)
    axis = number(axis, "Unpack")
    _require_axis(axis, x._array.ndim)
    num = None if num is None else number(num, "Unpack")
    if num is not None and num != x._array.shape[axis]:
        raise invalid_argument(
            "Unpack", f"Input shape axis {axis} must equal {num}, got shape "
            f"{brackets(x._array.shape)}",
        )  # fmt: skip
    return list(concatenation.unstack(x, axis=axis)) if x._array.shape[axis] else []


@public(graph_name="concat")
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Tensors joined end to end along an axis they all have."""
    parts = values if isinstance(values, (list, tuple)) else [values]
    if len(parts) == 1:
        place = whole(axis, "ConcatV2", strict=True)
        if place.ndim:
            raise ValueError(f"Shape {place.shape} must have rank 0")
        return to_tensor(parts[0]) if isinstance(parts[0], Holder) else identity(parts[0])
    if not parts:
        raise invalid_argument("ConcatV2", "Expected at least one tensor to concatenate, got none")
    return concatenation.concat(*matched(*parts), axis=number(axis, "ConcatV2"))


@public(graph_name="split")
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Pieces of a tensor along an axis: so many equal ones, or of the given lengths."""
    x, along = as_tensor(value), number(axis, "Split", strict=True)
    given = whole(num_or_size_splits, "SplitV")
    rank = x._array.ndim
    if not -rank <= along < rank:
        raise invalid_argument("Split", f"-input rank(-{rank}) <= split_dim < input rank ({rank}), "
                               f"but got {along}")  # fmt: skip
    length = x._array.shape[along]
    if given.ndim:
        sizes = _pieces([int(each) for each in given], length)
    else:
        count = int(given)
        if count <= 0 or length % count:
            raise invalid_argument(
                "Split", "Number of ways to split should evenly divide the split dimension, but "
                f"got split_dim {along} (size = {length}) and num_split {count}",
            )  # fmt: skip
        sizes = [length // count] * count
    if len(sizes) == 1:  # sparse rows of a gradient pass through
        return [identity(x)]
    return list(concatenation.split(x, sizes=tuple(sizes), axis=along))


def _require_axis(axis: int, rank: int) -> None:
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")


def _pieces(sizes: list[int], length: int) -> list[int]:
    """The lengths of the pieces, with what is left over for the one of length -1."""
    if sizes.count(-1) > 1:
        raise invalid_argument("SplitV", "There can only be one -1 in the input.")
    known = sum(each for each in sizes if each != -1)
    if known > length:
        raise invalid_argument(
            "SplitV", "Determined shape must either match input shape along split_dim exactly if "
            f"fully specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {known}",
        )  # fmt: skip
    return [length - known if each == -1 else each for each in sizes]


@public
def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """The coordinates of a grid: each vector repeated along the axes of the others."""
    if indexing not in {"xy", "ij"}:
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    vectors = [as_tensor(each) for each in args]
    if not vectors:
        return []
    require_one_dtype("Mul", tuple(each._array for each in vectors))
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[at]._array.size for at in order)
    grids = []
    for position, vector in enumerate(vectors):
        along = tuple(-1 if at == position else 1 for at in order)
        grids.append(broadcasting.broadcast_to(shapes.reshape(vector, shape=along), shape=shape))
    return grids


@public
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The whole tensor laid side by side, so many times along each axis."""
    if not whole(multiples, "Tile").ndim:
        raise invalid_argument("Tile", "Expected multiples to be 1-D, but got shape []")
    return rearrangement.tile(as_tensor(input), multiples=lengths(multiples, "Tile"))


@public
def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each entry several times in a row; without an axis the tensor is flattened first."""
    x, times = as_tensor(input), lengths(repeats, "Repeat")
    if axis is None or not x._array.ndim:
        x, axis = shapes.reshape(x, shape=(-1,)), 0
    _require_axis(axis, x._array.ndim)
    length = x._array.shape[axis]
    if len(times) not in {1, length}:
        raise ValueError(f"Dimensions {length} and {len(times)} are not compatible")
    return rearrangement.repeat(x, repeats=times, axis=axis)


@public
def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The tensor with a margin: of one value, or of its own entries mirrored."""
    x = as_tensor(tensor)
    table = whole(paddings, "Pad")
    if table.ndim != 2 or table.shape[1] != 2:
        raise invalid_argument(
            "Pad", f"paddings must be a matrix with 2 columns: {brackets(table.shape)}"
        )
    if mode.upper() not in {"CONSTANT", "REFLECT", "SYMMETRIC"}:
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode.upper()}"
        )
    around = tuple((int(before), int(after)) for before, after in table)
    is_text = x.dtype.name == "string" and isinstance(constant_values, int)
    fill = bool(constant_values) if x.dtype.is_bool else b"" if is_text else constant_values
    value = strict_operand(fill, x.dtype)._value
    return rearrangement.pad(x, paddings=around, mode=mode.upper(), value=value)


@public
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The entries in the opposite order along some axes."""
    places, x = whole(axis, "ReverseV2"), as_tensor(tensor)
    flipped: Tensor
    if not x._array.ndim or not x._array.size:
        flipped = identity(x)  # TensorFlow passes it on, whatever the axes
        return flipped
    if places.ndim != 1:
        raise invalid_argument("ReverseV2", f"'dims' must be 1-dimension, not {places.ndim}")
    flipped = rearrangement.reverse(x, axis=lengths(axis, "ReverseV2"))
    return flipped


@public
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The entries moved along some axes; what falls off at the end comes in at the start."""
    x, places, steps = as_tensor(input), lengths(axis, "Roll"), lengths(shift, "Roll")
    if len(steps) != len(places):
        raise invalid_argument("Roll", "shift and axis must have the same size")
    for each in places:
        if not -x._array.ndim <= each < x._array.ndim:
            raise invalid_argument("Roll", f"axis {each} is out of range")
    return rearrangement.roll(x, shift=steps, axis=places)


@public
def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """The same values as tensors of their own."""
    require_sequence(input, "T")
    given = list(input)
    if not given:
        raise invalid_argument("IdentityN", "Length for attr 'T' of 0 must be at least minimum 1")
    return list(pass_through.identity_n(*map(as_tensor, given)))


@public(shape_argument=True)
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor itself, if its shape is the expected one; InvalidArgumentError if not."""
    given, wanted = as_tensor(x), TensorShape(shape)
    if not wanted.is_compatible_with(given.shape):
        raise invalid_argument(
            "EnsureShape", f"Shape of tensor input {brackets(given._array.shape)} is not "
            f"compatible with expected shape {brackets('?' if n is None else n for n in wanted)}.",
        )  # fmt: skip
    checked: Tensor = identity(given)
    return checked


@public
def shape(input: Any, out_type: Any = int32, name: str | None = None) -> Tensor:
    """How long the tensor is along each axis, as a tensor of integers."""
    return shapes.shape(tensor(input), dtype=as_dtype(out_type).as_numpy_dtype)


@public
def shape_n(input: Any, out_type: Any = int32, name: str | None = None) -> list[Tensor]:
    """The shape of each of several tensors."""
    if not isinstance(input, (list, tuple)) and not len(getattr(input, "shape", ())):
        raise TypeError(
            f"Expected list for 'input' argument to 'shape_n' Op, not {input!r}. "
            "Try tf.shape(x) for the shape of one tensor."
        )
    require_sequence(input, "N")
    if not input.shape[0] if hasattr(input, "shape") else not input:
        raise invalid_argument("ShapeN", "Value for attr 'N' of 0 must be at least minimum 1")
    return [shape(each, out_type) for each in input]


@public
def size(input: Any, out_type: Any = int32, name: str | None = None) -> Tensor:
    """How many entries the tensor has, as a tensor."""
    return shapes.size(tensor(input), dtype=as_dtype(out_type).as_numpy_dtype)


@public
def rank(input: Any, name: str | None = None) -> Tensor:
    """How many axes the tensor has, as a tensor."""
    return shapes.rank(tensor(input))


@public
def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape that two shapes broadcast to; ValueError if they do not fit."""
    pair = [tuple(int(n or 0) for n in TensorShape(shape)) for shape in (shape_x, shape_y)]
    try:
        return TensorShape(np.broadcast_shapes(*pair))
    except ValueError as error:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}"
        ) from error


@public
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two shapes broadcast to, as a tensor."""
    one, other = (lengths(each, "BroadcastArgs") for each in (shape_x, shape_y))
    try:
        together = np.broadcast_shapes(one, other)
    except ValueError as error:
        raise invalid_argument(
            "BroadcastArgs", f"Incompatible shapes: {brackets(one)} vs. {brackets(other)}"
        ) from error
    return new_constant(np.array(together, np.int32), None)
