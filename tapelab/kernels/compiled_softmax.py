"""Rows of exponentials that numba compiles: softmax and what is made of it, with the VJPs.

Only `loader` imports this module.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from tapelab.kernels.bits import bits_of_float, float_of_bits
from tapelab.kernels.compiled import CONTRACT, ZERO, exp32, plus

INFINITY: Final = np.float32(np.inf)


@njit(cache=True, inline="always", error_model="numpy")
def largest_of(row: Any) -> Any:
    """The largest entry of a row, NaN if there is a positive NaN.

    Floats are compared by their bits as integers: that runs in parallel lanes, and NaN has a place.
    """
    top = np.int32(-2147483648)
    for j in range(row.size):
        bits = bits_of_float(row[j])
        order = np.int32(bits ^ ((bits >> np.int32(31)) & np.int32(0x7FFFFFFF)))
        top = max(top, order)
    return float_of_bits(np.int32(top ^ ((top >> np.int32(31)) & np.int32(0x7FFFFFFF))))


@njit(cache=True, inline="always", error_model="numpy")
def sum_of_powers(row: Any, largest: Any) -> Any:
    """The sum of the exponentials of a row, from whose entries the largest is taken off."""
    total = ZERO
    for j in range(row.size):
        total = plus(total, exp32(row[j] - largest))
    return total


@njit(cache=True, inline="always", error_model="numpy")
def written_powers(row: Any, largest: Any, result: Any) -> Any:
    """The same, and each exponential written down."""
    total = ZERO
    for j in range(row.size):
        power = exp32(row[j] - largest)
        result[j] = power
        total = plus(total, power)
    return total


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def softmax32(x: Any, y: Any) -> None:
    """The softmax of each row."""
    rows, width = x.shape
    for i in range(rows):
        row, result = x[i], y[i]
        total = written_powers(row, largest_of(row), result)
        for j in range(width):
            result[j] /= total


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def log_softmax32(x: Any, y: Any) -> None:
    """The logarithm of the softmax of each row."""
    rows, width = x.shape
    for i in range(rows):
        row, result = x[i], y[i]
        largest = largest_of(row)
        size = np.log(sum_of_powers(row, largest))
        for j in range(width):
            result[j] = (row[j] - largest) - size


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def logsumexp32(x: Any, y: Any) -> None:
    """The logarithm of the sum of the exponentials of each row."""
    rows, width = x.shape
    for i in range(rows):
        row, largest = x[i], largest_of(x[i])
        if largest == INFINITY:
            y[i] = largest
            for j in range(width):
                if np.isnan(row[j]):
                    y[i] = row[j]
        else:
            largest = ZERO if largest == -INFINITY else largest
            y[i] = np.log(sum_of_powers(row, largest)) + largest


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def scaled_softmax32(scale: Any, x: Any, y: Any) -> None:
    """The softmax of each row times the number that belongs to the row."""
    rows, width = x.shape
    for i in range(rows):
        row, result = x[i], y[i]
        total = written_powers(row, largest_of(row), result)
        factor = scale[i] / total
        for j in range(width):
            result[j] *= factor


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def cross_entropy32(labels: Any, scores: Any, z: Any) -> None:
    """Minus the sum over each row of labels times the logarithm of the softmax of the scores."""
    rows, width = scores.shape
    for i in range(rows):
        row, chances = scores[i], labels[i]
        largest, surprise = largest_of(row), ZERO
        size = np.log(sum_of_powers(row, largest))
        for j in range(width):
            surprise = plus(surprise, chances[j] * ((row[j] - largest) - size))
        z[i] = -surprise


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def numbered_cross_entropy32(classes: Any, scores: Any, z: Any) -> None:
    """Minus the logarithm of the softmax of the scores at the right class of each row."""
    for i in range(len(scores)):
        row = scores[i]
        largest = largest_of(row)
        z[i] = np.log(sum_of_powers(row, largest)) - (row[classes[i]] - largest)


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def cross_entropy_vjp32(dz: Any, labels: Any, scores: Any, result: Any) -> None:
    """The VJP of cross entropy, row by row: dz * (softmax of the scores - labels)."""
    rows, width = scores.shape
    for i in range(rows):
        row, chances, dx = scores[i], labels[i], result[i]
        total = written_powers(row, largest_of(row), dx)
        for j in range(width):
            dx[j] = dz[i] * (dx[j] / total - chances[j])


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def softmax_vjp(dy: Any, y: Any, result: Any) -> None:
    """The VJP of softmax, row by row: (dy - sum(dy * y)) * y."""
    rows, width = y.shape
    for i in range(rows):
        upstream, chances, dx = dy[i], y[i], result[i]
        mean = upstream[0] * 0
        for j in range(width):
            mean = plus(mean, upstream[j] * chances[j])
        for j in range(width):
            dx[j] = (upstream[j] - mean) * chances[j]


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def log_softmax_vjp32(dy: Any, y: Any, result: Any) -> None:
    """The VJP of the logarithm of softmax, row by row: dy - e**y * sum(dy)."""
    rows, width = y.shape
    for i in range(rows):
        upstream, logs, dx = dy[i], y[i], result[i]
        total = ZERO
        for j in range(width):
            total = plus(total, upstream[j])
        for j in range(width):
            dx[j] = upstream[j] - exp32(logs[j]) * total
