"""Functions of `tf.keras.ops` that compute each element by itself, with NumPy's names."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import bitwise, math
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.keras import backend
from tapelab.keras.keras_tensor import operation
from tapelab.keras.op_declarations import as_floats, binary, promoted, unary

_LN_2: Final = float(np.log(2.0))
_LN_10: Final = float(np.log(10.0))

bitwise_and = binary("bitwise_and", bitwise.bitwise_and)
bitwise_or = binary("bitwise_or", bitwise.bitwise_or)
bitwise_xor = binary("bitwise_xor", bitwise.bitwise_xor)
bitwise_left_shift = left_shift = binary("bitwise_left_shift", bitwise.left_shift)
bitwise_right_shift = right_shift = binary("bitwise_right_shift", bitwise.right_shift)
bitwise_invert = bitwise_not = unary("bitwise_invert", bitwise.invert)
erfc = unary("erfc", math.erfc, floats=True)
i0 = unary("i0", math.bessel_i0, floats=True)
nextafter = binary("nextafter", math.nextafter, floats=True)


def _wide_floats(x: Any) -> Any:
    """A tensor in floats; int64 becomes float64, as in Keras."""
    given = backend.convert_to_tensor(x)
    return value_ops.cast(given, "float64") if given.dtype.name == "int64" else as_floats(given)


@operation
def fabs(x: Any) -> Any:
    """Return absolute values as floats."""
    return math.abs(as_floats(x))


@operation
def angle(x: Any) -> Any:
    """Return the angle of complex numbers; π for negative real ones."""
    given = backend.convert_to_tensor(x)
    return math.angle(as_floats(given))


@operation
def cbrt(x: Any) -> Any:
    """Return cube roots, negative ones of negative numbers."""
    given = _wide_floats(x)
    return math.sign(given) * math.pow(math.abs(given), 1.0 / 3.0)


@operation
def deg2rad(x: Any) -> Any:
    """Return degrees as radians."""
    given = _wide_floats(x)
    return given * (np.pi / 180.0)


@operation
def rad2deg(x: Any) -> Any:
    """Return radians as degrees."""
    given = _wide_floats(x)
    return given * (180.0 / np.pi)


@operation
def exp2(x: Any) -> Any:
    """Return powers of 2."""
    return math.exp(as_floats(x) * _LN_2)


@operation
def log2(x: Any) -> Any:
    """Return logarithms to the base 2."""
    return math.log(as_floats(x)) / _LN_2


@operation
def log10(x: Any) -> Any:
    """Return logarithms to the base 10."""
    return math.log(as_floats(x)) / _LN_10


@operation
def logaddexp(x1: Any, x2: Any) -> Any:
    """Return `ln(exp(x1) + exp(x2))` without overflow."""
    return _log_add(*_float_pair(x1, x2), 1.0)


@operation
def logaddexp2(x1: Any, x2: Any) -> Any:
    """Return `log2(2^x1 + 2^x2)` without overflow."""
    return _log_add(*_float_pair(x1, x2), _LN_2)


def _log_add(one: Any, other: Any, scale: float) -> Any:
    distance = one - other
    apart = math.log1p(math.exp(-math.abs(distance) * scale)) / scale
    return value_ops.where(math.is_nan(distance), one + other, math.maximum(one, other) + apart)


def _float_pair(x1: Any, x2: Any) -> tuple[Any, Any]:
    one, other = promoted(x1, x2)
    return as_floats(one), as_floats(other)


@operation
def hypot(x1: Any, x2: Any) -> Any:
    """Return `sqrt(x1² + x2²)` without overflow."""
    one, other = (math.abs(each) for each in _float_pair(x1, x2))
    longer, shorter = math.maximum(one, other), math.minimum(one, other)
    is_zero = math.equal(longer, 0.0)
    ratio = shorter / value_ops.where(is_zero, creation.ones_like(longer), longer)
    return value_ops.where(is_zero, longer, longer * math.sqrt(1.0 + math.square(ratio)))


@operation
def heaviside(x1: Any, x2: Any) -> Any:
    """Return 0 for negative numbers, 1 for positive ones, and `x2` for 0."""
    one, other = _float_pair(x1, x2)
    above = value_ops.where(one > 0.0, creation.ones_like(one), other)
    return value_ops.where(one < 0.0, creation.zeros_like(one), above)


@operation
def fmax(x1: Any, x2: Any) -> Any:
    """Return the larger elements, the others where one is NaN."""
    return _without_nan(math.maximum, x1, x2)


@operation
def fmin(x1: Any, x2: Any) -> Any:
    """Return the smaller elements, the others where one is NaN."""
    return _without_nan(math.minimum, x1, x2)


def _without_nan(select: Any, x1: Any, x2: Any) -> Any:
    one, other = promoted(x1, x2)
    if not one.dtype.is_floating:
        return select(one, other)
    known = value_ops.where(math.is_nan(other), one, select(one, other))
    return value_ops.where(math.is_nan(one), other, known)


@operation
def fmod(x1: Any, x2: Any) -> Any:
    """Return remainders with the sign of `x1`."""
    one, other = promoted(x1, x2)
    if one.dtype.is_bool:
        one, other = value_ops.cast(one, "int32"), value_ops.cast(other, "int32")
    return math.truncatemod(one, other)


@operation
def gcd(x1: Any, x2: Any) -> Any:
    """Return the greatest common divisors of integers."""
    return _by_integers(np.gcd, x1, x2)


@operation
def lcm(x1: Any, x2: Any) -> Any:
    """Return the least common multiples of integers."""
    return _by_integers(np.lcm, x1, x2)


def _by_integers(function: Any, x1: Any, x2: Any) -> Any:
    one, other = promoted(x1, x2)
    if not one.dtype.is_integer:
        raise TypeError(f"{function.__name__} needs integers. Received: {one.dtype.name}")
    return backend.convert_to_tensor(function(one.numpy(), other.numpy()))


@operation
def ldexp(x1: Any, x2: Any) -> Any:
    """Return `x1 · 2^x2`."""
    one, exponent = as_floats(x1), backend.convert_to_tensor(x2)
    if not exponent.dtype.is_integer:
        raise TypeError(
            f"ldexp exponent must be an integer type. Received: x2 dtype={exponent.dtype.name}"
        )
    return one * math.pow(2.0, value_ops.cast(exponent, one.dtype))


@operation
def isposinf(x: Any) -> Any:
    """Return where a tensor is +∞."""
    return math.equal(as_floats(x), np.inf)


@operation
def isneginf(x: Any) -> Any:
    """Return where a tensor is -∞."""
    return math.equal(as_floats(x), -np.inf)


@operation
def isreal(x: Any) -> Any:
    """Return where numbers have no imaginary part."""
    given = backend.convert_to_tensor(x)
    if given.dtype.is_complex:
        return math.equal(math.imag(given), 0.0)
    return creation.ones_like(given, "bool")


@operation
def signbit(x: Any) -> Any:
    """Return where the sign is minus, for -0.0 too."""
    given = backend.convert_to_tensor(x)
    if given.dtype.is_bool or given.dtype.is_unsigned:
        return creation.zeros_like(given, "bool")
    if given.dtype.is_integer:
        return math.less(given, 0)
    divisor = value_ops.where(math.equal(given, 0.0), given, creation.ones_like(given))
    quotient = math.reciprocal(divisor)
    return math.logical_or(math.less(given, 0.0), math.less(quotient, 0.0))


@operation
def sinc(x: Any) -> Any:
    """Return `sin(πx) / (πx)`, 1 at 0."""
    given = as_floats(x) * np.pi
    is_zero = math.equal(given, 0.0)
    divisor = value_ops.where(is_zero, creation.ones_like(given), given)
    return value_ops.where(is_zero, creation.ones_like(given), math.sin(divisor) / divisor)


@operation
def trunc(x: Any) -> Any:
    """Return the integers towards 0."""
    given = backend.convert_to_tensor(x)
    if not given.dtype.is_floating:
        return given
    return value_ops.where(math.less(given, 0.0), math.ceil(given), math.floor(given))


@operation
def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Return numbers in place of NaN and infinities, by default 0 and the largest ones."""
    given = backend.convert_to_tensor(x)
    if not given.dtype.is_floating:
        return given
    largest, smallest = given.dtype.max, given.dtype.min
    for places, value in (
        (math.is_nan(given), nan),
        (math.equal(given, np.inf), largest if posinf is None else posinf),
        (math.equal(given, -np.inf), smallest if neginf is None else neginf),
    ):
        given = value_ops.where(places, value_ops.cast(value, given.dtype), given)
    return given


@operation
def polar(abs_: Any, angle: Any) -> Any:
    """Return complex numbers of absolute values and angles."""
    size, turn = _float_pair(abs_, angle)
    return value_ops.complex(size * math.cos(turn), size * math.sin(turn))


@operation
def view_as_complex(x: Any) -> Any:
    """Return complex numbers of their real and imaginary parts in the last axis."""
    given: Any = backend.convert_to_tensor(x)
    if not given.ndim or given.shape[-1] != 2:
        raise ValueError(f"Last dimension must be of size 2. Received shape: {given.shape}")
    return value_ops.complex(given[..., 0], given[..., 1])


@operation
def view_as_real(x: Any) -> Any:
    """Return the real and imaginary parts of complex numbers in a last axis."""
    return shape_ops.stack([math.real(x), math.imag(x)], axis=-1)


@operation
def saturate_cast(x: Any, dtype: Any) -> Any:
    """Return the values in another dtype, those outside its range at its limits."""
    return value_ops.saturate_cast(backend.convert_to_tensor(x), dtype)
