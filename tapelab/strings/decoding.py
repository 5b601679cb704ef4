"""From bytes to letters: the encodings, and what becomes of bytes that are no letters."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Final, NamedTuple

from tapelab.errors import invalid_argument

ERRORS: Final = ("strict", "replace", "ignore")
ENCODINGS: Final = {"utf16": "utf-16-be", "utf32": "utf-32-be", "utf-16": "utf-16-be"}
"""Names that mean something narrower in TensorFlow than in Python: the big end comes first."""
LAST: Final = 0x10FFFF
FIRST_SHOWN: Final = 0x20  # what is below are control characters


class Rules(NamedTuple):
    """How bytes are read, and what is done where they are no letters."""

    encoding: str
    errors: str = "replace"
    replacement: int = 0xFFFD
    controls: bool = False  # whether control characters count as errors


class Letter(NamedTuple):
    """A letter as its number, and the place of its first byte."""

    point: int
    offset: int


def read(raw: bytes, rules: Rules, op: str) -> Iterator[Letter]:
    """The letters of bytes, one by one; InvalidArgumentError for bad bytes if errors are strict."""
    for point, offset in _points(raw, _codec(rules.encoding, op)):
        if point < 0 and rules.errors == "strict":
            raise invalid_argument(op, "Invalid formatting on input string")
        if point >= 0 and not (rules.controls and point < FIRST_SHOWN):
            yield Letter(point, offset)
        elif rules.errors != "ignore":  # strict errors do not mind control characters
            yield Letter(rules.replacement, offset)


def is_letter(point: int) -> bool:
    """Whether a number is that of a letter, and not of half of one."""
    return 0 <= point <= LAST and not 0xD800 <= point <= 0xDFFF


def _codec(encoding: str, op: str) -> str:
    name = encoding.lower().replace("_", "-")
    try:
        return codecs.lookup(ENCODINGS.get(name, name)).name
    except LookupError:
        raise invalid_argument(
            op, f"Could not create converter for input encoding: {encoding}"
        ) from None


def _points(raw: bytes, codec: str) -> Iterator[tuple[int, int]]:
    """The number of each letter, or -1 for bytes that are none, and where it begins."""
    at = 0
    while at < len(raw):
        try:
            good, stop, end = raw[at:].decode(codec), len(raw), len(raw)
        except UnicodeDecodeError as error:
            good = raw[at : at + error.start].decode(codec)
            stop, end = at + error.start, at + max(error.end, error.start + 1)
        for letter in good:
            yield ord(letter), at
            at += len(letter.encode(codec))
        if stop < end:
            yield -1, at
        at = end
