"""What can be asked of a tensor besides its numbers: shape, size and rank."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.dtypes import as_dtype, int32
from tapelab.engine.op import op
from tapelab.engine.tensor import Tensor
from tapelab.ops import samples
from tapelab.ops.public import tensor
from tapelab.shapes import TensorShape

SHAPE_ONLY: Final = (
    "{} looks at the shape of x and not at its numbers, so it does not change when they do."
)


@op(name="shape", formula=r"y = \operatorname{shape}(x)", glyph="shape", raw="Shape",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def lengths_of(x: Any, *, dtype: Any = np.int32) -> Any:
    """How long the tensor is along each axis, as whole numbers."""
    return np.array(x.shape, dtype)


@op(name="size", formula=r"y = \operatorname{size}(x)", glyph="size", raw="Size",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def count_of(x: Any, *, dtype: Any = np.int32) -> Any:
    """How many entries the tensor has."""
    return np.dtype(dtype).type(x.size)


@op(name="rank", formula=r"y = \operatorname{rank}(x)", glyph="rank", raw="Rank",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def axes_count(x: Any) -> Any:
    """How many axes the tensor has."""
    return np.int32(x.ndim)


lengths_of.no_grad("x", because=SHAPE_ONLY.format("shape"))
count_of.no_grad("x", because=SHAPE_ONLY.format("size"))
axes_count.no_grad("x", because=SHAPE_ONLY.format("rank"))


def shape(input: Any, out_type: Any = int32, name: str | None = None) -> Tensor:
    """How long the tensor is along each axis, as a tensor of whole numbers."""
    made: Tensor = lengths_of(tensor(input), dtype=as_dtype(out_type).as_numpy_dtype)
    return made


def shape_n(input: Any, out_type: Any = int32, name: str | None = None) -> list[Tensor]:
    """The shape of each of several tensors."""
    return [shape(each, out_type) for each in input]


def size(input: Any, out_type: Any = int32, name: str | None = None) -> Tensor:
    """How many entries the tensor has, as a tensor."""
    made: Tensor = count_of(tensor(input), dtype=as_dtype(out_type).as_numpy_dtype)
    return made


def rank(input: Any, name: str | None = None) -> Tensor:
    """How many axes the tensor has, as a tensor."""
    made: Tensor = axes_count(tensor(input))
    return made


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape that two shapes broadcast to; ValueError if they do not fit."""
    pair = [tuple(int(n or 0) for n in TensorShape(shape)) for shape in (shape_x, shape_y)]
    try:
        return TensorShape(np.broadcast_shapes(*pair))
    except ValueError as error:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}"
        ) from error
