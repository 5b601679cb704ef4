"""Reductions of sparse tensors along axes: sum, max, softmax, empty rows, and sparse segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.op import op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.variable import Variable, read
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import divide, subtract
from tapelab.ops.concatenation import concat
from tapelab.ops.indexed_rows import gather
from tapelab.ops.integer_arguments import lengths, number, whole
from tapelab.ops.powers import exp
from tapelab.ops.public import tensor
from tapelab.ops.shapes import reshape
from tapelab.sparse.sparse_indices import Shape, in_order, numbered, unnumbered
from tapelab.sparse.sparse_tensor import (
    SparseTensor,
    cells_of,
    given,
    made_of,
    picked,
    put,
    shape_of,
)

groups = samples.normals(((3,), {"places": np.array([1, 0, 1]), "count": 3}))
"""Rows of entries with the number of the group of each."""


@op(formula=r"y = \max x", glyph="max", raw="SparseReduceMax",
    samples=groups, pattern="not implemented", dtypes=("float32",))  # fmt: skip
def sparse_reduce_max(x: Any, *, places: Any, count: int) -> Any:
    """The largest entry of each group, and zero for a group without entries."""
    return _largest(x, places, count)


@op(formula=r"y = \max x", glyph="max", raw="SparseReduceMaxSparse",
    samples=groups, pattern="not implemented")  # fmt: skip
def sparse_reduce_max_sparse(x: Any, *, places: Any, count: int) -> Any:
    """The largest entry of each group that has entries."""
    return _largest(x, places, count)


@op(formula=r"y = \sum x", glyph="Σ", raw="SparseReduceSumSparse",
    samples=groups, pattern="not implemented")  # fmt: skip
def sparse_reduce_sum_sparse(x: Any, *, places: Any, count: int) -> Any:
    """The sum of the entries of each group that has entries."""
    total = np.zeros(count, x.dtype)
    np.add.at(total, places, x)
    return total


def _largest(x: Any, places: Any, count: int) -> Any:
    largest = np.zeros(count, x.dtype)
    order = np.lexsort((x, places))
    largest[places[order]] = x[order]
    return largest


@public(group=True)
def reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The sum of the entries along the axes, dense unless `output_is_sparse`.

    The sparse result has no gradient, as in TensorFlow.
    """
    sparse = given(sp_input)
    cells, kept, shape = _reduced(sparse, axis, bool(keepdims), "SparseReduceSum")
    if output_is_sparse:
        return _sparse(sparse, cells, kept, shape, sparse_reduce_sum_sparse)
    total = put(sparse.values, numbered(cells, kept), int(np.prod(kept, dtype=int)))
    return reshape(total, shape=shape)


