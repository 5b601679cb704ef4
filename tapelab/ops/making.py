"""New tensors of one value, identity matrices and grids."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.dtypes import DType, as_dtype, float32, string
from tapelab.engine.convert import new_constant
from tapelab.engine.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.ops import selection
from tapelab.ops.broadcasting import broadcast_to
from tapelab.ops.public import tensor
from tapelab.ops.settings import lengths, number
from tapelab.ops.shape import reshape


def zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of zeros; of empty strings for tf.string, of False for tf.bool."""
    kind = as_dtype(dtype)
    return _full(shape, b"" if kind is string else 0, kind, "tf.zeros")


def ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of ones."""
    return _full(shape, 1, as_dtype(dtype), "tf.ones")


def _full(shape: Any, value: Any, kind: DType, how: str) -> Tensor:
    sizes = lengths(shape, "Fill")
    if min(sizes, default=0) < 0:
        raise invalid_argument("Fill", f"Dimension {min(sizes)} must be >= 0")
    return new_constant(np.full(sizes, value, kind.as_numpy_dtype), None, how)


def zeros_like(input: Any, dtype: Any = None, name: str | None = None, **unused: Any) -> Tensor:
    """Zeros in the shape of another tensor, and in its dtype unless another is given."""
    x = tensor(input)
    if x.dtype is string or (dtype is not None and as_dtype(dtype) is not x.dtype):
        return zeros(x.shape, x.dtype if dtype is None else dtype)
    made: Tensor = selection.zeros_like(x)
    return made


def ones_like(input: Any, dtype: Any = None, name: str | None = None, **unused: Any) -> Tensor:
    """Ones in the shape of another tensor, and in its dtype unless another is given."""
    x = tensor(input)
    if dtype is not None and as_dtype(dtype) is not x.dtype:
        return ones(x.shape, dtype)
    made: Tensor = selection.ones_like(x)
    return made


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of the given shape that holds one value everywhere."""
    made: Tensor = broadcast_to(tensor(value), shape=lengths(dims, "Fill"))
    return made


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The identity matrix: ones on the diagonal, zeros elsewhere; also a batch of them."""
    rows = number(num_rows, "Eye")
    columns = rows if num_columns is None else number(num_columns, "Eye")
    one = np.eye(rows, columns, dtype=as_dtype(dtype).as_numpy_dtype)
    batch = () if batch_shape is None else lengths(batch_shape, "Eye")
    return new_constant(np.array(np.broadcast_to(one, (*batch, *one.shape))), None, "tf.eye")


def meshgrid(*args: Any, indexing: str = "xy", **unused: Any) -> list[Tensor]:
    """The coordinates of a grid: each vector repeated along the axes of the others."""
    if indexing not in {"xy", "ij"}:
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    vectors = [tensor(each) for each in args]
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[at]._value.size for at in order)
    grids = []
    for position, vector in enumerate(vectors):
        along = tuple(-1 if at == position else 1 for at in order)
        grids.append(broadcast_to(reshape(vector, shape=along), shape=shape))
    return grids
