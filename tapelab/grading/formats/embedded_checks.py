"""Our checks inside of another grader's kernel: what nbgrader's and Otter's tests of ours call.

There a learner's code and the checks share a process, as those graders have it; whoever wants them
apart grades with tapelab.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any, Final

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.exercise_file import exercises_in
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.registry import find
from tapelab.exercises.session import SESSION
from tapelab.exercises.verdict import outcome
from tapelab.grading.formats.csv_tables import as_number

_TEACHERS: Final[dict[str, Exercise]] = {}
"""The exercises with all of their checks, once a hidden test has brought them."""


def use(script: str) -> None:
    """Take the exercises from the text of a teacher's `exercises.py`."""
    names: dict[str, Any] = {"__name__": "exercises"}
    exec(compile(script, "exercises.py", "exec"), names)  # noqa: S102 - the teacher's own
    _TEACHERS.update({each.id: each for each in exercises_in(names)})


def use_file(name: str) -> None:
    """As `use`, from a file that only the teacher's side has."""
    if Path(name).is_file():
        use(Path(name).read_text(encoding="utf-8"))


def earned(number: str, title: str) -> float:
    """The points that the answer to an exercise earns in one of its checks.

    What the answer prints is kept back: nbgrader gives no points where anything was said to the
    error stream.
    """
    exercise = _TEACHERS.get(number) or find(number)
    check = next((each for each in exercise.checks if each.title == title), None)
    if check is None:
        raise LookupError(f"The exercise {number} has no check {title!r} here.")
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        judged = outcome(check, LocalAnswer(SESSION.answers.get(number)))
    return as_number(round(judged.points, 6))


def passed(number: str, title: str) -> bool:
    """Whether the answer earns all the points of a check, as Otter counts."""
    exercise = _TEACHERS.get(number) or find(number)
    of = {each.title: each.points for each in exercise.checks}
    return earned(number, title) >= round(of[title], 6)
