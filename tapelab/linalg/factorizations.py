"""Public functions of `tf.linalg` that take matrices apart into simpler ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.value_ops import cast
from tapelab.core.convert import new_constant
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype, int32
from tapelab.errors import invalid_argument
from tapelab.ops import decompositions, linear_systems, matrices, matrix_functions
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.casts import real
from tapelab.ops.products import matmul
from tapelab.ops.public import matched
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.rules import numpy_dtype


class Lu(NamedTuple):
    """Two triangles packed into one matrix, and the order of the rows of which they are factors."""

    lu: Tensor
    p: Tensor


class Qr(NamedTuple):
    """An orthogonal matrix and an upper triangle."""

    q: Tensor
    r: Tensor


@public
def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangle that gives a positive definite matrix when multiplied by its transpose.

    Only the lower triangle of the matrix is read. One that is not positive definite gives NaN.
    """
    return linear_systems.cholesky(as_tensor(input))


@public(group=True)
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The solution of the linear equations of which the Cholesky factor is given."""
    x, y = matched(chol, rhs)
    if y.ndim < 2:
        raise invalid_argument("MatrixTriangularSolve", f"In[1] ndims must be >= 2: {y.ndim}")
    half = linear_systems.triangular_solve(x, y, lower=True, adjoint_a=False)
    return linear_systems.triangular_solve(x, half, lower=True, adjoint_a=True)


@public
def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues of a symmetric matrix, smallest first, and its eigenvectors as columns.

    Shape [..., n, n] gives [..., n] and [..., n, n]; only the lower triangle is read.
    """
    values, vectors = decompositions.eigh(as_tensor(tensor))
    return values, vectors


@public
def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of a symmetric matrix, smallest first."""
    return eigh(tensor)[0]


@public
def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues of any square matrix and its eigenvectors as columns; both are complex."""
    values, vectors = matrix_functions.eig(as_tensor(tensor))
    return values, vectors


@public
def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of any square matrix; they are complex numbers."""
    return matrix_functions.eigvals(as_tensor(tensor))


@public(group=True)
def eigh_tridiagonal(
    alpha: Any, beta: Any, eigvals_only: bool = True, select: str = "a", select_range: Any = None,
    tol: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The eigenvalues of a symmetric matrix with one diagonal above and below its main one."""
    if not eigvals_only:
        raise NotImplementedError(
            "eigh_tridiagonal gives eigenvalues only; try tf.linalg.eigh for eigenvectors."
        )
    if select not in {"a", "i", "v"}:
        raise ValueError("'select' must be one of {'a', 'i', 'v'}.")
    main, side = matched(alpha, beta)
    whole: Any = matrices.diagonal(main) + matrices.diagonal(conjugated(side), k=1)
    eigenvalues: Any = real(decompositions.eigh(whole + matrices.diagonal(side, k=-1))[0])
    if select == "i":
        return eigenvalues[select_range[0] : select_range[1] + 1]
    if select == "v":
        low, high = np.searchsorted(eigenvalues._value, select_range, "right")
        return eigenvalues[int(low) : int(high)]
    return eigenvalues


@public
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """The singular values, largest first, and the two matrices of singular vectors: s, u, v.

    Shape [..., m, n] gives [..., p], [..., m, p] and [..., n, p], where p is the smaller of m and
    n; with `full_matrices` u is [..., m, m] and v [..., n, n].
    """
    factors: Any = decompositions.svd(as_tensor(tensor), full_matrices=full_matrices and compute_uv)
    return factors if compute_uv else factors[0]


@public
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """An orthogonal matrix and an upper triangle whose product is the given matrix.

    Shape [..., m, n] gives [..., m, p] and [..., p, n], where p is the smaller of m and n; with
    `full_matrices` [..., m, m] and [..., m, n].
    """
    return Qr(*decompositions.qr(as_tensor(input), full_matrices=full_matrices))


@public
def lu(input: Any, output_idx_type: Any = int32, name: str | None = None) -> Lu:
    """A lower and an upper triangle packed into one matrix, and the order of the rows."""
    packed, order = matrix_functions.lu(as_tensor(input))
    return Lu(packed, order if as_dtype(output_idx_type) is int32 else cast(order, output_idx_type))


@public(group=True)
def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The solution of the linear equations of which the LU factors are given."""
    x, y = matched(lower_upper, rhs)
    order = as_tensor(perm)
    rows = gather(y, order, axis=-2, batch_dims=order.ndim - 1)
    half = linear_systems.triangular_solve(_lower(x), rows, lower=True, adjoint_a=False)
    return linear_systems.triangular_solve(x, half, lower=False, adjoint_a=False)


@public(group=True)
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of the matrix of which the LU factors are given."""
    x = as_tensor(lower_upper)
    one = np.broadcast_to(np.eye(x._array.shape[-1]), x._array.shape).astype(numpy_dtype(x))
    return lu_solve(x, perm, new_constant(one, None))


@public(group=True)
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrix of which the LU factors are given."""
    x, order = as_tensor(lower_upper), as_tensor(perm)
    product = matmul(_lower(x), matrices.band_part(x, lower=0, upper=-1))
    back = new_constant(np.argsort(order._value, axis=-1).astype(np.int32), None)
    return gather(product, back, axis=-2, batch_dims=order.ndim - 1)


def _lower(packed: Any) -> Any:
    """The lower of two packed triangles, which has ones on its diagonal."""
    below = matrices.band_part(packed, lower=-1, upper=0)
    ones = matrices.diagonal_part(packed) * 0 + 1
    return matrices.set_diagonal(below, ones)
