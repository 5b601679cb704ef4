"""OK tests: read without being run, written as Otter reads them."""

from __future__ import annotations

import pytest
from grading.formats.ok_test_files import text_of

from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.formats.ok_tests import (
    Case,
    Question,
    doctest_of,
    from_spec,
    parse_test,
    read_test,
)

SQUARES = Question(
    "q1",
    (
        Case(">>> squares(3)\n[1, 4, 9]", hidden=False, points=1),
        Case(">>> squares(0)\n[]", points=2.5, name="empty", failure_message="Nothing is a list."),
    ),
    all_or_nothing=True,
)


def test_a_test_comes_back_as_it_was():
    assert parse_test(text_of(SQUARES)) == SQUARES


def test_reading_a_test_runs_nothing_of_it(tmp_path):
    trace = tmp_path / "trace"
    text = text_of(SQUARES) + f"\nopen({str(trace)!r}, 'w')\n"
    (tmp_path / "q1.py").write_text(text)
    assert read_test(tmp_path / "q1.py") == SQUARES
    assert not trace.exists()


def test_a_case_is_hidden_unless_it_says_otherwise():
    spec = {"name": "q", "suites": [{"cases": [{"code": ">>> 1\n1"}]}]}
    assert from_spec(spec).cases[0].hidden


@pytest.mark.parametrize(
    ("whole", "own", "each"),
    [
        (None, (None, None), (0.5, 0.5)),
        (3, (None, None), (1.5, 1.5)),
        (3, (1, None), (1, 2)),
        (None, (2, None), (2, 0)),
        ((1, None), (None, None), (1, 0)),
        (None, (0, None), (0, 1)),
    ],
)
def test_points_are_divided_as_otter_divides_them(whole, own, each):
    test = Question("q", tuple(Case("", points=points) for points in own), whole)
    assert tuple(case.points for case in test.resolved()) == each


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "no `test = "),
        ("test = make()", "computes its test, at line 1"),
        ("test = {'suites': [}", "no Python"),
        ("test = {'suites': []}", "one suite"),
        ("test = {'suites': [{'type': 'sqlite', 'cases': []}]}", "type 'sqlite'"),
        ("test = {'suites': [{'setup': 'x = 1', 'cases': []}]}", "has a setup"),
        ("test = {'suites': [{'cases': [{}]}]}", "without `code`"),
        ("test = {'suites': [{'cases': 3}]}", "without a list"),
        ("test = {'points': 'x', 'suites': [{'cases': []}]}", '"x" for its points'),
        ("test = {'points': -1, 'suites': [{'cases': []}]}", "-1 for its points"),
        ("test = {'points': [1], 'suites': [{'cases': []}]}", "1 cases and 0"),
        ("test = {'points': 1, 'suites': [{'cases': [{'code': '', 'points': 2}]}]}",
         "have 2 points, the question 1"),
        ("test = " + "(" * 5000, "no Python"),
    ],
)  # fmt: skip
def test_what_is_no_test_says_why(text, said):
    with pytest.raises(UnreadableFormat, match=said):
        parse_test(text)


def test_statements_become_examples_that_print_nothing():
    assert doctest_of("for i in range(2):\n    assert i < 2\nassert f(1) == 2") == (
        ">>> for i in range(2):\n...     assert i < 2\n>>> assert f(1) == 2"
    )
