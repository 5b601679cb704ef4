"""Compiled kernels of moments and normalization, and their VJPs. Only `loader` imports this module.

Arrays are matrices (rows, entries): the caller flattens what it normalizes over into one axis. Each
kernel comes in two forms: statistics for each row, as layer normalization has them, or for each
column, as batch normalization has them. Kernels write into arrays that they are given.

- Sums are accumulated in float64, in any order, so that the compiler may use SIMD vectors: a column
  can have millions of entries, and float32 would lose digits.
- Layer normalization sums blocks of at most `BLOCK` products in the precision of its input before
  they join a float64 sum. That is faster, and loses no digit that the result keeps.
- `m` is the mean, `r` 1 / standard deviation, `g` the scale (gamma), `b` the offset (beta).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tapelab.kernels.compiled import CONTRACT, plus

Array = NDArray[Any]

BLOCK: Final = 2048
"""How many products are summed in the input's precision before they join a float64 sum."""
ROWS: Final = 16
"""How many rows are summed in the input's precision, where each column is summed."""


@njit(cache=True, nogil=True)
def mean_square_rows(x: Array, m: Array, y: Array) -> None:
    """Write the mean squared deviation of each row from its entry of m."""
    rows, width = x.shape
    for i in range(rows):
        row, centre, total = x[i], m[i], 0.0
        for j in range(width):
            deviation = np.float64(row[j] - centre)
            total = plus(total, deviation * deviation)
        y[i] = total / width


@njit(cache=True, nogil=True)
def mean_square_columns(x: Array, m: Array, y: Array) -> None:
    """Write the mean squared deviation of each column from its entry of m."""
    rows, width = x.shape
    total = np.zeros(width)
    for i in range(rows):
        row = x[i]
        for j in range(width):
            deviation = np.float64(row[j] - m[j])
            total[j] += deviation * deviation
    for j in range(width):
        y[j] = total[j] / rows


@njit(cache=True, nogil=True)
def distance_rows(scale: Array, x: Array, m: Array, y: Array) -> None:
    """Write the deviations of each row from its entry of m, times its scale."""
    rows, width = x.shape
    for i in range(rows):
        row, result, centre, factor = x[i], y[i], m[i], scale[i]
        for j in range(width):
            result[j] = factor * (row[j] - centre)


@njit(cache=True, nogil=True)
def distance_columns(scale: Array, x: Array, m: Array, y: Array) -> None:
    """Write the deviations of each column from its entry of m, times its scale."""
    rows, width = x.shape
    for i in range(rows):
        row, result = x[i], y[i]
        for j in range(width):
            result[j] = scale[j] * (row[j] - m[j])


@njit(cache=True, nogil=True)
def normalized_rows(x: Array, m: Array, r: Array, g: Array, b: Array, y: Array) -> None:
    """Write (x - m) * r * g + b with m and r for each row, g and b for each column."""
    rows, width = x.shape
    for i in range(rows):
        row, result, centre, factor = x[i], y[i], m[i], r[i]
        for j in range(width):
            result[j] = (row[j] - centre) * factor * g[j] + b[j]


@njit(cache=True, nogil=True)
def normalized_columns(x: Array, m: Array, r: Array, g: Array, b: Array, y: Array) -> None:
    """Write (x - m) * r * g + b with m, r, g and b for each column."""
    rows, width = x.shape
    for i in range(rows):
        row, result = x[i], y[i]
        for j in range(width):
            result[j] = (row[j] - m[j]) * r[j] * g[j] + b[j]


@njit(cache=True, nogil=True)
def normalized_vjps_rows(
    dy: Array,
    x: Array,
    m: Array,
    r: Array,
    g: Array,
    dx: Array,
    dm: Array,
    dr: Array,
    dg: Array,
    db: Array,
) -> None:
    """Write the VJPs of `normalized_rows` with respect to each of its inputs."""
    rows, width = x.shape
    sum_g, sum_b = np.zeros(width), np.zeros(width)
    for i in range(rows):
        row, upstream, result = x[i], dy[i], dx[i]
        centre, factor, sum_dy, sum_products = m[i], r[i], 0.0, 0.0
        for j in range(width):
            scaled = upstream[j] * g[j]
            result[j] = scaled * factor
            sum_dy = plus(sum_dy, np.float64(scaled))
            sum_products = plus(sum_products, np.float64(scaled) * np.float64(row[j] - centre))
        for j in range(width):
            sum_g[j] += np.float64(upstream[j]) * np.float64((row[j] - centre) * factor)
            sum_b[j] += upstream[j]
        dm[i], dr[i] = -sum_dy * factor, sum_products
    for j in range(width):
        dg[j], db[j] = sum_g[j], sum_b[j]


@njit(cache=True, nogil=True)
def normalized_vjps_columns(
    dy: Array,
    x: Array,
    m: Array,
    r: Array,
    g: Array,
    dx: Array,
    dm: Array,
    dr: Array,
    dg: Array,
    db: Array,
) -> None:
    """Write the VJPs of `normalized_columns` with respect to each of its inputs."""
    rows, width = x.shape
    products, total = np.zeros(width), np.zeros(width)
    for i in range(rows):
        row, upstream, result = x[i], dy[i], dx[i]
        for j in range(width):
            result[j] = upstream[j] * g[j] * r[j]
            products[j] += np.float64(upstream[j]) * np.float64(row[j] - m[j])
            total[j] += upstream[j]
    for j in range(width):
        dm[j] = -total[j] * g[j] * r[j]
        dr[j], dg[j], db[j] = products[j] * g[j], products[j] * r[j], total[j]


