"""Permutations of index ranges without a list of them: a small Simon cipher, as TensorFlow's.

The cipher permutes all numbers of an even count of bits; a result above the range is ciphered again
until it lies in it (Black and Rogaway 2002; Beaulieu and others 2013).
"""

from __future__ import annotations

from typing import Final

_FEWEST_BITS: Final = 16
_CONSTANT: Final = 0xFFFFFFFC


def shuffled_index(index: int, key: tuple[int, int, int], last: int) -> int:
    """Where an index of the range 0 … last lies in the permutation of a key."""
    if last == 0:
        return 0
    bits = (last - 1).bit_length()
    width = max(bits + bits % 2, _FEWEST_BITS) // 2
    keys = _round_keys(key, width)
    while True:
        index = _ciphered(index, keys, width)
        if index <= last:
            return index


def _round_keys(key: tuple[int, int, int], width: int) -> list[int]:
    mask = (1 << width) - 1
    keys = [part & mask for part in key]
    last = keys[-1]
    turned = _turned(last, width - 3, width) ^ _turned(last, width - 4, width)
    return [*keys, (_CONSTANT & mask) ^ 1 ^ keys[0] ^ turned]


def _ciphered(value: int, keys: list[int], width: int) -> int:
    mask = (1 << width) - 1
    left, right = value >> width & mask, value & mask
    for first, second in zip(keys[::2], keys[1::2], strict=True):
        left ^= _mixed(right, width) ^ first
        right ^= _mixed(left, width) ^ second
    return left << width | right


def _mixed(word: int, width: int) -> int:
    return _turned(word, 1, width) & _turned(word, 8, width) ^ _turned(word, 2, width)


def _turned(word: int, by: int, width: int) -> int:
    """The bits of a word turned to the left."""
    return (word << by | word >> (width - by)) & ((1 << width) - 1)
