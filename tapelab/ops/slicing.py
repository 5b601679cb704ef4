"""Cutting a piece out by ints, slices, strides, `...` and new axes, and putting it back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import BatchedCall
from tapelab.core.op import op
from tapelab.errors import OpError, invalid_argument
from tapelab.ops import samples

Key = tuple[Any, ...]
"""One entry per axis: an int, a slice of ints, None for a new axis, or `...` once."""


def cuts(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with the key of a piece of them."""
    cases: list[tuple[tuple[int, ...], Key]] = [
        *(((4,), (1,)), ((4,), (slice(None, None, -2),)), ((2, 3), (..., 0))),
        *(((2, 3), (1, slice(0, 2))), ((2, 3), (None, slice(0, 1))), ((), (None,))),
    ]
    return [((rng.normal(size=shape),), {"key": key}) for shape, key in cases]


def pieces(rng: np.random.Generator) -> list[samples.Sample]:
    """Pieces with the shape of the whole and their key in it."""
    return [
        ((rng.normal(size=(2,)),), {"key": (slice(None, None, 2),), "shape": (4,)}),
        ((rng.normal(size=()),), {"key": (1, 2), "shape": (2, 3)}),
    ]


@op(formula=r"y = \operatorname{slice}(x)", glyph="slice", title="Slice", samples=cuts, linear=True)
def strided_slice(x: Any, *, key: Key) -> Any:
    """The piece of a tensor that an index in square brackets cuts out."""
    try:
        y = x[key]
    except (IndexError, ValueError, TypeError) as error:
        raise out_of_bounds(x, key) from error
    if type(y) is bytes:
        return np.array(y, object)
    return y if y.ndim else y[()]


@strided_slice.grad("x", r"\bar x = \operatorname{pad}(\bar y)")
def strided_slice_grad_x(dy: Any, y: Any, x: Any, *, key: Key) -> Any:
    return put_back(dy, key=key, shape=tuple(x.shape))


@op(formula=r"y = \operatorname{pad}(x)", glyph="put back", raw="StridedSliceGrad", samples=pieces)
def put_back(x: Any, *, key: Key, shape: tuple[int, ...]) -> Any:
    """A piece at its place in an array of zeros: the way back of slicing."""
    whole = np.zeros(shape, x.dtype)
    whole[key] = x
    return whole if shape else whole[()]


@strided_slice.batch
@put_back.batch
def slice_batch(call: BatchedCall) -> Any:
    """A whole row is cut out, or put back, along the batch axis."""
    (x,), shape = call.operands, call.settings.get("shape")
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    return call.run(x.value, key=(slice(None), *call.settings["key"]), **whole)


@put_back.grad("x", r"\bar x = \operatorname{slice}(\bar y)")
def put_back_grad_x(dy: Any, y: Any, x: Any, *, key: Key, shape: tuple[int, ...]) -> Any:
    return strided_slice(dy, key=key)


def out_of_bounds(x: Any, key: Key) -> OpError:
    """Why a key does not fit an array, in TensorFlow's words."""
    raw = "StridedSlice"
    if key.count(...) > 1:
        return invalid_argument(raw, "Multiple ellipses in slice spec not allowed")
    used = sum(each is not None and each is not ... for each in key)
    if not x.ndim:
        return invalid_argument(raw, "Attempting to slice scalar input.")
    if used > x.ndim:
        return invalid_argument(
            raw, f"Index out of range using input dim {x.ndim}; input has only {x.ndim} dims"
        )
    axis = 0
    for at, each in enumerate(key):
        if each is ...:
            axis += x.ndim - used
        elif each is not None:
            reason = _misfit(each, at, axis, x.shape[axis])
            if reason:
                return invalid_argument(raw, reason)
            axis += 1
    return invalid_argument(raw, f"The index {key} does not fit the shape {x.shape}")


def _misfit(each: Any, at: int, axis: int, length: int) -> str:
    if isinstance(each, slice):
        return f"strides[{at}] must be non-zero" if each.step == 0 else ""
    if -length <= each < length:
        return ""
    return f"slice index {each if each >= 0 else each + length} of dimension {axis} out of bounds."
