"""Characters of strings: case, length, and substrings."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.ops.integer_arguments import whole
from tapelab.ops.public import tensor
from tapelab.strings.string_op import choice, declared, each, text, texts

UNITS: Final = ("BYTE", "UTF8_CHAR")


@declared("StringLower", "string_lower")
def _lower(x: Any, *, encoding: str = "") -> Any:
    """Every capital letter as a small one; other letters than a to z only in UTF-8."""
    return each((lambda t: t.decode().lower().encode()) if encoding else bytes.lower, x)


@declared("StringUpper", "string_upper")
def _upper(x: Any, *, encoding: str = "") -> Any:
    """Every small letter as a capital one; other letters than a to z only in UTF-8."""
    return each((lambda t: t.decode().upper().encode()) if encoding else bytes.upper, x)


@declared("StringStrip", "string_strip")
def _strip(x: Any) -> Any:
    """Each text without the white space at its two ends."""
    return each(bytes.strip, x)


@declared("StringLength", "string_length")
def _length(x: Any, *, unit: str = "BYTE") -> Any:
    """How many bytes, or letters of UTF-8, each text has."""
    return each(len if unit == "BYTE" else lambda t: len(letters(t)), x, np.int32)


@declared("Substr", "substr", ((texts(["hello", "né"]), np.array([1, 0]), np.array([3, 9])), {}))
def _substr(x: Any, pos: Any, length: Any, *, unit: str = "BYTE") -> Any:
    """The piece of each text that begins at a place and has a length."""
    shape = np.broadcast_shapes(x.shape, pos.shape)
    columns = (np.broadcast_to(part, shape).ravel() for part in (x, pos, length))
    rows = enumerate(zip(*columns, strict=True))
    return texts([_piece(at, raw, start, size, unit) for at, (raw, start, size) in rows], shape)


@public(elementwise=True)
def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Every capital letter as a small one; other letters than a to z only with `encoding="utf-8"`.

    InvalidArgumentError for other encodings.
    """
    return _lower(text(input, "StringLower"), encoding=_encoding("StringLower", encoding))


@public(elementwise=True)
def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Every small letter as a capital one; other letters than a to z only with `encoding="utf-8"`.

    InvalidArgumentError for other encodings.
    """
    return _upper(text(input, "StringUpper"), encoding=_encoding("StringUpper", encoding))


@public(elementwise=True)
def strip(input: Any, name: str | None = None) -> Tensor:
    """Each text without the white space at its two ends."""
    return _strip(text(input, "StringStrip"))


@public(elementwise=True)
def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """How many bytes each text has, or letters with `unit="UTF8_CHAR"`."""
    counted = choice("StringLength", "unit", unit, UNITS)
    return _length(text(input, "StringLength"), unit=counted)


@public(elementwise=True)
def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The piece of each text that begins at `pos` (from the end if negative) and has a length.

    InvalidArgumentError where a text is too short to have that place.
    """
    start, size = tensor(whole(pos, "Substr")), tensor(whole(len, "Substr"))
    if start._array.shape != size._array.shape:
        both = f"{brackets(start._array.shape)} vs. {brackets(size._array.shape)}"
        raise invalid_argument("Substr", f"pos and len should have the same shape, got: {both}")
    counted = choice("Substr", "unit", unit, UNITS)
    return _substr(text(input, "Substr"), start, size, unit=counted)


def letters(raw: bytes) -> list[bytes]:
    """The letters of UTF-8, each as its bytes; a byte that begins no letter belongs to the last."""
    starts = [at for at, byte in enumerate(raw) if byte & 0xC0 != 0x80]
    return [raw[a:b] for a, b in pairwise([*starts, len_of(raw)])]


len_of: Final = len  # `len` is the name of a parameter in TensorFlow


def _piece(at: int, raw: bytes, pos: int, size: int, unit: str) -> bytes:
    parts: Any = raw if unit == "BYTE" else letters(raw)
    count = len_of(parts)
    if not -count <= pos <= count or (unit != "BYTE" and pos < 0 and size < 0):
        shown = f" b'{raw.decode(errors='replace')}'" if unit == "BYTE" else ""
        raise invalid_argument("Substr", f"pos {pos} out of range for string{shown} at index {at}")
    start = pos + count if pos < 0 else pos
    most = count if unit == "BYTE" else start  # where the length is negative
    piece = parts[start : most if size < 0 else start + size]
    return bytes(piece) if unit == "BYTE" else b"".join(piece)


def _encoding(raw: str, given: str) -> str:
    if given not in {"", "utf-8"}:
        raise invalid_argument(
            raw, f"only utf-8 or '' (no encoding) is supported, received {given}"
        )
    return given
