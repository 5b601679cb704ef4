"""Sums, extremes and products of sparse tensors, and functions of their stored values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.array_ops import shape_ops
from tapelab.core.dispatch import implements, public
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.text_forms import brackets, unlike
from tapelab.dtypes import as_dtype, int32
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.math import counts
from tapelab.ops.arithmetic import add as add_entries
from tapelab.ops.arithmetic import conjugated, multiply
from tapelab.ops.index_tuples import tensor_scatter_nd_add
from tapelab.ops.integer_arguments import whole
from tapelab.ops.public import tensor
from tapelab.ops.selection import maximum as larger
from tapelab.ops.selection import minimum as smaller
from tapelab.ops.shapes import expand_dims, transpose
from tapelab.sparse.sparse_indices import check_same_shape, merged
from tapelab.sparse.sparse_tensor import (
    SparseTensor,
    cells_of,
    given,
    made_of,
    picked,
    put,
    shape_of,
)


@public(group=True)
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of two sparse tensors, a sparse one, or of a sparse and a dense one, a dense one.

    Sums of two entries that are smaller than `threshold` are left out of a sparse result.
    TypeError if both are dense.
    """
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        return _sum(a, b, threshold)
    if isinstance(a, SparseTensor):
        return _onto_dense(a, tensor(b))
    if isinstance(b, SparseTensor):
        return _onto_dense(b, tensor(a))
    raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")


def _sum(a: SparseTensor, b: SparseTensor, threshold: Any) -> SparseTensor:
    cells, one, other = _together("SparseAdd", a, b, position=4)
    total: Tensor = add_entries(put(a.values, one, len(cells)), put(b.values, other, len(cells)))
    small = np.abs(total._value) < np.asarray(threshold)
    kept = np.flatnonzero(~(small & np.isin(np.arange(len(cells)), np.intersect1d(one, other))))
    values = total if len(kept) == len(cells) else picked(total, kept)
    return made_of(cells[kept], values, shape_of(a))


def _onto_dense(sparse: SparseTensor, dense: Tensor) -> Tensor:
    raw, ours, theirs = "SparseTensorDenseAdd", shape_of(sparse), dense._array.shape
    if len(ours) != len(theirs):
        raise invalid_argument(
            raw, "Two operands have different ranks; received: "
            f"{len(ours)} and {len(theirs)}",
        )  # fmt: skip
    check_same_shape(raw, ours, theirs)
    if sparse.values._array.dtype != dense._array.dtype:
        raise unlike(raw, 3, sparse.values._array.dtype, dense._array.dtype)
    return tensor_scatter_nd_add(dense, constant_of(cells_of(sparse)), sparse.values)


@public(group=True)
def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of the two entries at each place; what is stored in one only is held to zero."""
    return _extreme("SparseSparseMaximum", larger, given(sp_a), given(sp_b))


@public(group=True)
def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of the two entries at each place; what is stored in one only is held to zero."""
    return _extreme("SparseSparseMinimum", smaller, given(sp_a), given(sp_b))


def _extreme(raw: str, op: Callable[..., Any], a: SparseTensor, b: SparseTensor) -> SparseTensor:
    cells, one, other = _together(raw, a, b, position=4)
    count = len(cells)
    values: Tensor = op(put(a.values, one, count), put(b.values, other, count))
    return made_of(cells, values, shape_of(a))


def _together(raw: str, a: SparseTensor, b: SparseTensor, *, position: int) -> tuple[Any, Any, Any]:
    """The cells of both, and where those of either went; InvalidArgumentError if unlike."""
    check_same_shape(raw, shape_of(a), shape_of(b))
    if a.dtype is not b.dtype:
        raise unlike(raw, position, a.values._array.dtype, b.values._array.dtype)
    return merged(cells_of(a), cells_of(b), shape_of(a))


