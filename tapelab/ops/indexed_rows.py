"""Rows gathered by number, and the VJP: rows summed where they were gathered."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapelab.core.batching import BatchedCall, row_by_row
from tapelab.core.host_values import compute_on_host
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.kernels.row_scatter import add_rows
from tapelab.ops import samples
from tapelab.ops.rules import flat
from tapelab.ops.shapes import reshape

Shape = tuple[int, ...]

POSITIONS: str = "An index says which entries are picked; a small step of it means nothing."


def picks(rng: np.random.Generator) -> list[samples.Sample]:
    """Arrays with indices, some repeated, and the axis they count along."""
    return [
        ((rng.normal(size=(4,)), np.array([3, 0, 3])), {}),
        ((rng.normal(size=(3, 2)), np.int32(1)), {}),
        ((rng.normal(size=(3, 2)), np.array([[2, 0], [2, 2]])), {}),
        ((rng.normal(size=(2, 3)), np.array([2, 2])), {"axis": 1}),
        ((rng.normal(size=(2, 3)), np.array([[1, 1], [0, 2]])), {"axis": 1, "batch_dims": 1}),
    ]


unpicks = samples.normals(((2, 2), np.array([2, 2]), {"shape": (2, 3), "axis": 1, "batch_dims": 0}))
"""Arrays with the places that they are added to."""
added_rows = samples.normals(
    ((3,), {"indices": np.array([2, 0, 2]), "shape": (4,)}),
    ((2, 3), {"indices": np.array([1, 1]), "shape": (2, 3)}),
)
"""Rows with the places where they belong, some of them shared."""


@op(formula=r"y = \operatorname{gather}(x)", glyph="gather", raw="GatherV2", samples=picks,
    linear=True)  # fmt: skip
def gather(x: Any, indices: Any, *, axis: int = 0, batch_dims: int = 0) -> Any:
    """Pick entries along an axis by position; one that is picked twice receives both gradients."""
    if not x.ndim:
        raise invalid_argument("GatherV2", "params must be at least 1 dimensional")
    if not -x.ndim <= axis < x.ndim:
        least = axis + 1 if axis >= 0 else -axis
        raise invalid_argument(
            "GatherV2", f"Shape must be at least rank {least} but is rank {x.ndim}"
        )
    axis = axis % x.ndim
    _check(indices, x.shape[axis])
    if not batch_dims:
        return np.take(x, indices, axis)
    picked = np.moveaxis(x, axis, batch_dims)[(*_batch(indices.shape, batch_dims), indices)]
    new = indices.ndim - batch_dims
    return np.moveaxis(picked, range(batch_dims, batch_dims + new), range(axis, axis + new))


@gather.grad("x", r"\bar x = \operatorname{scatter}(\bar y)")
def gather_grad_x(
    dy: Any, y: Any, x: Any, indices: Any, *, axis: int = 0, batch_dims: int = 0
) -> Any:
    """A gradient propagates to where its row came from; picked twice, it receives both."""
    shape = tuple(x.shape)
    if axis or batch_dims:  # rows stay rows only along axis 0 that is called so
        return add_at(dy, indices, shape=shape, axis=axis % len(shape), batch_dims=batch_dims)
    places = compute_on_host(flat, indices)
    return IndexedSlices(reshape(dy, shape=(places.size, *shape[1:])), places, shape)


gather.no_grad("indices", because=POSITIONS)


@op(formula=r"y = \operatorname{scatter}(x)", glyph="scatter", title="Scatter", samples=unpicks)
def add_at(x: Any, indices: Any, *, shape: Shape, axis: int, batch_dims: int) -> Any:
    """Add entries up at the places they were picked from, in an array of zeros."""
    new = indices.ndim - batch_dims
    picked = np.moveaxis(x, range(axis, axis + new), range(batch_dims, batch_dims + new))
    others = [n for at, n in enumerate(shape) if at != axis]
    length, batches = shape[axis], math.prod(shape[:batch_dims])
    # Each batch has rows of its own: those of batch b begin at b * length.
    starts = np.arange(batches).reshape((*shape[:batch_dims], *(1,) * new)) * length
    places = (indices + starts).reshape(-1)
    rows = picked.reshape(places.size, *picked.shape[batch_dims + new :])
    whole = add_rows(rows, places, (batches * length, *others[batch_dims:]))
    whole = whole.reshape(*others[:batch_dims], length, *others[batch_dims:])
    return np.ascontiguousarray(np.moveaxis(whole, batch_dims, axis))


@gather.batch
@add_at.batch
def gather_batch(call: BatchedCall) -> Any:
    """Along the same axis, one further, where all rows share the places; else row by row."""
    x, places = call.operands
    batch_dims, shape = call.setting("batch_dims"), call.settings.get("shape")
    rank = len(x.shape if shape is None else shape)
    if places.batched:
        return row_by_row(call)
    whole = {} if shape is None else {"shape": (call.rows, *shape)}
    indices = call.all_batched()[1] if batch_dims else places.value
    axis = call.setting("axis") % rank + 1
    deeper = batch_dims + 1 if batch_dims else 0
    return call.run(x.value, indices, axis=axis, batch_dims=deeper, **whole)


@add_at.grad("x", r"\bar x = \operatorname{gather}(\bar y)")
def add_at_grad_x(
    dy: Any, y: Any, x: Any, indices: Any, *, shape: Shape, axis: int, batch_dims: int
) -> Any:
    return gather(dy, indices, axis=axis, batch_dims=batch_dims)


add_at.no_grad("indices", because=POSITIONS)


@op(formula=r"y = \operatorname{scatter}(x)", glyph="scatter", title="Scatter rows",
    samples=added_rows)  # fmt: skip
def scatter_rows(x: Any, *, indices: Any, shape: Shape) -> Any:
    """Put rows at their places in an array of zeros; rows with one place in common are added."""
    return add_rows(x, indices, shape)


@scatter_rows.batch
def scatter_rows_batch(call: BatchedCall) -> Any:
    (x,), whole = call.operands, (call.rows, *call.settings["shape"])
    indices = np.asarray(call.settings["indices"])
    return add_at(x.value, indices, shape=whole, axis=1, batch_dims=0)


@scatter_rows.grad("x", r"\bar x = \operatorname{gather}(\bar y)")
def scatter_rows_grad_x(dy: Any, y: Any, x: Any, *, indices: Any, shape: Shape) -> Any:
    return gather(dy, indices)


def _batch(shape: Shape, batch_dims: int) -> list[Any]:
    """For each batch axis its positions, shaped so that they broadcast with the indices."""
    return list(np.ogrid[tuple(slice(n) for n in shape)][:batch_dims]) if batch_dims else []


def _check(indices: Any, length: int) -> None:
    if not indices.size or (indices.min() >= 0 and indices.max() < length):
        return
    outside = (indices < 0) | (indices >= length)
    first = np.argwhere(outside)[0] if indices.ndim else ()
    place = ",".join(map(str, first))
    raise invalid_argument(
        "GatherV2",
        f"indices{f'[{place}]' if place else ''} = {indices[tuple(first)]} is not in [0, {length})",
    )
