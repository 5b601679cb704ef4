"""Tests of other graders as checks: what passes, what fails, and who compares."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.verdict import outcome
from tapelab.grading.formats import step_runner
from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.formats.external_tests import (
    asserted,
    definitions,
    doctested,
    doctests,
    statements,
)
from tapelab.grading.formats.step_runner import Steps

LIAR = """
class Equal:
    def __eq__(self, other):
        return True
    def __repr__(self):
        return "42"
def f(x):
    return Equal()
"""


def found(check, source):
    names: dict = {}
    exec(source, names)
    return outcome(check, LocalAnswer(Steps(names)))


@pytest.mark.parametrize(
    ("test", "answer", "points"),
    [
        ("assert f(3) == 9", "def f(x): return x * x", 2),
        ("assert f(3) == 9", "def f(x): return x", 0),
        ("assert 9 == f(3)", "def f(x): return x * x", 2),
        ("assert f(3) == [1, (2, 3.0)]", "def f(x): return [1, (2, 3)]", 2),
        ("assert f(3) == [1, 2]", "def f(x): return (1, 2)", 0),
        ("assert f(3) == {'a': 1}", "def f(x): return {'a': 1}", 2),
        ("assert f(3) == {'a': 1}", "def f(x): return {'a': 1, 'b': 2}", 0),
        ("assert f(3) == {1, 2}", "def f(x): return {2, 1}", 2),
        ("assert f(3) == 'no'", "def f(x): return 'no'", 2),
        ("assert f(3) == None", "def f(x): return None", 2),
        ("assert f(3) == True", "def f(x): return x == 3", 2),
        ("assert f(3) == 1 == f(3)", "def f(x): return 1", 2),
        ("import numpy as np\nassert np.allclose(f(3), [1, 2])", "def f(x): return [1.0, 2]", 2),
        ("import numpy as np\nassert np.isclose(f(3), 1, atol=1)", "def f(x): return 1.9", 2),
        ("import numpy as np\nassert np.isclose(f(3), 1)", "def f(x): return 1.9", 0),
        ("import math\nassert math.isclose(f(3), 0.3)", "def f(x): return 0.1 + 0.2", 2),
        ("for x in range(3):\n    assert f(x) == x", "def f(x): return x", 2),
        ("x = 1\nx += 1\nassert f(x) == 2", "def f(x): return x", 2),
        ("%matplotlib inline\nassert f(1)", "def f(x): return x", 2),
        ("", "", 2),
    ],
)
def test_assertions_pass_as_they_do_in_python(test, answer, points):
    assert found(asserted("t", 2, test), answer).points == points


@pytest.mark.parametrize(
    "check",
    [
        asserted("t", 1, "assert f(3) == 9"),
        asserted("t", 1, "import numpy as np\nassert np.allclose(f(3), 9)"),
        doctested("t", 1, ">>> f(3) == 9\nTrue"),
    ],
)
def test_an_object_that_equals_everything_earns_nothing(check):
    assert found(check, LIAR).points == 0


def test_equal_steps_are_taken_as_often_as_they_stand():
    test = "assert f(0) == 1\nassert f(0) == 2"
    assert found(asserted("t", 1, test), "n = []\ndef f(x):\n    n.append(x)\n    return len(n)")


def test_a_test_may_take_a_name_away_from_the_functions_and_it_is_back_afterwards():
    source = "def g(): return 1\ndef f(): return g()"
    names: dict = {}
    exec(source, names)
    answer = LocalAnswer(Steps(names))
    test = "del g\ntry:\n    f()\nexcept NameError:\n    pass\nelse:\n    assert False, 'no g'"
    assert outcome(asserted("a", 1, test), answer).points == 1
    assert outcome(asserted("b", 1, "assert f() == 1"), answer).points == 1
    assert "g" in names


def test_names_are_those_of_the_place_whatever_comes_later():
    names: dict = {"x": 1}
    answer = LocalAnswer(Steps(names))
    names["x"] = 2
    assert outcome(asserted("t", 1, "assert x == 1"), answer).points == 1
    assert names["x"] == 2


@pytest.mark.parametrize(
    ("test", "answer", "ending", "said"),
    [
        ("assert f(1) > 2, 'too small'", "def f(x): return x", "failed", "Too small."),
        ("assert f(1)", "def f(x): raise NotImplementedError", "unsolved", "Nothing here yet."),
        ("assert f(1)", "", "raised", "The test stopped with NameError: name 'f' is not defined."),
        ("assert f(1) == 3", "def f(x): return 1 / 0", "raised",
         "The test stopped with ZeroDivisionError: division by zero."),
        ("f(1)", "def f(x): raise SystemExit(0)", "raised", "The test stopped with SystemExit: 0."),
    ],
)  # fmt: skip
def test_what_went_wrong_is_reported(test, answer, ending, said):
    message = found(asserted("t", 1, test), answer)
    assert (message.points, message.ending, message.text) == (0, ending, said)


def test_both_values_are_reported():
    message = found(asserted("t", 1, "assert f(2) == [4]"), "def f(x): return [x]")
    assert (message.text, message.expected, message.got) == ("For `f(2)`.", "[4]", "[2]")


@pytest.mark.parametrize(
    ("end", "points"), [("1.5", 1.5), ("0", 0), ("3", 2), ("'all'", 2), ("None", 2), ("-1", 2)]
)
def test_a_number_at_the_end_of_a_cell_is_its_points_as_nbgrader_reads_it(end, points):
    assert found(asserted("t", 2, f"n = {end}\nn", partial=True), "").points == points


@pytest.mark.parametrize(
    ("test", "answer", "points"),
    [
        (">>> f(3)\n9", "def f(x): return x * x", 1),
        (">>> f(3)\n9", "def f(x): return x", 0),
        (">>> f(3) == 9\nTrue", "def f(x): return x * x", 1),
        (">>> print(f(3))\n9\n<BLANKLINE>", "def f(x): return '9\\n'", 1),
        (">>> f(3)  # doctest: +ELLIPSIS\n0.33...", "def f(x): return 1 / 3", 1),
        (">>> f(0)\nTraceback (most recent call last):\nValueError: no",
         "def f(x): raise ValueError('no')", 1),
        (">>> f(0)\nTraceback (most recent call last):\nValueError: no", "def f(x): return 1", 0),
        (">>> f(0)\nTraceback (most recent call last):\nValueError: no",
         "def f(x): raise ValueError('yes')", 0),
        ((">>> f(0)  # doctest: +IGNORE_EXCEPTION_DETAIL\nTraceback (most recent call last):\n"
         "ValueError: no"), "def f(x): raise ValueError('yes')", 1),
        (">>> for i in range(2):\n...     assert f(i) == i\n>>> y = f(1)\n>>> y\n1",
         "def f(x): return x", 1),
    ],
)  # fmt: skip
def test_doctests_pass_as_they_do_at_the_prompt(test, answer, points):
    assert found(doctested("t", 1, test), answer).points == points


def test_a_message_of_the_teacher_comes_first():
    message = found(doctested("t", 1, ">>> f(3)\n9", failure="Square it."), "def f(x): return x")
    assert message.text == "Square it. After `f(3)`."
    assert (message.expected, message.got) == ("9", "3")


def test_a_process_that_answers_something_else_earns_nothing():
    for said in (True, ("done",), ["value", 9], ("value",), ("raised", 1), {}):
        answer = LocalAnswer(lambda *_, said=said: said)
        assert outcome(asserted("t", 1, "assert f(3) == 9"), answer).points == 0


def test_what_a_test_defines_is_reported_apart_from_what_it_asserts():
    source = "import numpy as np\ndef close(a, b): return a == b\nassert close(f(1), 1)"
    assert definitions(source) == "import numpy as np\n\ndef close(a, b):\n    return a == b" or (
        definitions(source) == "import numpy as np\ndef close(a, b):\n    return a == b"
    )


@pytest.mark.parametrize("read", [statements, doctests])
def test_what_is_no_test_says_why(read):
    with pytest.raises(UnreadableFormat, match=r"no Python|no doctest"):
        read(">>>f(3" if read is doctests else "assert f(3")


def test_an_answer_is_given_where_its_cell_stands(monkeypatch):
    given = {}
    monkeypatch.setattr(tf, "exercise", lambda number: lambda steps: given.update({number: steps}))
    monkeypatch.setenv("NBGRADER_EXECUTION", "")
    exec(step_runner.CELL.format(number="hw1.slope"), {"x": 1})
    message = outcome(asserted("t", 1, "assert x == 1"), LocalAnswer(given["hw1.slope"]))
    assert message.points == 1
