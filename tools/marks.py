"""What a translation of a Markdown text keeps: code, formulas, links, headings, lists, numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Final

_FENCED: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE: Final = re.compile(r"`([^`]+)`")
_FORMULA: Final = re.compile(r"\$([^$]+)\$")
_LINK: Final = re.compile(r"\]\(([^)\s]+)")
_NUMBER: Final = re.compile(r"\d(?:[\d.]*\d)?")
_MATHEMATICS: Final = ("Sm", "No")
"""Unicode's categories of signs such as × and →, and of raised digits."""


def changed(original: str, translation: str) -> list[str]:
    """What the translation has lost or added, in words; empty where all that is kept is there."""
    one, other = _split(original), _split(translation)
    found = []
    for name, marks in _KEPT.items():
        before, after = list(marks(one)), list(marks(other))
        found += [f"{name} {each} is missing" for each in _without(before, after)]
        if name not in _MAY_BE_ADDED:
            found += [f"{name} {each} is not in the original" for each in _without(after, before)]
    return found


_Parts = tuple[list[str], list[str], str]
"""The fenced blocks, the code spans, and the prose around them."""


def _split(text: str) -> _Parts:
    blocks = _FENCED.findall(text)
    rest = _FENCED.sub("", text)
    spans = [" ".join(each.split()) for each in _CODE.findall(rest)]
    return blocks, spans, _CODE.sub("`", rest)


def _without(these: Iterable[str], those: list[str]) -> list[str]:
    return sorted({each for each in these if each not in those})


def _heads(parts: _Parts) -> Iterator[str]:
    for number, level in enumerate(re.findall(r"^(#+) ", parts[2], re.MULTILINE), 1):
        yield f"{number} of level {len(level)}"


def _numbered(beginning: str) -> Callable[[_Parts], Iterable[str]]:
    """The lines that begin so, by their numbers."""
    pattern = re.compile(rf"^ *{beginning}", re.MULTILINE)
    return lambda parts: (f"{at}" for at, _ in enumerate(pattern.findall(parts[2]), 1))


def _signs(parts: _Parts) -> Iterator[str]:
    return (each for each in parts[2] if unicodedata.category(each) in _MATHEMATICS)


_KEPT: Final[dict[str, Callable[[_Parts], Iterable[str]]]] = {
    "code block": lambda parts: parts[0],
    "code": lambda parts: [f"`{span}`" for span in parts[1]],
    "formula": lambda parts: _FORMULA.findall(parts[2]),
    "link": lambda parts: _LINK.findall(parts[2]),
    "heading": _heads,
    "item of a list": _numbered(r"(?:[-*]|\d+\.) "),
    "row of a table": _numbered(r"\|"),
    "quoted line": _numbered("> "),
    "number": lambda parts: _NUMBER.findall(parts[2]),
    "sign": _signs,
}
_MAY_BE_ADDED: Final = {"number", "sign"}
"""Another language may write a number where English has a word."""
