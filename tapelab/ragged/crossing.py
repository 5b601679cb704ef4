"""`tf.ragged.cross`: all combinations of what stands in the same row of several tensors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import numpy as np

from tapelab.core.arrays import typed_array
from tapelab.core.dispatch import public
from tapelab.core.tensor import constant_of
from tapelab.errors import invalid_argument
from tapelab.ragged.factories import as_values
from tapelab.ragged.partition import RowPartition
from tapelab.ragged.shaping import as_deep
from tapelab.ragged.tensor import RaggedTensor

HASH_KEY: Final = 0xDECAFCAFFE
"""Where TensorFlow begins a hash of several features, unless another key is given."""
_FACTOR: Final = 0xC6A4A7935BD1E995
_WORD: Final = (1 << 64) - 1

Combination = tuple[Any, ...]


@public
def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """For each row all combinations of one entry of each input, joined by `_X_`."""
    return _crossed(inputs, _joined, "string")


@public
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """For each row all combinations of one entry of each input, as numbers of buckets."""
    buckets = num_buckets or int(np.iinfo(np.int64).max)
    start = HASH_KEY if hash_key is None else int(hash_key)

    def bucket(parts: Combination) -> int:
        mixed = start
        for part in parts:
            mixed = _mixed(mixed, _digest(part))
        return mixed % buckets

    return _crossed(inputs, bucket, "int64")


def _crossed(inputs: Any, combined: Callable[[Combination], Any], kind: str) -> RaggedTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("`inputs` must be a list of tensors.")
    tables = [as_deep(as_values(each), 1).to_list() for each in inputs]
    if len({len(table) for table in tables}) > 1:
        raise invalid_argument("RaggedCross", "inputs must all have the same batch dimension size.")
    rows = [list(map(combined, product(*row))) for row in zip(*tables, strict=True)]
    flat: Any = typed_array([each for row in rows for each in row], kind)
    lengths = np.array([len(row) for row in rows], np.int64)
    return RaggedTensor._of(constant_of(flat), RowPartition._of_lengths(lengths))


def _joined(parts: Combination) -> bytes:
    return b"_X_".join(each if isinstance(each, bytes) else str(each).encode() for each in parts)


def _digest(part: Any) -> int:
    """The fingerprint of a text; a number stands for itself."""
    from tapelab.strings.fingerprints import fingerprint

    return fingerprint(part) if isinstance(part, bytes) else int(part) & _WORD


def _mixed(one: int, other: int) -> int:
    """Two fingerprints as one, in which their order counts."""
    mixed = one ^ _FACTOR
    mixed ^= _shifted(other * _FACTOR & _WORD) * _FACTOR & _WORD
    mixed = mixed * _FACTOR & _WORD
    return _shifted(_shifted(mixed) * _FACTOR & _WORD)


def _shifted(word: int) -> int:
    return word ^ (word >> 47)
