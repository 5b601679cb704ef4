"""Picking the entries where a mask is true, and its way back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import BatchedCall, row_by_row
from tapelab.core.op import op
from tapelab.ops import samples

MASK: str = "A mask only says which entries are kept; it is true or false and has no slope."


def masks(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with a mask over some of their axes."""
    return [
        ((rng.normal(size=(3,)), np.array([True, False, True])), {}),
        ((rng.normal(size=(2, 3)), np.array([False, True])), {}),
        ((rng.normal(size=(2, 3)), np.array([False, True, True])), {"axis": 1}),
        ((rng.normal(size=(2, 2)), np.array([[False, True], [True, True]])), {}),
    ]


def kept(rng: np.random.Generator) -> list[samples.Sample]:
    """Kept entries with the mask that kept them."""
    mask = np.array([True, False, True])
    return [((rng.normal(size=(2,)), mask), {"axis": 0, "shape": (3,)})]


@op(formula=r"y = \operatorname{mask}(x)", glyph="mask", title="Boolean mask", samples=masks)
def boolean_mask(x: Any, mask: Any, *, axis: int = 0) -> Any:
    """The entries of x where the mask is true, in a row."""
    return x[(*_before(axis % x.ndim), mask)]


@boolean_mask.grad("x", r"\bar x = \operatorname{unmask}(\bar y)")
def boolean_mask_grad_x(dy: Any, y: Any, x: Any, mask: Any, *, axis: int = 0) -> Any:
    return unmask(dy, mask, axis=axis % len(x.shape), shape=tuple(x.shape))


boolean_mask.no_grad("mask", because=MASK)


@op(formula=r"y = \operatorname{unmask}(x)", glyph="unmask", samples=kept)
def unmask(x: Any, mask: Any, *, axis: int, shape: tuple[int, ...]) -> Any:
    """Entries at the places where the mask is true, zeros elsewhere."""
    whole = np.zeros(shape, x.dtype)
    whole[(*_before(axis), mask)] = x
    return whole


@boolean_mask.batch
@unmask.batch
def mask_batch(call: BatchedCall) -> Any:
    """With the mask that all rows share, one axis further; else row by row."""
    x, mask = call.operands
    axis, shape = call.setting("axis"), call.settings.get("shape")
    if mask.batched or axis < 0:
        return row_by_row(call)
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    return call.run(x.value, mask.value, axis=axis + 1, **whole)


@unmask.grad("x", r"\bar x = \operatorname{mask}(\bar y)")
def unmask_grad_x(dy: Any, y: Any, x: Any, mask: Any, *, axis: int, shape: Any) -> Any:
    return boolean_mask(dy, mask, axis=axis)


unmask.no_grad("mask", because=MASK)


def check_mask(shape: tuple[int, ...], mask: tuple[int, ...], axis: int) -> None:
    """ValueError unless a mask of one shape fits over a tensor of the other, from an axis on."""
    if not mask:
        raise ValueError("mask cannot be scalar.")
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"A mask cannot begin at axis {axis} of a tensor of shape {shape}.")
    over = shape[axis % max(len(shape), 1) :][: len(mask)]
    if over != mask:
        raise ValueError(
            f"Shapes {over} and {mask} are incompatible: the mask needs one entry for each entry "
            "that it keeps or drops."
        )


def _before(axis: int) -> tuple[slice, ...]:
    return (slice(None),) * axis
