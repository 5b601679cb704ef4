"""What numba compiles of sine and cosine in 64 bits. Only `loader` imports it.

The angle less an integer of quarter turns, which are taken off in three pieces so that no digit
is lost, is at most an eighth of a turn; there a polynomial does for each. All that depends on the
quarter is chosen without a branch, so that several entries are worked on at once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

QUARTERS: Final = 2 / np.pi
# A quarter turn in pieces of 33 bits, so that a multiple of one is exact, and what is left:
FIRST: Final = 1.5707963267341256
SECOND: Final = 6.077100506303966e-11
THIRD: Final = 2.0222662487959506e-21
# (sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4 in r**2, the highest power first, fitted
# to |r| <= pi / 4:
SINE: Final = (1.5917848508195533e-10, -2.5051127944914395e-08, 2.755731608382835e-06,
               -0.00019841269836722464, 0.008333333333330925, -0.16666666666666666)  # fmt: skip
COSINE: Final = (-1.1382460452571012e-11, 2.087614388200373e-09, -2.7557317260283117e-07,
                 2.4801587298743632e-05, -0.0013888888888887382, 0.041666666666666664)  # fmt: skip


@njit(cache=True, inline="always", error_model="numpy")
def along(coefficients: Any, x: Any) -> Any:
    """The value of a polynomial, by Horner's rule."""
    value = coefficients[0]
    for k in range(1, len(coefficients)):
        value = value * x + coefficients[k]
    return value


@njit(cache=True, inline="always", error_model="numpy")
def turned(x: Any, ahead: Any) -> Any:
    """The sine of an angle that many quarter turns ahead."""
    quarters = np.floor(x * QUARTERS + 0.5)
    near = x - quarters * FIRST
    step = quarters * SECOND
    close = near - step
    step = quarters * THIRD - ((near - close) - step)
    r = close - step
    rest = (close - r) - step  # what r lacks
    z = r * r
    cube = z * r
    sine = r - ((z * (0.5 * rest - cube * along(SINE[:-1], z)) - rest) - cube * SINE[-1])
    half = 0.5 * z
    most = 1.0 - half
    cosine = most + (((1.0 - most) - half) + (z * (z * along(COSINE, z)) - r * rest))
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
