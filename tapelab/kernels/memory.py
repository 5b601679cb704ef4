"""Memory for large results, used again once no one holds it.

Fresh memory costs a page fault for each 4 KiB, which takes longer than the arithmetic on it. A
block is free again when the pool alone refers to it; each array made from it, and each view of
such an array, refers to it, too.
"""

from __future__ import annotations

import math
import sys
from _thread import allocate_lock  # `threading.Lock` without the rest of `threading`
from typing import Any, Final

import numpy as np

POOLED_FROM: Final = 2**20
"""Bytes; smaller arrays come from the allocator, which keeps their memory at hand itself."""
MOST: Final = 2**27
"""Bytes that the pool keeps at most; what takes more than half of them is not pooled."""
LINE: Final = 64
"""Bytes that a processor takes from memory at once."""

_blocks: Final[list[Any]] = []
_lock: Final = allocate_lock()


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """An array with anything in it, in rows; a large one begins with a line of the cache."""
    size = math.prod(shape) * dtype.itemsize
    if size < POOLED_FROM or dtype.hasobject:
        return np.empty(shape, dtype)
    block = _block(size) if size <= MOST // 2 else np.empty(size + LINE, np.uint8)
    start = -block.ctypes.data % LINE
    return block[start : start + size].view(dtype).reshape(shape)


def in_rows(x: Any) -> Any:
    """The array itself if its entries lie in rows, else a copy in which they do."""
    if x.flags.c_contiguous:
        return x
    copy = empty(x.shape, x.dtype)
    np.copyto(copy, x)
    return copy


def _block(size: int) -> Any:
    """A block of that many bytes and a line: a free one, or a new one in the place of others."""
    with _lock:
        for block in _blocks:
            if block.size == size + LINE and sys.getrefcount(block) <= _HELD:
                return block
        block = np.empty(size + LINE, np.uint8)
        if _pooled() + size > MOST:
            _blocks[:] = [each for each in _blocks if sys.getrefcount(each) > _HELD]
        if _pooled() + size <= MOST:
            _blocks.append(block)
        return block


def _pooled() -> int:
    """The bytes that the pool keeps for arrays."""
    return sum(each.size - LINE for each in _blocks)


def _references() -> int:
    """How many references there are to a block that is in a list and looked at, and no more."""
    blocks = [np.empty(1, np.uint8)]
    return next(sys.getrefcount(block) for block in blocks)


_HELD: Final = _references()
