"""Each check of values gives full, partial or no points, and says why."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.exercises.check import Outcome
from tapelab.exercises.checks import Slip, nearby, order, prediction, prediction_table, value
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.value_conversion import tensor
from tapelab.exercises.verdict import outcome

DERIVATIVE = value(
    "derivative", 6, lambda v: 2 * v, at=((3.0,), (-1.0,)), dtype="float32",
    slips=(Slip(lambda v: v * v, "That is the value.", 1),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda v: np.float32(2 * v), Outcome(6)),
        (lambda v: 2 * v,
         Outcome(3, "The numbers are right, the dtype is not.", "float32", "float64")),
        (lambda v: np.float32([2 * v]),
         Outcome(3, "The numbers are right, the shape is (1,) and not ().")),
        (lambda v: v * v, Outcome(1, "That is the value.", "6.0000 for 3.0000", "9.0000")),
        (lambda v: 6.0, Outcome(0, "", "−2.0000 for −1.0000", "6.0000")),
        (lambda v: 9.0, Outcome(0, "That is the value.", "6.0000 for 3.0000", "9.0000")),
        (lambda v: [6.0], Outcome(0, "The numbers are right, the shape is (1,) and not ().")),
        (lambda v: "six", Outcome(0, "A str is not a number or a tensor.")),
        (lambda v: ..., Outcome(0, "Nothing here yet.")),
        (lambda v: None, Outcome(0, "Nothing here yet.")),
    ],
)  # fmt: skip
def test_a_value_earns_what_is_right_of_it(found, function, expected):
    assert found(DERIVATIVE, function) == expected


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"x": 1.0}, ""),
        ({"x": ...}, "Nothing here yet."),
        ({"y": 1.0}, "The entry 'x' is missing."),
        ([1.0], "Return a dict with the entry 'x'; this is a list."),
    ],
)
def test_an_entry_that_is_missing_is_named(returned, given, text):
    assert returned(value("x", 2, 1.0, where=("x",)), given).text == text


@pytest.mark.parametrize(
    ("given", "text"),
    [((1.0, 2.0), ""), ((1.0,), "Return 2 values or more; here are 1."),
     (2.0, "Return a tuple of values; this is a float.")],
)  # fmt: skip
def test_a_place_that_is_missing_is_reported(returned, given, text):
    assert returned(value("second", 2, 2.0, where=(1,)), given).text == text


@pytest.mark.parametrize(
    ("expected", "right", "wrong", "shown"),
    [
        (3, 3.0, 4, ("3", "4")),
        (None, None, 0.0, ("None", "0.0000")),
        (0.0, 0, None, ("0.0000", "None")),
        ("b", " B ", "a", ("b", "a")),
        ("b", "b", 2, ("b", "2")),
        (3, 3, "3", ("3", "3")),
    ],
)
def test_a_prediction_is_a_number_a_word_or_none(returned, expected, right, wrong, shown):
    check = prediction("p", 3, expected, where=("p",), because="So it is.")
    assert returned(check, {"p": right}) == Outcome(3)
    assert returned(check, {"p": wrong}) == Outcome(0, "So it is.", *shown)
    assert returned(check, {"p": ...}) == Outcome(0, "Nothing here yet.")


@pytest.mark.parametrize(
    ("given", "points"),
    [
        (["add", "sin", "exp"], 6),
        (("Add ", "sin", "exp"), 6),
        (["add", "exp", "sin"], 4),
        (["exp", "sin", "add"], 0),
        (["add", "sin"], 0),
        (["add", "sin", "exp", "exp"], 0),
        ([1, 2, 3], 0),
    ],
)
def test_every_pair_in_the_right_order_earns_its_part(returned, given, points):
    check = order("order", 6, ("add", "sin", "exp"), where=(), because="Last in, first out.")
    assert returned(check, given).points == points


def test_steps_that_are_missing_are_named(returned):
    check = order("order", 6, ("add", "sin", "exp"), where=(), because="")
    assert returned(check, ["add"]).text == "Still missing: `sin` and `exp`."
    assert returned(check, ["add", "sin", "exp", "add"]).text == "Every step comes exactly once."


def test_a_table_of_predictions_reads_keys_alone_and_ways_to_a_part(found):
    whole, part = prediction_table(
        ("The whole", 2, 3, "a", "It is 3."), ("The part", 1, None, ("b", 0), "Nothing arrives.")
    )
    assert found(whole, lambda: {"a": 3}) == Outcome(2)
    assert found(whole, lambda: {"a": 4}) == Outcome(0, "It is 3.", "3", "4")
    assert found(part, lambda: {"b": (None, 1)}) == Outcome(1)
    assert found(part, lambda: {"b": (0.0, 1)}).text == "Nothing arrives."


SQUARE = value("The square", 4, lambda v: v * v, at=((3.0,), (-1.5,)),
               slips=(Slip(lambda v: 2 * v, "Doubled.", 1),))  # fmt: skip


def judged_with(check, function, seed=0):
    """Judge a function by one check of a grader whose seed is given."""
    return outcome(check, LocalAnswer(function, seed=seed))


@pytest.mark.parametrize(
    "known", [lambda v: 9.0, lambda v: {3.0: 9.0, -1.5: 2.25}.get(v, 0.0), lambda v: abs(v) * 3 % 9]
)
def test_a_constant_and_a_table_of_the_known_places_earn_nothing(known):
    assert judged_with(SQUARE, known).points == 0


def test_a_right_function_is_right_wherever_it_is_requested():
    requests = []

    def square(v):
        requests.append(v)
        return v * v

    assert all(judged_with(SQUARE, square, seed).points == 4 for seed in range(5))
    assert len(set(requests)) == 2 + 5 * 2


def test_the_learners_own_check_always_asks_at_the_same_places():
    requests = [], []
    for each in requests:
        judged_with(SQUARE, lambda v, each=each: each.append(v) or v * v)
    assert requests[0] == requests[1]


def test_a_wrong_answer_is_reported_of_at_a_place_of_the_check():
    wrong = judged_with(SQUARE, lambda v: 2 * v)
    assert (wrong.points, wrong.text, wrong.expected) == (1, "Doubled.", "9.0000 for 3.0000")


def test_what_is_right_at_the_known_places_alone_is_reported_where_it_is_not():
    assert " for " in judged_with(SQUARE, lambda v: {3.0: 9.0, -1.5: 2.25}.get(v, 0.0)).expected


def test_whole_numbers_are_drawn_as_the_check_says():
    check = value("Half", 2, lambda n: n / 2, at=((4,),), draw=lambda d: (int(d.integers(5, 99)),))
    assert judged_with(check, lambda n: n / 2).points == 2
    assert judged_with(check, lambda n: 2.0).points == 0


def test_another_value_has_the_same_form_signs_and_zeros():
    given = ([1.5, -2.0, 0.0], ("u", 3), {"w": -4.0}, tensor([[1.0, -1.0]]), np.zeros(0), True)
    other = nearby(given, np.random.default_rng(1))
    row, pair, named, made, nothing, flag = other
    assert np.sign(row).tolist() == [1, -1, 0]
    assert row != given[0]
    assert (pair, flag, nothing.size) == (("u", 3), True, 0)
    assert -5.0 <= named["w"] <= -3.2
    assert (made.array.dtype, made.array.shape, made.kind) == ("float32", (1, 2), given[3].kind)
