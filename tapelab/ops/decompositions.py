"""Taking a matrix apart into simple factors: eigenvectors, singular vectors, QR."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.op import op
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import conj
from tapelab.ops.casts import cast
from tapelab.ops.concatenation import concat
from tapelab.ops.integer_arguments import refuse_half
from tapelab.ops.linear_systems import check_square, triangular_solve
from tapelab.ops.matrices import (
    adjoint,
    band_part,
    diagonal,
    diagonal_part,
    matrix_transpose,
)
from tapelab.ops.products import matmul
from tapelab.ops.rules import CONTINUOUS, numpy_dtype
from tapelab.ops.shapes import expand_dims

CLOSEST: Final = 1e-20
"""Beside the square of a gap this changes nothing, unless the gap is 0."""


def symmetric(rng: np.random.Generator) -> list[samples.Sample]:
    """Symmetric matrices whose eigenvalues lie well apart."""
    noise = rng.normal(size=(2, 3, 3)) / 4
    return [((np.diag([1.0, 2.0, 4.0]) + each + each.T,), {}) for each in noise]


def rectangles(rng: np.random.Generator) -> list[samples.Sample]:
    """Square, tall and wide matrices."""
    shapes = ((2, 2), (4, 3), (2, 4))
    return [((rng.normal(size=shape),), {"full_matrices": False}) for shape in shapes]


def almost_squares(rng: np.random.Generator) -> list[samples.Sample]:
    """As `rectangles`, and with all singular vectors where one more is fixed by the others."""
    whole = [((rng.normal(size=shape),), {"full_matrices": True}) for shape in ((3, 2), (2, 3))]
    return rectangles(rng) + whole


@op(formula=r"w, V = \operatorname{eigh}(A)", glyph="eigh", title="Eigenvectors",
    raw="SelfAdjointEigV2", output="w, V", samples=symmetric, multi=True,
    kinds=CONTINUOUS)  # fmt: skip
def eigh(A: Any) -> Any:
    """The eigenvalues of a symmetric matrix, smallest first, and its eigenvectors as columns.

    Only the lower triangle of A is read.
    """
    refuse_half("SelfAdjointEigV2", A)
    check_square("SelfAdjointEigV2", A)
    eigensystem = np.linalg.eigh(A)
    return eigensystem.eigenvalues.astype(A.dtype), eigensystem.eigenvectors


@eigh.grad(
    "A",
    r"\bar A = V (\operatorname{diag}(\bar w) + \operatorname{gaps}(w) \odot V^\top \bar V) V^\top",
)
def eigh_grad_A(dy: Any, y: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    (dw, dV), (w, V) = dy, y
    turning = matmul(adjoint(V), dV) * one_over_gaps(w)
    whole = matmul(matmul(V, diagonal(dw) + turning), adjoint(V))
    both = band_part(whole + adjoint(whole), lower=-1, upper=0)
    return both - 0.5 * diagonal(diagonal_part(both))


@op(formula=r"s, U, V = \operatorname{svd}(A)", glyph="svd", title="Singular values", raw="Svd",
    output="s, U, V", samples=almost_squares, multi=True, kinds=CONTINUOUS)  # fmt: skip
def svd(A: Any, *, full_matrices: bool) -> Any:
    """The singular values, largest first, and the two matrices of singular vectors."""
    refuse_half("Svd", A)
    require_matrix("Svd", A)
    u, s, vh = np.linalg.svd(A, full_matrices=full_matrices)
    return s, u, np.conj(np.swapaxes(vh, -1, -2))


@svd.grad(
    "A", r"\bar A = U \operatorname{diag}(\bar s) V^\top + \text{what turns } U \text{ and } V"
)
def svd_grad_A(dy: Any, y: Any, A: Any, *, full_matrices: bool) -> Any:  # noqa: N802 - a matrix
    (ds, dU, dV), (s, U, V) = dy, y
    rows, columns = A.shape[-2:]
    if full_matrices and abs(rows - columns) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
            f"Received: m={rows} and n={columns}. Try full_matrices=False."
        )
    kind, rank = numpy_dtype(A), s.shape[-1]
    (U, dU), (V, dV) = _leading(U, dU, rank), _leading(V, dV, rank)
    s, ds = cast(s, dtype=kind), cast(ds, dtype=kind)
    gaps = one_over_gaps(s * s)
    left, right = matmul(adjoint(U), dU), matmul(adjoint(V), dV)
    inner = (left - adjoint(left)) * gaps * _row(s) + _column(s) * ((right - adjoint(right)) * gaps)
    if kind.kind == "c":
        inner = inner + diagonal((conj(diagonal_part(right)) - diagonal_part(right)) / (2 * s))
    whole = matmul(matmul(U, diagonal(ds) + inner), adjoint(V))
    whole = whole + _beyond(U, dU / _row(s), adjoint(V))
    return whole + adjoint(_beyond(V, dV / _row(s), adjoint(U)))


def _leading(Q: Any, dQ: Any, rank: int) -> Any:
    """The first columns and their gradient; the others turn against them, so theirs joins in."""
    first, rest = Q[..., :rank], Q[..., rank:]
    if not rest.shape[-1]:
        return Q, dQ
    back = matmul(rest, matmul(adjoint(dQ[..., rank:]), first))
    return first, dQ[..., :rank] - back


def _beyond(Q: Any, dQ: Any, other: Any) -> Any:
    """The part of a change that leaves the space the columns of Q span."""
    return matmul(dQ - matmul(Q, matmul(adjoint(Q), dQ)), other)


@op(formula=r"Q, R = \operatorname{qr}(A)", glyph="qr", title="QR factors", raw="Qr", output="Q, R",
    samples=rectangles, multi=True, kinds=CONTINUOUS)  # fmt: skip
def qr(A: Any, *, full_matrices: bool) -> Any:
    """An orthogonal matrix Q and an upper triangle R whose product is A."""
    require_matrix("Qr", A)
    wide = A.astype(np.float32) if A.dtype.itemsize == 2 else A
    decomposition = np.linalg.qr(wide, mode="complete" if full_matrices else "reduced")
    return decomposition.Q.astype(A.dtype), decomposition.R.astype(A.dtype)


@qr.grad(
    "A", r"\bar A = (\bar Q + Q \operatorname{sym}(R \bar R^\top - \bar Q^\top Q)) (R^{-1})^\top"
)
def qr_grad_A(dy: Any, y: Any, A: Any, *, full_matrices: bool) -> Any:  # noqa: N802 - a matrix
    """Columns of a wide matrix beyond the square hang on Q alone."""
    (dQ, dR), (Q, R) = dy, y
    rows, columns = A.shape[-2:]
    if full_matrices and rows > columns:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. Received "
            f"r.shape={tuple(R.shape)} with nrows={rows} and ncols={columns}. "
            "Try full_matrices=False."
        )
    if rows >= columns:
        return _tall_qr_grad(dQ, dR, Q, R)
    square, beyond = R[..., :rows], dR[..., rows:]
    moved = dQ + matmul(A[..., rows:], adjoint(beyond))
    first = _tall_qr_grad(moved, dR[..., :rows], Q, square)
    return concat(first, matmul(Q, beyond), axis=len(A.shape) - 1)


def _tall_qr_grad(dQ: Any, dR: Any, Q: Any, R: Any) -> Any:
    skew = matmul(R, adjoint(dR)) - matmul(adjoint(dQ), Q)
    below = band_part(skew, lower=-1, upper=0)
    middle = (
        below + adjoint(below) - diagonal((diagonal_part(skew) + conj(diagonal_part(skew))) * 0.5)
    )
    right = matrix_transpose(dQ + matmul(Q, middle))
    return matrix_transpose(triangular_solve(conj(R), right, lower=False, adjoint_a=False))


def one_over_gaps(w: Any) -> Any:
    """1 over the distance of each pair of values, 0 where they are equal.

    Between equal values there is no such number; 0 is what TensorFlow takes.
    """
    gaps = _row(w) - _column(w)
    others = 1 - diagonal(w * 0 + 1)
    return others * (gaps / (gaps * gaps + CLOSEST))


def require_matrix(raw: str, A: Any) -> None:
    """InvalidArgumentError for what is no matrix."""
    if A.ndim < 2:
        raise invalid_argument(
            raw, f"Input tensor 0 must have rank >= 2, got {A.ndim}. Its shape is "
            f"{brackets(A.shape)}",
        )  # fmt: skip


def _row(x: Any) -> Any:
    return expand_dims(x, axis=-2)


def _column(x: Any) -> Any:
    return expand_dims(x, axis=-1)
