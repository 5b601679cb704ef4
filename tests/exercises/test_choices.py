"""Picked answers and numbers with units are read as they are meant."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises.checks import Slip
from tapelab.exercises.choices import choice, choices, quantity

WAYS = ("forward", "reverse", "both cost the same")
ONE = choice("way", 4, "reverse", WAYS, because="One output.", slips={"forward": "Many inputs."})
MANY = choices("ways", 4, {"forward", "reverse"}, WAYS, slips={"both cost the same": "Count."})
BYTES = quantity("bytes", 4, 1.5, "kB", slips=(Slip(1536e-3 * 8, "Bits, not bytes.", 1),))


@pytest.mark.parametrize("given", ["reverse", " Reverse ", "REVERSE"])
def test_the_right_option_is_found_however_it_is_written(returned, given):
    assert returned(ONE, given).points == 4


@pytest.mark.parametrize(
    ("given", "text"),
    [("forward", "Many inputs."), ("both cost the same", "One output.")],
)
def test_another_option_gets_its_reason_and_the_right_one_is_not_given_away(returned, given, text):
    found = returned(ONE, given)
    assert (found.points, found.text, found.expected) == (0, text, "")


@pytest.mark.parametrize("given", ["sideways", 3, None, ["reverse", "forward"]])
def test_what_is_no_option_is_reported_the_options(returned, given):
    assert returned(ONE, given).points == 0


def test_the_options_are_named(returned):
    text = "Answer with one of `forward`, `reverse` and `both cost the same`, in quotes."
    assert returned(ONE, "sideways").text == text


@pytest.mark.parametrize(
    "given", [["reverse", "forward"], ("forward", "reverse"), "forward, reverse"]
)
def test_all_right_options_earn_all_points_in_any_order(returned, given):
    assert returned(MANY, given).points == 4


@pytest.mark.parametrize(
    ("given", "points"),
    [(["forward"], 2), (list(WAYS), 2), (["both cost the same"], 0), ([], 0), (["forward"] * 2, 2)],
)
def test_an_option_too_many_takes_away_a_right_one(returned, given, points):
    assert returned(MANY, given).points == points


def test_a_placeholder_among_the_options_is_unsolved(returned):
    assert returned(MANY, ["forward", ...]).ending == "unsolved"


def test_a_check_that_speaks_of_no_option_is_refused():
    with pytest.raises(ValueError, match="`backward`, which is no option"):
        choice("way", 4, "backward", WAYS)


@pytest.mark.parametrize(
    "given",
    ["1.5 kB", "1500 bytes", "1.5kb", (1.5, "kB"), [1500, "B"], 1.5, "1.5", np.float32(1.5),
     tf.constant(1.5), "1.5e3 B", [1.5]],
)  # fmt: skip
def test_a_quantity_is_right_in_any_unit_of_its_kind(returned, given):
    assert returned(BYTES, given).points == 4


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("1.5 s", "That unit measures something else."),
        ("12.288 kB", "Bits, not bytes."),
        ("much", 'Answer with a number and its unit, as in "1.5 kB".'),
        ((1.0, 2.0), "One number is asked for."),
    ],
)
def test_a_wrong_quantity_is_reported_apart(returned, given, text):
    assert returned(BYTES, given).text == text
