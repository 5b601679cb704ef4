"""No exercise is answered by what a right answer returned once, unless it asks for a guess."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from tapelab.exercises import judge
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.registry import LESSONS, find
from tapelab.exercises.value_conversion import live
from tapelab.exercises.values import Strange

GUESSES = {
    *("01.2", "01.5", "02.3", "03.1", "03.2", "03.3", "04.5", "05.14", "05.15", "07.1", "07.5"),
    *("08.2", "08.3", "09.2", "11.1", "12.2", "12.4", "14.1", "15.1", "15.2", "15.4", "16.3"),
    *("17.5", "18.4"),
}
"""Their answer is a number or a word that a learner finds with pen and paper."""
NAMED = {"09.4": 3}
"""The points of a name to choose, beside numbers to compute."""


def right_answers():
    """One answer to each exercise that earns all its points, from the tables of the tests."""
    for number in LESSONS:
        rows = import_module(f"tests.exercises.lessons.test_lesson_{number}").FORESEEN
        full = {row[0]: row[1] for row in reversed(rows) if row[2] == find(row[0]).points}
        yield from full.items()


RIGHT = dict(right_answers())


def takes_arguments(answer):
    given = inspect.signature(answer).parameters.values()
    return any(each.default is each.empty for each in given)


class Once:
    """An answer that returns for ever what it returned the first time."""

    def __init__(self, answer):
        self.answer = answer
        self.returned = None

    def __call__(self, *arguments):
        if self.returned is None:
            self.returned = LocalAnswer(self.answer).result(*arguments)
        return live(self.returned)


@pytest.mark.parametrize("number", [each for each in RIGHT if takes_arguments(RIGHT[each])])
def test_what_was_right_once_earns_nothing(number):
    assert judge(find(number), Once(RIGHT[number])).points == NAMED.get(number, 0)


def test_only_guesses_and_tapes_are_requested_for_without_arguments():
    without = {each for each in RIGHT if not takes_arguments(RIGHT[each])}
    results = {each: LocalAnswer(RIGHT[each]).result() for each in without}
    tapes = {each for each in without if isinstance(results[each], tuple)
             and any(type(part) is Strange for part in results[each])}  # fmt: skip
    assert without - tapes == GUESSES


def test_there_is_a_right_answer_to_every_exercise():
    snippets = {f"05.{number}" for number in range(1, 13)}  # which have tests of their own
    assert {each.id for lesson in LESSONS.values() for each in lesson} - set(RIGHT) <= snippets
