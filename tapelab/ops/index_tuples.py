"""Entries read and written by index tuples: gather_nd, scatter_nd and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import along_first_axes
from tapelab.core.host_values import compute_on_host
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.op import op
from tapelab.core.text_forms import brackets, unlike
from tapelab.errors import invalid_argument
from tapelab.kernels.row_scatter import meet_at
from tapelab.ops import samples
from tapelab.ops.comparison import equal
from tapelab.ops.indexed_rows import POSITIONS
from tapelab.ops.rules import flat, numpy_dtype
from tapelab.ops.selection import ones_like, select, zeros_like

Shape = tuple[int, ...]


tuples = samples.normals(
    ((4,), np.array([[2], [0], [2]])),
    ((2, 3), np.array([1, 2])),
    ((2, 3), np.array([[[1]], [[1]]])),
)
"""Arrays with index tuples, complete ones and ones that name whole rows."""
placed = samples.normals(
    (np.array([[2], [0], [2]]), (3,), {"shape": (4,)}),
    (np.array([[1], [1]]), (2, 3), {"shape": (2, 3)}),
)
"""Index tuples, the entries that belong there, and the shape of the whole."""
written = samples.normals(((4,), np.array([[2], [0]]), (2,)), ((2, 3), np.array([[1]]), (1, 3)))
"""Arrays with distinct index tuples and the entries to write there."""


@op(formula=r"y = \operatorname{gather}(x)", glyph="gather nd", samples=tuples,
    batching=along_first_axes)  # fmt: skip
def gather_nd(x: Any, indices: Any) -> Any:
    """Pick entries, or whole rows, by index tuples; picked twice, both gradients come back."""
    _check("GatherNd", indices, x.shape, "param shape")
    return x[_places(indices)]


@gather_nd.grad("x", r"\bar x = \operatorname{scatter}(\bar y)")
def gather_nd_grad_x(dy: Any, y: Any, x: Any, indices: Any) -> Any:
    if len(indices.shape) == 2 and indices.shape[1] == 1:  # rows by number, as `gather` picks them
        return IndexedSlices(
            dy, compute_on_host(flat, indices), np.array(tuple(x.shape), numpy_dtype(indices))
        )
    return scatter_nd(indices, dy, shape=tuple(x.shape))


gather_nd.no_grad("indices", because=POSITIONS)


@op(formula=r"y = \operatorname{scatter}(x)", glyph="scatter nd", samples=placed,
    batching=along_first_axes)  # fmt: skip
def scatter_nd(indices: Any, x: Any, *, shape: Shape) -> Any:
    """Put entries at index tuples of an array of zeros; what shares a place is added."""
    _check("ScatterNd", indices, shape, "shape")
    _check_updates("ScatterNd", indices, x, shape)
    whole = np.full(shape, b"" if x.dtype == object else 0, x.dtype)
    return meet_at(np.add, whole, x, indices)


@scatter_nd.grad("x", r"\bar x = \operatorname{gather}(\bar y)")
def scatter_nd_grad_x(dy: Any, y: Any, indices: Any, x: Any, *, shape: Shape) -> Any:
    return gather_nd(dy, indices)


scatter_nd.no_grad("indices", because=POSITIONS)


@op(formula=r"z = \operatorname{scatter}(x, y)", glyph="write", title="Write at", samples=written,
    raw="TensorScatterUpdate", batching=along_first_axes)  # fmt: skip
def tensor_scatter_nd_update(x: Any, indices: Any, y: Any) -> Any:
    """A copy of x in which the entries at some index tuples are replaced."""
    _check_written("TensorScatterUpdate", x, indices, y)
    whole = np.array(x)
    whole[_places(indices)] = y
    return whole


@tensor_scatter_nd_update.grad("x", r"\bar x = \operatorname{scatter}(\bar z, 0)")
def tensor_scatter_nd_update_grad_x(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    kind = getattr(y.dtype, "as_numpy_dtype", y.dtype)
    return tensor_scatter_nd_update(dz, indices, np.zeros(tuple(y.shape), kind))


@tensor_scatter_nd_update.grad("y", r"\bar y = \operatorname{gather}(\bar z)")
def tensor_scatter_nd_update_grad_y(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    return gather_nd(dz, indices)


tensor_scatter_nd_update.no_grad("indices", because=POSITIONS)


@op(formula=r"z = x + \operatorname{scatter}(y)", glyph="add at", title="Add at", samples=written,
    raw="TensorScatterAdd", batching=along_first_axes)  # fmt: skip
def tensor_scatter_nd_add(x: Any, indices: Any, y: Any) -> Any:
    """A copy of x in which entries are added at some index tuples; repeats add up."""
    _check_written("TensorScatterAdd", x, indices, y)
    return meet_at(np.add, x, y, indices)


@tensor_scatter_nd_add.grad("x", r"\bar x = \bar z")
def tensor_scatter_nd_add_grad_x(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    return dz


@tensor_scatter_nd_add.grad("y", r"\bar y = \operatorname{gather}(\bar z)")
def tensor_scatter_nd_add_grad_y(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    return gather_nd(dz, indices)


tensor_scatter_nd_add.no_grad("indices", because=POSITIONS)


@op(formula=r"z = x - \operatorname{scatter}(y)", glyph="subtract at", title="Subtract at",
    samples=written, raw="TensorScatterSub")  # fmt: skip
def tensor_scatter_nd_sub(x: Any, indices: Any, y: Any) -> Any:
    """A copy of x in which entries are subtracted at some index tuples; repeats add up."""
    _check_written("TensorScatterSub", x, indices, y)
    return meet_at(np.subtract, x, y, indices)


@tensor_scatter_nd_sub.grad("x", r"\bar x = \bar z")
def tensor_scatter_nd_sub_grad_x(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    return dz


@tensor_scatter_nd_sub.grad("y", r"\bar y = -\operatorname{gather}(\bar z)")
def tensor_scatter_nd_sub_grad_y(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    return -gather_nd(dz, indices)


tensor_scatter_nd_sub.no_grad("indices", because=POSITIONS)


@op(formula=r"z = \max(x, y)", glyph="max at", title="Maximum at", raw="TensorScatterMax",
    samples=written)  # fmt: skip
def tensor_scatter_nd_max(x: Any, indices: Any, y: Any) -> Any:
    """A copy of x in which the larger entry stays at some index tuples."""
    _check_written("TensorScatterMax", x, indices, y)
    return meet_at(np.maximum, x, y, indices)


@op(formula=r"z = \min(x, y)", glyph="min at", title="Minimum at", raw="TensorScatterMin",
    samples=written)  # fmt: skip
def tensor_scatter_nd_min(x: Any, indices: Any, y: Any) -> Any:
    """A copy of x in which the smaller entry stays at some index tuples."""
    _check_written("TensorScatterMin", x, indices, y)
    return meet_at(np.minimum, x, y, indices)


@tensor_scatter_nd_max.grad("x", r"\bar x = \bar z \text{ if } x = z \text{ else } 0")
@tensor_scatter_nd_min.grad("x", r"\bar x = \bar z \text{ if } x = z \text{ else } 0")
def tensor_scatter_extreme_grad_x(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    return _shared(dz, z, x, indices, y) * _holds(x, z)


@tensor_scatter_nd_max.grad("y", r"\bar y = \bar z \text{ if } y = z \text{ else } 0")
@tensor_scatter_nd_min.grad("y", r"\bar y = \bar z \text{ if } y = z \text{ else } 0")
def tensor_scatter_extreme_grad_y(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    there = gather_nd(_shared(dz, z, x, indices, y), indices)
    return there * _holds(y, gather_nd(z, indices))


tensor_scatter_nd_max.no_grad("indices", because=POSITIONS)
tensor_scatter_nd_min.no_grad("indices", because=POSITIONS)


def _shared(dz: Any, z: Any, x: Any, indices: Any, y: Any) -> Any:
    """The upstream gradient shared evenly among all that hold the extreme value."""
    writers = scatter_nd(indices, _holds(y, gather_nd(z, indices)), shape=tuple(x.shape))
    return dz / (_holds(x, z) + writers)


def _holds(entry: Any, extreme: Any) -> Any:
    """1 where an entry is the extreme value, else 0, in its dtype."""
    return select(equal(entry, extreme), ones_like(entry), zeros_like(entry))


def _places(indices: Any) -> tuple[Any, ...]:
    return tuple(np.moveaxis(indices, -1, 0)) if indices.shape[-1] else (...,)


def _check_written(raw: str, x: Any, indices: Any, y: Any) -> None:
    if x.dtype != y.dtype:
        raise unlike(raw, 2, x.dtype, y.dtype)
    _check(raw, indices, x.shape, "shape")
    _check_updates(raw, indices, y, x.shape)


def _check_updates(raw: str, indices: Any, y: Any, shape: Shape) -> None:
    wanted = (*indices.shape[:-1], *shape[indices.shape[-1] :])
    if y.shape != wanted:
        raise invalid_argument(
            raw, "Outer dimensions of indices and update must match. Indices shape: "
            f"{brackets(indices.shape)}, updates shape:{brackets(y.shape)}. Indices of this shape "
            f"into {brackets(shape)} need updates of shape {brackets(wanted)}",
        )  # fmt: skip


def _check(raw: str, indices: Any, shape: Shape, whole: str) -> None:
    if not indices.ndim:
        raise invalid_argument(raw, "indices must be at least a vector")
    depth = indices.shape[-1]
    if depth > len(shape):
        raise invalid_argument(
            raw, f"index innermost dimension length must be <= params rank; saw: {depth} vs. "
            f"{len(shape)}",
        )  # fmt: skip
    outside = np.any((indices < 0) | (indices >= np.array(shape[:depth], np.int64)), axis=-1)
    if np.any(outside):
        first = tuple(np.argwhere(outside)[0]) if outside.ndim else ()
        raise invalid_argument(
            raw, f"indices{brackets(first) if first else ''} = {brackets(indices[first])} does not "
            f"index into {whole} {brackets(shape)}",
        )  # fmt: skip
