"""Unicode: decode, encode, split and transcode strings; the script of a code point."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.errors import invalid_argument
from tapelab.ops.public import tensor
from tapelab.ops.shapes import reshape
from tapelab.strings.splits import in_one_row, many_per_text, splits
from tapelab.strings.string_op import choice, declared, text, texts

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


COMMON: Final = 0
INHERITED: Final = 1
UNKNOWN: Final = 103
INVALID: Final = -1
SCRIPTS: Final = {
    "ARABIC": 2, "ARMENIAN": 3, "BENGALI": 4, "BOPOMOFO": 5, "CHEROKEE": 6, "COPTIC": 7,
    "CYRILLIC": 8, "DESERET": 9, "DEVANAGARI": 10, "ETHIOPIC": 11, "GEORGIAN": 12, "GOTHIC": 13,
    "GREEK": 14, "GUJARATI": 15, "GURMUKHI": 16, "CJK": 17, "HANGUL": 18, "HEBREW": 19,
    "HIRAGANA": 20, "KANNADA": 21, "KATAKANA": 22, "KHMER": 23, "LAO": 24, "LATIN": 25,
    "MALAYALAM": 26, "MONGOLIAN": 27, "MYANMAR": 28, "OGHAM": 29, "ORIYA": 31, "RUNIC": 32,
    "SINHALA": 33, "SYRIAC": 34, "TAMIL": 35, "TELUGU": 36, "THAANA": 37, "THAI": 38,
    "TIBETAN": 39, "CANADIAN": 40, "YI": 41, "BRAILLE": 46, "TIFINAGH": 60, "BALINESE": 62,
    "JAVANESE": 78, "NKO": 87,
}  # fmt: skip
"""The numbers that scripts have in ICU, by the first word of the names of their letters."""
OWNING: Final = ("L", "M", "N", "So", "Sc")
"""The kinds of characters that belong to a script; punctuation is common to several."""


@declared("UnicodeScript", "unicode_script", ((np.array([97, 1041, 33, -1], np.int32),), {}))
def _script(x: Any) -> Any:
    """The script of each letter as a number of ICU's; 0 is common to several, −1 no letter."""
    scripts = [script_of(point) for point in x.ravel().tolist()]
    return np.array(scripts, np.int32).reshape(x.shape)[()]


@public(elementwise=True)
def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """The script of each letter, given as its number: 25 Latin, 8 Cyrillic, 17 Han, 0 common.

    The numbers are those of ICU; scripts that are written no more count as common.
    """
    return _script(tensor(input, "int32"))


def script_of(point: int) -> int:
    """The number of the script of one letter."""
    if not 0 <= point <= LAST:
        return INVALID
    letter = chr(point)
    kind = unicodedata.category(letter)
    if kind in {"Cn", "Co", "Cs"}:
        return UNKNOWN
    first = unicodedata.name(letter, "").split(" ")[0]
    if kind.startswith(OWNING) and first in SCRIPTS:
        return SCRIPTS[first]
    return INHERITED if kind == "Mn" and first == "COMBINING" else COMMON


OUTPUTS: Final = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
"""The encodings that text can be written in, under Python's names."""
UTF8: Final = Rules("UTF-8")
_ENCODED: Final = (texts(["né", b"a\xff"]),)


@declared("UnicodeDecodeWithOffsets", "unicode_decode", (_ENCODED, {"rules": UTF8}), multi=True)
def _decode(x: Any, *, rules: Rules) -> Any:
    """The numbers of the letters of all texts in a row, where each begins, and the row splits."""
    rows = _rows(x, rules, "UnicodeDecode")
    points = np.array([letter.point for row in rows for letter in row], np.int32)
    return points, _offsets(rows), splits(rows)


@declared("UnicodeSplit", "unicode_split", (_ENCODED, {"rules": UTF8}), multi=True)
def _split(x: Any, *, rules: Rules) -> Any:
    """The letters of all texts in a row, where each begins, and the row splits."""
    rows = _rows(x, rules, "UnicodeDecode")
    written = [[_written(letter.point, rules.encoding) for letter in row] for row in rows]
    pieces, ends = in_one_row(written)
    return pieces, _offsets(rows), ends


