"""A percent script as notebooks: the learner's and the solved one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tapelab.authoring.work import Work, WorkError
from tapelab.exercises.exercise import Exercise
from tapelab.installation import extra_command

BEGIN, INSTEAD, END = "### BEGIN SOLUTION", "### INSTEAD", "### END SOLUTION"
KERNEL: Final = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""The metadata of a notebook that say which kernel runs it."""


def notebook(work: Work, *, solved: bool) -> str:
    """One notebook as JSON, without outputs, the same bytes for the same source."""
    read = _parsed(chosen(work.text, solved=solved))
    about = dict(read.metadata.get("tapelab", {}))
    if "lesson" not in about:
        raise WorkError(
            "The header of the notebook's text names no lesson. Write among its first lines: "
            "tapelab: with lesson: below it, as `tapelab exercise new` does."
        )
    cells = [_cell(cell, f"{about['lesson']}-{at:02}") for at, cell in enumerate(read.cells)]
    metadata = {
        **KERNEL,
        "tapelab": {**about, "exercises": _worth(work.exercises), "solved": solved},
    }
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _parsed(text: str) -> Any:
    try:
        import jupytext  # type: ignore[import-untyped]  # it publishes no types
    except ImportError:
        raise WorkError(
            "jupytext, which reads the text of a notebook, is not installed. "
            f"Try: {extra_command('grading')}"
        ) from None
    return jupytext.reads(text, fmt="py:percent")


def chosen(source: str, *, solved: bool) -> str:
    """The source with the solutions, or with what a learner finds instead of them."""
    wanted = BEGIN if solved else INSTEAD
    return "\n".join(line for part, line in parts(source) if part in ("", wanted))


def solution_lines(source: str) -> list[str]:
    """The lines of the solutions that a learner does not find anywhere in the text."""
    shown = chosen(source, solved=False)
    lines = (line.strip() for part, line in parts(source) if part == BEGIN)
    return [line for line in lines if line and line not in shown]


def parts(source: str, *, strict: bool = True) -> Iterator[tuple[str, str]]:
    """Each line with the mark that it stands behind; the marks themselves are left out.

    A strict reading raises WorkError for a mark out of place; a single cell is read leniently,
    because a solution may begin in one cell and end in another.
    """
    part = ""
    for number, line in enumerate(source.split("\n"), 1):
        mark = line.strip()
        if mark not in (BEGIN, INSTEAD, END):
            yield part, line
        elif strict and (part, mark) not in _FOLLOWS:
            raise WorkError(f"Line {number} of the notebook's text has {mark} out of place.")
        else:
            part = "" if mark == END else mark
    if part and strict:
        raise WorkError(f"{part} is never closed by {END}.")


_FOLLOWS: Final = {("", BEGIN), (BEGIN, INSTEAD), (BEGIN, END), (INSTEAD, END)}
"""Which mark may come behind which."""


def _cell(cell: Any, number: str) -> dict[str, Any]:
    lines = cell.source.splitlines(keepends=True)
    plain = {"cell_type": cell.cell_type, "id": number, "metadata": {}, "source": lines}
    if cell.cell_type == "code":
        return {**plain, "execution_count": None, "outputs": []}
    return plain


def _worth(exercises: Iterable[Exercise]) -> list[dict[str, Any]]:
    """What a front-end tells of the exercises before one of them is checked."""
    return [{"id": each.id, "title": each.title, "points": each.points} for each in exercises]
