"""How long a lesson takes: to read and to answer, by counting; to run, by the clock."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from tools.docs.assembling import SOLVED
from tools.docs.executing import executed

NOTEBOOKS: Final = SOLVED.parent
A_WORD: Final = 60 / 200
A_LINE: Final = 5
A_PICTURE: Final = 60
A_POINT: Final = 12
"""Seconds for a word of text, a line of code, a picture to step through, a point to earn."""
_WORD: Final = re.compile(r"\w[\w’'·.-]*")
_ADDRESS: Final = re.compile(r"\]\([^)]*\)")
_PICTURE: Final = re.compile(r"\b(?:tf\.(?:show|check_gradients|what_if)|plt\.show)\(")


@dataclass(frozen=True)
class Reading:
    """What a learner has to read, look at and answer in a lesson."""

    words: int
    lines: int
    pictures: int
    exercises: int
    points: float

    @property
    def minutes(self) -> float:
        """How long that takes somebody who is new to it."""
        seconds = self.words * A_WORD + self.lines * A_LINE
        return (seconds + self.pictures * A_PICTURE + self.points * A_POINT) / 60


def reading(notebook: Path) -> Reading:
    """Count a lesson as learners get it."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    sources = [("".join(cell["source"]), cell["cell_type"]) for cell in content["cells"]]
    text = _ADDRESS.sub("]", "\n".join(each for each, kind in sources if kind == "markdown"))
    code = "\n".join(each for each, kind in sources if kind == "code")
    lines = sum(bool(line.strip()) for line in code.split("\n"))
    worth = [each["points"] for each in content["metadata"]["tapelab"]["exercises"]]
    counted = len(_WORD.findall(text)), lines, len(_PICTURE.findall(code))
    return Reading(*counted, len(worth), sum(worth))


def seconds(notebook: Any) -> list[float]:
    """How long each code cell of a notebook that has run took."""
    times = [cell.metadata["execution"] for cell in notebook.cells if cell.cell_type == "code"]
    return [_at(each, "shell.execute_reply") - _at(each, "iopub.execute_input") for each in times]


def _at(times: dict[str, str], moment: str) -> float:
    return datetime.fromisoformat(times[moment]).timestamp()


def described() -> str:
    """A row for each lesson, as Markdown."""
    head = (
        "| lesson | planned, min | counted, min | exercises | points | runs, s | slowest cell, s |"
    )
    return "\n".join([head, "|---|--:|--:|--:|--:|--:|--:|", *map(_row, _lessons())])


def _lessons() -> list[Path]:
    return sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))


def _row(lesson: Path) -> str:
    content = json.loads(lesson.read_text(encoding="utf-8"))
    title = "".join(content["cells"][0]["source"]).split("\n")[0].removeprefix("# ")
    row_minutes, counted = content["metadata"]["tapelab"]["minutes"], reading(lesson)
    first, *others = seconds(executed(SOLVED / lesson.name))
    cells = [
        f"[{title}](../tutorial/lessons/{lesson.stem}.md)",
        *(row_minutes, f"{counted.minutes:.0f}", counted.exercises, f"{counted.points:g}"),
        *(f"{first + sum(others):.1f}", f"{max(others):.1f}"),
    ]
    return f"| {' | '.join(map(str, cells))} |"