@declared(
    "UnicodeEncode", "unicode_encode",
    ((np.array([97, 233, -1], np.int32), np.array([0, 2, 3])), {"rules": UTF8}),
)  # fmt: skip
def _encode(x: Any, row_splits: Any, *, rules: Rules) -> Any:
    """The text that the letters of each row make."""
    ends = zip(row_splits[:-1].tolist(), row_splits[1:].tolist(), strict=True)
    rows = [[_checked(point, rules) for point in x[a:b].tolist()] for a, b in ends]
    return texts([b"".join(_written(p, rules.encoding) for p in row if p >= 0) for row in rows])


@declared(
    "UnicodeTranscode", "unicode_transcode", (_ENCODED, {"rules": UTF8, "output": "UTF-16-BE"})
)
def _transcode(x: Any, *, rules: Rules, output: str) -> Any:
    """Each text in another encoding."""
    rows = _rows(x, rules, "UnicodeTranscode")
    return texts([b"".join(_written(each.point, output) for each in row) for row in rows], x.shape)


@public
def unicode_decode(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The numbers of the letters: a row for one text, ragged rows for several."""
    return unicode_decode_with_offsets(
        input, input_encoding, errors, replacement_char, replace_control_characters
    )[0]


@public
def unicode_decode_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The numbers of the letters, and at which byte each begins."""
    rules = _rules(
        "UnicodeDecode", input_encoding, errors, replacement_char, replace_control_characters
    )
    points, offsets = many_per_text(text(input, "UnicodeDecode"), lambda x: _decode(x, rules=rules))
    return points, offsets


@public
def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The letters as texts of their own: a row for one text, ragged rows for several."""
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


@public
def unicode_split_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The letters as texts of their own, and at which byte each begins."""
    rules = _rules("UnicodeDecode", input_encoding, errors, replacement_char, False)
    pieces, offsets = many_per_text(text(input, "UnicodeDecode"), lambda x: _split(x, rules=rules))
    return pieces, offsets


@public
def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The texts that the numbers of letters along the last axis make; ValueError for a scalar."""
    rules = encoding_rules(output_encoding, errors, replacement_char)
    x = tensor(input, "int32")
    if not x._array.ndim:
        raise ValueError("input_tensor's rank must be at least 1.")
    *outer, length = x._array.shape
    starts = np.arange(int(np.prod(outer, dtype=int)) + 1, dtype=np.int64) * length
    return reshape(_encode(reshape(x, shape=(-1,)), starts, rules=rules), shape=outer)


def encode_rows(points: Tensor, row_splits: Tensor, rules: Rules) -> Tensor:
    """The text that the letters of each ragged row make."""
    return _encode(points, row_splits, rules=rules)


def encoding_rules(encoding: str, errors: str, replacement: int) -> Rules:
    """How numbers of letters are written; InvalidArgumentError for an encoding we cannot write."""
    allowed = choice("UnicodeEncode", "output_encoding", encoding, tuple(OUTPUTS))
    return _rules("UnicodeEncode", allowed, errors, replacement, False)


@public(elementwise=True)
def unicode_transcode(
    input: Any, input_encoding: str, output_encoding: str, errors: str = "replace",
    replacement_char: int = 0xFFFD, replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each text in another encoding."""
    raw = "UnicodeTranscode"
    output = choice(raw, "output_encoding", output_encoding, tuple(OUTPUTS))
    rules = _rules(raw, input_encoding, errors, replacement_char, replace_control_characters)
    return _transcode(text(input, raw), rules=rules, output=output)


def _rules(raw: str, encoding: str, errors: str, replacement: int, controls: bool) -> Rules:
    if not 0 <= replacement <= LAST:
        raise invalid_argument(raw, "replacement_char out of unicode codepoint range")
    return Rules(encoding, choice(raw, "errors", errors, ERRORS), replacement, controls)


def _rows(x: Any, rules: Rules, raw: str) -> list[list[Letter]]:
    return [list(read(each, rules, raw)) for each in x.ravel()]


def _offsets(rows: list[list[Letter]]) -> Any:
    return np.array([letter.offset for row in rows for letter in row], np.int64)


def _written(point: int, encoding: str) -> bytes:
    return chr(point).encode(OUTPUTS[encoding])


def _checked(point: int, rules: Rules) -> int:
    """The number of a letter, or what stands for one that is none: -1 where nothing does."""
    if is_letter(point):
        return point
    if rules.errors == "strict":
        raise invalid_argument(
            "UnicodeEncode",
            f"Code point is out of range for Unicode, or is a surrogate. It is {point}",
        )
    return rules.replacement if rules.errors == "replace" else -1
