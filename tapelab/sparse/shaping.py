"""Sparse tensors in other shapes and orders: only their indices change, entries keep their path."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.wording import brackets
from tapelab.errors import invalid_argument
from tapelab.ops.public import tensor
from tapelab.ops.settings import lengths, number
from tapelab.sparse.cells import Shape, in_order, numbered, unnumbered
from tapelab.sparse.elements import picked
from tapelab.sparse.parts import cells_of, given, made_of, shape_of
from tapelab.sparse.tensor import SparseTensor


@public(group=True)
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same entries with their indices sorted, row by row, as most functions want them."""
    sparse = given(sp_input)
    cells = cells_of(sparse)
    order = in_order(cells)
    return made_of(cells[order], picked(sparse.values, order), shape_of(sparse))


@public(group=True)
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The same entries with the axes in another order; without `perm` the order is reversed."""
    sparse = given(sp_input)
    shape = shape_of(sparse)
    axes = range(len(shape))[::-1] if perm is None else lengths(perm, "Transpose")
    cells = cells_of(sparse)[:, list(axes)]
    order = in_order(cells)
    turned = [shape[axis] for axis in axes]
    return made_of(cells[order], picked(sparse.values, order), turned)


@public(shape_argument=True)
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same entries counted row by row in another shape; one length may be -1."""
    sparse = given(sp_input)
    old, new = shape_of(sparse), lengths(shape, "SparseReshape")
    whole = _filled_in(old, new)
    cells = unnumbered(numbered(cells_of(sparse), old), whole)
    return made_of(cells, sparse.values, whole)


def _filled_in(old: Shape, new: Shape) -> Shape:
    """The new shape with its -1 worked out; InvalidArgumentError where the entries do not fit."""
    total, known = int(np.prod(old)), int(np.prod([length for length in new if length != -1]))
    told = f"input_shape={brackets(old)} output_shape={brackets(max(n, 1) for n in new)}"
    if -1 in new:
        if not known or total % known:
            raise invalid_argument(
                "SparseReshape", f"Input to reshape is a SparseTensor with {total} dense values, "
                f"but the requested shape requires a multiple of {known}. {told}",
            )  # fmt: skip
        return tuple(total // known if length == -1 else length for length in new)
    if total != known:
        raise invalid_argument(
            "SparseReshape", f"Input to reshape is a tensor with {total} dense values, but the "
            f"requested shape has {known}. {told}",
        )  # fmt: skip
    return new


@public
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same entries and indices in a larger shape, or in the smallest that holds them."""
    sparse = given(sp_input)
    cells, shape = cells_of(sparse), shape_of(sparse)
    if new_shape is None:
        return made_of(cells, sparse.values, cells.max(axis=0, initial=-1) + 1)
    wanted = lengths(new_shape, "SparseResetShape")
    if len(wanted) != len(shape):
        raise ValueError(f"Dimensions {len(wanted)} and {len(shape)} are not compatible")
    if any(new < old for new, old in zip(wanted, shape, strict=True)):
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
            f"({list(wanted)}), sp_input.shape ({list(shape)})."
        )
    return made_of(cells, sparse.values, wanted)


@public
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """The same entries with one more axis, of length 1; by default the last one."""
    sparse = given(sp_input)
    cells, shape = cells_of(sparse), shape_of(sparse)
    rank = len(shape)
    place = -1 if axis is None else number(axis, "SparseExpandDims")
    if not -rank - 1 <= place <= rank:
        raise invalid_argument(
            "Slice", f"axis {place} is not in [{-rank - 1}, {rank}] for a tensor of {rank} axes"
        )
    at = place + rank + 1 if place < 0 else place
    return made_of(np.insert(cells, at, 0, axis=1), sparse.values, np.insert(shape, at, 1))


@public(group=True)
def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The entries in a box that begins at `start`; a box that is too large ends with the tensor."""
    sparse = given(sp_input)
    cells, shape = cells_of(sparse), shape_of(sparse)
    begin, extent = lengths(start, "SparseSlice"), lengths(size, "SparseSlice")
    for name_, found in (("start", begin), ("size", extent)):
        if len(found) != len(shape):
            raise invalid_argument(
                "SparseSlice", f"Expected {name_} to be a vector of length {len(shape)} but got "
                f"length {len(found)}",
            )  # fmt: skip
    rows = zip(shape, begin, extent, strict=True)
    box = [max(0, min(count, length - first)) for length, first, count in rows]
    kept = ((cells >= begin) & (cells < np.add(begin, box))).all(axis=1)
    return made_of(cells[kept] - begin, picked(sparse.values, np.flatnonzero(kept)), box)


@public(group=True)
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The entries that a row of true and false says to keep; ValueError for another length."""
    sparse, kept = given(sp_input), tensor(to_retain, "bool")._value
    cells = cells_of(sparse)
    if kept.shape != (len(cells),):
        raise ValueError(f"Dimensions {len(cells)} and {kept.size} are not compatible")
    return made_of(cells[kept], picked(sparse.values, np.flatnonzero(kept)), shape_of(sparse))
