"""`tf.math`: functions of numbers, element by element and along axes."""

from __future__ import annotations

from typing import Any

from tapelab.array_ops import sort_ops, value_ops
from tapelab.core.convert import operand, to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.wording import brackets, require_one_dtype
from tapelab.errors import invalid_argument
from tapelab.namespace.missing_names import in_module
from tapelab.ops import (
    accumulation,
    activation,
    arithmetic,
    comparison,
    composites,
    error_function,
    exponential,
    hyperbolic,
    powers,
    reduction,
    reduction_product,
    rounding,
    searching,
    selection,
    shielded,
    trigonometry,
)
from tapelab.ops.public import (
    binary,
    binary_of_numbers,
    logical,
    matched,
    pairs,
    position,
    running,
    strict_operand,
    tensor,
    unary,
)
from tapelab.ops.public import reduction as along_axes

subtract = binary(arithmetic.subtract)
multiply = binary_of_numbers(arithmetic.multiply)
negative = unary(arithmetic.negative)
conj = value_ops.conj

divide_no_nan = binary(shielded.divide_no_nan)
xdivy = binary(shielded.xdivy)
xlogy = binary(shielded.xlogy)
xlog1py = binary(shielded.xlog1py)

square = unary(powers.square)
sqrt = unary(powers.sqrt)
rsqrt = unary(powers.rsqrt)
reciprocal = unary(powers.reciprocal)
squared_difference = binary(powers.squared_difference)
pow = binary(powers.pow_)

exp = unary(exponential.exp)
expm1 = unary(exponential.expm1)
log = unary(exponential.log)
log1p = unary(exponential.log1p)

sin = unary(trigonometry.sin)
cos = unary(trigonometry.cos)
tan = unary(trigonometry.tan)
asin = unary(trigonometry.asin)
acos = unary(trigonometry.acos)
atan = unary(trigonometry.atan)
atan2 = binary(trigonometry.atan2)

sinh = unary(hyperbolic.sinh)
cosh = unary(hyperbolic.cosh)
tanh = unary(hyperbolic.tanh)
asinh = unary(hyperbolic.asinh)
acosh = unary(hyperbolic.acosh)
atanh = unary(hyperbolic.atanh)

sigmoid = unary(activation.sigmoid)
softplus = unary(activation.softplus)
softsign = unary(activation.softsign)
erf = unary(error_function.erf)
erfc = unary(error_function.erfc)

abs = unary(rounding.abs_)
sign = unary(rounding.sign)
round = unary(rounding.round)
rint = unary(rounding.rint)
floor = unary(rounding.floor)
ceil = unary(rounding.ceil)
floordiv = binary(rounding.floordiv)
floormod = binary(rounding.floormod)
mod = floormod
truncatediv = binary(rounding.truncatediv)
truncatemod = binary(rounding.truncatemod)

equal = binary(comparison.equal)
not_equal = binary(comparison.not_equal)
less = binary(comparison.less)
less_equal = binary(comparison.less_equal)
greater = binary(comparison.greater)
greater_equal = binary(comparison.greater_equal)
is_nan = unary(comparison.is_nan)
is_inf = unary(comparison.is_inf)
is_finite = unary(comparison.is_finite)
logical_and = logical(comparison.logical_and)
logical_or = logical(comparison.logical_or)
logical_xor = logical(comparison.logical_xor)
logical_not = logical(comparison.logical_not)

maximum = binary(selection.maximum)
minimum = binary(selection.minimum)

reduce_sum = along_axes(reduction.reduce_sum)
reduce_mean = along_axes(reduction.reduce_mean)
reduce_max = along_axes(reduction.reduce_max)
reduce_min = along_axes(reduction.reduce_min)
reduce_prod = along_axes(reduction_product.reduce_prod)
reduce_logsumexp = along_axes(reduction.reduce_logsumexp)
reduce_euclidean_norm = along_axes(reduction.reduce_euclidean_norm)
reduce_all = along_axes(reduction.reduce_all)
reduce_any = along_axes(reduction.reduce_any)
cumsum = running(accumulation.cumsum)
cumprod = running(accumulation.cumprod)
cumulative_logsumexp = running(accumulation.cumulative_logsumexp)
argmax = position(searching.argmax)
argmin = position(searching.argmin)

reduce_variance = composites.reduce_variance
reduce_std = composites.reduce_std
count_nonzero = composites.count_nonzero
top_k = sort_ops.top_k
reciprocal_no_nan = composites.reciprocal_no_nan
log_sigmoid = composites.log_sigmoid
polyval = composites.polyval
scalar_mul = composites.scalar_mul
angle = composites.angle

real = value_ops.real
imag = value_ops.imag


@public(elementwise=True, fast_path=pairs(arithmetic.add))
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Each entry is the sum of the two entries at its place."""
    first = tensor(x)
    made: Tensor = arithmetic.add(first, operand(y, first._array.dtype))
    return made


@public(elementwise=True)
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The product of two entries, and 0 where the second is 0; x alone decides the dtype."""
    first = tensor(x)
    made: Tensor = shielded.multiply_no_nan(first, to_tensor(y, first.dtype))
    return made


@public(elementwise=True, fast_path=pairs(arithmetic.divide))
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Each entry is the quotient of the two entries at its place; whole numbers give floats."""
    made: Tensor = arithmetic.divide(*matched(x, y))
    return made


realdiv = divide


@public(elementwise=True)
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Each entry is the quotient of the two entries at its place; x alone decides the dtype."""
    first = tensor(x)
    made: Tensor = arithmetic.divide(first, strict_operand(y, first.dtype))
    return made


@public
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Each entry is the sum of all the entries at its place; the shapes must be equal."""
    given = list(inputs)
    if not given:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            "and shape."
        )
    tensors = tuple(map(tensor, given))
    require_one_dtype("AddN", tuple(each._array for each in tensors))
    _require_one_shape(tensors)
    if len(tensors) == 1 and name is None:
        return tensors[0]
    made: Tensor = arithmetic.add_n(*tensors)
    return made


accumulate_n = add_n


def _require_one_shape(tensors: tuple[Tensor, ...]) -> None:
    first = tensors[0]._array.shape
    for at, each in enumerate(tensors):
        if each._array.shape != first:
            raise invalid_argument(
                "AddN",
                "Inputs to operation AddN of type AddN must have the same size and shape.  "
                f"Input 0: {brackets(first)} != input {at}: {brackets(each._array.shape)}. "
                "add_n() does not broadcast; try +",
            )


__getattr__, __dir__ = in_module(__name__)
