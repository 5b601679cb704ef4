"""The pages of the site: those that are written, and beside them each lesson, solved and run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from tools.docs.executing import CHECKOUT, executed
from tools.docs.rendering import Page

SOLVED: Final = CHECKOUT / "notebooks" / "solutions"
LESSONS: Final = Path("tutorial") / "lessons"
"""Where the lessons go; the page of that name lists them."""


def assembled(docs: Path, place: Path) -> Path:
    """Copy the written pages to a place and put the lessons beside them; tells where they are.

    Pages that do not list lessons stay where they are.
    """
    if not (docs / LESSONS).with_suffix(".md").exists():
        return docs
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(docs, place)
    # From the last one on: the tests, which need the same notebooks, begin with the first.
    for notebook in sorted(SOLVED.glob("[0-9][0-9]-*.ipynb"), reverse=True):
        Page(notebook.stem).write(executed(notebook), place / LESSONS)
    return place
