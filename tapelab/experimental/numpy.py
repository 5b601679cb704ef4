"""`tf.experimental.numpy`: NumPy's names and dtypes for functions of tensors.

Python's integers and floats become 64 bits wide, and two dtypes meet in the one that NumPy chooses.
The functions are those of `tf.keras.ops`, after their arguments have been brought to such a dtype,
so they are recorded on tapes and can be differentiated.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapelab.array_ops import creation, gather_ops, shape_ops, value_ops
from tapelab.core.numpy_behavior import behavior
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.variable import Variable
from tapelab.experimental import array_conversion, random_arrays
from tapelab.experimental.array_conversion import (
    array,
    as_floats,
    asarray,
    promoted,
    promoted_list,
)
from tapelab.keras import ops
from tapelab.namespace.missing_names import in_module

Function = Callable[..., Any]

ndarray = Tensor
random = random_arrays
result_type = array_conversion.result_type
promote_types = array_conversion.promote_types
newaxis: Final = None
pi: Final = math.pi
e: Final = math.e
inf: Final = math.inf
bool_ = np.bool_
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128
int_, float_, complex_ = np.int64, np.float64, np.complex128
object_, string_, unicode_, inexact = np.object_, np.bytes_, np.str_, np.inexact
finfo, iinfo, issubdtype = np.finfo, np.iinfo, np.issubdtype
asanyarray = ascontiguousarray = asarray
__getattr__, __dir__ = in_module(__name__)


def _one(function: Function) -> Function:
    """A function of one array, and its settings."""

    def of_array(a: Any, *args: Any, **kwargs: Any) -> Any:
        return function(asarray(a), *args, **kwargs)

    return _named(of_array, function)


def _floats(function: Function) -> Function:
    """A function of one array that turns integers into floats."""

    def of_floats(x: Any, *args: Any, **kwargs: Any) -> Any:
        return function(as_floats(x), *args, **kwargs)

    return _named(of_floats, function)


def _two(function: Function, *, floats: bool = False) -> Function:
    """A function of two arrays, which are brought to one dtype."""

    def of_two(x1: Any, x2: Any, *args: Any, **kwargs: Any) -> Any:
        one, other = promoted(x1, x2)
        if floats:
            one, other = as_floats(one), as_floats(other)
        return function(one, other, *args, **kwargs)

    return _named(of_two, function)


def _truth(function: Function) -> Function:
    """A function of two arrays of truths; every number but zero is true."""

    def of_truths(x1: Any, x2: Any) -> Any:
        return function(asarray(x1, bool), asarray(x2, bool))

    return _named(of_truths, function)


def _many(function: Function) -> Function:
    """A function of a list of arrays, which are brought to one dtype."""

    def of_list(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        return function(promoted_list(arrays), *args, **kwargs)

    return _named(of_list, function)


def _counted(function: Function) -> Function:
    """A function of one array that returns 64-bit integers."""

    def counting(a: Any, *args: Any, **kwargs: Any) -> Any:
        return value_ops.cast(function(asarray(a), *args, **kwargs), "int64")

    return _named(counting, function)


def _added(function: Function) -> Function:
    """A sum or product of one array, of small integers in 64 bits."""

    def adding(a: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        x = asarray(a, dtype)
        if dtype is None and (x.dtype.is_integer or x.dtype.is_bool):
            x = value_ops.cast(x, "uint64" if x.dtype.is_unsigned else "int64")
        return function(x, *args, **kwargs)

    return _named(adding, function)


def _averaged(function: Function) -> Function:
    """A mean of one array, of integers as floats."""

    def averaging(a: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        return function(as_floats(asarray(a, dtype)), *args, **kwargs)

    return _named(averaging, function)


def _named(wrapper: Function, function: Function) -> Function:
    wrapper.__name__ = wrapper.__qualname__ = getattr(function, "__name__", "function")
    wrapper.__doc__ = f"NumPy's `{wrapper.__name__}` of tensors."
    return wrapper


abs = absolute = fabs = _one(ops.absolute)
negative = _one(ops.negative)
positive = _one(shape_ops.identity)
square = _one(ops.square)
sign = _one(ops.sign)
signbit = _one(ops.signbit)
real = _one(ops.real)
imag = _one(ops.imag)
conj = conjugate = _one(ops.conjugate)
angle = _floats(ops.angle)
logical_not = _one(lambda x: ops.logical_not(value_ops.cast(x, "bool")))
bitwise_not = _one(ops.bitwise_not)
isnan = _floats(ops.isnan)
isinf = _floats(ops.isinf)
isfinite = _floats(ops.isfinite)
isneginf = _floats(ops.isneginf)
isposinf = _floats(ops.isposinf)
sqrt = _floats(ops.sqrt)
cbrt = _floats(ops.cbrt)
exp = _floats(ops.exp)
exp2 = _floats(ops.exp2)
expm1 = _floats(ops.expm1)
log = _floats(ops.log)
log2 = _floats(ops.log2)
log10 = _floats(ops.log10)
log1p = _floats(ops.log1p)
reciprocal = _floats(ops.reciprocal)
sin = _floats(ops.sin)
cos = _floats(ops.cos)
tan = _floats(ops.tan)
sinh = _floats(ops.sinh)
cosh = _floats(ops.cosh)
tanh = _floats(ops.tanh)
arcsin = _floats(ops.arcsin)
arccos = _floats(ops.arccos)
arctan = _floats(ops.arctan)
arcsinh = _floats(ops.arcsinh)
arccosh = _floats(ops.arccosh)
arctanh = _floats(ops.arctanh)
deg2rad = _floats(ops.deg2rad)
rad2deg = _floats(ops.rad2deg)
sinc = _floats(ops.sinc)
floor = _floats(ops.floor)
ceil = _floats(ops.ceil)
fix = _floats(ops.trunc)
add = _two(ops.add)
subtract = _two(ops.subtract)
multiply = _two(ops.multiply)
divide = true_divide = _two(ops.divide, floats=True)
floor_divide = _two(ops.floor_divide)
mod = remainder = _two(ops.mod)
power = float_power = _two(ops.power)
maximum = _two(ops.maximum)
minimum = _two(ops.minimum)
arctan2 = _two(ops.arctan2, floats=True)
hypot = _two(ops.hypot, floats=True)
logaddexp = _two(ops.logaddexp, floats=True)
logaddexp2 = _two(ops.logaddexp2, floats=True)
nextafter = _two(ops.nextafter, floats=True)
heaviside = _two(ops.heaviside, floats=True)
gcd = _two(ops.gcd)
lcm = _two(ops.lcm)
bitwise_and = _two(ops.bitwise_and)
bitwise_or = _two(ops.bitwise_or)
bitwise_xor = _two(ops.bitwise_xor)
logical_and = _truth(ops.logical_and)
logical_or = _truth(ops.logical_or)
logical_xor = _truth(ops.logical_xor)
equal = _two(ops.equal)
not_equal = _two(ops.not_equal)
greater = _two(ops.greater)
greater_equal = _two(ops.greater_equal)
less = _two(ops.less)
less_equal = _two(ops.less_equal)
isclose = _two(ops.isclose)
allclose = _two(ops.allclose)
dot = _two(ops.dot)
inner = _two(ops.inner)
outer = _two(ops.outer)
vdot = _two(ops.vdot)
kron = _two(ops.kron)
cross = _two(ops.cross)
tensordot = _two(ops.tensordot)
sum = _added(ops.sum)
prod = _added(ops.prod)
cumsum = _added(ops.cumsum)
cumprod = _added(ops.cumprod)
mean = _averaged(ops.mean)
var = _averaged(ops.var)
std = _averaged(ops.std)
average = _averaged(ops.average)
nansum = _added(ops.nansum)
nanprod = _added(ops.nanprod)
nanmean = _averaged(ops.nanmean)
max = amax = _one(ops.max)
min = amin = _one(ops.min)
ptp = _one(ops.ptp)
all = _one(lambda a, *args, **kwargs: ops.all(value_ops.cast(a, "bool"), *args, **kwargs))
any = _one(lambda a, *args, **kwargs: ops.any(value_ops.cast(a, "bool"), *args, **kwargs))
argmax = _counted(ops.argmax)
argmin = _counted(ops.argmin)
argsort = _counted(ops.argsort)
count_nonzero = _counted(ops.count_nonzero)
sort = _one(ops.sort)
ravel = flatten = _one(ops.ravel)
transpose = _one(ops.transpose)
swapaxes = _one(ops.swapaxes)
moveaxis = _one(ops.moveaxis)
expand_dims = _one(ops.expand_dims)
squeeze = _one(ops.squeeze)
flip = _one(ops.flip)
fliplr = _one(ops.fliplr)
flipud = _one(ops.flipud)
roll = _one(ops.roll)
rot90 = _one(ops.rot90)
tile = _one(ops.tile)
repeat = _one(ops.repeat)
broadcast_to = _one(ops.broadcast_to)
diag = _one(ops.diag)
diagflat = _one(ops.diagflat)
diagonal = _one(ops.diagonal)
trace = _added(ops.trace)
tril = _one(ops.tril)
triu = _one(ops.triu)
take = _one(ops.take)
take_along_axis = _one(ops.take_along_axis)
pad = _one(ops.pad)
split = _one(ops.split)
hsplit = _one(ops.hsplit)
vsplit = _one(ops.vsplit)
dsplit = _one(ops.dsplit)
diff = _one(ops.diff)
vander = _one(ops.vander)
stack = _many(ops.stack)
concatenate = _many(ops.concatenate)
hstack = _many(ops.hstack)
dstack = _many(ops.dstack)


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: Any = "legacy"
) -> None:
    """Let operators, indices and attributes of tensors be those of NumPy's arrays, from here on."""
    if dtype_conversion_mode not in ("legacy", None):
        raise NotImplementedError(
            f"tapelab has the legacy mode of dtype conversion, not {dtype_conversion_mode!r}. "
            "Leave the argument out."
        )
    behavior.enabled, behavior.prefer_float32 = True, bool(prefer_float32)
    behavior.promoted, behavior.indexed = promoted, indexed
    behavior.methods = {
        "T": transpose,
        "astype": lambda x: lambda dtype: asarray(x, dtype),
        "clip": lambda x: lambda a_min, a_max: clip(x, a_min, a_max),
        "max": lambda x: lambda axis=None, keepdims=False: max(x, axis, keepdims),
        "mean": lambda x: lambda axis=None, keepdims=False: mean(x, axis, keepdims=keepdims),
        "min": lambda x: lambda axis=None, keepdims=False: min(x, axis, keepdims),
        "ravel": lambda x: lambda: ravel(x),
        "reshape": lambda x: lambda *shape: reshape(x, shape[0] if len(shape) == 1 else shape),
        "size": size,
        "transpose": lambda x: lambda *axes: transpose(x, axes or None),
    }


