"""The cells of a work of ours, told apart for other graders: answers, checks, and all the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tapelab.authoring.script import BEGIN, END, INSTEAD
from tapelab.authoring.work import Work
from tapelab.grading.formats.notebooks import CODE, Cell

_ANSWERS: Final = re.compile(r"\btf\.exercise\([\"']([^\"']+)[\"']\)")
_CHECKS: Final = re.compile(r"^\s*tf\.(?:check|hint)\([\"']([^\"']+)[\"']\)\s*$")


@dataclass(frozen=True)
class Place:
    """A cell, and the exercise that it answers or checks."""

    cell: Cell
    answers: str = ""
    checks: str = ""


def places(work: Work) -> Iterator[Place]:
    """The cells of a work in order; a cell that checks has nothing beside."""
    import jupytext  # type: ignore[import-untyped]  # it publishes no types

    for each in jupytext.reads(work.text, fmt="py:percent").cells:
        cell = Cell(each.cell_type, each.source)
        checks = [_CHECKS.match(line) for line in cell.source.split("\n") if line.strip()]
        if cell.kind == CODE and checks and all(checks):
            yield Place(cell, checks=next(found[1] for found in checks if found))
        else:
            answers = _ANSWERS.search(cell.source) if cell.kind == CODE else None
            yield Place(cell, answers=answers[1] if answers else "")


def parts(source: str) -> Iterator[tuple[str, str]]:
    """The lines of a cell with what they are: `solution`, `instead`, or empty for all others."""
    part = ""
    for line in source.split("\n"):
        mark = line.strip()
        if mark in _PART:
            part = _PART[mark]
        else:
            yield part, line


_PART: Final = {BEGIN: "solution", INSTEAD: "instead", END: ""}
