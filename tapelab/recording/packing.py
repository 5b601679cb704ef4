"""Long recordings in a tenth of the room: the bytes of each column's numbers sorted, then gzip."""

from __future__ import annotations

import gzip
import zlib
from typing import Final

import numpy as np

from tapelab.errors import RecordingError

GZIP: Final = b"\x1f\x8b"
"""How packed bytes begin."""
LANES: Final = 8
"""The bytes of the widest numbers: so many stand apart."""
PACKED_ABOVE: Final = 100_000
"""So many bytes of a recording are kept as they are; more are packed."""


def packed(data: bytes) -> bytes:
    """The bytes of a recording as they are kept: packed where they are many."""
    return pack(data) if len(data) > PACKED_ABOVE else data


def pack(data: bytes) -> bytes:
    """Bytes in as little room as takes no time to make."""
    return gzip.compress(lanes(data), 1, mtime=0)


def unpacked(data: bytes) -> bytes:
    """The bytes of a recording, whether they come packed or as they are."""
    if data[:2] != GZIP:
        return data
    try:
        sorted_bytes = gzip.decompress(data)
        return np.frombuffer(sorted_bytes, np.uint8).reshape(LANES, -1).T.tobytes()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RecordingError(
            f"This recording is cut short or damaged: it cannot be unpacked ({error}). "
            "Save it again from the notebook that made it."
        ) from error


def lanes(data: bytes) -> bytes:
    """The first bytes of all words of eight, then the second ones, and so on to the eighth.

    Columns hold small numbers and rounded ones; their empty bytes stand together then, and a long
    recording takes a tenth of the room.
    """
    words = np.frombuffer(data + bytes(-len(data) % LANES), np.uint8).reshape(-1, LANES)
    return words.T.tobytes()