def indexed(tensor: Any, key: Any) -> Any:
    """`tensor[key]` as NumPy indexes: lists and arrays pick elements, and broadcast together."""
    parts = key if isinstance(key, tuple) else (key,)
    concrete = tuple(
        np.asarray(part) if isinstance(part, (Tensor, list, tuple)) else part for part in parts
    )
    picked = np.arange(int(np.prod(tensor.shape))).reshape(tuple(tensor.shape))[concrete]
    return gather_ops.gather(shape_ops.reshape(tensor, [-1]), picked)


def matmul(x1: Any, x2: Any) -> Any:
    """The matrix product; a vector on the left is a row, on the right a column."""
    one, other = promoted(x1, x2)
    left = ops.expand_dims(one, 0) if one.ndim == 1 else one
    right = ops.expand_dims(other, -1) if other.ndim == 1 else other
    product = ops.matmul(left, right)
    if other.ndim == 1:
        product = ops.squeeze(product, -1)
    return ops.squeeze(product, -1 if other.ndim == 1 else -2) if one.ndim == 1 else product


def vstack(tup: Any) -> Any:
    """Arrays below each other; a vector is a row."""
    return ops.concatenate([atleast_2d(each) for each in promoted_list(tup)], 0)


def copy(a: Any) -> Any:
    """A tensor of the same elements."""
    return array(a)