@public(group=True)
def reduce_max(
    sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The largest stored entry along the axes, dense unless `output_is_sparse`; no gradient."""
    sparse = given(sp_input)
    cells, kept, shape = _reduced(sparse, axis, bool(keepdims), "SparseReduceMax")
    if output_is_sparse:
        return _sparse(sparse, cells, kept, shape, sparse_reduce_max_sparse)
    count = int(np.prod(kept, dtype=int))
    largest = sparse_reduce_max(sparse.values, places=numbered(cells, kept), count=count)
    return reshape(largest, shape=shape)


def _reduced(sparse: SparseTensor, axis: Any, keepdims: bool, raw: str) -> tuple[Any, Shape, Shape]:
    """The indices along the axes that stay, their lengths, and the shape of the result."""
    shape = shape_of(sparse)
    rank = len(shape)
    given_axes = range(rank) if axis is None else lengths(axis, raw)
    for each in given_axes:
        if not -rank <= each < rank:
            raise invalid_argument(
                raw, f"Invalid reduction dimension {each}, for input with {rank} dimensions."
            )
    gone = {each % rank for each in given_axes}
    stays = [at for at in range(rank) if at not in gone]
    kept = tuple(shape[at] for at in stays)
    whole = tuple(1 if at in gone else length for at, length in enumerate(shape))
    return cells_of(sparse)[:, stays], kept, whole if keepdims else kept


def _sparse(sparse: SparseTensor, cells: Any, kept: Shape, shape: Shape, op: Any) -> SparseTensor:
    """The groups that have entries, as a sparse tensor."""
    numbers, places = np.unique(numbered(cells, kept), return_inverse=True)
    values: Tensor = op(sparse.values, places=places, count=len(numbers))
    return made_of(unnumbered(numbers, shape), values, shape)


@public(group=True)
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax of the stored entries of each row; what is not stored stays out of account."""
    sparse = given(sp_input)
    cells, shape = cells_of(sparse), shape_of(sparse)
    if len(shape) < 2:
        raise invalid_argument(
            "SparseSoftmax",
            f"Input should have rank >= 2, but received shape: {', '.join(map(str, shape))}",
        )
    _, rows = np.unique(numbered(cells[:, :-1], shape[:-1]), return_inverse=True)
    count = int(rows.max(initial=-1)) + 1
    peaks = _peaks(sparse.values._value, rows, count)
    powers = exp(subtract(sparse.values, constant_of(peaks[rows])))
    return sparse.with_values(divide(powers, picked(put(powers, rows, count), rows)))


def _peaks(x: Any, rows: Any, count: int) -> Any:
    """The largest entry of each row, which is taken off so that no power overflows."""
    peaks = np.full(count, -np.inf, x.dtype)
    np.maximum.at(peaks, rows, x)
    return peaks


@public(group=True)
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """The tensor with a first entry put into each row that had none, and which rows those were."""
    sparse = given(sp_input)
    value = read(default_value) if isinstance(default_value, Variable) else default_value
    default = to_tensor(value, sparse.dtype)
    cells, shape = cells_of(sparse), shape_of(sparse)
    empty = np.ones(shape[0], np.bool_)
    empty[cells[:, 0]] = False
    missing = np.flatnonzero(empty)
    added = np.zeros((len(missing), len(shape)), np.int64)
    added[:, 0] = missing
    whole = np.concatenate([cells, added])
    order = in_order(whole)
    both = concat(sparse.values, reshape(default, shape=(1,)), axis=0)
    places = np.concatenate([np.arange(len(cells)), np.full(len(missing), len(cells))])
    return made_of(whole[order], picked(both, places[order]), shape), constant_of(empty)


@public(group=True)
def segment_sum(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The sums of the picked rows that have one segment id; the ids must be sorted.

    With `sparse_gradient` the gradient of the data is IndexedSlices.
    """
    return _summed("Sum", data, indices, segment_ids, num_segments, sparse_gradient, None)


@public(group=True)
def segment_mean(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The means of the picked rows that have one segment id; the ids must be sorted."""
    return _summed("Mean", data, indices, segment_ids, num_segments, sparse_gradient, 1.0)


@public(group=True)
def segment_sqrt_n(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The sums of the picked rows of a segment, divided by the root of how many there are."""
    return _summed("SqrtN", data, indices, segment_ids, num_segments, sparse_gradient, 0.5)


def _summed(
    how: str, data: Any, indices: Any, segment_ids: Any, num_segments: Any, slices: bool,
    power: float | None,
) -> Tensor:  # fmt: skip
    """The sums of the segments, divided by a power of their sizes if one is given."""
    raw = f"SparseSegment{how}" + ("" if num_segments is None else "WithNumSegments")
    x = tensor(data)
    at, ids = tensor(indices), np.ravel(whole(segment_ids, raw))
    places = whole(at, raw)
    least = int(ids[-1]) + 1 if len(ids) else 0
    count = least if num_segments is None else number(num_segments, raw)
    _check(raw, x, places, ids, count)
    if power is not None and x.dtype.is_integer:
        raise invalid_argument(
            raw, f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: "
            "bfloat16, half, float, double. Try tf.cast(data, tf.float32)",
        )  # fmt: skip
    rows = gather(x, at, axis=0) if slices else picked(x, places)
    total = put(rows, ids, count)
    if power is None:
        return total
    sizes = np.maximum(np.bincount(ids, minlength=count), 1).astype(x._array.dtype) ** power
    shape = (count, *[1] * (total._array.ndim - 1))
    return divide(total, constant_of(sizes.astype(x._array.dtype).reshape(shape)))


def _check(raw: str, x: Tensor, places: Any, ids: Any, count: int) -> None:
    if len(places) != len(ids):
        raise invalid_argument(raw, "segment_ids and indices should have same size.")
    if (np.diff(ids) < 0).any():
        raise invalid_argument(raw, f"segment ids are not increasing: {ids.tolist()}")
    length = x._array.shape[0]
    outside = (places < 0) | (places >= length)
    if outside.any():
        at = int(np.argmax(outside))
        raise invalid_argument(
            raw, f"Bad: indices[{at}] == {places[at]} out of range [0, {length})"
        )
    if len(ids) and ids[-1] >= count:
        raise invalid_argument(raw, f"segment ids must be < num_segments, which is {count}")
