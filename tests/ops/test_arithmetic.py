"""Products and quotients that are 0 where one side is 0, and so are their gradients."""

from __future__ import annotations

import math

import pytest


@pytest.mark.parametrize(
    ("name", "x", "y", "value"),
    [
        ("divide_no_nan", 3.0, 0.0, 0.0),
        ("multiply_no_nan", math.inf, 0.0, 0.0),
        ("multiply_no_nan", math.nan, 0.0, 0.0),
        ("xdivy", 0.0, 0.0, 0.0),
        ("xlogy", 0.0, 0.0, 0.0),
        ("xlog1py", 0.0, -1.0, 0.0),
    ],
)
def test_zero_wins(tf, name, x, y, value):
    assert float(getattr(tf.math, name)(x, y)) == value


@pytest.mark.parametrize(
    ("name", "dx", "dy"),
    [
        ("divide_no_nan", [0.0, 1 / 3], [0.0, -2 / 9]),
        ("multiply_no_nan", [0.0, 3.0], [0.0, 2.0]),
        ("xdivy", [0.0, 1 / 3], [0.0, -2 / 9]),
        ("xlogy", [0.0, math.log(3)], [0.0, 2 / 3]),
        ("xlog1py", [0.0, math.log(4)], [0.0, 0.5]),
    ],
)
def test_the_gradient_is_zero_there_and_as_usual_elsewhere(tf, gradient_at, name, dx, dy):
    got = gradient_at(getattr(tf.math, name), [0.0, 2.0], [0.0, 3.0])
    assert got[0] == pytest.approx(dx)
    assert got[1] == pytest.approx(dy)


def test_integers_divide_into_floats(tf):
    y = tf.math.divide_no_nan(tf.constant([3, 3]), tf.constant([0, 2]))
    assert y.dtype == tf.float64
    assert y.numpy().tolist() == [0.0, 1.5]


def test_one_over_nothing_is_nothing(tf, gradient_at):
    assert tf.math.reciprocal_no_nan([0.0, 2.0]).numpy().tolist() == [0.0, 0.5]
    assert gradient_at(tf.math.reciprocal_no_nan, [0.0, 2.0]) == [0.0, -0.25]