def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """The elements of an array in another shape, filled row by row, or by columns for "F"."""
    x = asarray(a)
    if order == "C":
        return shape_ops.reshape(x, newshape)
    sizes = newshape if isinstance(newshape, (list, tuple)) else (newshape,)
    return transpose(shape_ops.reshape(transpose(x), sizes[::-1]))


def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Each element, but at least `a_min` and at most `a_max`; either may be None."""
    x = asarray(a)
    if a_min is not None:
        x = maximum(x, a_min)
    return x if a_max is None else minimum(x, a_max)


def around(a: Any, decimals: int = 0) -> Any:
    """Each element rounded to so many digits."""
    return ops.round(asarray(a), decimals)


round = around


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of `x` where the condition holds, else of `y`; alone, the places where it holds."""
    holds = value_ops.cast(asarray(condition), "bool")
    if x is None and y is None:
        return nonzero(holds)
    return ops.where(holds, *promoted(x, y))


def nonzero(a: Any) -> list[Any]:
    """The places of elements other than zero, an array for each axis."""
    return [value_ops.cast(each, "int64") for each in ops.nonzero(asarray(a))]


def meshgrid(*arrays: Any, **kwargs: Any) -> Any:
    """Grids of coordinates from those along each axis."""
    return ops.meshgrid(*promoted_list(arrays), **kwargs)


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Products summed as letters say."""
    return ops.einsum(subscripts, *promoted_list(operands), **kwargs)


def broadcast_arrays(*arrays: Any) -> list[Any]:
    """The arrays in the shape that they broadcast to."""
    tensors = [asarray(each) for each in arrays]
    shape = np.broadcast_shapes(*(each._array.shape for each in tensors))
    return [ops.broadcast_to(each, shape) for each in tensors]


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Two arrays one after the other."""
    if axis is None:
        return concatenate([ravel(arr), ravel(values)], 0)
    return concatenate([arr, values], axis)


