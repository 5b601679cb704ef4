"""Gamma, Poisson and binomial numbers by rejection, in TensorFlow's order.

Each number has a stream of its own: it begins a fixed count of counters after that of the number
before, so that how many tries one number needs does not change the next. A stream yields blocks of
two doubles, which are used from the last to the first. All numbers that still need a try are tried
at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import numpy as np

from tapelab.kernels import draws, philox

_APART: Final = 256
_APART_INVERSION: Final = 42
_TAILS: Final = np.array([
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
    0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
    0.00925546218271273, 0.00833056343336287,
])  # fmt: skip
"""What Stirling's formula leaves out of log(k!) for small k."""


class _Streams:
    """The streams of numbers, by the rows of the numbers."""

    def __init__(self, place: draws.Place, starts: Any) -> None:
        self._place = place
        self._next = starts.astype(np.uint64)

    def block(self, rows: Any) -> Any:
        """The next four words of each of these rows."""
        words = philox.words_at(*self._place, self._next[rows])
        self._next[rows] += np.uint64(1)
        return words


class _Doubles:
    """Numbers made of the blocks of streams, two of a block; those left wait for the next try."""

    def __init__(self, streams: _Streams, size: int, *, normal: bool = False) -> None:
        self._streams = streams
        self._normal = normal
        self._values = np.empty((size, 2))
        self._left = np.zeros(size, np.intp)

    def next(self, rows: Any) -> Any:
        """The next number of each of these rows."""
        empty = rows[self._left[rows] == 0]
        if empty.size:
            unit = philox.doubles(self._streams.block(empty))
            self._values[empty] = (philox.bell(unit) if self._normal else unit).reshape(-1, 2)
            self._left[empty] = 2
        self._left[rows] -= 1
        return self._values[rows, self._left[rows]]


def gamma(place: draws.Place, shapes: Any, size: tuple[int, ...]) -> Any:
    """Gamma-distributed numbers for an array of shapes, after Marsaglia and Tsang (2000).

    `size` ends with the shape of the array of shapes.
    """
    return _arranged(_gamma, place, size, shapes.astype(np.float64))


def poisson(place: draws.Place, rates: Any, size: tuple[int, ...]) -> Any:
    """Poisson-distributed counts for an array of rates, after Knuth and Hörmann (1993)."""
    return _arranged(_poisson, place, size, rates.astype(np.float64))


def binomial(place: draws.Place, tries: Any, chances: Any, size: tuple[int, ...]) -> Any:
    """Counts of successes of so many tries with a chance each, after Hörmann (1993)."""
    return _arranged(_binomial, place, size, *np.broadcast_arrays(tries, chances))


def _arranged(
    draw: Callable[..., Any], place: draws.Place, size: tuple[int, ...], *parameters: Any
) -> Any:
    """Draw for each parameter all of its numbers, and put the parameters on the last axes."""
    count = parameters[0].size
    each = math.prod(size) // count if count else 0
    with np.errstate(all="ignore"):
        numbers = draw(place, *[np.repeat(parameter.ravel(), each) for parameter in parameters])
    return numbers.reshape(count, each).T.reshape(size)


def _gamma(place: draws.Place, shapes: Any) -> Any:
    streams = _Streams(place, np.arange(shapes.size) * _APART)
    uniform, normal = (_Doubles(streams, shapes.size, normal=kind) for kind in (False, True))
    numbers = np.full(shapes.size, np.nan)
    exponential = np.flatnonzero(shapes == 1)
    numbers[exponential] = -np.log1p(-uniform.next(exponential))
    middle = shapes + np.where(shapes < 1, 2 / 3, -1 / 3)
    width = 1 / 3 / np.sqrt(middle)
    waiting = np.flatnonzero(middle * (shapes != 1) > 0)
    while waiting.size:
        x = normal.next(waiting)
        cube = 1 + width[waiting] * x
        inside = cube > 0
        rows, x, cube = waiting[inside], x[inside], cube[inside] ** 3
        share = uniform.next(rows)
        limit = 0.5 * x * x + middle[rows] * (1 - cube + np.log(cube))
        accepted = (share < 1 - 0.0331 * (x * x) * (x * x)) | (np.log(share) < limit)
        done = rows[accepted]
        numbers[done] = middle[done] * cube[accepted]
        small = done[shapes[done] < 1]
        numbers[small] *= uniform.next(small) ** (1 / shapes[small])
        waiting = np.concatenate([waiting[~inside], rows[~accepted]])
    return numbers


