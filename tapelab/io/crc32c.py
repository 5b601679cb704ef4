"""CRC-32C: the checksum of TensorFlow's files, of records as of the tensors in a checkpoint.

The register of a CRC is linear in its start and in the data. So the data is cut into segments of
equal length whose registers NumPy computes side by side, and they are joined in pairs: the left one
is advanced over as many zeros as the right one is long, then the right one is added. A step over
zeros is a matrix of bits; it is computed along with the segments, from the 32 unit vectors.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

POLYNOMIAL: Final = np.uint32(0x82F63B78)
SHORT: Final = 512
"""Below this many bytes, a loop over the bytes is faster."""
MOST_SEGMENTS: Final = 1 << 13
_MASK_DELTA: Final = 0xA282EAD8
_ALL: Final = 0xFFFFFFFF

Registers = NDArray[np.uint32]


def _byte_table() -> Registers:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ POLYNOMIAL, table >> 1).astype(np.uint32)
    return table


_TABLE: Final = _byte_table()
_STEPS: Final[list[int]] = _TABLE.tolist()


def crc32c(data: bytes | NDArray[Any], before: int = 0) -> int:
    """Return the checksum of bytes; `before` is that of the bytes in front of them."""
    values = np.frombuffer(data, np.uint8)
    register = before ^ _ALL
    segments = 1
    while 4 * segments * segments <= values.size and segments < MOST_SEGMENTS:
        segments *= 2
    if values.size >= SHORT:
        size = values.size // segments
        register = _by_segments(values[: segments * size].reshape(segments, size), register)
        values = values[segments * size :]
    for value in values.tolist():
        register = _STEPS[(register ^ value) & 0xFF] ^ register >> 8
    return register ^ _ALL


def masked_crc32c(data: bytes | NDArray[Any]) -> int:
    """Return the checksum as files store it."""
    return mask(crc32c(data))


def mask(checksum: int) -> int:
    """Return a checksum rotated and shifted, so that one of data with checksums in it is sound."""
    return ((checksum >> 15 | checksum << 17) + _MASK_DELTA) & _ALL


def _by_segments(segments: NDArray[np.uint8], start: int) -> int:
    """The register after all segments, one behind the other."""
    count = len(segments)
    units = np.left_shift(np.uint32(1), np.arange(32, dtype=np.uint32))
    registers = np.concatenate([np.zeros(count, np.uint32), units])
    registers[0] = start
    columns = np.zeros((segments.shape[1], count + 32), np.uint8)
    columns[:, :count] = segments.T
    for column in columns:
        registers = _TABLE[(registers ^ column) & 0xFF] ^ registers >> 8
    joined, step = registers[:count], registers[count:]
    while len(joined) > 1:
        joined = _advanced(joined[::2], step) ^ joined[1::2]
        step = _advanced(step, step)
    return int(joined[0])


def _advanced(registers: Registers, step: Registers) -> Registers:
    """Registers after a step over zeros, which is the matrix of its results for the units."""
    result = np.zeros_like(registers)
    for bit, column in enumerate(step):
        result ^= (registers >> bit & 1) * column
    return result
