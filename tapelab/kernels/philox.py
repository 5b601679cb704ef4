"""Philox: random bits as a function of a counter and a key, after Salmon and others (2011).

Ten rounds of multiplying and mixing turn four counted words into four random ones. TensorFlow
draws in this way, too, so that equal seeds give equal numbers.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_WORD: Final = np.uint64(0xFFFFFFFF)
_SHIFT: Final = np.uint64(32)
_MULTIPLIERS: Final = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_STEPS: Final = 0x9E3779B9, 0xBB67AE85
_ROUNDS: Final = 10
_SEED_KEY: Final = 0x02461E293EC8F720
"""The key with which a seed of two numbers is scrambled into a key and a counter."""


def words(counter: int, key: int, count: int, stride: int = 1) -> Any:
    """Random words of 32 bits, four a row, for `count` counters that lie `stride` apart."""
    low = _counted(counter & (2**64 - 1), count, stride)
    carried = (low < np.uint64(counter & (2**64 - 1))).astype(np.uint64)
    high = np.uint64((counter >> 64) & (2**64 - 1)) + carried
    x = [low & _WORD, low >> _SHIFT, high & _WORD, high >> _SHIFT]
    keys = [key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF]
    for _ in range(_ROUNDS):
        x = _mixed(x, keys)
        keys = [(each + step) & 0xFFFFFFFF for each, step in zip(keys, _STEPS, strict=True)]
    return np.stack(x, axis=-1).astype(np.uint32)


def _counted(start: int, count: int, stride: int) -> Any:
    with np.errstate(over="ignore"):
        return np.uint64(start) + np.arange(count, dtype=np.uint64) * np.uint64(stride)


def _mixed(x: list[Any], keys: list[int]) -> list[Any]:
    first, second = x[0] * _MULTIPLIERS[0], x[2] * _MULTIPLIERS[1]
    return [
        (second >> _SHIFT) ^ x[1] ^ np.uint64(keys[0]),
        second & _WORD,
        (first >> _SHIFT) ^ x[3] ^ np.uint64(keys[1]),
        first & _WORD,
    ]


def scrambled(seed: tuple[int, int]) -> tuple[int, int]:
    """The counter and the key that a seed of two numbers stands for."""
    first, second = (each % 2**64 for each in seed)
    mixed = words(first | second << 64, _SEED_KEY, 1)[0].tolist()
    return (mixed[2] | mixed[3] << 32) << 64, mixed[0] | mixed[1] << 32


def floats(found: Any) -> Any:
    """One number of 32 bits in [0, 1) from each word."""
    return ((found & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def doubles(found: Any) -> Any:
    """One number of 64 bits in [0, 1) from each pair of words."""
    pairs = found.reshape(-1, 2).astype(np.uint64)
    bits = np.uint64(1023 << 52) | (pairs[:, 0] & np.uint64(0xFFFFF)) << _SHIFT | pairs[:, 1]
    return bits.view(np.float64) - 1.0


def halves(found: Any, dtype: np.dtype[Any]) -> Any:
    """One number of 16 bits in [0, 1) from each word; bfloat16 has 7 bits for its fraction."""
    fraction, exponent = (10, 15) if dtype.kind == "f" else (7, 127)
    low = found.astype(np.uint16) & np.uint16((1 << fraction) - 1)
    return (low | np.uint16(exponent << fraction)).view(dtype) - dtype.type(1)


def bell(unit: Any) -> Any:
    """Two numbers from the bell curve from each pair in [0, 1), by the way of Box and Muller."""
    kind = unit.dtype.type
    pairs = unit.reshape(-1, 2)
    away = np.sqrt(kind(-2) * np.log(np.maximum(pairs[:, 0], kind(1e-7))))
    turn = kind(2 * np.pi) * pairs[:, 1]
    return np.stack([np.sin(turn) * away, np.cos(turn) * away], axis=1).reshape(-1)
