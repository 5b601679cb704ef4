"""Lessons, pages and the README are spelt as a dictionary of British English has it.

What the dictionary does not know stands in words.txt: terms of the field, names of people, of
programs and of things in the namespace. A word that is no longer used leaves the list.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from tools import hunspell

CHECKOUT = Path(__file__).parents[2]
OURS = Path(__file__).with_name("words.txt")
PAGES = (
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"),
    "notebooks/README.md",
)
TEXTS = [
    *(CHECKOUT / name for name in PAGES),
    *sorted((CHECKOUT / "docs").rglob("*.md")),
    *sorted((CHECKOUT / "notebooks").glob("*.ipynb")),
]
LEFT_OUT = re.compile(
    r"```.*?```|`[^`]*`"  # code
    r"|\$\$.*?\$\$|\$[^$\n]+\$"  # mathematics
    r"|\]\([^)]*\)|https?://\S+|<[^>]+>"  # addresses and tags
    r"|\{[\w:]+\}|^:\w+:.*?$|^[\w/-]+$",  # directives, their options, names of pages
    re.DOTALL | re.MULTILINE,
)
WORD = re.compile(r"(?<!\w)[A-Za-zÀ-ÿ](?:['’]?[A-Za-zÀ-ÿ]){2,}(?!\w)")
"""Of three letters and more: what is shorter is mostly mathematics."""


def prose(path: Path) -> str:
    """What of a file is written in English."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = [each for each in json.loads(text)["cells"] if each["cell_type"] == "markdown"]
        text = "\n\n".join("".join(each["source"]) for each in cells)
    return LEFT_OUT.sub(" ", text)


def words(text: str) -> set[str]:
    """The words of a text, without the 's of a genitive."""
    found = (word.replace("’", "'") for word in WORD.findall(text))
    return {word.removesuffix("'s") for word in found}


@cache
def written() -> dict[str, set[str]]:
    """Every word, and the files that it stands in."""
    where = defaultdict(set)
    for path in TEXTS:
        for word in words(prose(path)):
            where[word].add(path.relative_to(CHECKOUT).as_posix())
    return where


@cache
def unknown() -> set[str]:
    """The words that the dictionary does not know."""
    if not hunspell.is_there():
        pytest.skip("There is no hunspell with British English. Install: " + hunspell.PACKAGES[1])
    return hunspell.unknown(sorted(written()))


def ours() -> list[str]:
    return OURS.read_text(encoding="utf-8").split()


def test_every_word_is_in_the_dictionary_or_in_our_list():
    assert len(written()) > 2000
    misspelt = unknown() - set(ours())
    assert {word: sorted(written()[word]) for word in sorted(misspelt)} == {}


def test_our_list_holds_what_is_used_and_the_dictionary_lacks():
    assert sorted(set(ours()), key=lambda word: (word.lower(), word)) == ours()
    assert set(ours()) - unknown() == set()


def test_a_misspelt_word_would_be_noticed():
    unknown()
    assert hunspell.unknown(["gradient", "gradeint", "colour"]) == {"gradeint"}


def test_code_and_addresses_are_not_spelt():
    text = "Some `gradeint` for [one](gradeint.md), $\\gradeint$\n\n```python\ngradeint\n```\n"
    assert words(LEFT_OUT.sub(" ", text)) == {"Some", "for", "one"}