def _poisson(place: draws.Place, rates: Any) -> Any:
    uniform = _Doubles(_Streams(place, np.arange(rates.size) * _APART), rates.size)
    counts = np.full(rates.size, np.nan)
    _count_until(np.flatnonzero(rates < 10), rates, uniform, counts)
    _transform_poisson(np.flatnonzero(rates >= 10), rates, uniform, counts)
    return counts


def _count_until(waiting: Any, rates: Any, uniform: _Doubles, counts: Any) -> None:
    """Count how many uniform numbers can be multiplied before the product is too small."""
    products = np.ones(rates.size)
    count = 0
    while waiting.size:
        products[waiting] *= uniform.next(waiting)
        small = products[waiting] <= np.exp(-rates[waiting])
        counts[waiting[small]] = count
        waiting = waiting[~small]
        count += 1


def _transform_poisson(waiting: Any, rates: Any, uniform: _Doubles, counts: Any) -> None:
    gammaln = import_module("scipy.special").gammaln

    while waiting.size:
        rate = rates[waiting]
        b = 0.931 + 2.53 * np.sqrt(rate)
        a = -0.059 + 0.02483 * b
        u, v = uniform.next(waiting) - 0.5, uniform.next(waiting)
        shifted = 0.5 - np.abs(u)
        k = np.floor((2 * a / shifted + b) * u + rate + 0.43)
        inside = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        outside = (k < 0) | ((shifted < 0.013) & (v > shifted))
        inverse = 1.1239 + 1.1328 / (b - 3.4)
        height = np.log(v * inverse / (a / (shifted * shifted) + b))
        below = height <= -rate + k * np.log(rate) - gammaln(k + 1)
        accepted = inside | (~outside & below)
        counts[waiting[accepted]] = k[accepted]
        waiting = waiting[~accepted]


def _binomial(place: draws.Place, tries: Any, chances: Any) -> Any:
    """Small means are drawn by inversion, large ones by transformation; chances over ½ mirrored."""
    chances = chances.astype(tries.dtype)
    mirrored = chances > 0.5
    rarer = np.where(mirrored, chances.dtype.type(1) - chances, chances)
    large = tries * rarer >= 10
    certain = (tries <= 0) | (chances <= 0) | (chances >= 1)
    count = tries.astype(np.float64)
    counts = np.where(chances >= 1, np.maximum(count, 0), 0.0)
    chance, size = rarer.astype(np.float64), tries.size
    starts = np.arange(size) * np.where(large, _APART, _APART_INVERSION)
    uniform = _Doubles(_Streams(place, starts), size)
    _invert_binomial(np.flatnonzero(~large & ~certain), count, chance, uniform, counts)
    _transform_binomial(np.flatnonzero(large & ~certain), count, chance, uniform, counts)
    return np.where(mirrored & ~certain, count - counts, counts)


def _invert_binomial(
    waiting: Any, count: Any, chance: Any, uniform: _Doubles, counts: Any
) -> None:  # fmt: skip
    """Count how many waiting times fit into the number of tries."""
    sums = np.zeros(count.size)
    successes = 0
    while waiting.size:
        sums[waiting] += np.ceil(np.log(uniform.next(waiting)) / np.log1p(-chance[waiting]))
        over = sums[waiting] > count[waiting]
        counts[waiting[over]] = successes
        waiting = waiting[~over]
        successes += 1


def _transform_binomial(
    waiting: Any, count: Any, chance: Any, uniform: _Doubles, counts: Any
) -> None:  # fmt: skip
    while waiting.size:
        n, p = count[waiting], chance[waiting]
        deviation = np.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * p
        u, v = uniform.next(waiting) - 0.5, uniform.next(waiting)
        shifted = 0.5 - np.abs(u)
        k = np.floor((2 * a / shifted + b) * u + (n * p + 0.5))
        inside = (shifted >= 0.07) & (v <= 0.92 - 4.2 / b)
        mode, odds = np.floor((n + 1) * p), p / (1 - p)
        height = np.log(v * (2.83 + 5.1 / b) * deviation / (a / (shifted * shifted) + b))
        bound = (
            (mode + 0.5) * np.log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * np.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * np.log(odds * (n - k + 1) / (k + 1))
            + _tail(mode) + _tail(n - mode) - _tail(k) - _tail(n - k)
        )  # fmt: skip
        accepted = inside | ((k >= 0) & (k <= n) & (height <= bound))
        counts[waiting[accepted]] = k[accepted]
        waiting = waiting[~accepted]


def _tail(k: Any) -> Any:
    """What Stirling's formula leaves out of log(k!)."""
    square = (k + 1) ** 2
    large = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, _TAILS[np.clip(k, 0, 9).astype(np.intp)], large)
