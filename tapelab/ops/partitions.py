"""Dealing rows out to several tensors and putting them together again."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.indexed_rows import POSITIONS, gather
from tapelab.ops.shapes import reshape

Places = tuple[Any, ...]


def dealt(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows with the number of the heap that each belongs to."""
    return [((rng.normal(size=(4,)), np.array([1, 0, 1, 1])), {"count": 2}),
            ((rng.normal(size=(2, 2, 3)), np.array([[0, 2], [2, 2]])), {"count": 3})]  # fmt: skip


heaps = samples.normals(
    ((2, 3), (1, 2, 3), {"places": (np.array([0, 4]), np.array([[1, 2]])), "shape": (5, 3)})
)
"""Heaps of rows with their places in the whole."""


def sequences(rng: np.random.Generator) -> list[samples.Sample]:
    """Sequences with how much of each to turn round."""
    return [((rng.normal(size=(2, 3)), np.array([2, 3])), {"axis": 1, "batch": 0}),
            ((rng.normal(size=(3, 2, 2)), np.array([1, 2])), {"axis": 0, "batch": 1})]  # fmt: skip


@op(formula=r"y_i = x \text{ where } p = i", output="y", glyph="deal", samples=dealt, multi=True)
def dynamic_partition(x: Any, p: Any, *, count: int) -> Any:
    """The rows dealt out to `count` tensors, by the number that each has in p."""
    return tuple(x[p == heap] for heap in range(count))


@dynamic_partition.grad("x", r"\bar x = \operatorname{stitch}(\bar y)")
def dynamic_partition_grad_x(dy: Any, y: Any, x: Any, p: Any, *, count: int) -> Any:
    heap_of = np.asarray(getattr(p, "_value", p))
    numbers = np.arange(heap_of.size, dtype=np.int32).reshape(heap_of.shape)
    places = tuple(numbers[heap_of == heap] for heap in range(count))
    rest = tuple(x.shape)[heap_of.ndim :]
    flat = dynamic_stitch(*dy, places=places, shape=(heap_of.size, *rest))
    return reshape(flat, shape=tuple(x.shape))


dynamic_partition.no_grad("p", because=POSITIONS)


@op(formula=r"y = \operatorname{stitch}(x)", glyph="stitch", samples=heaps)
def dynamic_stitch(*x: Any, places: Places, shape: tuple[int, ...]) -> Any:
    """Rows put at their places in one tensor; of two at the same place the later one stays."""
    whole = np.zeros(shape, x[0].dtype)
    for rows, where in zip(x, places, strict=True):
        whole[where] = rows
    return whole


@dynamic_stitch.grads({"x": r"\bar x = \operatorname{gather}(\bar y)"})
def dynamic_stitch_grads(dy: Any, y: Any, *x: Any, places: Places, shape: Any) -> Any:
    """Each row receives what came to its place, also one that was overwritten."""
    return tuple(gather(dy, where) for where in places)


@op(formula=r"y = \operatorname{turn}(x)", glyph="turn", samples=sequences)
def reverse_sequence(x: Any, n: Any, *, axis: int, batch: int) -> Any:
    """Each sequence of a batch with its first n entries in the other order."""
    places = np.arange(x.shape[axis])
    ends = np.asarray(n)[:, None]
    turned = np.where(places < ends, ends - 1 - places, places)
    shape = [1] * x.ndim
    shape[batch], shape[axis] = x.shape[batch], x.shape[axis]
    whole = turned if batch < axis else turned.T
    return np.take_along_axis(x, whole.reshape(shape), axis)


@reverse_sequence.grad("x", r"\bar x = \operatorname{turn}(\bar y)")
def reverse_sequence_grad_x(dy: Any, y: Any, x: Any, n: Any, *, axis: int, batch: int) -> Any:
    """Turned round twice, everything is back in its place."""
    return reverse_sequence(dy, n, axis=axis, batch=batch)


reverse_sequence.no_grad("n", because=POSITIONS)
