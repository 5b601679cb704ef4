"""Long recordings in a tenth of the room: the bytes of each column's numbers sorted, then gzip."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import numpy as np

from tapelab.errors import RecordingError

GZIP: Final = b"\x1f\x8b"
"""How packed bytes begin."""
WORD_BYTES: Final = 8
"""The bytes of the widest numbers: so many stand apart."""
PACKED_ABOVE: Final = 20_000
"""So many bytes of a recording are kept as they are; more are packed."""
PIECE: Final = 1 << 22
"""So many bytes are packed by themselves, beside others, if there are more."""
_FRONT: Final = GZIP + b"\x08\0\0\0\0\0\4\xff"
"""The header of a gzip file: deflated fast; no name, no time stamp, unknown system."""
_END: Final = struct.Struct("<II")
"""What a gzip file ends in: a checksum, and how long it was."""


def packed(data: bytes) -> bytes:
    """The bytes of a recording as they are kept: packed where they are many."""
    return pack(data) if len(data) > PACKED_ABOVE else data


def pack(data: bytes) -> bytes:
    """Bytes in as little room as takes no time to make, pieces at the same time.

    Wherever it is done the same bytes come of it.
    """
    from concurrent.futures import ThreadPoolExecutor

    whole = memoryview(byte_planes(data))
    pieces = [whole[at : at + PIECE] for at in range(0, len(whole) or 1, PIECE)]
    ends = [zlib.Z_FULL_FLUSH] * (len(pieces) - 1) + [zlib.Z_FINISH]
    if len(pieces) > 1:
        # There may be no thread to be had: in a sandbox, or while Python ends.
        with suppress(RuntimeError), ThreadPoolExecutor() as threads:
            return _as_file(threads.map(_deflated, pieces, ends), whole)
    return _as_file(map(_deflated, pieces, ends), whole)


def _deflated(piece: memoryview, end: int) -> bytes:
    deflate = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(piece) + deflate.flush(end)


def _as_file(deflated: Iterable[bytes], whole: memoryview) -> bytes:
    """What gzip makes of the whole, from its pieces; it is summed up while they are made."""
    check = zlib.crc32(whole)
    return b"".join([_FRONT, *deflated, _END.pack(check, len(whole) % 2**32)])


def is_packed(data: bytes) -> bool:
    """Whether these are packed bytes, as a long `.tape` file holds them."""
    return data[:2] == GZIP


def unpacked(data: bytes) -> bytes:
    """The bytes of a recording, whether they come packed or as they are."""
    if not is_packed(data):
        return data
    try:
        sorted_bytes = gzip.decompress(data)
        return np.frombuffer(sorted_bytes, np.uint8).reshape(WORD_BYTES, -1).T.tobytes()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RecordingError(
            f"This recording is cut short or damaged: it cannot be unpacked ({error}). "
            "Save it again from the notebook that made it."
        ) from error


def byte_planes(data: bytes) -> bytes:
    """The first bytes of all words of eight, then the second ones, and so on to the eighth.

    Columns hold small numbers and rounded ones; their empty bytes stand together then, and a long
    recording takes a tenth of the room.
    """
    words = np.frombuffer(data + bytes(-len(data) % WORD_BYTES), np.uint8).reshape(-1, WORD_BYTES)
    return words.T.tobytes()