def divmod(x1: Any, x2: Any) -> tuple[Any, Any]:
    """The quotient rounded down, and the remainder."""
    return floor_divide(x1, x2), mod(x1, x2)


def array_equal(a1: Any, a2: Any) -> Any:
    """Whether two arrays have the same shape and elements."""
    one, other = promoted(a1, a2)
    if one.shape != other.shape:
        return asarray(False)
    return all(ops.equal(one, other))


def shape(a: Any) -> TensorShape:
    """The length of each axis."""
    return asarray(a).shape


def ndim(a: Any) -> int:
    """The number of axes."""
    return int(asarray(a).ndim)


def size(x: Any, axis: None = None) -> Any:
    """The number of elements."""
    if axis is not None:
        raise NotImplementedError("axis argument is not supported in the current `np.size`")
    sizes = asarray(x)._array.shape
    return np.prod(sizes) if sizes else 1


def isscalar(num: Any) -> bool:
    """Whether it is one number: of Python, of NumPy, or a tensor without axes."""
    return np.isscalar(num) or (isinstance(num, (Tensor, Variable)) and num.shape.rank == 0)


def isreal(x: Any) -> Any:
    """Whether each element has no imaginary part."""
    return equal(imag(value_ops.cast(asarray(x), "complex128")), 0)


