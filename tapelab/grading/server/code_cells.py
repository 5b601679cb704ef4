"""The code of a submission as HTML: numbered lines in ink, with the line where a cell stopped.

Nothing of it runs, and nothing of it is markup: every character is escaped, and characters that
would reorder or hide others are written as their codes. Highlighting takes linear time; a general
highlighter takes 12 s of processor time for 64 KiB of blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from keyword import kwlist
from typing import Final

from tapelab.grading.result import ExerciseResult
from tapelab.grading.submission import answer_pattern
from tapelab.locales import say, say_many

MOST_LINES: Final = 400
"""Lines of a cell that are shown; what is beyond is counted."""
LONGEST_LINE: Final = 2000
_TOKEN: Final = re.compile(
    r'(?P<comment>#[^\n]*)|(?P<word>[^\W\d]\w*)'
    r'|"""(?:\\.|[^\\"]|"(?!""))*+(?:""")?|\'\'\'(?:\\.|[^\\\']|\'(?!\'\'))*+(?:\'\'\')?'
    r'|"(?:\\.|[^"\\\n])*+"?|\'(?:\\.|[^\'\\\n])*+\'?',
    re.DOTALL,
)  # fmt: skip
"""Comments, words and strings; a string that is not closed ends with its line, or with the cell."""
_KEYWORDS: Final = frozenset(kwlist)
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
"""Control characters, and those that change the direction of text or have no width."""
_NOTE: Final = re.compile(r"Cell (\d{1,6}): (?:line (\d{1,7}): )?(.*)", re.DOTALL)
_STILL_RAN: Final = re.compile(r": line (\d{1,7}) still ran\.$")


@dataclass(frozen=True)
class Stop:
    """Where and why a cell stopped; line 0 where that is not known."""

    cell: int
    line: int
    why: str

    @property
    def place(self) -> str:
        """Cell and line in words."""
        if self.line:
            return say("Cell {cell}, line {line}", cell=self.cell, line=self.line)
        return say("Cell {cell}", cell=self.cell)


@dataclass(frozen=True)
class CodeCell:
    """A cell of code as a page shows it; `lines` are HTML, numbered from 1."""

    number: int
    lines: tuple[str, ...]
    more: int
    """Lines that are not shown."""
    stop: Stop | None

    @property
    def rest(self) -> str:
        """What is not shown, in words; empty if all is."""
        if not self.more:
            return ""
        return say_many("… and {count} line more", "… and {count} lines more", self.more)


@dataclass(frozen=True)
class CodeListing:
    """The cells of a submission: by exercise those that hold its answer, and all others."""

    of_exercise: dict[str, tuple[CodeCell, ...]]
    others: tuple[CodeCell, ...]


def stops_in(notes: Iterable[str]) -> tuple[Stop, ...]:
    """The cells that stopped, from the notes of a result."""
    matches = filter(None, map(_NOTE.fullmatch, notes))
    return tuple(_stop(int(each[1]), each[2], each[3]) for each in matches)


def _stop(cell: int, line: str | None, why: str) -> Stop:
    ran = _STILL_RAN.search(why)
    return Stop(cell, int(line or (ran[1] if ran else 0)), why)


def code_listing(
    cells: Sequence[str], notes: Iterable[str], exercises: Iterable[ExerciseResult]
) -> CodeListing:
    """Each cell once: beside the first exercise that it names, or among the others."""
    stops = {each.cell: each for each in stops_in(notes)}
    left = dict(enumerate(cells, 1))
    of_exercise: dict[str, tuple[CodeCell, ...]] = {}
    for exercise in exercises:
        mention = answer_pattern(exercise.exercise)
        own = [number for number, text in left.items() if mention.search(text)]
        of_exercise[exercise.exercise] = tuple(
            _code_cell(number, left.pop(number), stops.get(number)) for number in own
        )
    others = tuple(
        _code_cell(number, text, stops.get(number)) for number, text in left.items() if text.strip()
    )
    return CodeListing(of_exercise, others)


def _code_cell(number: int, text: str, stop: Stop | None) -> CodeCell:
    lines = highlighted(text).split("\n")
    return CodeCell(number, tuple(lines[:MOST_LINES]), max(len(lines) - MOST_LINES, 0), stop)


def highlighted(text: str) -> str:
    """Python as HTML of whole lines: keywords bold, comments quiet, no colour."""
    cut = "\n".join(_bounded(line) for line in text.split("\n"))
    return "".join(_pieces(_INVISIBLE.sub(_coded, cut)))


def _bounded(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


def _coded(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _pieces(text: str) -> Iterator[str]:
    at = 0
    for match in _TOKEN.finditer(text):
        style = "c" if match["comment"] else "k" if match["word"] in _KEYWORDS else ""
        if style:
            yield escape(text[at : match.start()])
            yield f'<span class="{style}">{escape(match[0])}</span>'
            at = match.end()
    yield escape(text[at:])
