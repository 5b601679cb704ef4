"""Choosing: ties, bounds, and branches that were not taken."""

from __future__ import annotations

import math

import numpy as np


def test_a_tie_goes_to_the_first(tf, gradient_at):
    assert gradient_at(tf.maximum, 2.0, 2.0) == [1.0, 0.0]
    assert gradient_at(tf.minimum, 2.0, 2.0) == [1.0, 0.0]


def test_a_branch_that_was_not_taken_gets_zero(tf, gradient_at):
    condition = tf.constant([True, False])
    got = gradient_at(lambda x, y: tf.where(condition, x, y), [1.0, 2.0], [3.0, 4.0])
    assert got == [[1.0, 0.0], [0.0, 1.0]]


def test_a_scalar_branch_receives_the_sum(tf, gradient_at):
    condition = tf.constant([True, False, False])
    assert gradient_at(lambda x, y: tf.where(condition, x, y), 1.0, 2.0) == [1.0, 2.0]


def test_an_infinite_derivative_in_the_branch_not_taken_turns_into_nan(tf, gradient_at):
    got = gradient_at(lambda x: tf.where(x > 0, tf.math.log(x), 0.0), [0.0, 2.0])
    assert math.isnan(got[0])
    assert got[1] == 0.5


def test_the_condition_has_no_gradient(tf, gradient_at):
    assert gradient_at(lambda x: tf.where(x > 0, 1.0, 0.0), 1.0) is None


def test_a_condition_alone_gives_positions(tf):
    positions = tf.where([[True, False], [False, True]])
    assert positions.dtype == tf.int64
    assert positions.numpy().tolist() == [[0, 0], [1, 1]]
    assert tf.where([1.0, 0.0, 2.0]).numpy().tolist() == [[0], [2]]


def test_clipping_passes_the_gradient_to_the_bound_that_held(tf, gradient_at):
    got = gradient_at(tf.clip_by_value, [-2.0, -1.0, 0.0, 1.0, 2.0], -1.0, 1.0)
    assert got == [[0.0, 1.0, 1.0, 1.0, 0.0], 1.0, 1.0]


def test_a_lower_bound_above_the_upper_one_wins(tf):
    assert tf.clip_by_value([1.0, 5.0], 6.0, 2.0).numpy().tolist() == [6.0, 6.0]


def test_python_and_numpy_arguments_take_the_dtype_of_the_tensor(tf):
    x = tf.constant([1.0, 5.0])
    for y in (tf.maximum(2, x), tf.clip_by_value(x, 2, np.float64(6)), tf.where(x > 2, x, 0)):
        assert y.dtype == tf.float32
    assert tf.maximum(1.5, 2).dtype == tf.float32
