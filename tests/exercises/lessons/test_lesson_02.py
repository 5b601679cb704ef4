"""Lesson 02: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def derivative(function, value):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, x)


def both_in_a_list(x, y):
    return [y, x]


def one_sum_of_both(v):
    return derivative(lambda x: x * x + (x * x) ** 2, v), derivative(lambda x: (x * x) ** 2, v)


FORESEEN = [
    ("02.1", lambda v: derivative(lambda x: x * x, v), 10, ""),
    ("02.1", lambda v: tf.constant(v * v), 0, "That is x² itself. Ask the tape for its"),
    ("02.1", lambda v: 6.0, 0, "That is the derivative at 3; use the value you are given."),
    ("02.1", lambda v: 0.0, 0, ""),
    ("02.1", lambda v: np.float64(2 * v), 9, "The numbers are right, the dtype is not."),
    ("02.1", lambda v: [derivative(lambda x: x * x, v)], 5, "the shape is (1,) and not ()"),
    ("02.1", lambda v: "2 * v", 0, "A str is not a number or a tensor."),
    ("02.2", lambda x, y: {"x": y, "y": x}, 10, ""),
    ("02.2", lambda x, y: {"x": x, "y": y}, 2, "Swapped: when x grows, x·y grows y times"),
    ("02.2", lambda x, y: {"x": y}, 5, "The entry 'y' is missing."),
    ("02.2", both_in_a_list, 0, "Return a dict with the entry 'x'; this is a list."),
    ("02.3", lambda: {"a": 3, "b": 1, "c": 5}, 10, ""),
    ("02.3", lambda: {"a": 3, "b": 2, "c": 5}, 6, "No tape watches `c`"),
    ("02.3", lambda: {"a": 3, "b": 1, "c": 1}, 7, "each round leaves a record of its own"),
    ("02.3", lambda: {"a": 3, "b": ..., "c": ...}, 3, "Nothing here yet."),
    ("02.4", lambda v: (2 * v, 4 * v**3), 10, ""),
    ("02.4", lambda v: (2 * v, 2 * v**2), 4, "That is the derivative of z along y."),
    ("02.4", one_sum_of_both, 7, "a list of targets is summed"),
    ("02.4", lambda v: 2 * v, 0, "Return a tuple of values; this is a float."),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
