"""Which script a letter belongs to, read off the first word of its name in Unicode."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.ops import samples
from tapelab.ops.public import tensor
from tapelab.strings.decoding import LAST
from tapelab.strings.texts import declared

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


def numbers_of_letters(rng: np.random.Generator) -> list[samples.Sample]:
    """A row of letters as numbers."""
    del rng
    return [((np.array([97, 1041, 33, -1], np.int32),), {})]


@declared("UnicodeScript", "unicode_script", numbers_of_letters)
def _script(x: Any) -> Any:
    """The script of each letter as a number of ICU's; 0 is common to several, −1 no letter."""
    found = [script_of(point) for point in x.ravel().tolist()]
    return np.array(found, np.int32).reshape(x.shape)[()]


@public(elementwise=True)
def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """The script of each letter, given as its number: 25 Latin, 8 Cyrillic, 17 Han, 0 common.

    The numbers are those of ICU; scripts that are written no more count as common.
    """
    made: Tensor = _script(tensor(input, "int32"))
    return made


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
