"""Functions of whole matrices: exponential, logarithm, square root, LU factors, eigenvectors."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import conj
from tapelab.ops.casts import cast, real
from tapelab.ops.concatenation import concat
from tapelab.ops.decompositions import one_over_gaps
from tapelab.ops.integer_arguments import refuse_half
from tapelab.ops.linear_systems import check_square, invertible, positive_definite, solve
from tapelab.ops.matrices import adjoint, diagonal, diagonal_part, matrix_transpose
from tapelab.ops.products import matmul
from tapelab.ops.rules import CONTINUOUS, numpy_dtype
from tapelab.ops.selection import zeros_like
from tapelab.ops.shapes import reshape


def one_matrix(rng: np.random.Generator) -> list[samples.Sample]:
    """Square matrices, also in batches."""
    return [((rng.normal(size=shape) / 2,), {}) for shape in ((2, 2), (2, 2, 2))]


@op(formula=r"Y = e^A", glyph="expm", title="Matrix exponential", samples=one_matrix,
    kinds=CONTINUOUS)  # fmt: skip
def expm(A: Any) -> Any:
    """The sum of all powers of A, each divided by its factorial."""
    check_square("MatrixExponential", A)
    return import_module("scipy.linalg").expm(A).astype(A.dtype)


@expm.grad("A", r"\bar A = \operatorname{corner}(\exp(A^\top, \bar Y))")
def expm_grad_A(dY: Any, Y: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    """The corner of the exponential of a larger matrix, in which the gradient stands beside A."""
    back, size = adjoint(A), A.shape[-1]
    above = concat(back, dY, axis=len(A.shape) - 1)
    below = concat(zeros_like(back), back, axis=len(A.shape) - 1)
    whole = expm(concat(above, below, axis=len(A.shape) - 2))
    return whole[..., :size, size:]


@op(formula=r"Y = \sqrt{A}", glyph="sqrtm", title="Matrix square root", raw="MatrixSquareRoot",
    samples=positive_definite, kinds=CONTINUOUS)  # fmt: skip
def sqrtm(A: Any) -> Any:
    """The matrix that gives A when multiplied by itself; NaN where a real A has no real one."""
    refuse_half("MatrixSquareRoot", A)
    check_square("MatrixSquareRoot", A)
    roots = _each(import_module("scipy.linalg").sqrtm, A)
    if roots.dtype.kind == "c" and A.dtype.kind == "f":
        return np.where(np.isclose(roots.imag, 0), roots.real, np.nan).astype(A.dtype)
    return roots.astype(A.dtype)


@sqrtm.grad("A", r"Y^\top \bar A + \bar A Y^\top = \bar Y")
def sqrtm_grad_A(dY: Any, Y: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    """The gradient solves an equation with Y on both sides, written as one system of equations."""
    size, batch = Y.shape[-1], tuple(Y.shape[:-2])
    one = np.eye(size, dtype=numpy_dtype(Y))
    back = adjoint(Y)
    left = reshape(back, shape=(*batch, size, 1, size, 1)) * one.reshape(1, size, 1, size)
    right = reshape(matrix_transpose(back), shape=(*batch, 1, size, 1, size))
    both = left + right * one.reshape(size, 1, size, 1)
    system = reshape(both, shape=(*batch, size**2, size**2))
    solution = solve(system, reshape(dY, shape=(*batch, size**2, 1)))
    return reshape(solution, shape=tuple(A.shape))


@op(formula=r"Y = \log A", glyph="logm", title="Matrix logarithm", raw="MatrixLogarithm",
    pattern="not implemented", samples=positive_definite, kinds=CONTINUOUS)  # fmt: skip
def logm(A: Any) -> Any:
    """The matrix whose exponential is A."""
    check_square("MatrixLogarithm", A)
    wide = A.astype(np.complex128)
    return _each(import_module("scipy.linalg").logm, wide).astype(A.dtype)


@op(formula=r"L, p = \operatorname{lu}(A)", glyph="lu", title="LU factors", raw="Lu", output="L, p",
    pattern="not implemented", samples=invertible, kinds=CONTINUOUS, multi=True)  # fmt: skip
def lu(A: Any) -> Any:
    """Two triangles packed into one matrix, and the order of the rows of which they are factors."""
    refuse_half("Lu", A)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise invalid_argument("Lu", "Input matrix must be square.")
    packed, order = _factored(A)
    diagonal = np.diagonal(packed, 0, -2, -1)
    if np.any(diagonal == 0):
        raise invalid_argument("Lu", "Input is not invertible.")
    return packed, order


def _factored(A: Any) -> tuple[Any, Any]:
    """The factors of each matrix of a batch, and the order its rows end up in."""
    packed, order = np.array(A), np.empty(A.shape[:-1], np.int32)
    (factor,) = import_module("scipy.linalg.lapack").get_lapack_funcs(("getrf",), (A,))
    for at in np.ndindex(A.shape[:-2]):
        packed[at], swaps = factor(A[at])[:2]
        rows = np.arange(A.shape[-1], dtype=np.int32)
        for row, other in enumerate(swaps):
            rows[[row, other]] = rows[[other, row]]
        order[at] = rows
    return packed, order


def _each(function: Any, A: Any) -> Any:
    """A function of single matrices, of every matrix of a batch."""
    flat = A.reshape(-1, *A.shape[-2:])
    return np.stack([function(each) for each in flat]).reshape(A.shape) if len(flat) else A


def with_real_eigenvalues(rng: np.random.Generator) -> list[samples.Sample]:
    """Matrices whose eigenvalues lie well apart."""
    noise = rng.normal(size=(2, 3, 3)) / 8
    return [((np.diag([1.0, 2.0, 4.0]) + each,), {}) for each in noise]


@op(formula=r"w = \operatorname{eigvals}(A)", glyph="eigvals", title="Eigenvalues", raw="Eig",
    output="w", samples=with_real_eigenvalues, kinds=CONTINUOUS)  # fmt: skip
def eigvals(A: Any) -> Any:
    """The eigenvalues of any square matrix; they are complex numbers."""
    _check("Eig", A)
    return np.linalg.eigvals(A).astype(_complex(A))


@eigvals.grad("A", r"\bar A = \operatorname{turned}(\operatorname{diag}(\bar w))")
def eigvals_grad_A(dw: Any, w: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    V = eig(A)[1]
    return _as(A, solve(adjoint(V), matmul(diagonal(dw), adjoint(V))))


@op(formula=r"w, V = \operatorname{eig}(A)", glyph="eig", title="Eigenvectors of any matrix",
    raw="Eig", output="w, V", samples=with_real_eigenvalues, multi=True,
    kinds=CONTINUOUS)  # fmt: skip
def eig(A: Any) -> Any:
    """The eigenvalues of any square matrix and its eigenvectors as columns; both are complex."""
    _check("Eig", A)
    eigensystem = np.linalg.eig(A)
    return eigensystem.eigenvalues.astype(_complex(A)), eigensystem.eigenvectors.astype(_complex(A))


@eig.grad(
    "A",
    r"\bar A = (V^{-1})^\top (\operatorname{diag}(\bar w) + \operatorname{gaps}(w) \odot"
    r" V^\top \bar V) V^\top",
)
def eig_grad_A(dy: Any, y: Any, A: Any) -> Any:  # noqa: N802 - a matrix
    """A vector keeps its length 1, so only what turns it counts."""
    (dw, dV), (w, V) = dy, y
    turning = matmul(adjoint(V), dV)
    stretch = cast(real(diagonal_part(turning)), dtype=numpy_dtype(w))
    lengths = matmul(matmul(adjoint(V), V), diagonal(stretch))
    inner = diagonal(dw) + conj(one_over_gaps(w)) * (turning - lengths)
    return _as(A, solve(adjoint(V), matmul(inner, adjoint(V))))


def _check(raw: str, A: Any) -> None:
    refuse_half(raw, A)
    check_square(raw, A)


def _complex(A: Any) -> Any:
    return np.result_type(A.dtype, np.complex64)


def _as(A: Any, gradient: Any) -> Any:
    """A gradient in the dtype of A: of complex numbers the real part where A is real."""
    return cast(gradient, dtype=numpy_dtype(A))
