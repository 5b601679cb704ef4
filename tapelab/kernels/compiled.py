"""The kernels that numba compiles. Only `loader` imports this module.

Each writes into its last argument, loops over whole rows, and is a function of the module: that
is what numba vectorises and what it finds again in its cache on disk.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

# Sums may be reordered, which lets them run in parallel lanes; NaN and infinity keep their meaning.
REORDER: Final = {"reassoc", "contract", "nsz"}

ONE: Final = np.float32(1)
ZERO: Final = np.float32(0)
HALF: Final = np.float32(0.5)
LOWEST: Final = np.float32(-100)  # below it the exponential is 0 in float32
LOG2_E: Final = np.float32(1.44269504)
LN_2_HIGH: Final = np.float32(0.693359375)  # few bits, so that a whole multiple of it is exact
LN_2_LOW: Final = np.float32(-2.12194440e-4)
# The remainder of a series for e**r, fitted to |r| <= ln(2) / 2; highest power first.
C7: Final = np.float32(1.9875691500e-4)
C6: Final = np.float32(1.3981999507e-3)
C5: Final = np.float32(8.3334519073e-3)
C4: Final = np.float32(4.1665795894e-2)
C3: Final = np.float32(1.6666665459e-1)
C2: Final = np.float32(5.0000001201e-1)


@intrinsic
def float_of_bits(context: Any, bits: Any) -> Any:
    """The float32 whose bits are those of an int32."""
    del context, bits

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

    return types.float32(types.int32), build


@njit(cache=True, inline="always")
def exp32(x: Any) -> Any:
    """The exponential of a float32 that is not positive: 2**n * e**r, without a branch."""
    x = LOWEST if x < LOWEST else x  # noqa: FURB136 - so NaN fails the comparison, and stays
    n = np.floor(x * LOG2_E + HALF)
    r = (x - n * LN_2_HIGH) - n * LN_2_LOW
    p = (((((C7 * r + C6) * r + C5) * r + C4) * r + C3) * r + C2) * r * r + r + ONE
    exponent = np.int32(n) + np.int32(127)
    exponent = max(exponent, np.int32(0))
    return p * float_of_bits(np.int32(exponent << np.int32(23)))  # type: ignore[call-arg]


@njit(cache=True, fastmath=REORDER)
def softmax32(x: Any, top: Any, y: Any) -> None:
    """The softmax of each row; `top` holds the largest entry of each."""
    rows, width = x.shape
    for i in range(rows):
        row, result, largest = x[i], y[i], top[i]
        for j in range(width):
            result[j] = exp32(row[j] - largest)
        total = ZERO
        for j in range(width):
            total += result[j]
        for j in range(width):
            result[j] /= total


@njit(cache=True, fastmath=REORDER)
def log_softmax32(x: Any, top: Any, y: Any) -> None:
    """The logarithm of the softmax of each row; `top` holds the largest entry of each."""
    rows, width = x.shape
    for i in range(rows):
        row, result, largest = x[i], y[i], top[i]
        total = ZERO
        for j in range(width):
            total += exp32(row[j] - largest)
        size = np.log(total)
        for j in range(width):
            result[j] = (row[j] - largest) - size


@njit(cache=True, fastmath=REORDER)
def softmax_slope(dy: Any, y: Any, result: Any) -> None:
    """The way back of softmax, row by row: (dy - sum(dy * y)) * y."""
    rows, width = y.shape
    for i in range(rows):
        upstream, chances, slope = dy[i], y[i], result[i]
        mean = upstream[0] * 0
        for j in range(width):
            mean += upstream[j] * chances[j]
        for j in range(width):
            slope[j] = (upstream[j] - mean) * chances[j]


@njit(cache=True)
def add_rows(rows: Any, places: Any, whole: Any) -> None:
    """Add each row to the row of `whole` that its place names."""
    width = rows.shape[1]
    for i in range(places.size):
        row, target = rows[i], whole[places[i]]
        for j in range(width):
            target[j] += row[j]
