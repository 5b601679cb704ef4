"""Public functions of `tf.linalg` around linear equations: solutions, inverses, determinants."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapelab.array_ops.value_ops import cast
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken
from tapelab.dtypes import int32
from tapelab.errors import invalid_argument
from tapelab.linalg.factorizations import cholesky_solve
from tapelab.ops import decompositions, linear_systems, matrices, matrix_functions
from tapelab.ops.casts import real
from tapelab.ops.comparison import greater
from tapelab.ops.integer_arguments import refuse_no_number
from tapelab.ops.powers import log
from tapelab.ops.products import matmul
from tapelab.ops.public import in_turn, matched, strict_operand
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.reduce_ops import reduce_max, reduce_sum
from tapelab.ops.rules import numpy_dtype
from tapelab.ops.selection import ones_like, select, zeros_like
from tapelab.ops.shapes import expand_dims


class LogMatrixDeterminant(NamedTuple):
    """The sign of a determinant and the logarithm of its size."""

    sign: Tensor
    log_abs_determinant: Tensor


@public
def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The matrix that undoes another: their product is the identity.

    Shape [..., n, n], floats or complex. InvalidArgumentError for a matrix without an inverse.
    """
    x = as_tensor(input)
    return linear_systems.inverse(matrices.adjoint(x) if adjoint else x)


@public
def det(input: Any, name: str | None = None) -> Tensor:
    """By how much a matrix stretches a volume; 0 if it flattens space.

    Shape [..., n, n] gives [...]; floats or complex.
    """
    return linear_systems.determinant(as_tensor(input))


@public(group=True)
def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of a positive definite matrix; of another one NaN."""
    sides: Any = matrices.diagonal_part(linear_systems.cholesky(as_tensor(matrix)))
    logarithm: Tensor = 2.0 * reduce_sum(log(real(sides)), axis=(-1,))
    return logarithm


@public
def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant and the logarithm of its size."""
    return LogMatrixDeterminant(*linear_systems.slogdet(as_tensor(input)))


@public
def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solution of the linear equations, one column for each column of the right-hand side.

    Shapes [..., n, n] and [..., n, k] give [..., n, k]. InvalidArgumentError for a matrix
    without an inverse.
    """
    return linear_systems.solve(*matched(matrix, rhs), adjoint_a=adjoint)


@public
def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution of linear equations of which one triangle counts."""
    x, y = matched(matrix, rhs)
    return linear_systems.triangular_solve(x, y, lower=lower, adjoint_a=adjoint)


@public(group=True)
def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The solution that misses the right-hand side least; of several, the shortest one.

    It solves the normal equations. With fast=False it stands up to columns that depend on each
    other, but has no gradient.
    """
    A, b = in_turn(matrix, rhs) if fast else matched(matrix, rhs)
    if fast and not A.ndim:
        raise ValueError(
            "zero-size array to reduction operation minimum which has no identity: lstsq() asks a "
            f"matrix, not the number {A._value}."
        )
    if A.ndim == 1:
        raise IndexError(f"tuple index out of range: lstsq() asks a matrix, not a {A.shape} row.")
    if fast:
        refuse_no_number(A)
    if b.ndim < 2:
        raise invalid_argument("MatMul", "In[1] ndims must be >= 2. Try tf.expand_dims(rhs, -1)")
    if not fast:
        return linear_systems.lstsq(A, b)
    turned = matrices.adjoint(A)
    rows, columns = A._array.shape[-2:]
    gram = matmul(turned, A) if rows >= columns else matmul(A, turned)
    if A.dtype.is_integer:
        raise invalid_argument(
            "Cholesky", f"Value for attr 'T' of {A.dtype.name} is not in the list of allowed "
            "values: double, float, half, complex64, complex128. Try tf.cast(x, tf.float32)",
        )  # fmt: skip
    weight = strict_operand(l2_regularizer, A.dtype)._value
    damped = gram + weight * np.eye(min(rows, columns), dtype=numpy_dtype(A))
    factor = linear_systems.cholesky(damped)
    if rows >= columns:
        solution = cholesky_solve(factor, matmul(turned, b))
    else:
        solution = matmul(turned, cholesky_solve(factor, b))
    return solution


@public(group=True)
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrix that undoes another as far as possible; singular values near 0 count as 0."""
    x: Any = _floats(a)
    s, u, v = decompositions.svd(x, full_matrices=False)
    kept = greater(s, _threshold(x, s, rcond))
    inverse = select(kept, 1.0 / select(kept, s, ones_like(s)), zeros_like(s))
    scaled = v * expand_dims(cast(inverse, x.dtype), axis=-2)
    pseudoinverse: Tensor = matmul(scaled, matrices.adjoint(u))
    return pseudoinverse


@public(group=True)
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values are not next to 0: the number of independent rows."""
    x: Any = _floats(a)
    s = decompositions.svd(x, full_matrices=False)[0]
    if tol is None:
        size = max(x._array.shape[-2:]) * np.finfo(numpy_dtype(s)).eps
        least: Any = size * reduce_max(s, axis=(-1,), keepdims=True)
    else:
        least = strict_operand(tol, s.dtype)
    return reduce_sum(cast(greater(s, least), int32), axis=(-1,))


def _threshold(x: Tensor, s: Any, rcond: Any) -> Any:
    if rcond is None:
        share: Any = 10.0 * max(x._array.shape[-2:]) * np.finfo(numpy_dtype(s)).eps
    else:
        share = expand_dims(strict_operand(rcond, s.dtype), axis=-1)
    return share * reduce_max(s, axis=(-1,), keepdims=True)


def _floats(a: Any) -> Tensor:
    x = as_tensor(a)
    if x.dtype.is_integer:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {x.dtype.name}).")
    if x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {x.ndim}).")
    return x


@public
def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponential of a matrix: the sum of its powers, each divided by its factorial."""
    x = as_tensor(input)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise ValueError(f"tf.linalg.expm does not support matrices of type {x.dtype}")
    return matrix_functions.expm(x)


@public
def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """The matrix that gives another when multiplied by itself."""
    return matrix_functions.sqrtm(as_tensor(input))


@public
def logm(input: Any, name: str | None = None) -> Tensor:
    """The matrix whose exponential is the given one, which must be complex."""
    x = as_tensor(input)
    if not x.dtype.is_complex:
        raise invalid_argument(
            "MatrixLogarithm", f"Value for attr 'T' of {spoken(x.dtype.name)} is not in the list "
            "of allowed values: complex64, complex128. Try tf.cast(input, tf.complex64)",
        )  # fmt: skip
    return matrix_functions.logm(x)
