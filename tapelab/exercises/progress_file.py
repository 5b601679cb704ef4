"""Verdicts, opened hints and answers kept in a file beside the notebook, for the next kernel.

JupyterLab and VS Code tell a kernel which notebook it belongs to; elsewhere, as in a
script, nothing is kept. The file is written whole or not at all, after every verdict and hint.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Final

from tapelab.exercises.check import Outcome
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.verdict import Judged, Verdict
from tapelab.locales import say
from tapelab.recording.atomic_write import write

FORMAT: Final = 1
JUPYTER: Final = "JPY_SESSION_NAME"
"""The environment variable in which JupyterLab names the notebook of a kernel."""
VS_CODE: Final = "__vsc_ipynb_file__"
"""The variable in which VS Code does."""
_TEXT_FIELDS: Final = ("text", "expected", "got", "code", "ending")


@dataclass
class Kept:
    """What is known of each exercise beyond this kernel: plain data, by the exercise's id."""

    file: Path | None = None
    exercises: dict[str, dict[str, Any]] = field(default_factory=dict)
    trouble: str = ""
    """Why nothing could be written, in words for the learner; empty where it could."""

    @classmethod
    def beside(cls, notebook: Path | None) -> Kept:
        """What was kept beside a notebook; nothing where there is none or it cannot be read."""
        if notebook is None:
            return cls()
        file = notebook.with_name(file_name(notebook))
        try:
            read = json.loads(file.read_text(encoding="utf-8"))
            known = dict(read["exercises"]) if read["format"] <= FORMAT else {}
        except (OSError, ValueError, LookupError, TypeError):
            known = {}
        return cls(file, known)

    def remember(self, number: str, **news: Any) -> None:
        """Keep something about an exercise, and write it down."""
        self.exercises.setdefault(number, {}).update(news)
        if self.file is None:
            return
        content = {"format": FORMAT, "exercises": self.exercises}
        try:
            write(self.file, json.dumps(content, indent=1, ensure_ascii=False).encode())
            self.trouble = ""
        except OSError as error:
            self.trouble = say(
                "Your progress lasts only as long as this kernel: {folder} cannot be written "
                "({reason}). Copy the notebook to a folder of your own.",
                folder=self.file.parent,
                reason=error.strerror or error,
            )

    def opened(self, number: str) -> int:
        """How many hints of an exercise were opened."""
        hints = self.exercises.get(number, {}).get("hints", 0)
        return hints if type(hints) is int else 0

    def verdict(self, exercise: Exercise) -> Verdict | None:
        """The last verdict on an exercise; None where its checks are other ones by now."""
        try:
            checks = self.exercises[exercise.id]["checks"]
            judged = tuple(map(_judged, checks))
        except (LookupError, TypeError):
            return None
        known = sorted((each.title, each.of) for each in judged)
        if known != sorted((check.title, check.points) for check in exercise.checks):
            return None
        return Verdict(exercise, judged, self.exercises[exercise.id].get("spent", 0))


def file_name(notebook: PurePath) -> str:
    """What the file beside a notebook is called."""
    return f".{notebook.stem}.progress.json"


def plainly(verdict: Verdict) -> list[dict[str, Any]]:
    """A verdict as it is kept; recordings and arrays are not."""
    return [
        {"title": each.title, "of": each.of, "points": each.outcome.points}
        | {name: getattr(each.outcome, name) for name in _TEXT_FIELDS}
        for each in verdict.judged
    ]


def _judged(kept: Mapping[str, Any]) -> Judged:
    texts = {name: str(kept.get(name, "")) for name in _TEXT_FIELDS}
    text, expected, got, code, ending = texts.values()
    outcome = Outcome(kept["points"], text, expected, got, code, ending)
    return Judged(str(kept["title"]), kept["of"], outcome)


def notebook_of_kernel() -> Path | None:
    """The notebook that this kernel belongs to, where somebody tells."""
    named = os.environ.get(JUPYTER) or _global(VS_CODE)
    notebook = Path(named) if named else None
    if notebook is None or notebook.suffix != ".ipynb":
        return None
    here = Path.cwd() / notebook.name  # a kernel starts in the folder of its notebook
    return here if here.exists() or not notebook.is_absolute() else notebook


def _global(name: str) -> str:
    """A variable of the notebook; empty outside of one."""
    main = sys.modules.get("__main__")
    return str(getattr(main, name, "") or "")