def iscomplex(x: Any) -> Any:
    """Whether each element has an imaginary part."""
    return logical_not(isreal(x))


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex."""
    return bool(asarray(x).dtype.is_complex)


def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def atleast_1d(*arys: Any) -> Any:
    """The arrays with at least one axis."""
    return _each(arys, lambda x: ops.reshape(x, [1]) if x.ndim == 0 else x)


def atleast_2d(*arys: Any) -> Any:
    """The arrays with at least two axes; new ones stand first."""
    return _each(arys, lambda x: x if x.ndim > 1 else ops.reshape(x, [1, -1]))


def atleast_3d(*arys: Any) -> Any:
    """The arrays with at least three axes."""

    def of_three(x: Tensor) -> Any:
        if x.ndim < 2:
            return ops.reshape(x, [1, -1, 1])
        return ops.expand_dims(x, -1) if x.ndim == 2 else x

    return _each(arys, of_three)


def _each(arrays: Sequence[Any], function: Function) -> Any:
    changed = [function(asarray(each)) for each in arrays]
    return changed[0] if len(changed) == 1 else changed


def polyval(p: Any, x: Any) -> Any:
    """A polynomial of `x`, whose coefficients begin with the highest power."""
    coefficients, at = promoted(p, x)
    total = ops.zeros_like(at)
    for coefficient in shape_ops.unstack(coefficients):
        total = total * at + coefficient
    return total


def compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    """The pieces along an axis for which a condition holds."""
    x = ravel(a) if axis is None else asarray(a)
    return ops.take(x, np.flatnonzero(np.asarray(condition)), 0 if axis is None else axis)


def zeros(shape: Any, dtype: Any = float) -> Any:
    """Zeros."""
    return array(np.zeros(shape, _kind(dtype)))


def ones(shape: Any, dtype: Any = float) -> Any:
    """Ones."""
    return array(np.ones(shape, _kind(dtype)))


def empty(shape: Any, dtype: Any = float) -> Any:
    """An array to be filled, of zeros."""
    return zeros(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """One value everywhere."""
    value = asarray(fill_value, dtype)
    return ops.broadcast_to(value, (shape,) if isinstance(shape, int) else shape)


def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of another array."""
    return creation.zeros_like(asarray(a), dtype)


def ones_like(a: Any, dtype: Any = None) -> Any:
    """Ones in the shape of another array."""
    return creation.ones_like(asarray(a), dtype)


def empty_like(prototype: Any, dtype: Any = None) -> Any:
    """An array to be filled, of zeros, in the shape of another."""
    return zeros_like(prototype, dtype)


def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    """One value in the shape of another array."""
    like = asarray(a)
    return full(tuple(like.shape), fill_value, dtype or like.dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Any:
    """Ones on a diagonal."""
    return array(np.eye(N, M, k, _kind(dtype)))


def identity(n: int, dtype: Any = float) -> Any:
    """The square matrix that leaves a vector as it is."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on and below a diagonal."""
    return array(np.tri(N, M, k, _kind(dtype or float)))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Numbers with equal steps between them."""
    bounds = [
        value.numpy() if isinstance(value, Tensor) else value for value in (start, stop, step)
    ]
    first, last = (0, bounds[0]) if stop is None else bounds[:2]
    return asarray(np.arange(first, last, bounds[2]), dtype)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = float, axis: int = 0,
) -> Any:  # fmt: skip
    """So many numbers with equal distances; with `retstep` the distance as well."""
    one, other = (as_floats(value) for value in promoted(start, stop))
    numbers = asarray(ops.linspace(one, other, num, endpoint, axis=axis), dtype)
    parts = builtins.max(num - 1 if endpoint else num, 1)
    return (numbers, divide(subtract(other, one), parts)) if retstep else numbers


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """So many powers of a base, whose exponents have equal distances."""
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    return asarray(power(base, exponents), dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """So many numbers with equal quotients."""
    one, other = (as_floats(value) for value in promoted(start, stop))
    return asarray(exp(linspace(log(one), log(other), num, endpoint, axis=axis)), dtype)


def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """The places on the diagonal, an array for each axis."""
    return (arange(n, dtype=np.int32),) * ndim


def ix_(*args: Any) -> list[Any]:
    """Arrays that pick a grid of rows and columns."""
    return [array(each) for each in np.ix_(*(np.asarray(arg) for arg in args))]


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """Elements of the first choice whose condition holds."""
    chosen = asarray(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        chosen = where(condition, choice, chosen)
    return chosen


def _kind(dtype: Any) -> Any:
    """A dtype for NumPy; Python's float is 32 bits wide where that is preferred."""
    return asarray(0, dtype).dtype.as_numpy_dtype
