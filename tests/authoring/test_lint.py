"""What is wrong with a work is found before it runs, and said in one sentence each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapelab.authoring.lesson_works import lesson_works
from tapelab.authoring.lint import problems, unreachable
from tapelab.authoring.release import leaks
from tapelab.exercises.check import Slip
from tapelab.exercises.checks import value
from tapelab.exercises.choices import choice, choices, quantity
from tapelab.exercises.tape_checks import arrives

ROOT = Path(__file__).parents[2]


def test_the_example_is_sound(folder):
    assert problems(folder.work) == []


@pytest.mark.parametrize(
    "work", lesson_works(ROOT / "notebooks" / "src"), ids=lambda work: work.name
)
def test_a_lesson_is_sound_and_gives_nothing_away(work):
    assert [*problems(work), *leaks(work)] == []


@pytest.mark.parametrize(
    ("file", "before", "after", "said"),
    [
        ("exercises.py", 'id="cubes.2"', 'id="cubes.1"', "There are 2 exercises cubes.1;"),
        ("exercises.py", 'id="cubes.2"', 'id="other.2"', "The ids begin with cubes and other;"),
        ("exercises.py", "POINTS = 20", "POINTS = 21", "POINTS says 21; the checks add up to 20."),
        ("exercises.py", '"x is watched", 2', '"x is watched", 0', "is worth nothing"),
        ("exercises.py", '"In two operations"', '"The gradient"', "has 2 checks called"),
        ("exercises.py", 'prompt="What is', 'prompt=" " or "What is', "cubes.3 has no prompt."),
        ("exercises.py", "Slip(4.0", "Slip(12.0", "never says 'That is the derivative of x²."),
        ("exercises.py", 'its derivative.", 1)', 'its derivative.", 4)', "all points"),
        ("notebook.py", 'lesson: "cubes"', 'lesson: "other"', "The text is of lesson 'other'"),
        ("notebook.py", 'tf.check("cubes.3")', "", "The text has no tf.check('cubes.3')."),
        ("notebook.py", 'tf.check("cubes.3")', 'tf.check("cubes.9")', "there is no such exercise"),
        ("notebook.py", 'exercise("cubes.2")', 'exercise("cubes.9")', "no tf.exercise('cubes.2')"),
    ],
)  # fmt: skip
def test_each_fault_is_reported(folder, file, before, after, said):
    found = problems(folder.edit(file, before, after).work)
    assert any(said in each for each in found), found


def test_an_exercise_without_hints_is_reported(folder):
    folder.edit("exercises.py", 'hints=("Is there a path from y back to x, over operations on '
                'the tape?",),', "hints=(),")  # fmt: skip
    assert problems(folder.work) == ["Exercise cubes.3 has no hints; the first one is free."]


@pytest.mark.parametrize(
    ("check", "never"),
    [
        (value("v", 2, 1.0, where=("a", 1), slips=(Slip(2.0, "two"), Slip(2.0, "again"))),
         ["again"]),
        (value("v", 2, lambda x: x, at=((0.0,), (1.0,)), slips=(Slip(abs, "same"),)),
         ["same"]),
        (arrives("a", 2, (1.0, 2.0), slips=(Slip((2.0, 1.0), "swapped"), Slip((1.0, 2.0), "no"))),
         ["no"]),
        (choice("c", 2, "a", ("a", "b"), slips={"b": "not b", "a": "but a"}), ["but a"]),
        (choices("c", 2, ("a",), ("a", "b"), slips={"b": "not b"}), []),
        (quantity("q", 2, 8.0, "kB", slips=(Slip(64.0, "bits"), Slip(8.0, "none"))), ["none"]),
    ],
    ids=["value", "function", "gradient", "choice", "choices", "quantity"],
)  # fmt: skip
def test_slips_that_nobody_is_reported_of_are_found(check, never):
    assert [slip.text for slip in unreachable(check)] == never
