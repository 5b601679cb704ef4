"""The teacher's guide lists each wrong answer as the tests have it: points, and what is said."""

from __future__ import annotations

import ast
from importlib import import_module

import pytest

from tapelab.exercises.registry import LESSONS, find
from tools.docs import answers


def table(number):
    return import_module(answers.TESTS.format(number)).FORESEEN


@pytest.mark.slow
@pytest.mark.parametrize("number", LESSONS)
def test_each_wrong_answer_of_a_lesson_stands_there_with_its_points_and_what_is_said(number):
    rows = answers.foreseen(number)
    for exercise, _, points, said in table(number):
        if points < find(exercise).points:
            same = [each for each in rows if (each.exercise, each.points) == (exercise, points)]
            assert any(said in " ".join(each.said) for each in same)
    assert {each.exercise for each in rows} == {each.id for each in LESSONS[number]}
    assert all(each.said or each.missing for each in rows)


@pytest.mark.parametrize(
    ("code", "returned", "right", "text"),
    [
        ("f", {"a": 1.0, "b": None}, {"a": 1.0, "b": 2.0}, "`b`: `None`"),
        ("f", ["sin", 2.50], None, "`['sin', 2.5]`"),
        ("one_sum_of_both", answers._OTHER, None, "One sum of both"),
        ("lambda x: x * x", answers._OTHER, None, "`x * x`"),
        ("walk(add=False)", answers._OTHER, None, "`walk(add=False)`"),
    ],
)
def test_an_answer_is_described_in_a_few_words(code, returned, right, text):
    expression = ast.parse(code, mode="eval").body
    assert answers._answer(expression, returned, right) == text


def test_a_table_that_is_not_there_is_missed():
    with pytest.raises(LookupError, match="has no list FORESEEN"):
        answers._code(ast)
