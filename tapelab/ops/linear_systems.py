"""Linear systems: inverse, determinant, solve, Cholesky factor, and least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.batching import BatchedCall, on_last_axes, reshaped
from tapelab.core.op import op
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import add, conjugated, multiply, negative, subtract
from tapelab.ops.integer_arguments import refuse_half
from tapelab.ops.matrices import adjoint, band_part, diagonal, diagonal_part
from tapelab.ops.products import matmul
from tapelab.ops.rules import CONTINUOUS
from tapelab.ops.shapes import reshape, transpose


def invertible(rng: np.random.Generator) -> list[samples.Sample]:
    """Square matrices far from singular, also in batches."""
    return [((_strong(rng, *shape),), {}) for shape in ((1, 1), (3, 3), (2, 2, 2))]


def equations(rng: np.random.Generator) -> list[samples.Sample]:
    """Matrices far from singular with right-hand sides, plain and adjoint."""
    return [
        ((_strong(rng, 3, 3), rng.normal(size=(3, 2))), {}),
        ((_strong(rng, 2, 2, 2), rng.normal(size=(2, 2, 1))), {"adjoint_a": True}),
    ]


def triangles(rng: np.random.Generator) -> list[samples.Sample]:
    """Matrices of which one triangle counts, with right-hand sides."""
    return [
        ((_strong(rng, 3, 3), rng.normal(size=(3, 2))), {"lower": True, "adjoint_a": False}),
        ((_strong(rng, 2, 2), rng.normal(size=(2, 1))), {"lower": False, "adjoint_a": True}),
    ]


def positive_definite(rng: np.random.Generator) -> list[samples.Sample]:
    """Symmetric matrices with positive eigenvalues, also in batches."""
    factors = [_strong(rng, *shape) for shape in ((3, 3), (2, 2, 2))]
    return [((A @ np.swapaxes(A, -1, -2),), {}) for A in factors]


def _strong(rng: np.random.Generator, *shape: int) -> Any:
    return 0.3 * rng.normal(size=shape) + 2 * np.eye(shape[-1])


@op(formula=r"Y = A^{-1}", glyph="inv", title="Matrix inverse", raw="MatrixInverse",
    samples=invertible, kinds=CONTINUOUS, batching=on_last_axes)  # fmt: skip
def inverse(A: Any) -> Any:
    """The matrix that undoes A: A times its inverse is the identity."""
    check_square("MatrixInverse", A)
    wide = A.astype(np.float32) if A.dtype.itemsize == 2 else A
    try:
        return np.linalg.inv(wide).astype(A.dtype)
    except np.linalg.LinAlgError as error:
        raise invalid_argument("MatrixInverse", "Input is not invertible.") from error


@inverse.grad("A", r"\bar A = -Y^\top \bar Y Y^\top")
def inverse_grad_A(dY: Any, Y: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    back = adjoint(Y)
    return negative(matmul(matmul(back, dY), back))


@op(formula=r"y = \operatorname{det}(A)", glyph="det", raw="MatrixDeterminant", samples=invertible,
    kinds=CONTINUOUS)  # fmt: skip
def determinant(A: Any) -> Any:
    """By how much A stretches a volume; 0 if it flattens space."""
    refuse_half("MatrixDeterminant", A)
    check_square("MatrixDeterminant", A)
    return np.linalg.det(A)


@determinant.grad("A", r"\bar A = \bar y \cdot y \cdot (A^{-1})^\top")
def determinant_grad_A(dy: Any, y: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    scale = reshape(multiply(dy, conjugated(y)), shape=(*A.shape[:-2], 1, 1))
    return multiply(scale, adjoint(inverse(A)))


@op(formula=r"s, y = \operatorname{sign}, \log |\operatorname{det}(A)|", glyph="log det",
    raw="LogMatrixDeterminant", output="s, y", title="Sign and log of the determinant",
    samples=invertible, kinds=CONTINUOUS, multi=True)  # fmt: skip
def slogdet(A: Any) -> Any:
    """The sign of the determinant and the logarithm of its size, safe where that overflows."""
    refuse_half("LogMatrixDeterminant", A)
    check_square("LogMatrixDeterminant", A)
    determinant = np.linalg.slogdet(A)
    return determinant.sign, determinant.logabsdet.astype(A.dtype)


@slogdet.grad("A", r"\bar A = \bar y \cdot (A^{-1})^\top")
def slogdet_grad_A(dy: Any, y: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    """The sign does not change when A changes a little."""
    return multiply(reshape(dy[1], shape=(*A.shape[:-2], 1, 1)), adjoint(inverse(A)))


@op(formula=r"Y = A^{-1} B", glyph="solve", title="Solve", raw="MatrixSolve", samples=equations,
    same_dtype=True, kinds=CONTINUOUS)  # fmt: skip
def solve(A: Any, B: Any, *, adjoint_a: bool = False) -> Any:
    """The Y with A Y = B, for each column of B."""
    refuse_half("MatrixSolve", A)
    check_square("MatrixSolve", A)
    if A.ndim != B.ndim:
        raise invalid_argument(
            "MatrixSolve", f"All input tensors must have the same rank. {brackets(A.shape)} and "
            f"{brackets(B.shape)} do not; for a vector b try tf.expand_dims(b, -1)",
        )  # fmt: skip
    try:
        return np.linalg.solve(_turned(A, adjoint_a), B)
    except np.linalg.LinAlgError as error:
        raise invalid_argument("MatrixSolve", "Input matrix is not invertible.") from error


@solve.grad("A", r"\bar A = -(A^{-1})^\top \bar Y Y^\top")
def solve_grad_A(dY: Any, Y: Any, A: Any, B: Any, *, adjoint_a: bool = False) -> Any:  # noqa: N802 - a matrix
    dB = solve(A, dY, adjoint_a=not adjoint_a)
    return negative(matmul(Y, adjoint(dB)) if adjoint_a else matmul(dB, adjoint(Y)))


@solve.grad("B", r"\bar B = (A^{-1})^\top \bar Y")
def solve_grad_B(dY: Any, Y: Any, A: Any, B: Any, *, adjoint_a: bool = False) -> Any:  # noqa: N802 - a matrix
    return solve(A, dY, adjoint_a=not adjoint_a)


@op(formula=r"Y = A^{-1} B", glyph="solve", title="Triangular solve", raw="MatrixTriangularSolve",
    broadcasts=True, samples=triangles, same_dtype=True, kinds=CONTINUOUS)  # fmt: skip
def triangular_solve(A: Any, B: Any, *, lower: bool = True, adjoint_a: bool = False) -> Any:
    """The Y with A Y = B where only one triangle of A counts."""
    check_square("MatrixTriangularSolve", A)
    refuse_half("MatrixTriangularSolve", A)
    triangle = _turned(np.tril(A) if lower else np.triu(A), adjoint_a)
    try:
        return np.linalg.solve(triangle, B)
    except np.linalg.LinAlgError:  # a 0 on the diagonal
        return _substituted(triangle, B, forwards=lower != adjoint_a)


@solve.batch
@triangular_solve.batch
def solve_batch(call: BatchedCall) -> Any:
    """With a matrix that all rows share: one solution for all their columns."""
    A, B = call.operands
    if A.batched or len(A.shape) != 2 or len(B.shape) != 2:
        rank = max(len(A.shape), len(B.shape))
        return call.run(*(call.with_rank(rank) if call.op.broadcasts else call.all_batched()))
    height, width = B.shape
    columns = reshaped(transpose(B.value, perm=(1, 0, 2)), (height, call.rows * width))
    Y = reshaped(call.run(A.value, columns), (A.shape[1], call.rows, width))
    return transpose(Y, perm=(1, 0, 2))


def _substituted(A: Any, B: Any, *, forwards: bool) -> Any:
    """The solution row by row; dividing by a 0 on the diagonal gives infinity or NaN."""
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    Y = np.array(np.broadcast_to(B, (*batch, *B.shape[-2:])))
    rows = range(A.shape[-1])
    for at in rows if forwards else reversed(rows):
        done = slice(at) if forwards else slice(at + 1, None)
        known = A[..., at : at + 1, done] @ Y[..., done, :]
        Y[..., at, :] = (Y[..., at, :] - known[..., 0, :]) / A[..., at, at, None]
    return Y


@triangular_solve.grad("A", r"\bar A = -\operatorname{band}((A^{-1})^\top \bar Y Y^\top)")
def triangular_solve_grad_A(  # noqa: N802 - a matrix is A
    dY: Any, Y: Any, A: Any, B: Any, *, lower: bool = True, adjoint_a: bool = False
) -> Any:
    dB = triangular_solve(A, dY, lower=lower, adjoint_a=not adjoint_a)
    dA = matmul(Y, adjoint(dB)) if adjoint_a else matmul(dB, adjoint(Y))
    return negative(band_part(dA, lower=-1 if lower else 0, upper=0 if lower else -1))


@triangular_solve.grad("B", r"\bar B = (A^{-1})^\top \bar Y")
def triangular_solve_grad_B(  # noqa: N802 - a matrix is B
    dY: Any, Y: Any, A: Any, B: Any, *, lower: bool = True, adjoint_a: bool = False
) -> Any:
    return triangular_solve(A, dY, lower=lower, adjoint_a=not adjoint_a)


@op(formula=r"Y = \operatorname{cholesky}(A)", glyph="cholesky", title="Cholesky factor",
    samples=positive_definite, kinds=CONTINUOUS, batching=on_last_axes)  # fmt: skip
def cholesky(A: Any) -> Any:
    """The lower triangle Y with Y times its transpose equal to A, which must be positive definite.

    Only the lower triangle of A is read. Where A has an eigenvalue of 0 or below, Y is NaN.
    """
    refuse_half("Cholesky", A)
    check_square("Cholesky", A)
    try:
        return np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return np.stack([_cholesky_or_nan(each) for each in A.reshape(-1, *A.shape[-2:])]).reshape(
            A.shape
        )


def _cholesky_or_nan(A: Any) -> Any:
    try:
        return np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(A, np.nan))


@cholesky.grad("A", r"\bar A = (Y^{-1})^\top \operatorname{tril}(Y^\top \bar Y) Y^{-1}")
def cholesky_grad_A(dY: Any, Y: Any, A: Any) -> Any:  # noqa: N802 - a matrix is A
    middle = matmul(adjoint(Y), dY)
    half = multiply(diagonal(diagonal_part(middle)), 0.5 * np.ones((), _kind(Y))[()])
    inner = subtract(band_part(middle, lower=-1, upper=0), half)
    left = triangular_solve(Y, inner, lower=True, adjoint_a=True)
    whole = adjoint(triangular_solve(Y, adjoint(left), lower=True, adjoint_a=True))
    return multiply(add(whole, adjoint(whole)), np.asarray(0.5, _kind(Y))[()])


def _kind(x: Any) -> Any:
    return getattr(x.dtype, "as_numpy_dtype", x.dtype)


def _turned(A: Any, adjoint_a: bool) -> Any:
    return np.conj(np.swapaxes(A, -1, -2)) if adjoint_a else A


def check_square(raw: str, A: Any) -> None:
    """InvalidArgumentError for what is no square matrix."""
    if A.ndim < 2:
        raise invalid_argument(raw, f"Input tensor 0 must have rank >= 2, got {A.ndim}")
    if A.shape[-1] != A.shape[-2]:
        raise invalid_argument(
            raw, f"Input matrix must be square. Its shape is {brackets(A.shape)}"
        )


overdetermined = samples.normals(((4, 2), (4, 1)))
"""Tall matrices with right-hand sides."""


@op(formula=r"Y = \operatorname{lstsq}(A, B)", glyph="lstsq", raw="MatrixSolveLs", same_dtype=True,
    title="Least squares", pattern="not implemented", samples=overdetermined,
    kinds=CONTINUOUS)  # fmt: skip
def lstsq(A: Any, B: Any) -> Any:
    """The shortest Y for which A Y misses B least."""
    refuse_half("MatrixSolveLs", A)
    if A.shape[:-1] != B.shape[:-1]:
        raise invalid_argument("MatrixSolveLs", "Input matrix and rhs are incompatible.")
    flat, sides = A.reshape(-1, *A.shape[-2:]), B.reshape(-1, *B.shape[-2:])
    solutions = [np.linalg.lstsq(a, b)[0] for a, b in zip(flat, sides, strict=True)]
    return np.stack(solutions).reshape(*A.shape[:-2], A.shape[-1], B.shape[-1]).astype(A.dtype)
