"""`tf.linalg`: products of matrices, and what is asked of a matrix."""

from __future__ import annotations

import math
from typing import Any

from tapelab.array_ops import creation, value_ops
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, require_one_dtype
from tapelab.dtypes import DType, as_dtype, int8, int32, uint8
from tapelab.errors import FailedPreconditionError, NotFoundError, invalid_argument
from tapelab.namespace.missing_names import in_module
from tapelab.ops import composites, matrices, products, rearrangement, reduce_ops
from tapelab.ops.arithmetic import conjugated
from tapelab.ops.casts import cast
from tapelab.ops.integer_arguments import lengths
from tapelab.ops.public import in_turn, matched, without_settings
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.rules import numpy_dtype
from tapelab.ops.shapes import expand_dims, reshape, squeeze, transpose

eye = creation.eye
norm = composites.norm
global_norm = value_ops.global_norm


@public(fast_path=without_settings(products.matmul))
def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
    output_type: Any = None, grad_a: bool = False, grad_b: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The matrix product: each entry is a row of `a` times a column of `b`, summed.

    Shapes [..., m, k] and [..., k, n] give [..., m, n]; axes in front broadcast.
    InvalidArgumentError where the inner lengths differ. `output_type` is the dtype of both, or
    int32 for int8 and uint8; NotFoundError for another one.
    """
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        side = "a" if transpose_a and adjoint_a else "b"
        raise ValueError(
            f"Only one of `transpose_{side}` and `adjoint_{side}` can be True. Received "
            f"`transpose_{side}`=True, `adjoint_{side}`=True."
        )
    x, y = in_turn(a, b)
    if output_type is not None:
        x, y = _for_output(x, y, as_dtype(output_type))
    x, y = conjugated(x) if adjoint_a else x, conjugated(y) if adjoint_b else y
    return products.matmul(
        x, y, transpose_a=transpose_a or adjoint_a, transpose_b=transpose_b or adjoint_b
    )


def _for_output(x: Tensor, y: Tensor, output: DType) -> tuple[Tensor, Tensor]:
    """The operands of a product of some dtype, of which TensorFlow has few kernels."""
    if output == int32 and {x.dtype, y.dtype} <= {int8, uint8}:
        return cast(x, dtype=int32), cast(y, dtype=int32)
    if not x.dtype == y.dtype == output:
        dtypes = f"Ta={x.dtype.name}, Tb={y.dtype.name}, Tout={output.name}"
        raise NotFoundError(
            None, "BatchMatMulV3", f"There is no matrix product BatchMatMulV3[{dtypes}]. Try "
            f"tf.cast(tf.matmul(a, b), tf.{output.name}).",
        )  # fmt: skip
    return x, y


@public(group=True)
def matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A matrix times a vector.

    Shapes [..., m, n] and [..., n] give [..., m].
    """
    x, y = as_tensor(a), as_tensor(b)  # each in its own dtype: TensorFlow adapts neither
    column = expand_dims(y, axis=-1)
    return squeeze(matmul(x, column, transpose_a, False, adjoint_a), axis=(-1,))


@public(group=True)
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Multiply and sum along axes of both: the last of `a` with the first of `b`, or as named."""
    x, y = as_tensor(a), as_tensor(b)
    ours, theirs = _dot_axes(x, y, axes)
    free_x = tuple(at for at in range(x.ndim) if at not in ours)
    free_y = tuple(at for at in range(y.ndim) if at not in theirs)
    rows = tuple(x._array.shape[at] for at in free_x)
    columns = tuple(y._array.shape[at] for at in free_y)
    inner = math.prod(x._array.shape[at] for at in ours)
    left = reshape(transpose(x, perm=(*free_x, *ours)), shape=(math.prod(rows), inner))
    right = reshape(transpose(y, perm=(*theirs, *free_y)), shape=(inner, math.prod(columns)))
    return reshape(products.matmul(left, right), shape=(*rows, *columns))


def _dot_axes(x: Tensor, y: Tensor, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, int):
        if not 0 <= axes <= min(x.ndim, y.ndim):
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {x!r}. "
                f"Received {axes}, vs tensor dimensions {x.ndim}."
            )
        return tuple(range(x.ndim - axes, x.ndim)), tuple(range(axes))
    if not isinstance(axes, (list, tuple)) or len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    first, second = (lengths(each, "Tensordot") for each in axes)
    if len(first) != len(second):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}."
        )
    return _from_front(x, first), _from_front(y, second)


def _from_front(x: Tensor, axes: tuple[int, ...]) -> tuple[int, ...]:
    for at in axes:
        if not -x.ndim <= at < x.ndim:
            raise IndexError(f"tensordot() cannot sum along axis {at} of a tensor of {x.shape}.")
    return tuple(at % x.ndim for at in axes)


@public
def einsum(
    equation: str, *inputs: Any, optimize: Any = "greedy", name: str | None = None
) -> Tensor:
    """Multiply entries whose axes share a letter, and sum over the letters missing on the right."""
    tensors = matched(*inputs)
    require_one_dtype("Einsum", tuple(x._array for x in tensors))
    spelled = products.explicit(equation, [x._array.shape for x in tensors])
    return products.einsum(*tensors, equation=spelled)


@public
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Rows become columns; axes before the last two number the matrices of a batch."""
    x = as_tensor(a)
    if x.ndim < 2:
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with "
            f"shape: {x.shape}"
        )
    transposed: Tensor = matrices.adjoint(x) if conjugate else matrices.matrix_transpose(x)
    return transposed


@public
def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate of the transpose; for real matrices the transpose."""
    return matrix_transpose(matrix, conjugate=True)


@public(group=True)
def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the numbers on the diagonal.

    Shape [..., m, n] gives [...].
    """
    return reduce_ops.reduce_sum(matrices.diagonal_part(as_tensor(x)), axis=(-1,), keepdims=False)


@public(group=True)
def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The vector at right angles to two vectors of three numbers."""
    x, y = matched(a, b)
    if x._array.shape != y._array.shape:
        raise invalid_argument(
            "Cross", "Both inputs must be of same shape: "
            f"{brackets(x._array.shape)} vs. {brackets(y._array.shape)}",
        )  # fmt: skip
    if not x._array.ndim:
        raise invalid_argument("Cross", "Input must be at least 1D[]")
    if x._array.shape[-1:] != (3,):
        raise FailedPreconditionError(
            None, "Cross", "Cross-products are only defined for 3-element vectors."
        )
    product: Tensor = _rolled(x, 1) * _rolled(y, 2) - _rolled(x, 2) * _rolled(y, 1)
    return product


@public(group=True)
def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The entries divided by their norm, which is then 1, and that norm."""
    x = as_tensor(tensor)
    length = composites.norm(x, ord, axis, keepdims=True)
    dividend: Any = x
    return dividend / cast(length, dtype=numpy_dtype(x)), length


def _rolled(x: Any, by: int) -> Any:
    """The three numbers of each vector, moved towards the front."""
    return rearrangement.roll(x, shift=(-by,), axis=(-1,))


__getattr__, __dir__ = in_module(__name__)
