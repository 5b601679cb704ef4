"""The parts of a sparse tensor as plain data, and a sparse tensor from parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.sparse.cells import Shape
from tapelab.sparse.tensor import SparseTensor


def given(sp_input: Any) -> SparseTensor:
    """The argument, which must be sparse; TypeError if it is not."""
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(
            f"Input must be a SparseTensor. It is of type {type(sp_input).__name__!r}; try "
            "tf.sparse.from_dense(x)."
        )
    return sp_input


@public
def cells_of(sparse: SparseTensor) -> Any:
    """The indices as an array."""
    return sparse.indices._value


@public
def shape_of(sparse: SparseTensor) -> Shape:
    """The shape as Python numbers."""
    return tuple(int(length) for length in sparse.dense_shape._value)


@public
def made_of(indices: Any, values: Tensor, shape: Any) -> SparseTensor:
    """A sparse tensor with other indices, which are constants, around values with a history."""
    cells = constant_of(np.ascontiguousarray(indices, np.int64))
    return SparseTensor(cells, values, constant_of(np.array(shape, np.int64).reshape(-1)))
