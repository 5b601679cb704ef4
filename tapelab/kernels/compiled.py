"""Functions of each entry that numba compiles. Only `loader` imports this module.

Each writes into its last argument and is a function of the module: that is what numba vectorises
and what it finds again in its cache on disk. A change in a function that another file calls goes
unnoticed there, until that file is written, too. Without the interpreter's lock (`nogil`), several
threads can work on slices of one array.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from tapelab.kernels.bits import bits_of_float, float_of_bits

# A product and a sum may become one operation. Otherwise the order of operations is meant: what is
# taken off in two steps keeps digits that one step would lose.
CONTRACT: Final = {"contract"}


def singles(*numbers: float) -> tuple[np.float32, ...]:
    """Numbers in 32 bits."""
    return tuple(map(np.float32, numbers))


ONE: Final = np.float32(1)
ZERO: Final = np.float32(0)
HALF: Final = np.float32(0.5)
TWO: Final = np.float32(2)
FOUR: Final = np.float32(4)
LOWEST: Final = np.float32(-120)  # below it the exponential is 0 in float32
BIAS: Final = np.int32(127)
FRACTION: Final = np.int32(23)
LOG2_E: Final = np.float32(1.44269504)
LN_2_HIGH: Final = np.float32(0.693359375)  # few bits, so that a whole multiple of it is exact
LN_2_LOW: Final = np.float32(-2.12194440e-4)
ERF_DERIVATIVE_AT_0: Final = np.float32(1.1283791670955126)  # 2 / sqrt(pi)
# Coefficients, the highest power first. (e**r - 1 - r) / r**2, fitted to |r| <= ln(2) / 2:
POWER: Final = singles(1.98756915e-4, 1.39819995e-3, 8.33345191e-3, 4.16657959e-2, 0.166666665, 0.5)
# (artanh(z) - z) / z**3 in z**2, fitted to 0 <= z <= 1/3:
ARTANH: Final = singles(0.10400684, 0.08730446, 0.1113254, 0.14285146, 0.20000005, 1 / 3)
# erf(x) / x - 1 in x**2, fitted to |x| <= 1:
ERF: Final = singles(7.88249711e-5, -8.01885499e-4, 5.18931194e-3, -2.68543288e-2, 0.112835975,
                     -0.376126269, 0.1283791671)  # fmt: skip
# The logarithm of 1 - erf(x), fitted to 1 <= x <= 4:
REST: Final = singles(1.61406165e-6, -4.55906234e-5, 5.92769546e-4, -4.74022238e-3, 2.63647175e-2,
                      -0.109978245, -0.631937093, -1.13016668, 3.03213009e-4)  # fmt: skip

QUARTERS: Final = 2 / np.pi
# A quarter turn in pieces of 33 bits, so that a multiple of one is exact, and what is left:
QUARTER_HIGH: Final = 1.5707963267341256
QUARTER_MIDDLE: Final = 6.077100506303966e-11
QUARTER_LOW: Final = 2.0222662487959506e-21
# (sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4 in r**2, the highest power first, fitted
# to |r| <= pi / 4:
SINE: Final = (1.5917848508195533e-10, -2.5051127944914395e-08, 2.755731608382835e-06,
               -0.00019841269836722464, 0.008333333333330925, -0.16666666666666666)  # fmt: skip
COSINE: Final = (-1.1382460452571012e-11, 2.087614388200373e-09, -2.7557317260283117e-07,
                 2.4801587298743632e-05, -0.0013888888888887382, 0.041666666666666664)  # fmt: skip


@njit(cache=True, fastmath={"reassoc", "nsz"})
def plus(total: Any, each: Any) -> Any:
    """A sum that the compiler may reorder, and so compute in SIMD vectors."""
    return total + each


@njit(cache=True, inline="always", error_model="numpy")
def polynomial(coefficients: Any, x: Any) -> Any:
    """The value of a polynomial, by Horner's rule."""
    value = coefficients[0]
    for k in range(1, len(coefficients)):
        value = value * x + coefficients[k]
    return value


@njit(cache=True, inline="always", error_model="numpy")
def magnitude(x: Any) -> Any:
    """The absolute value, by its bits: no question that could become a branch for either sign."""
    return float_of_bits(np.int32(bits_of_float(x) & np.int32(0x7FFFFFFF)))


@njit(cache=True, inline="always", error_model="numpy")
def positive_part(x: Any) -> Any:
    """The number, and 0 in the place of one below 0; NaN stays, as it fails the comparison."""
    return ZERO if x < ZERO else x  # noqa: FURB136 - max() would lose NaN


@njit(cache=True, inline="always", error_model="numpy")
def exp32(x: Any) -> Any:
    """The exponential of a float32 that is not positive: 2**n * e**r, without a branch.

    The power of 2 is multiplied on in two halves, as one float32 may not hold it.
    """
    x = LOWEST if x < LOWEST else x  # noqa: FURB136 - so NaN fails the comparison, and stays
    n = np.floor(x * LOG2_E + HALF)
    r = (x - n * LN_2_HIGH) - n * LN_2_LOW
    p = polynomial(POWER, r) * r * r + r + ONE
    whole = np.int32(n)
    half = np.int32(whole >> np.int32(1))
    first = float_of_bits(np.int32((half + BIAS) << FRACTION))
    rest = float_of_bits(np.int32((whole - half + BIAS) << FRACTION))
    return p * first * rest


@njit(cache=True, inline="always", error_model="numpy")
def log1p32(s: Any) -> Any:
    """The logarithm of 1 + s for 0 <= s <= 1: twice the artanh of s / (2 + s)."""
    z = s / (TWO + s)
    w = z * z
    return s - z * (s - TWO * w * polynomial(ARTANH, w))


