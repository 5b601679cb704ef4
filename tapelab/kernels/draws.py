"""Arrays of random numbers from a counter and a key, in TensorFlow's order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tapelab.kernels import philox

RESERVED: Final = 256
"""So many counters are set aside for each number, as some ways of drawing need several tries."""
_MOST_WORDS: Final = 1024
_WIDE: Final = (np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.uint64))

Place = tuple[int, int]
"""A counter and a key."""


def unit(place: Place, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Floats in [0, 1), all equally likely."""
    words = _words(place, shape, wide=dtype.itemsize == 8)
    if dtype.itemsize == 2:
        return _shaped(philox.halves(words, dtype), shape)
    return _shaped((philox.doubles if dtype.itemsize == 8 else philox.floats)(words), shape)


def whole(place: Place, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Integers over the full range of their dtype."""
    words = _words(place, shape, wide=dtype in _WIDE)
    return _shaped(words.reshape(-1).view(dtype), shape)


def below(
    place: Place, shape: tuple[int, ...], dtype: np.dtype[Any], low: int, high: int
) -> Any:  # fmt: skip
    """Integers from the lower limit up to, not including, the upper one."""
    bits = np.dtype(np.uint64 if dtype in _WIDE else np.uint32)
    steps = whole(place, shape, bits) % bits.type(high - low)
    return (steps.astype(dtype) + dtype.type(low)).astype(dtype)


def normal(place: Place, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Numbers from the bell curve."""
    if dtype == np.float64:
        values = philox.bell(philox.doubles(_words(place, shape, wide=True)))
    else:
        values = philox.bell(philox.floats(_words(place, shape, wide=False)))
    return _shaped(values.astype(dtype), shape)


def cut_normal(place: Place, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Numbers from the bell curve, those further away than 2 drawn again."""
    wide = dtype == np.float64
    each = 2 if wide else 4
    groups = -(-math.prod(shape) // each)
    tries = 2
    while True:
        drawn = _tries(place, groups, tries, wide=wide, stride=RESERVED * each // 4)
        near = np.abs(drawn) < 2
        if groups == 0 or near.sum(1).min() >= each:
            break
        tries *= 2
    first = np.argsort(~near, axis=1, kind="stable")[:, :each]
    kept = np.take_along_axis(drawn, first, axis=1)
    return _shaped(kept.reshape(-1).astype(dtype), shape)


def _tries(place: Place, groups: int, tries: int, *, wide: bool, stride: int) -> Any:
    """For each group of results the numbers that it would try one after the other."""
    counter, key = place
    blocks = []
    for at in range(tries):
        words = philox.words(counter + at, key, groups, stride)
        blocks.append(philox.bell(philox.doubles(words) if wide else philox.floats(words)))
    each = 2 if wide else 4
    return np.concatenate([block.reshape(groups, each) for block in blocks], axis=1)


def order(place: Place, count: int) -> list[int]:
    """The numbers from 0 up to the count in a random order."""
    picks = _words(place, (count,), wide=False).reshape(-1).tolist()
    numbers = list(range(count))
    for at in range(count - 1):
        other = at + picks[at] % (count - at)
        numbers[at], numbers[other] = numbers[other], numbers[at]
    return numbers


def classes(place: Place, scores: Any, count: int) -> Any:
    """For each row of scores so many class numbers, the more likely the higher the score."""
    rows = len(scores)
    chances = philox.doubles(_words(place, (rows * count,), wide=True))[: rows * count]
    sound = np.where(np.isfinite(scores), scores, -np.inf).astype(np.float64)
    highest = np.max(sound, axis=1, keepdims=True, initial=-np.inf)
    weights = np.exp(sound - np.where(np.isfinite(highest), highest, 0))
    sums = np.cumsum(weights, axis=1)
    sought = chances.reshape(rows, count) * sums[:, -1:]
    return np.stack([np.searchsorted(a, b, "right") for a, b in zip(sums, sought, strict=True)])


def word_sequence(place: Place) -> Iterator[int]:
    """The words of 32 bits from a place on, one after the other."""
    counter, key = place
    size = 1
    while True:
        yield from philox.words(counter % 2**128, key, size).ravel().tolist()
        counter += size
        size = min(2 * size, _MOST_WORDS)


def _words(place: Place, shape: tuple[int, ...], *, wide: bool) -> Any:
    """Enough random words for an array; one or, if it is wide, two for each number."""
    needed = math.prod(shape) * (2 if wide else 1)
    return philox.words(*place, -(-needed // 4)).reshape(-1)


def _shaped(flat: Any, shape: tuple[int, ...]) -> Any:
    return flat[: math.prod(shape)].reshape(shape)
