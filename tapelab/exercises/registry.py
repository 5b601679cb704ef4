"""The exercises of all lessons, by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tapelab.exercises import lesson_00, lesson_01, lesson_02, lesson_03, lesson_04, lesson_05
from tapelab.exercises.exercise import Exercise

LESSONS: Final[dict[str, tuple[Exercise, ...]]] = {
    "00": lesson_00.EXERCISES,
    "01": lesson_01.EXERCISES,
    "02": lesson_02.EXERCISES,
    "03": lesson_03.EXERCISES,
    "04": lesson_04.EXERCISES,
    "05": lesson_05.EXERCISES,
}


def lesson(number: str) -> tuple[Exercise, ...]:
    """The exercises of a lesson in order; LookupError if there is no such lesson."""
    if number not in LESSONS:
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
