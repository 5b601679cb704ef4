"""What learners get of `exercises.py` holds no private check, and of hidden ones only promises."""

from __future__ import annotations

import runpy

import pytest

from tapelab.authoring.redaction import secrets, stripped
from tapelab.authoring.work import WorkError
from tapelab.exercises.check import Visibility, waiting

SCRIPT = """
from tapelab.exercises.checks import order, prediction, value
from tapelab.exercises.exercise import Exercise

SECRET = "the answer is forty-two"  # whispered: forty-two
WORDS = ("shown",)


def _only_for_private(x):
    return 42.0


APART = value("apart", 1, 3.5).private()
CHECKS = [
    value("open", 1, 1.0),
    value("kept back", 2, 99.75).hidden(),
    value("graded", 3, _only_for_private).private(),
    order("graded, too", 3, ("one", "two"), where=(), because=SECRET).advising(X="hush").private(),
    APART,
    *[value(f"many {at}", 1, at).private() for at in range(3)],
]
EXERCISES = (Exercise("x.1", "Title", "Prompt", tuple(CHECKS), WORDS),)
"""


@pytest.fixture
def left(tmp_path):
    """The exercises in a stripped file."""

    def read(script):
        (tmp_path / "exercises.py").write_text(stripped(script))
        return runpy.run_path(str(tmp_path / "exercises.py"))["EXERCISES"]

    return read


def test_private_checks_are_gone_and_hidden_ones_are_promised(left):
    (exercise,) = left(SCRIPT)
    assert [(check.title, check.points) for check in exercise.checks] == [
        ("open", 1),
        ("kept back", 2),
    ]
    first, second = exercise.checks
    assert first.visibility is Visibility.PUBLIC
    assert (second.visibility, second.judge) == (Visibility.HIDDEN, waiting)


@pytest.mark.parametrize(
    "secret", ["graded", "forty-two", "hush", "99.75", "42.0", "order", "many", "3.5", "two"]
)
def test_nothing_of_them_is_left_not_even_what_they_needed(secret):
    assert secret in SCRIPT
    assert secret not in stripped(SCRIPT)


def test_secrets_are_the_texts_of_what_is_gone():
    assert secrets(SCRIPT) == ["apart", "graded", "graded, too", "hush", "many ",
                               "the answer is forty-two"]  # fmt: skip


OWN = """
from tapelab.extend import Exercise, Outcome, check

@check("it is odd", 2)
def is_odd(answer):
    return None if answer.result() % 2 else Outcome(0, "Try a number such as three.")

@check("it is prime", points=3)
def is_prime(answer):
    return None if answer.result() in (11, 13) else Outcome(0, "Eleven would be right.")

EXERCISES = (Exercise("x.1", "Title", "Prompt", (is_odd.hidden(), is_prime.private())),)
"""


def test_a_check_that_decorates_a_function_is_promised_by_its_title_and_points(left):
    (exercise,) = left(OWN)
    assert [(each.title, each.points, each.judge) for each in exercise.checks] == [
        ("it is odd", 2, waiting)
    ]
    assert secrets(OWN) == [
        "Eleven would be right.", "Try a number such as three.", "it is prime"
    ]  # fmt: skip


def test_a_hidden_check_apart_from_the_list_is_refused():
    script = SCRIPT.replace("3.5).private()", "3.5).hidden()")
    with pytest.raises(WorkError, match="hidden check APART stands apart"):
        stripped(script)


def test_named_arguments_are_title_and_points_as_well(left):
    named = 'value(title="kept back", points=2, expected=99.75).hidden()'
    script = SCRIPT.replace('value("kept back", 2, 99.75).hidden()', named)
    assert left(script)[0].checks[1].points == 2
