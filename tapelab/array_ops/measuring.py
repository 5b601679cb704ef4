"""Public functions that ask a tensor for its shape, its size and its rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.wording import brackets
from tapelab.dtypes import as_dtype, int32
from tapelab.errors import invalid_argument
from tapelab.ops import measuring
from tapelab.ops.public import tensor
from tapelab.ops.settings import lengths, require_sequence


@public
def shape(input: Any, out_type: Any = int32, name: str | None = None) -> Tensor:
    """How long the tensor is along each axis, as a tensor of whole numbers."""
    made: Tensor = measuring.shape(tensor(input), dtype=as_dtype(out_type).as_numpy_dtype)
    return made


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
    made: Tensor = measuring.size(tensor(input), dtype=as_dtype(out_type).as_numpy_dtype)
    return made


@public
def rank(input: Any, name: str | None = None) -> Tensor:
    """How many axes the tensor has, as a tensor."""
    made: Tensor = measuring.rank(tensor(input))
    return made


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
