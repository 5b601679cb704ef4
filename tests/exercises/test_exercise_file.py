"""A teacher's own exercises are found in the folder in which a notebook runs."""

from __future__ import annotations

import pytest

from tapelab.exercises.exercise_file import ExercisesError
from tapelab.exercises.registry import find

SCRIPT = """
from tapelab.exercises.checks import value
from tapelab.exercises.exercise import Exercise
COUNT_HINTS = {counts}
EXERCISES = (Exercise("own.1", "One", "Return 1.", (value("one", 1, 1.0),), ("1",)),)
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "exercises.py"


def test_exercises_beside_the_notebook_are_found_and_read_again_when_they_change(script):
    script.write_text(SCRIPT.format(counts=False))
    assert not find("own.1").counts_hints
    script.write_text(SCRIPT.format(counts=True))
    assert find("own.1").counts_hints


def test_without_such_a_file_the_lessons_are_named(script):
    with pytest.raises(LookupError, match="There is no lesson 'own'"):
        find("own.1")


@pytest.mark.parametrize(
    ("text", "said"), [("1 / 0", "ZeroDivisionError"), ("EXERCISES = (1,)", "a tuple of Exercise")]
)
def test_a_file_that_cannot_be_used_says_why(script, text, said):
    script.write_text(text)
    with pytest.raises(ExercisesError, match=said):
        find("own.1")


def test_the_lessons_never_ask_for_the_file(script):
    script.write_text("1 / 0")
    assert find("02.1").title
