"""Sparse tensors end to end and in pieces; neither has a gradient in TensorFlow, nor here."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.settings import number
from tapelab.sparse.cells import Shape, in_order
from tapelab.sparse.parts import cells_of, given, made_of, shape_of
from tapelab.sparse.tensor import SparseTensor


def parts(rng: np.random.Generator) -> list[samples.Sample]:
    """Rows of entries with the places of those that are wanted."""
    return [((rng.normal(size=(3,)),), {"places": np.array([2, 0])})]


def rows(rng: np.random.Generator) -> list[samples.Sample]:
    """Two rows of entries with the order they are to have."""
    return [((rng.normal(size=2), rng.normal(size=1)), {"order": np.array([2, 0, 1])})]


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
    for name_, found in (("num_split", num_split), ("axis", axis), ("sp_input", sp_input)):
        if found is None:
            raise ValueError(f"{name_} is required")
    sparse, count, along = given(sp_input), number(num_split, "SparseSplit"), _axis(sp_input, axis)
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
    along, shapes = _concat_axis(axis, inputs[0]), [shape_of(each) for each in inputs]
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


def _axis(sparse: SparseTensor, axis: Any) -> int:
    rank, along = len(shape_of(sparse)), number(axis, "SparseSplit")
    if not -rank <= along < rank:
        raise invalid_argument(
            "SparseSplit", f"Input axis should be in range [{-rank}, {rank}), got {along}"
        )
    return along % rank


def _concat_axis(axis: Any, sparse: SparseTensor) -> int:
    rank, along = len(shape_of(sparse)), number(axis, "SparseConcat")
    if not -rank <= along < rank:
        raise invalid_argument(
            "SparseConcat", f"Concat dimension must be in range [{-rank}, {rank}), got {along}"
        )
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
