"""Features crossed with each other, and products of matrices at a few places only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.wording import brackets
from tapelab.dtypes import as_dtype, float32
from tapelab.errors import invalid_argument
from tapelab.ops.arithmetic import add, multiply
from tapelab.ops.products import matmul
from tapelab.ops.public import tensor
from tapelab.ops.scattering import gather_nd
from tapelab.ops.settings import whole
from tapelab.sparse.parts import cells_of, made_of, shape_of
from tapelab.sparse.tensor import SparseTensor
from tapelab.strings.texts import texts

Rows = list[list[bytes]]


@public
def cross(inputs: Sequence[Any], name: str | None = None, separator: Any = None) -> SparseTensor:
    """Each feature of a row with each of the same row of the others, as one text: `a_X_b`.

    Sparse features stand before dense ones. TypeError for what is neither.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Inputs must be a list, not {type(inputs).__name__}.")
    given = list(inputs)
    if not all(isinstance(each, (Tensor, SparseTensor)) for each in given):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    between = b"_X_" if separator is None else str(separator).encode()
    sparse_first = sorted(given, key=lambda each: not isinstance(each, SparseTensor))
    columns = [_rows(each, at) for at, each in enumerate(sparse_first)]
    _check_batches(columns)
    crossed = [[between.join(each) for each in product(*row)]
               for row in zip(*columns, strict=True)]  # fmt: skip
    cells = [(at, place) for at, row in enumerate(crossed) for place in range(len(row))]
    places = np.array(cells, np.int64).reshape(-1, 2)
    width = max(map(len, crossed), default=0)
    values = constant_of(texts([each for row in crossed for each in row]))
    return made_of(places, values, (len(crossed), width))


def _rows(x: Any, at: int) -> Rows:
    """The features of each row as texts."""
    if isinstance(x, SparseTensor):
        if len(shape_of(x)) != 2:
            raise invalid_argument(
                "SparseCrossV2",
                f"Expected D2 of index to be 2 got {len(shape_of(x))} at position {at}",
            )
        count, rows = shape_of(x)[0], cells_of(x)[:, 0]
        found = [_text(value) for value in x.values._value.tolist()]
        return [[found[place] for place in np.flatnonzero(rows == row)] for row in range(count)]
    if x.ndim != 2:
        raise invalid_argument(
            "SparseCrossV2", "Dense inputs should be a matrix but received shape "
            f"{brackets(x._array.shape)} at position {at}",
        )  # fmt: skip
    return [[_text(value) for value in row] for row in x._value.tolist()]


def _text(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(int(value)).encode()


def _check_batches(columns: list[Rows]) -> None:
    for at, rows in enumerate(columns):
        if len(rows) != len(columns[0]):
            raise invalid_argument(
                "SparseCrossV2",
                f"Expected batch size {len(columns[0])} got {len(rows)} at dense tensor {at}",
            )


@public(group=True)
def sampled_addmm(
    indices: Any, values: Any, dense_shape: Any, mat1: Any, mat2: Any, beta: Any = 1.0,
    alpha: Any = 1.0, output_type: Any = float32,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The product of two matrices at some places only, times alpha, plus beta times the values.

    The result is the three parts of a sparse tensor.
    """
    kind = as_dtype(output_type)
    places = tensor(whole(indices, "SampledADDMM").astype(np.int32))
    found = gather_nd(matmul(tensor(mat1, kind), tensor(mat2, kind)), places)
    added: Tensor = add(
        multiply(found, tensor(alpha, kind)), multiply(tensor(values, kind), tensor(beta, kind))
    )
    return places, added, tensor(whole(dense_shape, "SampledADDMM").astype(np.int32))
