"""A Keras variable wraps a variable: the tape, the diagnosis and ops know which one."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import tapelab as tf


@pytest.fixture(autouse=True)
def _fresh_names():
    tf.keras.backend.clear_session()


def test_the_tape_watches_the_very_variable_behind_it():
    k = tf.keras.Variable([1.0, 2.0], name="k")
    with tf.GradientTape() as tape:
        k * 2.0
    assert tape.watched_variables()[0] is k.value


def test_a_source_may_be_the_variable_or_what_wraps_it():
    k = tf.keras.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = k**2
    assert float(tape.gradient(y, k)) == float(tape.gradient(y, k.value)) == 6.0


def test_a_wrapped_variable_is_unconnected_like_any_other():
    k, other = tf.keras.Variable(3.0), tf.keras.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = k**2
    assert tape.gradient(y, other) is None
    zeros = tape.gradient(y, other, unconnected_gradients="zero")
    np.testing.assert_array_equal(zeros, [0.0, 0.0])


def test_a_wrapped_variable_may_be_the_target_and_the_seed():
    k, seed = tf.keras.Variable([1.0, 2.0]), tf.keras.Variable([3.0, 5.0])
    with tf.GradientTape(persistent=True) as tape:
        y = k * k
    np.testing.assert_array_equal(tape.gradient(y, k, output_gradients=seed), [6.0, 20.0])
    np.testing.assert_array_equal(tape.gradient(k, k), [1.0, 1.0])


def test_watching_it_by_hand_says_to_watch_its_value():
    with tf.GradientTape() as tape, pytest.raises(ValueError, match=r"Try its \.value"):
        tape.watch(tf.keras.Variable(3.0))


def test_it_is_converted_to_a_python_number():
    size, place = tf.keras.Variable(3, dtype="int32"), tf.keras.Variable(1, dtype="int32")
    assert tf.range(size).shape == (3,)
    assert tf.zeros([size, 2]).shape == (3, 2)
    assert float(tf.constant([5.0, 7.0])[place]) == 7.0


def test_stacked_variables_keep_their_history():
    a, b = tf.keras.Variable(1.0), tf.keras.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.stack([a, b]) * [3.0, 4.0])
    assert [float(g) for g in tape.gradient(y, [a, b])] == [3.0, 4.0]


def test_the_diagnosis_says_the_path_of_the_variable():
    layer = tf.keras.layers.Dense(1)
    layer(tf.ones((1, 2)))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(tf.ones((1, 2))).numpy())
    explanation = str(tf.explain(tape, y, layer.kernel))
    assert "with respect to dense/kernel is None" in explanation
    assert ".numpy()" in explanation


def test_a_copy_is_a_variable_of_its_own():
    k = tf.keras.Variable([1.0, 2.0], name="k")
    other = copy.deepcopy(k)
    other.assign([5.0, 6.0])
    np.testing.assert_array_equal(k, [1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(other * other)
    np.testing.assert_array_equal(tape.gradient(y, other), [10.0, 12.0])


def test_an_assignment_is_reported_to_the_log():
    k = tf.keras.Variable(1.0, name="k")
    with tf.GradientTape() as tape:
        y = k * 2.0
        k.assign(5.0)
    recording = tape.recording(y, k)
    assert "Assigned" in {type(located.event).__name__ for located in recording}
