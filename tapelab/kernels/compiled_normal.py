"""What numba compiles of means, variances and what is normalized by them. Only `loader` imports it.

Pictures lie flat as (rows, entries), and numbers belong to rows or to columns. Sums are kept in 64
bits, in any order: a column has many entries, and single precision would wear off.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

SUM: Final = {"reassoc", "nsz"}
CONTRACT: Final = {"contract"}
FEW: Final = 2048
"""So many products are summed in their own precision before they join a sum in 64 bits."""
ROWS: Final = 16
"""So many rows are, too, where each column is summed."""


@njit(cache=True, fastmath=SUM)
def plus(total: Any, each: Any) -> Any:
    """A sum that may be formed in any order, and therefore in parallel lanes."""
    return total + each


@njit(cache=True, nogil=True)
def mean_square_rows(x: Any, m: Any, y: Any) -> None:
    """The mean of the squared distances in each row from its number in m."""
    rows, width = x.shape
    for i in range(rows):
        row, centre, total = x[i], m[i], 0.0
        for j in range(width):
            away = np.float64(row[j] - centre)
            total = plus(total, away * away)
        y[i] = total / width


@njit(cache=True, nogil=True)
def mean_square_columns(x: Any, m: Any, y: Any) -> None:
    """The mean of the squared distances in each column from its number in m."""
    rows, width = x.shape
    total = np.zeros(width)
    for i in range(rows):
        row = x[i]
        for j in range(width):
            away = np.float64(row[j] - m[j])
            total[j] += away * away
    for j in range(width):
        y[j] = total[j] / rows


@njit(cache=True, nogil=True)
def distance_rows(scale: Any, x: Any, m: Any, y: Any) -> None:
    """The distance from the number of each row, times another number of the row."""
    rows, width = x.shape
    for i in range(rows):
        row, result, centre, factor = x[i], y[i], m[i], scale[i]
        for j in range(width):
            result[j] = factor * (row[j] - centre)


@njit(cache=True, nogil=True)
def distance_columns(scale: Any, x: Any, m: Any, y: Any) -> None:
    """The distance from the number of each column, times another number of the column."""
    rows, width = x.shape
    for i in range(rows):
        row, result = x[i], y[i]
        for j in range(width):
            result[j] = scale[j] * (row[j] - m[j])


@njit(cache=True, nogil=True)
def normalized_rows(x: Any, m: Any, r: Any, g: Any, b: Any, y: Any) -> None:
    """(x - m) * r * g + b with m and r for each row, g and b for each column."""
    rows, width = x.shape
    for i in range(rows):
        row, result, centre, factor = x[i], y[i], m[i], r[i]
        for j in range(width):
            result[j] = (row[j] - centre) * factor * g[j] + b[j]


@njit(cache=True, nogil=True)
def normalized_columns(x: Any, m: Any, r: Any, g: Any, b: Any, y: Any) -> None:
    """(x - m) * r * g + b with numbers for each column."""
    rows, width = x.shape
    for i in range(rows):
        row, result = x[i], y[i]
        for j in range(width):
            result[j] = (row[j] - m[j]) * r[j] * g[j] + b[j]


@njit(cache=True, nogil=True)
def normalized_vjps_rows(
    dy: Any, x: Any, m: Any, r: Any, g: Any, dx: Any, dm: Any, dr: Any, dg: Any, db: Any
) -> None:
    """The VJPs of `normalized_rows`, to all that it takes."""
    rows, width = x.shape
    of_g, of_b = np.zeros(width), np.zeros(width)
    for i in range(rows):
        row, upstream, result = x[i], dy[i], dx[i]
        centre, factor, moved, scaled = m[i], r[i], 0.0, 0.0
        for j in range(width):
            each = upstream[j] * g[j]
            result[j] = each * factor
            moved = plus(moved, np.float64(each))
            scaled = plus(scaled, np.float64(each) * np.float64(row[j] - centre))
        for j in range(width):
            of_g[j] += np.float64(upstream[j]) * np.float64((row[j] - centre) * factor)
            of_b[j] += upstream[j]
        dm[i], dr[i] = -moved * factor, scaled
    for j in range(width):
        dg[j], db[j] = of_g[j], of_b[j]


@njit(cache=True, nogil=True)
def normalized_vjps_columns(
    dy: Any, x: Any, m: Any, r: Any, g: Any, dx: Any, dm: Any, dr: Any, dg: Any, db: Any
) -> None:
    """The VJPs of `normalized_columns`, to all that it takes."""
    rows, width = x.shape
    met, total = np.zeros(width), np.zeros(width)
    for i in range(rows):
        row, upstream, result = x[i], dy[i], dx[i]
        for j in range(width):
            result[j] = upstream[j] * g[j] * r[j]
            met[j] += np.float64(upstream[j]) * np.float64(row[j] - m[j])
            total[j] += upstream[j]
    for j in range(width):
        dm[j] = -total[j] * g[j] * r[j]
        dr[j], dg[j], db[j] = met[j] * g[j], met[j] * r[j], total[j]


@njit(cache=True, nogil=True)
def product_rows(x: Any, y: Any, z: Any) -> None:
    """The sum of the products in each row."""
    rows, width = x.shape
    for i in range(rows):
        one, other, total = x[i], y[i], 0.0
        for j in range(width):
            total = plus(total, np.float64(one[j]) * np.float64(other[j]))
        z[i] = total


@njit(cache=True, nogil=True)
def product_columns(x: Any, y: Any, z: Any) -> None:
    """The sum of the products in each column."""
    rows, width = x.shape
    total = np.zeros(width)
    for i in range(rows):
        one, other = x[i], y[i]
        for j in range(width):
            total[j] += np.float64(one[j]) * np.float64(other[j])
    for j in range(width):
        z[j] = total[j]


@njit(cache=True, nogil=True)
def sum_rows(x: Any, z: Any) -> None:
    """The sum of each row."""
    rows, width = x.shape
    for i in range(rows):
        row, total = x[i], 0.0
        for j in range(width):
            total = plus(total, np.float64(row[j]))
        z[i] = total


@njit(cache=True, nogil=True)
def layer_rows(epsilon: Any, g: Any, b: Any, x: Any, y: Any) -> None:
    """Each row moved to mean 0 and variance 1, then scaled and shifted column by column."""
    rows, width = x.shape
    known = np.empty(2, x.dtype)
    for i in range(rows):
        row, result = x[i], y[i]
        even_out(row, epsilon[0], known)
        centre, factor = known[0], known[1]
        for j in range(width):
            result[j] = (row[j] - centre) * factor * g[j] + b[j]


@njit(cache=True, nogil=True, error_model="numpy")
def even_out(row: Any, epsilon: Any, known: Any) -> None:
    """Write down the mean of a row, and one over the root of its variance."""
    total, squares = 0.0, 0.0
    for j in range(row.size):
        total = plus(total, np.float64(row[j]))
    mean = total / row.size
    known[0] = mean
    centre = known[0]
    for start in range(0, row.size, FEW):
        some = row[start : start + FEW]
        part = known.dtype.type(0)
        for j in range(some.size):
            away = some[j] - centre
            part = plus(part, away * away)
        squares += part
    # The squares are of distances from the mean as it is rounded: what that adds comes off again.
    variance = squares / row.size - (mean - centre) ** 2
    known[1] = 1 / np.sqrt(variance + epsilon)


@njit(cache=True, nogil=True, fastmath=CONTRACT)
def layer_vjps(epsilon: Any, g: Any, dy: Any, x: Any, dx: Any, dg: Any, db: Any) -> None:
    """The VJPs of `layer_rows` to the rows, the scales and the shifts."""
    rows, width = x.shape
    of_g, of_b = np.zeros(width), np.zeros(width)
    some_g, some_b = np.zeros(width, x.dtype), np.zeros(width, x.dtype)
    known, means = np.empty(2, x.dtype), np.empty(2, x.dtype)
    for i in range(rows):
        row, upstream, result = x[i], dy[i], dx[i]
        even_out(row, epsilon[0], known)
        centre, factor = known[0], known[1]
        shares(row, upstream, g, known, means)
        moved, stretched = means[0], means[1]
        for j in range(width):
            each, even = upstream[j], (row[j] - centre) * factor
            result[j] = factor * ((each * g[j] - moved) - even * stretched)
            some_g[j] += each * even
            some_b[j] += each
        if i % ROWS == ROWS - 1 or i == rows - 1:
            for j in range(width):
                of_g[j] += some_g[j]
                of_b[j] += some_b[j]
            some_g[:] = 0
            some_b[:] = 0
    for j in range(width):
        dg[j], db[j] = of_g[j], of_b[j]


@njit(cache=True, nogil=True, fastmath=CONTRACT, error_model="numpy")
def shares(row: Any, upstream: Any, g: Any, known: Any, means: Any) -> None:
    """Write down how far upstream moves a whole row on average, and how far it stretches it."""
    centre, factor, moved, stretched = known[0], known[1], 0.0, 0.0
    for start in range(0, row.size, FEW):
        entries = row[start : start + FEW]
        some, scales = upstream[start : start + FEW], g[start : start + FEW]
        one, other = known.dtype.type(0), known.dtype.type(0)
        for j in range(entries.size):
            inner = some[j] * scales[j]
            one = plus(one, inner)
            other = plus(other, inner * ((entries[j] - centre) * factor))
        moved += one
        stretched += other
    means[0], means[1] = moved / row.size, stretched / row.size
