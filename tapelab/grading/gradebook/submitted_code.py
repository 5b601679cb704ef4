"""The code of a submission as the gradebook keeps it: compressed, and bounded."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from tapelab.grading.gradebook.gradebook_errors import storable

LARGEST_CODE: Final = 1 << 18
"""Characters of all cells together that are kept; a notebook written by hand has a tenth."""
MOST_CELLS: Final = 1000
CUT: Final = "…"
"""The end of a cell that is not kept as a whole."""


def encode_cells(cells: Iterable[str]) -> bytes:
    """The first cells up to the limit, as bytes; where it is reached, a cell ends with CUT."""
    return zlib.compress(json.dumps(list(_bounded(cells))).encode())


def decode_cells(content: bytes) -> tuple[str, ...]:
    """The cells that `encode_cells` wrote, as text that any page can hold."""
    read: list[str] = json.loads(zlib.decompress(content))
    return tuple(map(storable, read))


def _bounded(cells: Iterable[str]) -> Iterator[str]:
    left = LARGEST_CODE
    for number, cell in enumerate(cells):
        if number == MOST_CELLS or len(cell) > left:
            yield cell[:left] + CUT
            return
        left -= len(cell)
        yield cell
