"""The exercises of all lessons, by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Final

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.exercise_file import exercises_beside

LAST_LESSON: Final = 18

LESSONS: Final[dict[str, tuple[Exercise, ...]]] = {
    number: import_module(f"tapelab.exercises.lessons.lesson_{number}").EXERCISES
    for number in (f"{index:02}" for index in range(LAST_LESSON + 1))
}


def lesson(number: str) -> tuple[Exercise, ...]:
    """The exercises of a lesson in order; LookupError if there is no such lesson.

    Beside the lessons there are a teacher's own, in the file `exercises.py` beside the notebook.
    """
    if number not in LESSONS:
        own = tuple(each for each in exercises_beside() if each.lesson == number)
        if own:
            return own
        raise LookupError(f"There is no lesson {number!r} with exercises. Try {_one_of(LESSONS)}.")
    return LESSONS[number]


def find(number: str) -> Exercise:
    """The exercise of an id such as 03.1; LookupError if there is none."""
    if not isinstance(number, str):
        raise TypeError(f"An exercise is called by its id in quotes, as in '03.1', not {number!r}.")
    by_id = {each.id: each for each in lesson(number.partition(".")[0])}
    if number not in by_id:
        raise LookupError(f"There is no exercise {number!r}. Try {_one_of(by_id)}.")
    return by_id[number]


def _one_of(ids: Iterable[object]) -> str:
    return ", ".join(f"'{each}'" for each in ids)
