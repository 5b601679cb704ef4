"""Sparse tensors in other shapes and orders, concatenated and split.

Only indices change; values keep their gradients. `concat` and `split` have no gradient in
TensorFlow, nor here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.integer_arguments import lengths, number
from tapelab.ops.public import tensor
from tapelab.sparse.sparse_indices import Shape, in_order, numbered, unnumbered
from tapelab.sparse.sparse_tensor import SparseTensor, cells_of, given, made_of, picked, shape_of


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
    shapes = f"input_shape={brackets(old)} output_shape={brackets(max(n, 1) for n in new)}"
    if -1 in new:
        if not known or total % known:
            raise invalid_argument(
                "SparseReshape", f"Input to reshape is a SparseTensor with {total} dense values, "
                f"but the requested shape requires a multiple of {known}. {shapes}",
            )  # fmt: skip
        return tuple(total // known if length == -1 else length for length in new)
    if total != known:
        raise invalid_argument(
            "SparseReshape", f"Input to reshape is a tensor with {total} dense values, but the "
            f"requested shape has {known}. {shapes}",
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
    for name_, bounds in (("start", begin), ("size", extent)):
        if len(bounds) != len(shape):
            raise invalid_argument(
                "SparseSlice", f"Expected {name_} to be a vector of length {len(shape)} but got "
                f"length {len(bounds)}",
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


parts = samples.normals(((3,), {"places": np.array([2, 0])}))
"""Rows of entries with the places of those that are wanted."""
rows = samples.normals(((2,), (1,), {"order": np.array([2, 0, 1])}))
"""Two rows of entries with the order they are to have."""


@op(formula=r"y = \operatorname{split}(x)", glyph="split", raw="SparseSplit", samples=parts,
    pattern="not implemented")  # fmt: skip
def sparse_split(x: Any, *, places: Any) -> Any:
    """The entries of one piece of a sparse tensor."""
    return x[places]


@op(formula=r"y = \operatorname{concat}(x)", glyph="concat", raw="SparseConcat", samples=rows,
    pattern="flat")  # fmt: skip
def sparse_concat(*x: Any, order: Any) -> Any:
    """The entries of several sparse tensors in the order of their indices."""
    return np.concatenate(x)[order]


sparse_concat.no_grad(
    "x", because="TensorFlow has no gradient for tf.sparse.concat; concatenate what is dense."
)


@public(group=True)
def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """So many pieces along an axis; what cannot be shared out evenly goes to the first of them."""
    for name_, argument in (("num_split", num_split), ("axis", axis), ("sp_input", sp_input)):
        if argument is None:
            raise ValueError(f"{name_} is required")
    sparse, count = given(sp_input), number(num_split, "SparseSplit")
    along = _axis("SparseSplit", sparse, axis, "Input axis should be")
    cells, shape = cells_of(sparse), shape_of(sparse)
    length = shape[along]
    if not 1 <= count <= length:
        raise invalid_argument(
            "SparseSplit", "Input num_split should be between 1 and the splitting dimension size "
            f"({length}), got {count}",
        )  # fmt: skip
    edges = np.cumsum([0, *(length // count + (at < length % count) for at in range(count))])
    pairs = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    return [_piece(sparse, cells, shape, along, start, stop) for start, stop in pairs]


def _piece(
    sparse: SparseTensor, cells: Any, shape: Shape, along: int, start: int, stop: int
) -> SparseTensor:
    kept = (cells[:, along] >= start) & (cells[:, along] < stop)
    values: Tensor = sparse_split(sparse.values, places=np.flatnonzero(kept))
    first = np.where(np.arange(len(shape)) == along, start, 0)
    piece = [stop - start if axis == along else length for axis, length in enumerate(shape)]
    return made_of(cells[kept] - first, values, piece)


@public(group=True)
def concat(
    axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Several sparse tensors end to end along an axis, their entries in the order of the indices.

    With `expand_nonconcat_dims` the other axes may differ, and the longest decides.
    """
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError(f"Inputs must be a list or tuple. It is {sp_inputs!r}.")
    inputs = [given(each) for each in sp_inputs]
    along = _axis("SparseConcat", inputs[0], axis, "Concat dimension must be")
    shapes = [shape_of(each) for each in inputs]
    if len(inputs) == 1:
        return inputs[0]
    if not expand_nonconcat_dims:
        _check_others(shapes, along)
    starts = np.cumsum([0, *(shape[along] for shape in shapes)])
    shape = np.max(shapes, axis=0)
    shape[along] = starts[-1]
    unit = np.arange(len(shape)) == along
    moved = zip(inputs, starts[:-1], strict=True)
    cells = np.concatenate([cells_of(each) + start * unit for each, start in moved])
    order = in_order(cells)
    values: Tensor = sparse_concat(*(each.values for each in inputs), order=order)
    return made_of(cells[order], values, shape)


def _axis(raw: str, sparse: SparseTensor, axis: Any, required: str) -> int:
    rank, along = len(shape_of(sparse)), number(axis, raw)
    if not -rank <= along < rank:
        raise invalid_argument(raw, f"{required} in range [{-rank}, {rank}), got {along}")
    return along % rank


def _check_others(shapes: list[Shape], along: int) -> None:
    """InvalidArgumentError unless all lengths but one are the same in all shapes."""
    for position, shape in enumerate(shapes):
        for axis, (first, length) in enumerate(zip(shapes[0], shape, strict=True)):
            if axis != along and first != length:
                raise invalid_argument(
                    "SparseConcat", f"Input shapes must match: expected {first} for dimension "
                    f"{axis} but got {length} at position {position}",
                )  # fmt: skip
