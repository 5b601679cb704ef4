"""The eigenvectors of any square matrix, which may be complex."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.ops import samples
from tapelab.ops.arithmetic import conj
from tapelab.ops.casting import cast, real
from tapelab.ops.decompositions import one_over_gaps
from tapelab.ops.matrices import adjoint, diagonal, diagonal_part
from tapelab.ops.products import matmul
from tapelab.ops.refusing import refuse_half
from tapelab.ops.rules import CONTINUOUS, numpy_dtype
from tapelab.ops.solving import check_square, solve


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
    found = np.linalg.eig(A)
    return found.eigenvalues.astype(_complex(A)), found.eigenvectors.astype(_complex(A))


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
