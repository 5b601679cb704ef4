"""Philox: random bits as a function of a counter and a key, after Salmon and others (2011).

Ten rounds of multiplying and mixing turn four counted words into four random ones. TensorFlow
draws in this way, too, so that equal seeds give equal numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

_WORD: Final = np.uint64(0xFFFFFFFF)
_SHIFT: Final = np.uint64(32)
_MULTIPLIERS: Final = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_STEPS: Final = 0x9E3779B9, 0xBB67AE85
_ROUNDS: Final = 10
_FEW: Final = 8
_CHUNK: Final = 8192
"""So many counters at a time stay in the processor's cache."""
_SEED_KEY: Final = 0x02461E293EC8F720
"""The key with which a seed of two numbers is scrambled into a key and a counter."""


def words(counter: int, key: int, count: int, stride: int = 1) -> Any:
    """Random words of 32 bits, four a row, for `count` counters that lie `stride` apart."""
    if count <= _FEW:
        return _few(counter, key, range(0, count * stride, stride))
    step = np.uint64(stride)
    return _many(
        counter, key, count, lambda start, stop: np.arange(start, stop, dtype=np.uint64) * step
    )


def words_at(counter: int, key: int, offsets: Any) -> Any:
    """Random words of 32 bits, four a row, for the counters that lie so far after the first."""
    if len(offsets) <= _FEW:
        return _few(counter, key, offsets.tolist())
    return _many(counter, key, len(offsets), lambda start, stop: offsets[start:stop])


def _few(counter: int, key: int, offsets: Sequence[int]) -> Any:
    numbers = [_one((counter + offset) % 2**128, key) for offset in offsets]
    return np.array(numbers, np.uint32).reshape(len(offsets), 4)


def _many(counter: int, key: int, count: int, offsets: Callable[[int, int], Any]) -> Any:
    random_words = np.empty((count, 4), np.uint32)
    for start in range(0, count, _CHUNK):
        rows = random_words[start : start + _CHUNK]
        counters = _counters(counter, offsets(start, start + len(rows)))
        for place, word in enumerate(_mixed(counters, key)):
            rows[:, place] = word
    return random_words


def _one(counter: int, key: int) -> tuple[int, ...]:
    """The words of one counter, in Python's integers: for a few that is the fastest."""
    a, b, c, d = (counter >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96))
    k, m = key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF
    for _ in range(_ROUNDS):
        first, second = a * 0xD2511F53, c * 0xCD9E8D57
        a, b = second >> 32 ^ b ^ k, second & 0xFFFFFFFF
        c, d = first >> 32 ^ d ^ m, first & 0xFFFFFFFF
        k, m = (k + _STEPS[0]) & 0xFFFFFFFF, (m + _STEPS[1]) & 0xFFFFFFFF
    return a, b, c, d


def _counters(counter: int, offsets: Any) -> list[Any]:
    """The four words of each counter; what the lower half loses is carried into the upper one."""
    first = np.uint64(counter & (2**64 - 1))
    with np.errstate(over="ignore"):
        low = offsets + first
        high = (low < first).astype(np.uint64) + np.uint64(counter >> 64 & (2**64 - 1))
    return [low & _WORD, low >> _SHIFT, high & _WORD, high >> _SHIFT]


def _mixed(x: list[Any], key: int) -> list[Any]:
    """Ten rounds, each of two products whose halves change places; in place, as there are many."""
    keys = [key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF]
    first, second = np.empty_like(x[0]), np.empty_like(x[0])
    for _ in range(_ROUNDS):
        np.multiply(x[0], _MULTIPLIERS[0], out=first)
        np.multiply(x[2], _MULTIPLIERS[1], out=second)
        for product, to, by, step in ((second, 0, 1, keys[0]), (first, 2, 3, keys[1])):
            np.right_shift(product, _SHIFT, out=x[to])
            x[to] ^= x[by]
            x[to] ^= np.uint64(step)
            np.bitwise_and(product, _WORD, out=x[by])
        keys = [(each + step) & 0xFFFFFFFF for each, step in zip(keys, _STEPS, strict=True)]
    return x


def scrambled(seed: tuple[int, int]) -> tuple[int, int]:
    """The counter and the key that a seed of two numbers stands for."""
    first, second = (each % 2**64 for each in seed)
    mixed = words(first | second << 64, _SEED_KEY, 1)[0].tolist()
    return (mixed[2] | mixed[3] << 32) << 64, mixed[0] | mixed[1] << 32


def floats(words: Any) -> Any:
    """One number of 32 bits in [0, 1) from each word."""
    return ((words & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def doubles(words: Any) -> Any:
    """One number of 64 bits in [0, 1) from each pair of words."""
    pairs = words.reshape(-1, 2).astype(np.uint64)
    bits = np.uint64(1023 << 52) | (pairs[:, 0] & np.uint64(0xFFFFF)) << _SHIFT | pairs[:, 1]
    return bits.view(np.float64) - 1.0


def halves(words: Any, dtype: np.dtype[Any]) -> Any:
    """One number of 16 bits in [0, 1) from each word; bfloat16 has 7 bits for its fraction."""
    fraction, exponent = (10, 15) if dtype.kind == "f" else (7, 127)
    low = words.astype(np.uint16) & np.uint16((1 << fraction) - 1)
    return (low | np.uint16(exponent << fraction)).view(dtype) - dtype.type(1)


def bell(unit: Any) -> Any:
    """Two numbers from the bell curve from each pair in [0, 1), by the way of Box and Muller."""
    kind = unit.dtype.type
    pairs = unit.reshape(-1, 2)
    away = np.sqrt(kind(-2) * np.log(np.maximum(pairs[:, 0], kind(1e-7))))
    turn = np.multiply(pairs[:, 1], 2 * np.pi, dtype=np.float64).astype(kind)
    return np.stack([np.sin(turn) * away, np.cos(turn) * away], axis=1).reshape(-1)
