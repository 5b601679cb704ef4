"""What numba compiles of means, variances and what is normalized by them. Only `loader` imports it.

Pictures lie flat as (rows, entries), and numbers belong to rows or to columns. Sums are kept in 64
bits, in any order: a column has many entries, and single precision would wear off.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

SUM: Final = {"reassoc", "nsz"}


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
def normalized_slopes_rows(
    dy: Any, x: Any, m: Any, r: Any, g: Any, dx: Any, dm: Any, dr: Any, dg: Any, db: Any
) -> None:
    """The ways back of `normalized_rows`, to all that it takes."""
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
def normalized_slopes_columns(
    dy: Any, x: Any, m: Any, r: Any, g: Any, dx: Any, dm: Any, dr: Any, dg: Any, db: Any
) -> None:
    """The ways back of `normalized_columns`, to all that it takes."""
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


@njit(cache=True, nogil=True)
def even_out(row: Any, epsilon: Any, known: Any) -> None:
    """Write down the mean of a row, and one over the root of its variance."""
    total, squares = 0.0, 0.0
    for j in range(row.size):
        total = plus(total, np.float64(row[j]))
    centre = total / row.size
    for j in range(row.size):
        away = np.float64(row[j]) - centre
        squares = plus(squares, away * away)
    known[0], known[1] = centre, 1 / np.sqrt(squares / row.size + epsilon)


@njit(cache=True, nogil=True)
def layer_slopes(epsilon: Any, g: Any, dy: Any, x: Any, dx: Any, dg: Any, db: Any) -> None:
    """The ways back of `layer_rows` to the rows, the scales and the shifts."""
    rows, width = x.shape
    of_g, of_b = np.zeros(width), np.zeros(width)
    known, means = np.empty(2, x.dtype), np.empty(2, x.dtype)
    even, inner = np.empty(width, x.dtype), np.empty(width, x.dtype)
    for i in range(rows):
        row, upstream, result, moved, scaled = x[i], dy[i], dx[i], 0.0, 0.0
        even_out(row, epsilon[0], known)
        centre, factor = known[0], known[1]
        for j in range(width):
            even[j] = (row[j] - centre) * factor
            inner[j] = upstream[j] * g[j]
        for j in range(width):
            of_g[j] += np.float64(upstream[j] * even[j])
            of_b[j] += np.float64(upstream[j])
        for j in range(width):
            moved = plus(moved, np.float64(inner[j]))
            scaled = plus(scaled, np.float64(inner[j] * even[j]))
        means[0], means[1] = moved / width, scaled / width
        of_inner, of_even = means[0], means[1]
        for j in range(width):
            result[j] = factor * ((inner[j] - of_inner) - even[j] * of_even)
    for j in range(width):
        dg[j], db[j] = of_g[j], of_b[j]
