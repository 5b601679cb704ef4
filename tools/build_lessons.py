"""Build the lessons: a learner's and a solved notebook from each source in notebooks/src.

    python -m tools.build_lessons          write the notebooks
    python -m tools.build_lessons --check  only say which are out of date

A source is a jupytext percent script. Between `### BEGIN SOLUTION` and `### END SOLUTION` stands
the solution, then, after `### INSTEAD`, what a learner finds in its place.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import jupytext  # type: ignore[import-untyped]  # it publishes no types

from tapelab.exercises.registry import LESSONS

NOTEBOOKS: Final = Path(__file__).parents[1] / "notebooks"
BEGIN, INSTEAD, END = "### BEGIN SOLUTION", "### INSTEAD", "### END SOLUTION"
_KERNEL: Final = {"display_name": "Python 3", "language": "python", "name": "python3"}


def main(arguments: list[str]) -> str | None:
    """Write the notebooks, or with --check complain about those that differ from their sources."""
    wanted = built()
    stale = [path for path, text in wanted.items() if _read(path) != text]
    if "--check" in arguments:
        names = ", ".join(path.relative_to(NOTEBOOKS).as_posix() for path in stale)
        return f"Out of date: {names}. Run python -m tools.build_lessons." if stale else None
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
        print(f"wrote {path.relative_to(NOTEBOOKS)}")
    return None


def built() -> dict[Path, str]:
    """Every notebook that should be there, with its text."""
    notebooks = {}
    for source in sorted((NOTEBOOKS / "src").glob("*.py")):
        name = f"{source.stem}.ipynb"
        text = source.read_text(encoding="utf-8")
        notebooks[NOTEBOOKS / name] = notebook(text, solved=False)
        notebooks[NOTEBOOKS / "solutions" / name] = notebook(text, solved=True)
    return notebooks


def notebook(source: str, *, solved: bool) -> str:
    """One notebook as JSON, without outputs, the same bytes for the same source."""
    read = jupytext.reads(chosen(source, solved=solved), fmt="py:percent")
    about = dict(read.metadata.get("tapelab", {}))
    cells = [_cell(cell, f"{about['lesson']}-{at:02}") for at, cell in enumerate(read.cells)]
    metadata = {
        "kernelspec": _KERNEL,
        "language_info": {"name": "python"},
        "tapelab": {**about, "exercises": _worth(about["lesson"]), "solved": solved},
    }
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def chosen(source: str, *, solved: bool) -> str:
    """The source with the solutions, or with what a learner finds instead of them."""
    kept, part = [], None
    for line in source.split("\n"):
        mark = line.strip()
        if mark in (BEGIN, INSTEAD, END):
            part = None if mark == END else mark
        elif part is None or part == (BEGIN if solved else INSTEAD):
            kept.append(line)
    if part is not None:
        raise ValueError(f"{part} is never closed by {END}.")
    return "\n".join(kept)


def _cell(cell: Any, number: str) -> dict[str, Any]:
    lines = cell.source.splitlines(keepends=True)
    plain = {"cell_type": cell.cell_type, "id": number, "metadata": {}, "source": lines}
    if cell.cell_type == "code":
        return {**plain, "execution_count": None, "outputs": []}
    return plain


def _worth(lesson: str) -> list[dict[str, Any]]:
    """What a front-end tells of the exercises before one of them is checked."""
    exercises = LESSONS.get(lesson, ())
    return [{"id": each.id, "title": each.title, "points": each.points} for each in exercises]


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
