"""`tf.math`: functions of numbers, element by element and along axes."""

from __future__ import annotations

from typing import Any

from tapelab.array_ops import sort_ops, value_ops
from tapelab.core.convert import operand, to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets, require_one_dtype
from tapelab.errors import invalid_argument
from tapelab.namespace.missing_names import in_module
from tapelab.ops import (
    accumulation,
    activation,
    arithmetic,
    comparison,
    composites,
    error_function,
    powers,
    reduce_ops,
    selection,
    sort_order,
    step_functions,
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

divide_no_nan = binary(arithmetic.divide_no_nan)
xdivy = binary(arithmetic.xdivy)
xlogy = binary(arithmetic.xlogy)
xlog1py = binary(arithmetic.xlog1py)

square = unary(powers.square)
sqrt = unary(powers.sqrt)
rsqrt = unary(powers.rsqrt)
reciprocal = unary(powers.reciprocal)
squared_difference = binary(powers.squared_difference)
pow = binary(powers.pow_)

exp = unary(powers.exp)
expm1 = unary(powers.expm1)
log = unary(powers.log)
log1p = unary(powers.log1p)

sin = unary(trigonometry.sin)
cos = unary(trigonometry.cos)
tan = unary(trigonometry.tan)
asin = unary(trigonometry.asin)
acos = unary(trigonometry.acos)
atan = unary(trigonometry.atan)
atan2 = binary(trigonometry.atan2)

sinh = unary(trigonometry.sinh)
cosh = unary(trigonometry.cosh)
tanh = unary(trigonometry.tanh)
asinh = unary(trigonometry.asinh)
acosh = unary(trigonometry.acosh)
atanh = unary(trigonometry.atanh)

sigmoid = unary(activation.sigmoid)
softplus = unary(activation.softplus)
softsign = unary(activation.softsign)
erf = unary(error_function.erf)
erfc = unary(error_function.erfc)

abs = unary(step_functions.abs_)
sign = unary(step_functions.sign)
round = unary(step_functions.round)
rint = unary(step_functions.rint)
floor = unary(step_functions.floor)
ceil = unary(step_functions.ceil)
floordiv = binary(step_functions.floordiv)
floormod = binary(step_functions.floormod)
mod = floormod
truncatediv = binary(step_functions.truncatediv)
truncatemod = binary(step_functions.truncatemod)

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

reduce_sum = along_axes(reduce_ops.reduce_sum)
reduce_mean = along_axes(reduce_ops.reduce_mean)
reduce_max = along_axes(reduce_ops.reduce_max)
reduce_min = along_axes(reduce_ops.reduce_min)
reduce_prod = along_axes(reduce_ops.reduce_prod)
reduce_logsumexp = along_axes(reduce_ops.reduce_logsumexp)
reduce_euclidean_norm = along_axes(reduce_ops.reduce_euclidean_norm)
reduce_all = along_axes(reduce_ops.reduce_all)
reduce_any = along_axes(reduce_ops.reduce_any)
cumsum = running(accumulation.cumsum)
cumprod = running(accumulation.cumprod)
cumulative_logsumexp = running(accumulation.cumulative_logsumexp)
argmax = position(sort_order.argmax)
argmin = position(sort_order.argmin)

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
    return arithmetic.add(first, operand(y, first._array.dtype))


@public(elementwise=True)
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The product of two entries, and 0 where the second is 0; x alone decides the dtype."""
    first = tensor(x)
    return arithmetic.multiply_no_nan(first, to_tensor(y, first.dtype))


@public(elementwise=True, fast_path=pairs(arithmetic.divide))
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Each entry is the quotient of the two entries at its place; integers give floats."""
    return arithmetic.divide(*matched(x, y))


realdiv = divide


@public(elementwise=True)
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Each entry is the quotient of the two entries at its place; x alone decides the dtype."""
    first = tensor(x)
    return arithmetic.divide(first, strict_operand(y, first.dtype))


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
    return arithmetic.add_n(*tensors)


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
