"""The lessons of tapelab as works: their text in `notebooks/src`, their exercises with tapelab."""

from __future__ import annotations

import re
from pathlib import Path

from tapelab.authoring.work import Work
from tapelab.exercises.registry import LESSONS


def lesson_works(sources: Path) -> list[Work]:
    """The works in a folder of sources, in order."""
    return [lesson_work(source) for source in sorted(sources.glob("*.py"))]


def lesson_work(source: Path) -> Work:
    """One source with the exercises of its number; one without any is a text alone."""
    text = source.read_text(encoding="utf-8")
    title = re.search(r"^# # (.+)$", text, re.MULTILINE)
    number = source.stem.partition("-")[0]
    return Work(source.stem, title[1] if title else source.stem, text, LESSONS.get(number, ()))