@njit(cache=True, inline="always", error_model="numpy")
def sigmoid_of(x: Any) -> Any:
    """1 / (1 + e**-x), with an exponential that cannot overflow."""
    s = exp32(-magnitude(x))
    return (s if x < ZERO else ONE) / (ONE + s)


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def sigmoid32(x: Any, y: Any) -> None:
    """1 / (1 + e**-x)."""
    for i in range(x.size):
        y[i] = sigmoid_of(x[i])


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def silu32(x: Any, y: Any) -> None:
    """Each entry times its sigmoid."""
    for i in range(x.size):
        y[i] = x[i] * sigmoid_of(x[i])


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def softplus32(x: Any, y: Any) -> None:
    """ln(1 + e**x) as max(x, 0) + ln(1 + e**-|x|)."""
    for i in range(x.size):
        v = x[i]
        y[i] = positive_part(v) + log1p32(exp32(-magnitude(v)))


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def erf32(x: Any, y: Any) -> None:
    """The error function: a polynomial up to 1, and 1 - e**polynomial beyond."""
    for i in range(x.size):
        v = x[i]
        a = magnitude(v)
        w = a * a
        near = v + v * polynomial(ERF, w)
        a = FOUR if a > FOUR else a  # noqa: FURB136 - so NaN stays
        g = polynomial(REST, a)
        far = ONE - exp32(-positive_part(-g))
        y[i] = near if a < ONE else (far if v > ZERO else -far)


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def sigmoid_cross_entropy32(x: Any, y: Any, z: Any) -> None:
    """max(y, 0) - x * y + ln(1 + e**-|y|)."""
    for i in range(x.size):
        v = y[i]
        z[i] = positive_part(v) - x[i] * v + log1p32(exp32(-magnitude(v)))


@njit(cache=True, nogil=True)
def sigmoid_vjp(dy: Any, y: Any, result: Any) -> None:
    """The VJP of sigmoid from its value."""
    for i in range(y.size):
        result[i] = dy[i] * y[i] * (1 - y[i])


@njit(cache=True, nogil=True)
def tanh_vjp(dy: Any, y: Any, result: Any) -> None:
    """The VJP of tanh from its value."""
    for i in range(y.size):
        result[i] = dy[i] * (1 - y[i] * y[i])


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def softplus_vjp32(dy: Any, x: Any, result: Any) -> None:
    """The VJP of softplus."""
    for i in range(x.size):
        result[i] = dy[i] * sigmoid_of(x[i])


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def silu_vjp32(dy: Any, x: Any, result: Any) -> None:
    """The VJP of silu."""
    for i in range(x.size):
        gate = sigmoid_of(x[i])
        y = x[i] * gate
        result[i] = dy[i] * (gate + y - y * gate)


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def erf_vjp32(dy: Any, x: Any, result: Any) -> None:
    """The VJP of the error function."""
    for i in range(x.size):
        result[i] = dy[i] * (ERF_DERIVATIVE_AT_0 * exp32(-x[i] * x[i]))


@njit(cache=True, inline="always", error_model="numpy")
def turned(x: Any, ahead: Any) -> Any:
    """The sine of an angle that many quarter turns ahead, without a branch.

    The angle less an integer of quarter turns, which are taken off in three pieces so that no
    digit is lost, is at most an eighth of a turn; there a polynomial does for each. All that
    depends on the quarter is chosen, so that several entries are worked on at once.
    """
    quarters = np.floor(x * QUARTERS + 0.5)
    near = x - quarters * QUARTER_HIGH
    step = quarters * QUARTER_MIDDLE
    close = near - step
    step = quarters * QUARTER_LOW - ((near - close) - step)
    r = close - step
    rest = (close - r) - step  # what r lacks
    z = r * r
    cube = z * r
    sine = r - ((z * (0.5 * rest - cube * polynomial(SINE[:-1], z)) - rest) - cube * SINE[-1])
    half = 0.5 * z
    most = 1.0 - half
    cosine = most + (((1.0 - most) - half) + (z * (z * polynomial(COSINE, z)) - r * rest))
    quarter = np.int64(quarters) + ahead
    value = cosine if quarter & 1 else sine
    return -value if quarter & 2 else value


@njit(cache=True, nogil=True, error_model="numpy")
def sine(x: Any, y: Any) -> None:
    """The sine of each entry."""
    for i in range(x.size):
        y[i] = turned(x[i], 0)


@njit(cache=True, nogil=True, error_model="numpy")
def cosine(x: Any, y: Any) -> None:
    """The cosine of each entry."""
    for i in range(x.size):
        y[i] = turned(x[i], 1)


@njit(cache=True, nogil=True)
def chosen(c: Any, x: Any, y: Any, z: Any) -> None:
    """Each entry from x where the condition holds, else from y.

    Both are read before one is taken, so that nothing depends on a branch: where a condition holds
    at random, NumPy guesses wrong half of the time.
    """
    for i in range(z.size):
        one, other = x[i], y[i]
        z[i] = one if c[i] else other


@njit(cache=True, nogil=True)
def chosen_or_number(y: Any, c: Any, x: Any, z: Any) -> None:
    """Each entry from x where the condition holds, else the one entry of y."""
    other = y[0]
    for i in range(z.size):
        one = x[i]
        z[i] = one if c[i] else other


@njit(cache=True, nogil=True)
def chosen_number(x: Any, c: Any, y: Any, z: Any) -> None:
    """The one entry of x where the condition holds, else each entry from y."""
    one = x[0]
    for i in range(z.size):
        other = y[i]
        z[i] = one if c[i] else other
