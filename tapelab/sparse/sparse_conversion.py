"""From dense to sparse tensors and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.composite_tensor import refuse_composites
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.variable import Variable, read
from tapelab.dtypes import as_dtype, float32
from tapelab.errors import invalid_argument
from tapelab.ops.broadcasting import broadcast_to
from tapelab.ops.index_tuples import tensor_scatter_nd_update
from tapelab.ops.integer_arguments import number
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.shapes import reshape
from tapelab.sparse.sparse_indices import check_cells, numbered
from tapelab.sparse.sparse_tensor import SparseTensor, cells_of, given, made_of, picked, shape_of


@public(group=True)
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The entries of a tensor that are not zero, with their indices."""
    refuse_composites(tensor)
    x = as_tensor(tensor)
    array = np.asarray(x._value)
    if not array.ndim:
        raise invalid_argument("Where", "WhereOp : Unhandled input dimensions: 0")
    cells = np.argwhere(array != (b"" if array.dtype == object else 0))
    flat = reshape(x, shape=(-1,))
    return made_of(cells, picked(flat, numbered(cells, array.shape)), array.shape)


@public(group=True)
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The tensor with all its entries, zero (or `default_value`) where nothing is stored.

    InvalidArgumentError where indices are out of order, out of bounds or repeated.
    """
    sparse = given(sp_input)
    cells, shape = cells_of(sparse), shape_of(sparse)
    if validate_indices:
        check_cells("SparseToDense", cells, shape)
    return tensor_scatter_nd_update(
        _background(default_value, sparse), constant_of(cells), sparse.values
    )


def _background(default: Any, sparse: SparseTensor) -> Tensor:
    """A tensor that holds the default everywhere."""
    kind, shape = sparse.dtype, shape_of(sparse)
    if isinstance(default, (Tensor, Variable)):
        value = to_tensor(read(default) if isinstance(default, Variable) else default, kind)
        return broadcast_to(value, shape=shape)
    if default is None:
        default = b"" if kind.name == "string" else False if kind.is_bool else 0
    value = to_tensor(default, kind)
    return constant_of(np.broadcast_to(value._value, shape).copy())


@public
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = float32, name: str | None = None
) -> SparseTensor:
    """The sparse matrix with ones along its diagonal."""
    rows = number(num_rows, "SparseEye")
    columns = rows if num_columns is None else number(num_columns, "SparseEye")
    along = np.arange(min(rows, columns))
    ones = constant_of(np.ones(len(along), as_dtype(dtype).as_numpy_dtype))
    return made_of(np.stack([along, along], axis=1), ones, (rows, columns))


@public
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """A dense tensor of true and false: which of the ids in each row are there."""
    sparse, size = given(sp_input), number(vocab_size, "SparseToIndicator")
    cells, shape = cells_of(sparse), (*shape_of(sparse)[:-1], size)
    ids = sparse.values._value.astype(np.int64)
    if ((ids < 0) | (ids >= size)).any():
        raise invalid_argument(
            "SparseToIndicator", f"ids must be in [0, {size}), but they go from {ids.min()} to "
            f"{ids.max()}",
        )  # fmt: skip
    there = np.zeros(shape, np.bool_)
    there[(*cells[:, :-1].T, ids)] = True
    return constant_of(there)
