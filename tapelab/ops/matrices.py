"""Taking matrices apart and putting them together: transposes, diagonals and triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import on_last_axes, to_shape
from tapelab.core.op import op
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.selection import zeros_like
from tapelab.ops.shapes import transpose

squares = samples.normals(((2, 2),), ((3, 3),), ((2, 2, 2),))
"""Square matrices, also in batches."""
bands = samples.normals(((3, 4), {"lower": -1, "upper": 0}), ((3, 4), {"lower": 1, "upper": 1}))
"""Matrices with the numbers of diagonals to keep below and above the main one."""
diagonals = samples.normals(((3,), {"k": 0}), ((2,), {"k": 1}), ((2, 2), {"k": -1}))
"""Rows of numbers with the diagonal that they become."""
with_diagonal = samples.normals(((2, 3), {"k": 0}), ((2, 2, 3), {"k": 1}))
"""Matrices with a diagonal."""


def matrix_transpose(A: Any) -> Any:
    """Rows become columns; axes before the last two number the matrices of a batch."""
    rank = A.ndim
    return transpose(A, perm=(*range(rank - 2), rank - 1, rank - 2))


def adjoint(A: Any) -> Any:
    """The conjugate of the transpose; for real matrices the transpose."""
    return conjugated(matrix_transpose(A))


@op(formula=r"y = \operatorname{diag}(x)", glyph="diag", title="Diagonal matrix",
    raw="MatrixDiagV3", samples=diagonals, linear=True, batching=on_last_axes)  # fmt: skip
def diagonal(x: Any, *, k: int = 0) -> Any:
    """A square matrix with the given numbers on a diagonal, `k` above the main one, else zeros."""
    n = x.shape[-1] + abs(k)
    whole = np.zeros((*x.shape[:-1], n, n), x.dtype)
    _on_diagonal(whole, k)[...] = x
    return whole


@diagonal.grad("x", r"\bar x = \operatorname{diagpart}(\bar y)")
def diagonal_grad_x(dy: Any, y: Any, x: Any, *, k: int = 0) -> Any:
    return diagonal_part(dy, k=k)


@op(formula=r"y = \operatorname{diagpart}(x)", glyph="diag part", raw="MatrixDiagPartV3",
    samples=with_diagonal, batching=on_last_axes)  # fmt: skip
def diagonal_part(x: Any, *, k: int = 0) -> Any:
    """The numbers on the diagonal `k` above the main one."""
    _require_matrix("MatrixDiagPartV3", x)
    return np.diagonal(x, k, -2, -1)


@diagonal_part.grad("x", r"\bar x = \operatorname{diag}(\bar y)")
def diagonal_part_grad_x(dy: Any, y: Any, x: Any, *, k: int = 0) -> Any:
    return put_diagonal(dy, shape=tuple(x.shape), k=k)


put_samples = samples.normals(((2,), {"shape": (2, 3), "k": 1}))
"""Diagonals with the shape of the matrix that they belong to."""


@op(formula=r"y = \operatorname{diag}(x)", glyph="diag", samples=put_samples, batching=to_shape)
def put_diagonal(x: Any, *, shape: tuple[int, ...], k: int = 0) -> Any:
    """Numbers on a diagonal of a matrix of zeros of the given shape."""
    whole = np.zeros(shape, x.dtype)
    _on_diagonal(whole, k)[...] = x
    return whole


@put_diagonal.grad("x", r"\bar x = \operatorname{diagpart}(\bar y)")
def put_diagonal_grad_x(dy: Any, y: Any, x: Any, *, shape: Any, k: int = 0) -> Any:
    return diagonal_part(dy, k=k)


replaced = samples.normals(((2, 3), (2,), {"k": 0}), ((2, 3), (2,), {"k": 1}))
"""Matrices with the numbers for one of their diagonals."""


@op(formula=r"z = \operatorname{setdiag}(x, y)", glyph="set diag", raw="MatrixSetDiagV3",
    samples=replaced, batching=on_last_axes)  # fmt: skip
def set_diagonal(x: Any, y: Any, *, k: int = 0) -> Any:
    """A copy of a matrix with other numbers on the diagonal `k` above the main one."""
    whole = np.array(x)
    line = _on_diagonal(whole, k)
    if line.shape != y.shape:
        raise invalid_argument(
            "MatrixSetDiagV3", f"The diagonal of {brackets(x.shape)} has the shape "
            f"{brackets(line.shape)}, not {brackets(y.shape)}",
        )  # fmt: skip
    line[...] = y
    return whole


@set_diagonal.grad("x", r"\bar x = \operatorname{setdiag}(\bar z, 0)")
def set_diagonal_grad_x(dz: Any, z: Any, x: Any, y: Any, *, k: int = 0) -> Any:
    return set_diagonal(dz, zeros_like(y), k=k)


@set_diagonal.grad("y", r"\bar y = \operatorname{diagpart}(\bar z)")
def set_diagonal_grad_y(dz: Any, z: Any, x: Any, y: Any, *, k: int = 0) -> Any:
    return diagonal_part(dz, k=k)


@op(formula=r"y = \operatorname{band}(x)", glyph="band", title="Band of a matrix",
    raw="MatrixBandPart", samples=bands, batching=on_last_axes)  # fmt: skip
def band_part(x: Any, *, lower: int, upper: int) -> Any:
    """The entries near the main diagonal, zeros elsewhere; -1 keeps everything on that side."""
    _require_matrix("MatrixBandPart", x)
    rows, columns = np.ogrid[: x.shape[-2], : x.shape[-1]]
    kept = np.ones(x.shape[-2:], bool)
    if lower >= 0:
        kept &= rows - columns <= lower
    if upper >= 0:
        kept &= columns - rows <= upper
    return np.where(kept, x, np.zeros((), x.dtype))


@band_part.grad("x", r"\bar x = \operatorname{band}(\bar y)")
def band_part_grad_x(dy: Any, y: Any, x: Any, *, lower: int, upper: int) -> Any:
    return band_part(dy, lower=lower, upper=upper)


def _require_matrix(raw: str, x: Any) -> None:
    if x.ndim < 2:
        raise invalid_argument(
            raw, f"input must be at least 2-dim, received shape: {brackets(x.shape)}"
        )


def _on_diagonal(whole: Any, k: int) -> Any:
    view = np.diagonal(whole, k, -2, -1)
    view.flags.writeable = True
    return view
