"""The same values in another shape, and the shape, size and rank of a tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapelab.core.batching import BatchedCall, along_axis, axes_behind_batch, reshaped, to_shape
from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.ops import samples

Shape = tuple[int, ...]


def shapes(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with a shape of as many entries."""
    pairs = [((2, 3), (3, 2)), ((2, 3), (-1,)), ((1,), ()), ((), (1, 1))]
    return [((rng.normal(size=old),), {"shape": new}) for old, new in pairs]


def transposed(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with an order of their axes, or none: the reverse."""
    orders = [((2, 3), None), ((2, 3, 4), (1, 2, 0)), ((3,), None), ((), None)]
    return [((rng.normal(size=shape),), {"perm": perm}) for shape, perm in orders]


def expanded(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the place of a new axis."""
    places = [((), 0), ((3,), 0), ((3,), -1), ((2, 3), 1)]
    return [((rng.normal(size=shape),), {"axis": axis}) for shape, axis in places]


def squeezed(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the axes of length 1 to take out, or none: all of them."""
    places = [((1, 3), (0,)), ((1, 3, 1), None), ((2, 1), (-1,)), ((1,), None)]
    return [((rng.normal(size=shape),), {"axis": axis}) for shape, axis in places]


@op(formula=r"y = \operatorname{reshape}(x)", glyph="reshape", samples=shapes, reshapes=True,
    linear=True, batching=to_shape)  # fmt: skip
def reshape(x: Any, *, shape: Shape) -> Any:
    """The same entries in the same order, laid out in another shape; one length may be -1."""
    wanted = _filled_in(x, shape)
    return x.reshape(wanted) if wanted else x.reshape(wanted)[()]


def _filled_in(x: Any, shape: Shape) -> Shape:
    """The shape with its -1 worked out; InvalidArgumentError where the entries do not fit."""
    known = 1
    for length in shape:
        known *= length
    if not x.size and shape.count(-1) == 1 and shape.count(0):
        # Among other axes of size 0 the others still say how long the missing one is.
        of_input, of_shape = (_product_of_others(sizes) for sizes in (x.shape, shape))
        return tuple(of_input // of_shape if length == -1 else length for length in shape)
    if known < 0 and shape.count(-1) == 1:
        missing, rest = divmod(x.size, -known)
        if not rest:
            return tuple(missing if length == -1 else length for length in shape)
        raise invalid_argument(
            "Reshape",
            f"Input to reshape is a tensor with {x.size} values, but the requested shape requires "
            f"a multiple of {-known}",
        )
    if min(shape, default=0) < -1:
        least = min(shape)
        raise invalid_argument(
            "Reshape", f"Size {shape.index(least)} must be non-negative, not {least}"
        )
    if shape.count(-1) > 1:
        raise invalid_argument(
            "Reshape",
            "Only one input size may be -1, not both "
            + " and ".join(str(at) for at, length in enumerate(shape) if length == -1),
        )
    if known >= 1 << 63:
        raise invalid_argument("Reshape", f"Shape {list(shape)} has too many elements")
    if known != x.size:
        raise invalid_argument(
            "Reshape",
            f"Input to reshape is a tensor with {x.size} values, "
            f"but the requested shape has {abs(known)}",
        )
    return shape


def _product_of_others(sizes: Shape) -> int:
    """The product of the sizes that are neither 0 nor -1."""
    return math.prod(size for size in sizes if size > 0)


@reshape.grad("x", r"\bar x = \operatorname{reshape}(\bar y)")
def reshape_grad_x(dy: Any, y: Any, x: Any, *, shape: Shape) -> Any:
    return reshape(dy, shape=tuple(x.shape))


@op(formula=r"y = x^\top", glyph="ᵀ", samples=transposed, linear=True)
def transpose(x: Any, *, perm: Shape | None = None) -> Any:
    """The same entries with the axes in another order; without `perm` the order is reversed."""
    if perm is not None and len(perm) != x.ndim:
        raise invalid_argument(
            "Transpose", f"transpose expects a vector of size {x.ndim}. But input(1) is a vector "
            f"of size {len(perm)}",
        )  # fmt: skip
    _check_order(x.ndim, range(x.ndim) if perm is None else perm)
    return np.transpose(x, perm) if x.ndim else x


def _check_order(rank: int, perm: Sequence[int]) -> None:
    for axis in perm:
        if not -rank <= axis < rank:
            raise invalid_argument("Transpose", f"{axis} is out of range [0 .. {rank})")
    missing = set(range(rank)) - {axis % rank for axis in perm}
    if missing:
        named = ",".join(map(str, perm))
        raise invalid_argument("Transpose", f"{min(missing)} is missing from {{{named}}}.")


@transpose.batch
def transpose_batch(call: BatchedCall) -> Any:
    (x,), perm = call.operands, call.setting("perm")
    rank = len(x.shape)
    order = range(rank)[::-1] if perm is None else perm
    return call.run(x.value, perm=(0, *axes_behind_batch(order, rank)))


@transpose.grad("x", r"\bar x = \bar y^\top")
def transpose_grad_x(dy: Any, y: Any, x: Any, *, perm: Shape | None = None) -> Any:
    if perm is None:
        return transpose(dy)
    axes = [axis % len(perm) for axis in perm]
    return transpose(dy, perm=tuple(axes.index(axis) for axis in range(len(axes))))


@op(formula=r"y = \operatorname{expand}(x)", glyph="expand", samples=expanded, reshapes=True,
    linear=True, batching=along_axis)  # fmt: skip
def expand_dims(x: Any, *, axis: int) -> Any:
    """The same entries with one more axis, of length 1."""
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise invalid_argument(
            "ExpandDims",
            f"Tried to expand dim index {axis} for tensor with {x.ndim} dimensions.",
        )
    return np.expand_dims(x, axis)


@expand_dims.grad("x", r"\bar x = \operatorname{squeeze}(\bar y)")
def expand_dims_grad_x(dy: Any, y: Any, x: Any, *, axis: int) -> Any:
    return reshape(dy, shape=tuple(x.shape))


@op(formula=r"y = \operatorname{squeeze}(x)", glyph="squeeze", samples=squeezed, reshapes=True,
    linear=True)  # fmt: skip
def squeeze(x: Any, *, axis: Shape | None = None) -> Any:
    """The same entries without the axes of length 1, or without those of them that are named."""
    if axis is not None:
        for each in axis:
            if not -x.ndim <= each < x.ndim:
                raise invalid_argument(
                    "Squeeze",
                    f"Tried to squeeze dim index {each} for tensor with {x.ndim} dimensions.",
                )
            if x.shape[each] != 1:
                raise invalid_argument(
                    "Squeeze",
                    f"Can not squeeze dim[{each}], expected a dimension of 1, got {x.shape[each]}",
                )
    return np.squeeze(x, axis or None)[()]


@squeeze.batch
def squeeze_batch(call: BatchedCall) -> Any:
    (x,), axis = call.operands, call.setting("axis")
    rank = len(x.shape)
    gone = [each % rank for each in axis] if axis else [i for i in range(rank) if x.shape[i] == 1]
    return reshaped(x.value, (call.rows, *(n for at, n in enumerate(x.shape) if at not in gone)))


@squeeze.grad("x", r"\bar x = \operatorname{expand}(\bar y)")
def squeeze_grad_x(dy: Any, y: Any, x: Any, *, axis: Shape | None = None) -> Any:
    return reshape(dy, shape=tuple(x.shape))


SHAPE_ONLY: Final = (
    "{} looks at the shape of x and not at its numbers, so it does not change when they do."
)


@op(formula=r"y = \operatorname{shape}(x)", glyph="shape", raw="Shape",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def shape(x: Any, *, dtype: Any = np.int32) -> Any:
    """How long the tensor is along each axis, as integers."""
    return np.array(x.shape, dtype)


@op(formula=r"y = \operatorname{size}(x)", glyph="size", raw="Size",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def size(x: Any, *, dtype: Any = np.int32) -> Any:
    """How many entries the tensor has."""
    return np.dtype(dtype).type(x.size)


@op(formula=r"y = \operatorname{rank}(x)", glyph="rank", raw="Rank",
    pattern="shape-only", samples=samples.anywhere)  # fmt: skip
def rank(x: Any) -> Any:
    """How many axes the tensor has."""
    return np.int32(x.ndim)


shape.no_grad("x", because=SHAPE_ONLY.format("shape"))
size.no_grad("x", because=SHAPE_ONLY.format("size"))
rank.no_grad("x", because=SHAPE_ONLY.format("rank"))