@public(group=True)
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse and a dense matrix, in either order, each turned if so wanted."""
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        turned = _product(b, tensor(sp_a), not adjoint_b, not adjoint_a)
        product: Tensor = conjugated(transpose(turned))
        return product
    if isinstance(b, SparseTensor):
        raise TypeError(
            "sparse_dense_matmul() got two sparse matrices; make one dense with "
            "tf.sparse.to_dense(b)."
        )
    return _product(given(sp_a), tensor(b), adjoint_a, adjoint_b)


def _product(sparse: SparseTensor, b: Tensor, turn_a: bool, turn_b: bool) -> Tensor:
    """Each entry times the row of b that it meets, added up in the row that it stands in."""
    raw = "SparseTensorDenseMatMul"
    _check_matrices(raw, sparse, b, turn_a, turn_b)
    columns: Tensor = conjugated(transpose(b)) if turn_b else b
    values = conjugated(sparse.values) if turn_a else sparse.values
    into, meets = cells_of(sparse).T[:: -1 if turn_a else 1]
    rows = multiply(expand_dims(values, axis=1), picked(columns, meets))
    return put(rows, into, shape_of(sparse)[1 if turn_a else 0])


def _check_matrices(raw: str, sparse: SparseTensor, b: Tensor, turn_a: bool, turn_b: bool) -> None:
    shape, other = shape_of(sparse), b._array.shape
    if len(shape) != 2:
        raise invalid_argument(raw, f"Tensor 'a' is not a matrix; its shape is {brackets(shape)}")
    if len(other) != 2:
        raise invalid_argument(raw, f"Tensor 'b' is not a matrix; its shape is {brackets(other)}")
    if sparse.values._array.dtype != b._array.dtype:
        raise unlike(raw, 3, sparse.values._array.dtype, b._array.dtype)
    inner, theirs = shape[0 if turn_a else 1], other[1 if turn_b else 0]
    if inner != theirs:
        raise invalid_argument(
            raw, "Cannot multiply A and B because inner dimension does not match: "
            f"{inner} vs. {theirs}.  Did you forget a transpose?  Dimensions of A: "
            f"[{shape[0]}, {shape[1]}).  Dimensions of B: {brackets(other)}",
        )  # fmt: skip


@public
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """A function of the stored entries of sparse tensors that have the same indices.

    ValueError where no argument is sparse, InvalidArgumentError where their indices differ.
    """
    sparse = [x for x in (*args, *kwargs.values()) if isinstance(x, SparseTensor)]
    if not sparse:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = sparse[0]
    for other in sparse[1:]:
        _check_alike(first, other)
    values = op(*map(_values, args), **{name: _values(x) for name, x in kwargs.items()})
    return first.with_values(values)


def _values(x: Any) -> Any:
    return x.values if isinstance(x, SparseTensor) else x


def _check_alike(first: SparseTensor, other: SparseTensor) -> None:
    for what, one, two in (
        ("Mismatched shapes!", shape_of(first), shape_of(other)),
        ("Mismatched indices!", cells_of(first), cells_of(other)),
    ):
        if not np.array_equal(one, two):
            raise InvalidArgumentError(
                None, "Assert", f"{what}\nCondition x == y did not hold.\nx: {one}\ny: {two}"
            )


@public
def mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the rows that are named."""
    gone = whole(mask_indices, "SparseMask")
    indices = np.asarray(a.indices._value)
    kept = np.flatnonzero(~np.isin(indices, gone))
    shape = a.dense_shape
    return IndexedSlices(
        picked(a.values, kept), constant_of(indices[kept]), None if shape is None else shape._value
    )


@implements("sparse", counts.bincount)
def _bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
    dtype: Any = int32, name: str | None = None, axis: int | None = None,
    binary_output: bool = False,
) -> Any:  # fmt: skip
    """How often each stored number occurs; with axis=-1 in each row."""
    if weights is not None and not isinstance(weights, SparseTensor):
        raise ValueError(
            "Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
            f"weights={weights} of type: {type(weights).__name__}"
        )
    of_entries = None if weights is None else weights.values
    limits = minlength, maxlength, dtype
    if axis != -1:
        return counts.bincount(
            arr.values, of_entries, *limits, axis=axis, binary_output=binary_output
        )
    single = arr.indices.numpy().shape[1] == 1
    rows = np.zeros(len(arr.values), np.int64) if single else arr.indices.numpy()[:, 0]
    n_rows = 1 if single else int(arr.shape[0])
    return counts.counts_by_row(arr.values, rows, n_rows, of_entries, *limits, binary_output)


@implements("sparse", shape_ops.shape)
def _shape(input: SparseTensor, out_type: Any = int32, name: str | None = None) -> Tensor:
    return constant_of(np.array(shape_of(input), as_dtype(out_type).as_numpy_dtype))


@implements("sparse", shape_ops.size)
def _size(input: SparseTensor, out_type: Any = int32, name: str | None = None) -> Tensor:
    return constant_of(as_dtype(out_type).as_numpy_dtype(np.prod(shape_of(input), dtype=int)))


@implements("sparse", shape_ops.rank)
def _rank(input: SparseTensor, name: str | None = None) -> Tensor:
    return constant_of(np.int32(len(shape_of(input))))
