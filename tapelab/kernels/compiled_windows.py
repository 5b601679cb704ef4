"""What numba compiles of windows that slide over pictures. Only `loader` imports it.

Pictures are (picture, row, entries): the channels of a row lie side by side, column after column.
How a window slides is a line of numbers: its size along both axes, its strides, its dilations, the
margins before the first row and column, and the number of channels.

All windows of a row are served at once, one place in the window after the other. Where windows
follow one another without a gap, what stands at one place of all of them is one run of entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def runs(how: Any, b: int, width: int, count: int) -> Any:
    """Which entries stand at column b of the windows of a row.

    Returns the first of them in the row of the picture and in the row of windows, the length of a
    run, the steps from run to run in both rows, and how many runs there are.
    """
    step, apart, left, channels = how[3], how[5], how[7], how[8]
    ahead = b * apart - left
    first = max(0, -(ahead // step))
    past = min(count, (width - 1 - ahead) // step + 1)
    windows = max(0, past - first)
    start = (first * step + ahead) * channels
    if step == 1:
        return start, first * channels, windows * channels, 0, 0, min(windows, 1)
    return start, first * channels, channels, step * channels, channels, windows


@njit(cache=True, nogil=True)
def max_pool(how: Any, x: Any, y: Any) -> None:
    """The largest entry of each window; NaN if there is one in it."""
    width, count = x.shape[2] // how[8], y.shape[2] // how[8]
    for n in range(x.shape[0]):
        y[n] = -np.inf
        for i in range(y.shape[1]):
            for a in range(how[0]):
                row = i * how[2] + a * how[4] - how[6]
                for b in range(how[1]):
                    at, to, run, step_x, step_y, times = runs(how, b, width, count)
                    for t in range(times if 0 <= row < x.shape[1] else 0):
                        entries = x[n, row][at + t * step_x : at + t * step_x + run]
                        result = y[n, i][to + t * step_y : to + t * step_y + run]
                        for c in range(entries.size):
                            v, held = entries[c], result[c]
                            result[c] = v if v > held or v != v else held  # noqa: PLR0124 - NaN


@njit(cache=True, nogil=True)
def largest_places(how: Any, x: Any, y: Any) -> None:
    """Where in its picture, flattened, the first of the largest entries of each window stands."""
    best = np.empty(y.shape[2], x.dtype)
    width, count = x.shape[2] // how[8], y.shape[2] // how[8]
    for n in range(x.shape[0]):
        y[n] = -1
        for i in range(y.shape[1]):
            best[:] = -np.inf
            for a in range(how[0]):
                row = i * how[2] + a * how[4] - how[6]
                for b in range(how[1]):
                    at, to, run, step_x, step_y, times = runs(how, b, width, count)
                    for t in range(times if 0 <= row < x.shape[1] else 0):
                        entries = x[n, row][at + t * step_x : at + t * step_x + run]
                        held = best[to + t * step_y : to + t * step_y + run]
                        result = y[n, i][to + t * step_y : to + t * step_y + run]
                        first = np.int32(row * x.shape[2] + at + t * step_x)
                        for c in range(entries.size):
                            v, top, place = entries[c], held[c], result[c]
                            wins = v > top or place < 0 or (v != v and top == top)  # noqa: PLR0124
                            held[c] = v if wins else top
                            result[c] = np.int32(first + np.int32(c)) if wins else place


@njit(cache=True, nogil=True)
def put_back(y: Any, places: Any, x: Any) -> None:
    """Add each entry at its place in its picture, both flattened; elsewhere there is 0."""
    for n in range(x.shape[0]):
        entries, at, result = y[n], places[n], x[n]
        for k in range(result.size):
            result[k] = 0
        for k in range(entries.size):
            result[at[k]] += entries[k]


@njit(cache=True, nogil=True)
def windows_sum(how: Any, x: Any, y: Any) -> None:
    """The sum of each window."""
    width, count = x.shape[2] // how[8], y.shape[2] // how[8]
    for n in range(x.shape[0]):
        y[n] = 0
        for i in range(y.shape[1]):
            for a in range(how[0]):
                row = i * how[2] + a * how[4] - how[6]
                for b in range(how[1]):
                    at, to, run, step_x, step_y, times = runs(how, b, width, count)
                    for t in range(times if 0 <= row < x.shape[1] else 0):
                        entries = x[n, row][at + t * step_x : at + t * step_x + run]
                        result = y[n, i][to + t * step_y : to + t * step_y + run]
                        for c in range(entries.size):
                            result[c] += entries[c]


@njit(cache=True, nogil=True)
def windows_spread(how: Any, y: Any, x: Any) -> None:
    """Each entry added to all that its window covers."""
    width, count = x.shape[2] // how[8], y.shape[2] // how[8]
    for n in range(x.shape[0]):
        x[n] = 0
        for i in range(y.shape[1]):
            for a in range(how[0]):
                row = i * how[2] + a * how[4] - how[6]
                for b in range(how[1]):
                    at, to, run, step_x, step_y, times = runs(how, b, width, count)
                    for t in range(times if 0 <= row < x.shape[1] else 0):
                        upstream = y[n, i][to + t * step_y : to + t * step_y + run]
                        result = x[n, row][at + t * step_x : at + t * step_x + run]
                        for c in range(upstream.size):
                            result[c] += upstream[c]


@njit(cache=True, nogil=True)
def windows_back(how: Any, parts: Any, x: Any) -> None:
    """What each window says of each of its entries, added up; for windows without gaps.

    Parts are (picture, row, entries): window after window, each row after row. A row of a window
    is one run of entries in the picture.
    """
    size, channels = how[1], how[8]
    width, whole = x.shape[2] // channels, how[0] * how[1] * how[8]
    count = parts.shape[2] // whole
    for n in range(x.shape[0]):
        x[n] = 0
        for i in range(parts.shape[1]):
            line = parts[n, i]
            for a in range(how[0]):
                row = i * how[2] + a * how[4] - how[6]
                for j in range(count if 0 <= row < x.shape[1] else 0):
                    start = j * how[3] - how[7]
                    first, past = max(0, -start), min(size, width - start)
                    if first < past:
                        at = j * whole + (a * size + first) * channels
                        to = (start + first) * channels
                        run = (past - first) * channels
                        part, result = line[at : at + run], x[n, row][to : to + run]
                        for c in range(part.size):
                            result[c] += part[c]


@njit(cache=True, nogil=True)
def depthwise(how: Any, w: Any, x: Any, y: Any) -> None:
    """Each channel convolved with a filter of its own; w is repeated for each window of a row."""
    width, count = x.shape[2] // how[8], y.shape[2] // how[8]
    for n in range(x.shape[0]):
        y[n] = 0
        for i in range(y.shape[1]):
            for a in range(how[0]):
                row = i * how[2] + a * how[4] - how[6]
                for b in range(how[1]):
                    at, to, run, step_x, step_y, times = runs(how, b, width, count)
                    for t in range(times if 0 <= row < x.shape[1] else 0):
                        entries = x[n, row][at + t * step_x : at + t * step_x + run]
                        factor = w[a, b][to + t * step_y : to + t * step_y + run]
                        result = y[n, i][to + t * step_y : to + t * step_y + run]
                        for c in range(entries.size):
                            result[c] += entries[c] * factor[c]


@njit(cache=True, nogil=True)
def depthwise_input(how: Any, w: Any, y: Any, x: Any) -> None:
    """Each entry laid over its window of the picture, times the filter of its channel."""
    width, count = x.shape[2] // how[8], y.shape[2] // how[8]
    for n in range(x.shape[0]):
        x[n] = 0
        for i in range(y.shape[1]):
            for a in range(how[0]):
                row = i * how[2] + a * how[4] - how[6]
                for b in range(how[1]):
                    at, to, run, step_x, step_y, times = runs(how, b, width, count)
                    for t in range(times if 0 <= row < x.shape[1] else 0):
                        upstream = y[n, i][to + t * step_y : to + t * step_y + run]
                        factor = w[a, b][to + t * step_y : to + t * step_y + run]
                        result = x[n, row][at + t * step_x : at + t * step_x + run]
                        for c in range(upstream.size):
                            result[c] += upstream[c] * factor[c]


@njit(cache=True, nogil=True)
def depthwise_filter(how: Any, x: Any, y: Any, w: Any) -> None:
    """For each entry of the filters, what it met in all windows, times what came of it.

    The sums are kept apart for each window of a row, in 64 bits.
    """
    w[:] = 0
    width, count = x.shape[2] // how[8], y.shape[2] // how[8]
    for n in range(x.shape[0]):
        for i in range(y.shape[1]):
            for a in range(how[0]):
                row = i * how[2] + a * how[4] - how[6]
                for b in range(how[1]):
                    at, to, run, step_x, step_y, times = runs(how, b, width, count)
                    for t in range(times if 0 <= row < x.shape[1] else 0):
                        entries = x[n, row][at + t * step_x : at + t * step_x + run]
                        upstream = y[n, i][to + t * step_y : to + t * step_y + run]
                        total = w[a, b][to + t * step_y : to + t * step_y + run]
                        for c in range(entries.size):
                            total[c] += np.float64(entries[c]) * np.float64(upstream[c])
