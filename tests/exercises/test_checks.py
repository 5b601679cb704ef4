"""Each check of values gives full, partial or no points, and says why."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.exercises.check import Outcome
from tapelab.exercises.checks import Slip, order, prediction, value

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
