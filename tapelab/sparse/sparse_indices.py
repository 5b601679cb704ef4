"""Indices of sparse tensors as plain arrays: their order, their checks, and which are equal."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.text_forms import brackets
from tapelab.errors import InvalidArgumentError, invalid_argument

Shape = tuple[int, ...]


def numbered(indices: Any, shape: Shape) -> Any:
    """Each index as one number, counting the cells of the shape row by row."""
    if not shape:
        return np.zeros(len(indices), np.int64)
    return indices @ strides(shape)


def strides(shape: Shape) -> Any:
    """How far apart neighbouring cells are along each axis."""
    return np.cumprod([1, *reversed(shape[1:])], dtype=np.int64)[::-1]


def unnumbered(numbers: Any, shape: Shape) -> Any:
    """The indices of numbered cells."""
    if not shape:
        return np.zeros((len(numbers), 0), np.int64)
    return np.stack(np.unravel_index(numbers, shape), axis=-1).astype(np.int64)


def in_order(indices: Any) -> Any:
    """The order in which the indices are sorted, the last axis running fastest."""
    if not indices.shape[1]:
        return np.arange(len(indices))
    return np.lexsort(indices.T[::-1])


@public
def check_cells(raw: str, indices: Any, shape: Shape) -> None:
    """InvalidArgumentError unless the indices are inside the shape, sorted, and each but once."""
    outside = ((indices < 0) | (indices >= np.array(shape))).any(axis=1)
    if outside.any():
        at = int(np.argmax(outside))
        raise _wrong(
            raw, at, indices, f"is out of bounds: need 0 <= index < {brackets(map(str, shape))}"
        )
    numbers = numbered(indices, shape)
    late = numbers[1:] <= numbers[:-1]
    if late.any():
        at = int(np.argmax(late)) + 1
        if numbers[at] == numbers[at - 1]:
            raise _wrong(raw, at, indices, "is repeated")
        raise _wrong(
            raw, at, indices, "is out of order. Many sparse ops require sorted indices.\n"
            "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n",
        )  # fmt: skip


def merged(one: Any, other: Any, shape: Shape) -> tuple[Any, Any, Any]:
    """The cells of two sets of indices, each once, and where those of either went."""
    numbers = np.concatenate([numbered(one, shape), numbered(other, shape)])
    cells, places = np.unique(numbers, return_inverse=True)
    return unnumbered(cells, shape), places[: len(one)], places[len(one) :]


def check_same_shape(raw: str, one: Shape, other: Shape) -> None:
    """InvalidArgumentError unless two shapes are the same."""
    if len(one) != len(other):
        raise invalid_argument(
            raw, f"Ranks of input tensors must match, but saw ranks: {len(one)} and {len(other)}"
        )
    for axis, (ours, theirs) in enumerate(zip(one, other, strict=True)):
        if ours != theirs:
            raise invalid_argument(
                raw,
                f"Operands' shapes do not match: got {ours} and {theirs} for dimension {axis}",
            )


def _wrong(raw: str, at: int, indices: Any, what: str) -> InvalidArgumentError:
    return invalid_argument(raw, f"indices[{at}] = {brackets(indices[at].tolist())} {what}")
