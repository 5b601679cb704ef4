"""Taking a matrix apart into simple factors: eigenvectors, singular vectors, QR."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.engine.op import op
from tapelab.ops import samples
from tapelab.ops.arithmetic import conj
from tapelab.ops.matrices import (
    adjoint,
    band_part,
    diagonal,
    diagonal_part,
    matrix_transpose,
)
from tapelab.ops.products import matmul
from tapelab.ops.shape import expand_dims
from tapelab.ops.solving import triangular_solve


def symmetric(rng: np.random.Generator) -> list[samples.Sample]:
    """Symmetric matrices whose eigenvalues lie well apart."""
    noise = rng.normal(size=(2, 3, 3)) / 4
    return [((np.diag([1.0, 2.0, 4.0]) + each + each.T,), {}) for each in noise]


def tall(rng: np.random.Generator) -> list[samples.Sample]:
    """Square and tall matrices."""
    return [((rng.normal(size=shape),), {"full_matrices": False}) for shape in ((2, 2), (4, 3))]


@op(formula=r"w, V = \operatorname{eigh}(A)", glyph="eigh", title="Eigenvectors",
    raw="SelfAdjointEigV2", output="w, V", samples=symmetric, multi=True)  # fmt: skip
def eigh(A: Any) -> Any:
    """The eigenvalues of a symmetric matrix, smallest first, and its eigenvectors as columns.

    Only the lower triangle of A is read.
    """
    found = np.linalg.eigh(A)
    return found.eigenvalues, found.eigenvectors


@eigh.grad(
    "A",
    r"\bar A = V (\operatorname{diag}(\bar w) + \operatorname{gaps}(w) \odot V^\top \bar V) V^\top",
)
def eigh_grad_A(dy: Any, y: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    (dw, dV), (w, V) = dy, y
    turning = matmul(adjoint(V), dV) * _one_over_gaps(w)
    whole = matmul(matmul(V, diagonal(dw) + turning), adjoint(V))
    both = band_part(whole + adjoint(whole), lower=-1, upper=0)
    return both - 0.5 * diagonal(diagonal_part(both))


@op(formula=r"s, U, V = \operatorname{svd}(A)", glyph="svd", title="Singular values",
    raw="Svd", output="s, U, V", samples=tall, multi=True)  # fmt: skip
def svd(A: Any, *, full_matrices: bool) -> Any:
    """The singular values, largest first, and the two matrices of singular vectors."""
    u, s, vh = np.linalg.svd(A, full_matrices=full_matrices)
    return s, u, np.conj(np.swapaxes(vh, -1, -2))


@svd.grad(
    "A", r"\bar A = U \operatorname{diag}(\bar s) V^\top + \text{what turns } U \text{ and } V"
)
def svd_grad_A(dy: Any, y: Any, A: Any, *, full_matrices: bool) -> Any:  # noqa: N802
    (ds, dU, dV), (s, U, V) = dy, y
    if tuple(A.shape[-2:]) != (s.shape[-1],) * 2 and full_matrices:
        raise NotImplementedError(
            "The gradient of svd needs full_matrices=False where the matrix is not square."
        )
    gaps = _one_over_gaps(s * s)
    left, right = matmul(adjoint(U), dU), matmul(adjoint(V), dV)
    inner = (left - adjoint(left)) * gaps * _row(s) + _column(s) * ((right - adjoint(right)) * gaps)
    whole = matmul(matmul(U, diagonal(ds) + inner), adjoint(V))
    whole = whole + _beyond(U, dU / _row(s), adjoint(V))
    return whole + adjoint(_beyond(V, dV / _row(s), adjoint(U)))


def _beyond(Q: Any, dQ: Any, other: Any) -> Any:
    """The part of a change that leaves the space the columns of Q span."""
    return matmul(dQ - matmul(Q, matmul(adjoint(Q), dQ)), other)


@op(formula=r"Q, R = \operatorname{qr}(A)", glyph="qr", title="QR factors", raw="Qr",
    output="Q, R", samples=tall, multi=True)  # fmt: skip
def qr(A: Any, *, full_matrices: bool) -> Any:
    """An orthogonal matrix Q and an upper triangle R whose product is A."""
    found = np.linalg.qr(A, mode="complete" if full_matrices else "reduced")
    return found.Q, found.R


@qr.grad(
    "A", r"\bar A = (\bar Q + Q \operatorname{sym}(R \bar R^\top - \bar Q^\top Q)) (R^{-1})^\top"
)
def qr_grad_A(dy: Any, y: Any, A: Any, *, full_matrices: bool) -> Any:  # noqa: N802
    (dQ, dR), (Q, R) = dy, y
    if A.shape[-2] < A.shape[-1] or (full_matrices and A.shape[-2] != A.shape[-1]):
        raise NotImplementedError(
            "The gradient of qr needs at least as many rows as columns, and full_matrices=False."
        )
    skew = matmul(R, adjoint(dR)) - matmul(adjoint(dQ), Q)
    lower = band_part(skew, lower=-1, upper=0)
    middle = lower + adjoint(lower) - diagonal(diagonal_part(skew))
    right = matrix_transpose(dQ + matmul(Q, middle))
    return matrix_transpose(triangular_solve(conj(R), right, lower=False, adjoint_a=False))


def _one_over_gaps(w: Any) -> Any:
    """1 over the distance of each pair of values, 0 where they are the same one."""
    gaps = _row(w) - _column(w)
    same = diagonal(w * 0 + 1)
    return (1 - same) / (gaps + same)


def _row(x: Any) -> Any:
    return expand_dims(x, axis=-2)


def _column(x: Any) -> Any:
    return expand_dims(x, axis=-1)
