"""Activation functions: their derivatives at the kink, and no overflow far out."""

from __future__ import annotations

import pytest

from tapelab.ops import activation
from tapelab.ops.public import unary


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("relu", [0.0, 0.0, 1.0]),
        ("relu6", [0.0, 0.0, 1.0]),
        ("elu", [0.36787945, 1.0, 1.0]),
        ("selu", [0.64676857, 1.05070102, 1.05070102]),
        ("silu", [0.07232949, 0.5, 0.92767054]),
        ("softsign", [0.25, 1.0, 0.25]),
        ("softplus", [0.26894143, 0.5, 0.73105860]),
        ("sigmoid", [0.19661194, 0.25, 0.19661194]),
    ],
)
def test_the_derivative_left_of_the_kink_at_it_and_right_of_it(gradient_at, name, expected):
    assert gradient_at(unary(getattr(activation, name)), [-1.0, 0.0, 1.0]) == pytest.approx(
        expected
    )


def test_far_out_nothing_overflows(tf, gradient_at):
    assert tf.sigmoid([-1000.0, 1000.0]).numpy().tolist() == [0.0, 1.0]
    assert tf.math.softplus([-1000.0, 1000.0]).numpy().tolist() == [0.0, 1000.0]
    assert gradient_at(tf.math.softplus, [-1000.0, 1000.0]) == [0.0, 1.0]
    assert tf.math.log_sigmoid([-1000.0, 1000.0]).numpy().tolist() == [-1000.0, 0.0]


def test_integers_may_be_rectified(tf):
    relu = unary(activation.relu)
    assert relu([1, -1]).numpy().tolist() == [1, 0]
    assert relu([1, -1]).dtype == tf.int32


def test_the_second_derivative_of_a_rectifier_is_zero_and_not_missing(tf):
    x = tf.Variable(0.5)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = unary(activation.relu)(x)
        first = inner.gradient(y, x)
    assert float(outer.gradient(first, x)) == 0.0
