"""Public functions of `tf.linalg` for matrices with few diagonals."""

from __future__ import annotations

from typing import Any

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.wording import brackets
from tapelab.errors import invalid_argument
from tapelab.ops import matrices, solving
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.diagonals import Band, from_band
from tapelab.ops.products import matmul
from tapelab.ops.public import matched
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.shape import expand_dims, squeeze

_FORMATS = "compact, sequence, matrix"


@public(group=True)
def tridiagonal_solve(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", transpose_rhs: bool = False,
    conjugate_rhs: bool = False, name: str | None = None, partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:  # fmt: skip
    """The solution of linear equations in which each row knows only its neighbours."""
    whole = _whole(diagonals, diagonals_format)
    given: Any = as_tensor(rhs)
    x, y = matched(whole, given)
    if conjugate_rhs:
        y = conjugated(y)
    one_column = y.ndim == x.ndim - 1
    columns = expand_dims(y, axis=-1) if one_column else y
    if transpose_rhs and not one_column:
        columns = matrices.matrix_transpose(columns)
    found = solving.solve(x, columns)
    made: Tensor = squeeze(found, axis=(-1,)) if one_column else found
    return made


@public(group=True)
def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The product with a matrix of three diagonals."""
    made: Tensor = matmul(*matched(_whole(diagonals, diagonals_format), rhs))
    return made


def _whole(diagonals: Any, form: str) -> Any:
    """The matrix with the three diagonals, whatever form they are given in."""
    if form == "matrix":
        return as_tensor(diagonals)
    if form == "compact":
        packed = as_tensor(diagonals)
        shape = packed._array.shape
        if len(shape) < 2 or shape[-2] != 3:
            raise ValueError(f"Expected diagonals to have 3 rows, got {brackets(shape)}")
        return from_band(packed, band=Band(shape[-1], shape[-1], -1, 1, "LEFT_RIGHT"))
    if form != "sequence":
        raise ValueError(f"Unrecognized diagonals_format: {form}. Expected one of {_FORMATS}")
    upper, main, lower = matched(*diagonals)
    size: int = main._array.shape[-1]
    above, below = _short(upper, size, slice(None, -1)), _short(lower, size, slice(1, None))
    return matrices.diagonal(main) + matrices.diagonal(above, k=1) + matrices.diagonal(below, k=-1)


def _short(side: Any, size: int, kept: slice) -> Any:
    """A diagonal beside the main one, without the place that is outside the matrix."""
    return side[..., kept] if side._array.shape[-1] == size else side


@public(group=True)
def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution of linear equations of a triangle with few diagonals, one a row."""
    x, y = matched(bands, rhs)
    count, size = x._array.shape[-2:]
    if count > size:
        raise invalid_argument(
            "BandedTriangularSolve", f"The number of bands {count} must not exceed {size}"
        )
    low, high = (1 - count, 0) if lower else (0, count - 1)
    whole = from_band(x, band=Band(size, size, low, high, "LEFT_RIGHT"))
    made: Tensor = solving.triangular_solve(whole, y, lower=lower, adjoint_a=adjoint)
    return made
