"""Arrays of pixels as PNG files, small enough to stand in a page."""

from __future__ import annotations

import struct
import zlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

SIDE: Final = 128
"""Of a larger image every second pixel is taken, every third, and so on."""
_COLOURS: Final = {1: 0, 3: 2, 4: 6}
"""The numbers that PNG has for grey, for red, green and blue, and for these with an opacity."""


def levels(image: NDArray[Any]) -> NDArray[np.uint8]:
    """Height, width and colours, as bytes or from 0 to 1, as bytes; what is no number is black."""
    step = -(-max(image.shape[:2]) // SIDE)
    some = image[::step, ::step]
    if some.dtype != np.uint8:
        known = np.nan_to_num(some.astype(np.float64), posinf=1.0, neginf=0.0)
        some = np.rint(np.clip(known, 0.0, 1.0) * 255)
    return some.astype(np.uint8)


def as_png(pixels: NDArray[np.uint8]) -> bytes:
    """Height, width and one, three or four colours as a file."""
    high, wide, colours = pixels.shape
    head = struct.pack(">IIBBBBB", wide, high, 8, _COLOURS[colours], 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + row.tobytes() for row in pixels), 9)
    parts = _part(b"IHDR", head), _part(b"IDAT", rows), _part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _part(name: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + check
