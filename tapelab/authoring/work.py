"""A work as a teacher keeps it, a folder with `exercises.py` and `notebook.py`; and a new one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from tapelab.errors import Complaint
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.exercise_file import SCRIPT, ExercisesError, exercises_in, names_in
from tapelab.recording.atomic_write import write

TEXT = "notebook.py"
"""What the text of a work is called."""


class WorkError(Complaint, ValueError):
    """A teacher's folder cannot be used; the message says why and what to write."""


@dataclass(frozen=True)
class Work:
    """Exercises with the notebook around them; `name` is what the notebook is called.

    `script` is the text of `exercises.py`, empty for the lessons of tapelab itself, whose exercises
    come with it.
    """

    name: str
    title: str
    text: str = field(repr=False)
    exercises: tuple[Exercise, ...]
    script: str = field(default="", repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    points: float | None = None
    """What all exercises should add up to, where the teacher says so."""

    @property
    def lesson(self) -> str:
        """The first part of the ids."""
        return self.exercises[0].lesson if self.exercises else ""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The work in a folder; WorkError if it is none."""
        script, text = folder / SCRIPT, folder / TEXT
        for file in (script, text):
            if not file.is_file():
                raise WorkError(
                    f"There is no {file.name} in {folder}. To begin with an example: "
                    f"tapelab exercise new {folder.name or 'gradients'}"
                )
        names = _names(script)
        return cls(
            name=folder.resolve().name,
            title=str(names.get("TITLE", folder.resolve().name)),
            text=text.read_text(encoding="utf-8"),
            exercises=exercises_in(names),
            script=script.read_text(encoding="utf-8"),
            files={name: _content(folder, name) for name in names.get("FILES", ())},
            points=names.get("POINTS"),
        )


def _names(script: Path) -> dict[str, Any]:
    try:
        return names_in(script, (script.stat().st_mtime_ns, script.stat().st_size))
    except ExercisesError as error:
        raise WorkError(str(error)) from error


def _content(folder: Path, name: str) -> bytes:
    """A file that goes to the learners; it lies in the folder of the work itself."""
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()) or not file.is_file():
        raise WorkError(f"FILES in {SCRIPT} names {name!r}, which is no file in {folder}.")
    return file.read_bytes()


_TEMPLATE: Final = Path(__file__).parent / "template"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")


def begin(folder: Path) -> list[Path]:
    """Write the example into a folder, which is new or empty; its name begins all ids."""
    name = folder.resolve().name
    if not _NAME.fullmatch(name):
        raise WorkError(
            f"{name!r} cannot begin the ids of exercises. Use letters, digits, - and _ alone, as "
            "in gradients-1."
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WorkError(f"{folder} is there already. Choose another name, or empty it first.")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for file in (SCRIPT, TEXT):
        text = (_TEMPLATE / f"{file}.txt").read_text(encoding="utf-8").replace("@NAME@", name)
        written.append(write(folder / file, text.encode()))
    return written
