"""A function is called at points unknown beforehand, and a right one loses no points there."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.exercises.checks import Slip, value
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.sampled_arguments import nearby
from tapelab.exercises.value_conversion import tensor
from tapelab.exercises.verdict import outcome

SQUARE = value("The square", 4, lambda v: v * v, at=((3.0,), (-1.5,)),
               slips=(Slip(lambda v: 2 * v, "Doubled.", 1),))  # fmt: skip


def found(check, function, seed=0):
    return outcome(check, LocalAnswer(function, seed=seed))


@pytest.mark.parametrize(
    "known", [lambda v: 9.0, lambda v: {3.0: 9.0, -1.5: 2.25}.get(v, 0.0), lambda v: abs(v) * 3 % 9]
)
def test_a_constant_and_a_table_of_the_known_places_earn_nothing(known):
    assert found(SQUARE, known).points == 0


def test_a_right_function_is_right_wherever_it_is_requested():
    requests = []

    def square(v):
        requests.append(v)
        return v * v

    assert all(found(SQUARE, square, seed).points == 4 for seed in range(5))
    assert len(set(requests)) == 2 + 5 * 2


def test_the_learners_own_check_always_asks_at_the_same_places():
    requests = [], []
    for each in requests:
        found(SQUARE, lambda v, each=each: each.append(v) or v * v)
    assert requests[0] == requests[1]


def test_a_wrong_answer_is_reported_of_at_a_place_of_the_check():
    wrong = found(SQUARE, lambda v: 2 * v)
    assert (wrong.points, wrong.text, wrong.expected) == (1, "Doubled.", "9.0000 for 3.0000")


def test_what_is_right_at_the_known_places_alone_is_reported_where_it_is_not():
    assert " for " in found(SQUARE, lambda v: {3.0: 9.0, -1.5: 2.25}.get(v, 0.0)).expected


def test_whole_numbers_are_drawn_as_the_check_says():
    check = value("Half", 2, lambda n: n / 2, at=((4,),), draw=lambda d: (int(d.integers(5, 99)),))
    assert found(check, lambda n: n / 2).points == 2
    assert found(check, lambda n: 2.0).points == 0


def test_another_value_has_the_same_form_signs_and_zeros():
    given = ([1.5, -2.0, 0.0], ("u", 3), {"w": -4.0}, tensor([[1.0, -1.0]]), np.zeros(0), True)
    other = nearby(given, np.random.default_rng(1))
    row, pair, named, made, nothing, flag = other
    assert np.sign(row).tolist() == [1, -1, 0]
    assert row != given[0]
    assert (pair, flag, nothing.size) == (("u", 3), True, 0)
    assert -5.0 <= named["w"] <= -3.2
    assert (made.array.dtype, made.array.shape, made.kind) == ("float32", (1, 2), given[3].kind)
