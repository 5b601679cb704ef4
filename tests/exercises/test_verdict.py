"""A verdict adds up, tells what is right first, and never ends in a traceback of ours."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tapelab.exercises import Check, Exercise, Outcome, judge
from tapelab.exercises.checks import value

TWO = Exercise(
    "99.1", "Two", "Return two numbers.",
    (value("first", 3, 1.0, where=(0,)), value("second", 5, 2.0, where=(1,))),
    ("Look.", "Think.", "Write."),
)  # fmt: skip


def grades(verdict):
    return [(each.title, each.grade, each.outcome.points) for each in verdict.judged]


def test_a_full_answer_earns_all_points():
    verdict = judge(TWO, lambda: (1.0, 2.0))
    assert (verdict.points, verdict.of, verdict.passed) == (8, 8, True)


def test_what_is_right_comes_first():
    assert grades(judge(TWO, lambda: (0.0, 2.0))) == [("second", "full", 5), ("first", "none", 0)]
    mixed = judge(TWO, lambda: (0.0, [2.0]))
    assert grades(mixed) == [("second", "part", 2), ("first", "none", 0)]


def unsolved(): ...


def not_implemented():
    raise NotImplementedError


@pytest.mark.parametrize("function", [unsolved, not_implemented, lambda: ..., lambda: (..., ...)])
def test_an_unsolved_answer_earns_nothing_and_is_no_mistake(function):
    verdict = judge(TWO, function)
    assert verdict.points == 0
    assert [each.outcome.text for each in verdict.judged] == ["Nothing here yet.", ""]


def test_an_answer_that_was_never_given_is_requested_for():
    assert judge(TWO, None).judged[0].outcome.text == "Run the cell with your answer first."


def raising(error):
    def function():
        raise error

    return function


@pytest.mark.parametrize(
    "error", [ValueError("no"), SystemExit(0), RecursionError("deep"), ZeroDivisionError()]
)
def test_an_exception_of_the_learner_is_one_sentence_with_its_line(error):
    verdict = judge(TWO, raising(error))
    said = [each.outcome.text for each in verdict.judged]
    message = f": {error}" if str(error) else ""
    assert verdict.points == 0
    line = "`raise error`,"
    assert said[0].startswith("Your code stopped at line ")
    assert said[0].endswith(f"{line} with {type(error).__name__}{message}.")
    assert said[1] == "", "one crash is reported once"


def test_a_long_message_is_cut():
    said = judge(TWO, raising(ValueError("long " * 200))).judged[0].outcome.text
    assert len(said) < 400
    assert said.endswith("…")


def test_an_interrupt_is_left_to_the_learner():
    with pytest.raises(KeyboardInterrupt):
        judge(TWO, raising(KeyboardInterrupt()))


def test_the_function_runs_once_for_all_checks():
    calls = []
    judge(TWO, lambda: calls.append(1) or (1.0, 2.0))
    assert calls == [1]


def test_a_check_that_fails_on_a_strange_answer_is_still_a_verdict():
    broken = Check("odd", 4, lambda answer: Outcome(answer.result()["never"]))
    verdict = judge(Exercise("99.2", "Odd", "", (broken,), ()), lambda: [1])
    assert verdict.points == 0
    assert verdict.judged[0].outcome.text.startswith("This answer cannot be read (TypeError")


@pytest.mark.parametrize(("claimed", "earned"), [(9, 4), (-3, 0)])
def test_a_check_gives_neither_more_than_its_points_nor_less_than_none(claimed, earned):
    check = Check("generous", 4, lambda answer: Outcome(claimed))
    assert judge(Exercise("99.3", "Odd", "", (check,), ()), lambda: 1).points == earned


def test_output_of_the_learner_costs_nothing(capsys):
    def noisy():
        print("to stdout")
        print("to stderr", file=sys.stderr)
        return np.float32(1.0), 2.0

    assert judge(TWO, noisy).passed
    assert "to stderr" in capsys.readouterr().err