@njit(cache=True, nogil=True)
def product_rows(x: Array, y: Array, z: Array) -> None:
    """Write the dot product of each row of x with that of y."""
    rows, width = x.shape
    for i in range(rows):
        one, other, total = x[i], y[i], 0.0
        for j in range(width):
            total = plus(total, np.float64(one[j]) * np.float64(other[j]))
        z[i] = total


@njit(cache=True, nogil=True)
def product_columns(x: Array, y: Array, z: Array) -> None:
    """Write the dot product of each column of x with that of y."""
    rows, width = x.shape
    total = np.zeros(width)
    for i in range(rows):
        one, other = x[i], y[i]
        for j in range(width):
            total[j] += np.float64(one[j]) * np.float64(other[j])
    for j in range(width):
        z[j] = total[j]


@njit(cache=True, nogil=True)
def sum_rows(x: Array, z: Array) -> None:
    """Write the sum of each row."""
    rows, width = x.shape
    for i in range(rows):
        row, total = x[i], 0.0
        for j in range(width):
            total = plus(total, np.float64(row[j]))
        z[i] = total


@njit(cache=True, nogil=True)
def layer_rows(epsilon: Array, g: Array, b: Array, x: Array, y: Array) -> None:
    """Write each row normalized to mean 0 and variance 1, then times g plus b, column by column."""
    rows, width = x.shape
    moments = np.empty(2, x.dtype)
    for i in range(rows):
        row, result = x[i], y[i]
        write_moments(row, epsilon[0], moments)
        centre, factor = moments[0], moments[1]
        for j in range(width):
            result[j] = (row[j] - centre) * factor * g[j] + b[j]


@njit(cache=True, nogil=True, error_model="numpy")
def write_moments(row: Array, epsilon: Array, moments: Array) -> None:
    """Write the mean of a row and one over its standard deviation into `moments`."""
    total, squares = 0.0, 0.0
    for j in range(row.size):
        total = plus(total, np.float64(row[j]))
    mean = total / row.size
    moments[0] = mean
    centre = moments[0]
    for start in range(0, row.size, BLOCK):
        block = row[start : start + BLOCK]
        part = moments.dtype.type(0)
        for j in range(block.size):
            deviation = block[j] - centre
            part = plus(part, deviation * deviation)
        squares += part
    # The deviations are from the rounded mean: subtract what the rounding added to the variance.
    variance = squares / row.size - (mean - centre) ** 2
    moments[1] = 1 / np.sqrt(variance + epsilon)


@njit(cache=True, nogil=True, fastmath=CONTRACT)
def layer_vjps(
    epsilon: Array, g: Array, dy: Array, x: Array, dx: Array, dg: Array, db: Array
) -> None:
    """Write the VJPs of `layer_rows` with respect to the rows, the scale and the offset."""
    rows, width = x.shape
    sum_g, sum_b = np.zeros(width), np.zeros(width)
    block_g, block_b = np.zeros(width, x.dtype), np.zeros(width, x.dtype)
    moments, means = np.empty(2, x.dtype), np.empty(2, x.dtype)
    for i in range(rows):
        row, upstream, result = x[i], dy[i], dx[i]
        write_moments(row, epsilon[0], moments)
        centre, factor = moments[0], moments[1]
        write_upstream_means(row, upstream, g, moments, means)
        mean_dy, mean_product = means[0], means[1]
        for j in range(width):
            dy_j, normalized = upstream[j], (row[j] - centre) * factor
            result[j] = factor * ((dy_j * g[j] - mean_dy) - normalized * mean_product)
            block_g[j] += dy_j * normalized
            block_b[j] += dy_j
        if i % ROWS == ROWS - 1 or i == rows - 1:
            for j in range(width):
                sum_g[j] += block_g[j]
                sum_b[j] += block_b[j]
            block_g[:] = 0
            block_b[:] = 0
    for j in range(width):
        dg[j], db[j] = sum_g[j], sum_b[j]


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def write_upstream_means(
    row: Array, upstream: Array, g: Array, moments: Array, means: Array
) -> None:
    """Write the means over a row of dy * g, and of dy * g times the normalized row."""
    centre, factor, sum_dy, sum_products = moments[0], moments[1], 0.0, 0.0
    for start in range(0, row.size, BLOCK):
        entries = row[start : start + BLOCK]
        block_upstream, scales = upstream[start : start + BLOCK], g[start : start + BLOCK]
        block_dy, block_products = moments.dtype.type(0), moments.dtype.type(0)
        for j in range(entries.size):
            scaled = block_upstream[j] * scales[j]
            block_dy = plus(block_dy, scaled)
            block_products = plus(block_products, scaled * ((entries[j] - centre) * factor))
        sum_dy += block_dy
        sum_products += block_products
    means[0], means[1] = sum_dy / row.size, sum_products / row.size
