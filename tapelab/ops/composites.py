"""Functions that are made of several ops; a picture can fold each into one step."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.dtypes import as_dtype, int64, string
from tapelab.errors import invalid_argument
from tapelab.ops.activation import softplus
from tapelab.ops.arithmetic import conjugated, divide_no_nan, multiply
from tapelab.ops.casts import cast, imag, real
from tapelab.ops.comparison import not_equal
from tapelab.ops.decompositions import svd
from tapelab.ops.integer_arguments import refuse_no_number
from tapelab.ops.powers import pow_, sqrt, square
from tapelab.ops.public import axes_of, strict_operand
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.reduce_ops import reduce_max, reduce_mean, reduce_sum
from tapelab.ops.selection import select, zeros_like
from tapelab.ops.shapes import reshape, squeeze, transpose
from tapelab.ops.step_functions import abs_
from tapelab.ops.trigonometry import atan2


@public(group=True)
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The mean squared distance of the entries along the axes from their mean."""
    x: Any = as_tensor(input_tensor)
    if x.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {x.dtype}. "
            "Try tf.cast(x, tf.float32)."
        )
    axes = axes_of(x, axis, "Mean")
    away = x - reduce_mean(x, axis=axes, keepdims=True)
    squares = square(abs_(away)) if x.dtype.is_complex else square(away)
    return reduce_mean(squares, axis=axes, keepdims=keepdims)


@public(group=True)
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The square root of the variance: how far the entries typically are from their mean."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


@public(group=True, graph_name="norm/Squeeze")
def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The length of a vector, or of all entries together; its derivative at 0 is NaN.

    Two axes ask for the norm of a matrix.
    """
    x = as_tensor(tensor)
    if isinstance(axis, (list, tuple)) and not len(axis) == len(set(axis)) == 2:
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    axis = tuple(axis) if isinstance(axis, list) else axis
    if isinstance(axis, tuple) and ord in (1, 2, np.inf):
        return _matrix_norm(x, ord, axes_of(x, axis, "Norm"), keepdims=bool(keepdims))
    if ord == "fro" and not isinstance(axis, tuple):
        raise ValueError("'ord' must be a supported vector norm, got fro. Try axis=(-2, -1).")
    if isinstance(axis, tuple) and ord not in ("euclidean", "fro"):
        raise ValueError(
            f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}"
        )
    along: dict[str, Any] = {"axis": axes_of(x, axis, "Norm"), "keepdims": bool(keepdims)}
    if ord in ("euclidean", "fro", 2):
        refuse_no_number(x)
        return sqrt(reduce_sum(x * conjugated(x), **along))
    if ord == np.inf:
        return reduce_max(abs_(x), **along)
    if ord == 1:
        return reduce_sum(abs_(x), **along)
    if not isinstance(ord, (int, float)) or ord <= 0:
        raise ValueError(
            f"'ord' must be a supported vector norm, got {ord!r}. Try 'euclidean', 1, 2 or np.inf."
        )
    size = abs_(x)
    total = reduce_sum(pow_(size, strict_operand(ord, size.dtype)), **along)
    return pow_(total, strict_operand(1.0 / ord, size.dtype))


def _matrix_norm(x: Any, ord: Any, axes: Any, *, keepdims: bool) -> Any:
    """The most that a matrix stretches a vector, measured by the norm of that order."""
    if ord == 2:
        others = tuple(at for at in range(x.ndim) if at not in axes)
        stretches = svd(transpose(x, perm=(*others, *axes)), full_matrices=False)[0]
        largest = reduce_max(stretches, axis=(-1,), keepdims=False)
        lengths = tuple(1 if at in axes else n for at, n in enumerate(x._array.shape))
        return reshape(largest, shape=lengths) if keepdims else largest
    summed, compared = axes if ord == 1 else axes[::-1]
    sums = reduce_sum(abs_(x), axis=(summed,), keepdims=True)
    largest = reduce_max(sums, axis=(compared,), keepdims=True)
    return largest if keepdims else squeeze(largest, axis=axes)


@public(elementwise=True, group=True)
def angle(input: Any, name: str | None = None) -> Any:
    """The angle of a complex number seen from 0; a negative real number has the angle pi."""
    z: Any = as_tensor(input)
    if z.dtype.is_complex:
        return atan2(imag(z), real(z))
    half_turn = strict_operand(float(np.pi), z.dtype)
    return select(z < 0, half_turn, zeros_like(z))


@public(elementwise=True, group=True)
def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """One over each entry, and 0 where it is 0."""
    given: Any = as_tensor(x)
    if not given.dtype.is_numeric:
        raise TypeError(f"Cannot convert 1 to EagerTensor of dtype {given.dtype.name}")
    if given.dtype.is_integer:
        raise invalid_argument(
            "DivNoNan", f"Value for attr 'T' of {given.dtype.name} is not in the list of allowed "
            "values: half, float, double, complex64, complex128. Try tf.cast(x, tf.float32)",
        )  # fmt: skip
    return divide_no_nan(zeros_like(given) + 1, given)


@public(elementwise=True, group=True)
def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """The logarithm of the sigmoid, without overflow."""
    given: Any = as_tensor(x)
    return -softplus(-given)


@public(group=True)
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """The value at x of the polynomial with these coefficients, the highest power first."""
    if not isinstance(coeffs, list):
        raise ValueError(
            f"Argument coeffs must be list type. Received type {type(coeffs)}. Try list(coeffs)."
        )
    at: Any = as_tensor(x)
    if not coeffs:
        return zeros_like(at)
    factors: list[Any] = [as_tensor(each) for each in coeffs]
    total = factors[0]
    for each in factors[1:]:
        total = each + total * at
    return total


@public(group=True)
def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = int64,
    name: str | None = None,
) -> Any:  # fmt: skip
    """How many entries along the axes are not 0."""
    x = as_tensor(input)
    nothing = as_tensor("") if x.dtype is string else zeros_like(x)
    hits = cast(not_equal(x, nothing), dtype=int64)
    total = reduce_sum(hits, axis=axes_of(x, axis, "Sum"), keepdims=bool(keepdims))
    return cast(total, dtype=as_dtype(dtype))


@public
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """A tensor times one number."""
    given = as_tensor(x)
    factor = strict_operand(scalar, given.dtype)
    if factor._array.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {factor.shape}.")
    return multiply(factor, given)
