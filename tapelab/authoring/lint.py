"""What is wrong with a work before any of it runs, as sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from tapelab.authoring.percent_script import chosen, solution_lines
from tapelab.authoring.work import Work
from tapelab.core.tape import GradientTape
from tapelab.core.variable import Variable
from tapelab.exercises.answer import Answer, Ends
from tapelab.exercises.check import Check, Slip
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_trial import Trial, trial_of
from tapelab.exercises.value_conversion import value_of
from tapelab.exercises.values import Numbers, Value
from tapelab.exercises.verdict import outcome
from tapelab.exercises.verdict_text import short
from tapelab.ops.reduce_ops import reduce_sum


class WrongAnswer(Answer):
    """The answer of a learner who slips in this one way."""

    def __init__(self, check: Check, slip: Slip) -> None:
        super().__init__()
        self._check, self._slip = check, slip

    def _value(self, arguments: tuple[Value, ...]) -> Any:
        plain = [each.array if type(each) is Numbers else each for each in arguments]
        return self._slip.value(*plain) if callable(self._slip.value) else self._slip.value

    def _result(self, arguments: tuple[Value, ...]) -> Value:
        value = self._value(arguments)
        for key in reversed(self._check.where):
            value = {key: value} if isinstance(key, str) else [value] * (key + 1)
        return value_of(value)

    def _trial(self, ends: Ends, arguments: tuple[Value, ...]) -> Trial:
        """A tape on which the wrong gradient arrives."""
        gradient = np.asarray(self._value(arguments), np.float64)
        source = Variable(np.zeros_like(gradient))
        with GradientTape() as tape:
            target = reduce_sum(source * gradient)
        return trial_of(tape, target, source)


def unreachable(check: Check) -> Iterator[Slip]:
    """The slips whose sentence no learner can ever get."""
    for slip in check.slips:
        judged = outcome(check, WrongAnswer(check, slip))
        if slip.text not in judged.text or judged.ending:
            yield slip


Problems = Iterator[str]


def problems(work: Work) -> list[str]:
    """Sentences, each about one thing to mend; empty for a sound work."""
    of_work = [each for rule in _OF_WORK for each in rule(work)]
    of_each = [each for one in work.exercises for rule in _OF_EACH for each in rule(one)]
    return [*of_work, *of_each]


def _there_are_exercises(work: Work) -> Problems:
    if not work.exercises:
        yield "There are no exercises: EXERCISES is empty."


def _ids_are_unique(work: Work) -> Problems:
    for number, times in Counter(each.id for each in work.exercises).items():
        if times > 1:
            yield f"There are {times} exercises {number}; each needs an id of its own."


def _ids_are_of_one_lesson(work: Work) -> Problems:
    lessons = sorted({each.lesson for each in work.exercises})
    if len(lessons) > 1:
        yield f"The ids begin with {' and '.join(lessons)}; all begin with the name of one lesson."
    named = re.search(r"^# *lesson: *[\"']?([^\"'\n]*)", work.text, re.MULTILINE)
    if named and lessons and named[1].strip() not in lessons:
        yield f"The text is of lesson {named[1].strip()!r}, the ids are of {lessons[0]!r}."


def _points_add_up(work: Work) -> Problems:
    total = sum(each.points for each in work.exercises)
    if work.points is not None and abs(total - work.points) > 1e-9:
        yield f"POINTS says {short(work.points)}; the checks add up to {short(total)}."


def _text_asks_for_every_exercise(work: Work) -> Problems:
    shown = chosen(work.text, solved=False)
    for verb in ("exercise", "check"):
        calls = Counter(re.findall(rf"\btf\.{verb}\([\"']([^\"']+)[\"']\)", shown))
        for each in work.exercises:
            if not calls.pop(each.id, 0):
                yield f"The text has no tf.{verb}({each.id!r})."
        for unknown in calls:
            yield f"The text has tf.{verb}({unknown!r}), and there is no such exercise."


def _there_is_a_solution(work: Work) -> Problems:
    if not solution_lines(work.text):
        yield "The text holds no solution: put one between ### BEGIN SOLUTION and ### INSTEAD."


def _has_a_prompt_and_a_title(exercise: Exercise) -> Problems:
    for name in ("title", "prompt"):
        if not getattr(exercise, name).strip():
            yield f"Exercise {exercise.id} has no {name}."


def _has_hints(exercise: Exercise) -> Problems:
    if not exercise.hints:
        yield f"Exercise {exercise.id} has no hints; the first one is free."


def _has_checks_with_points(exercise: Exercise) -> Problems:
    if not exercise.checks:
        yield f"Exercise {exercise.id} has no checks."
    for check in exercise.checks:
        if check.points <= 0:
            yield f"The check {check.title!r} of {exercise.id} is worth nothing."
    for title, times in Counter(check.title for check in exercise.checks).items():
        if times > 1:
            yield f"Exercise {exercise.id} has {times} checks called {title!r}."


def _slips_are_met(exercise: Exercise) -> Problems:
    for check in exercise.checks:
        for slip in unreachable(check):
            yield (
                f"The check {check.title!r} of {exercise.id} never says {slip.text!r}: the answer "
                "is right, or another slip comes before it."
            )
        for slip in check.slips:
            if slip.points >= check.points:
                yield f"A slip of {check.title!r} of {exercise.id} earns all points."


_OF_WORK: Final[tuple[Callable[[Work], Problems], ...]] = (
    _there_are_exercises,
    _ids_are_unique,
    _ids_are_of_one_lesson,
    _points_add_up,
    _text_asks_for_every_exercise,
    _there_is_a_solution,
)
_OF_EACH: Final[tuple[Callable[[Exercise], Problems], ...]] = (
    _has_a_prompt_and_a_title,
    _has_hints,
    _has_checks_with_points,
    _slips_are_met,
)
