"""Python and NumPy code as one step: what the log tells of it, and what is let go."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import tapelab as tf
from tapelab.recording.events import Left, Ran


def events(recording, kind):
    return [place.event for place in recording.located if isinstance(place.event, kind)]


def test_a_python_function_is_one_step_under_its_own_name():
    def cube(a):
        return a * a * a

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.py_function(cube, [x], tf.float32)
    tape.gradient(y, x)
    recording = tape.recording()
    steps = [(recording.ops[ran.op].name, ran.cause) for ran in events(recording, Ran)]
    assert [name for name, cause in steps if cause == 0] == ["cube"]
    assert [name for name, cause in steps if cause == 2] == ["multiply", "multiply"]


def test_what_a_python_function_takes_off_the_tape_is_in_the_log():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.py_function(lambda a: a.numpy() ** 2, [x], tf.float32)
    recording = tape.recording(y, x)
    assert [recording.strings[left.how] for left in events(recording, Left)] == ["numpy()"]


def test_a_persistent_tape_may_differentiate_a_python_function_again():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
    assert [float(tape.gradient(y, x)) for _ in range(2)] == [6.0, 6.0]


def test_after_its_gradient_call_the_tape_releases_what_a_python_function_computed():
    deaths = []

    def squared_sine(a):
        between = tf.sin(a)
        deaths.append(weakref.ref(between._value))
        return between * between

    x = tf.Variable(np.linspace(0.0, 1.0, 1000, dtype=np.float32))
    with tf.GradientTape() as tape:
        y = tf.py_function(squared_sine, [x], tf.float32)
    gc.collect()
    assert deaths[0]() is not None
    tape.gradient(y, x)
    gc.collect()
    assert deaths[0]() is None


def test_the_error_of_a_python_function_keeps_its_cause():
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'missing'") as caught:
        tf.py_function(lambda: {}["missing"], [], tf.float32)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_numpy_function_is_explained_as_the_end_of_the_path():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        h = x * 3.0
        y = tf.numpy_function(np.sin, [h], tf.float32)
    assert tape.gradient(y, x) is None
    explanation = " ".join(str(tf.explain(tape, y, x)).split())
    assert "No gradient passes through tf.numpy_function(np.sin, [h], tf.float32)" in explanation
    assert "a tape sees nothing of what NumPy does" in explanation


def test_a_numpy_function_with_a_gradient_of_its_own_is_differentiable():
    @tf.custom_gradient
    def sine(x):
        y = tf.numpy_function(np.sin, [x], tf.float32)

        def grad(dy):
            return dy * tf.numpy_function(np.cos, [x], tf.float32)

        return y, grad

    x = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = sine(x) * 3.0
    assert float(tape.gradient(y, x)) == 3.0


def test_a_variable_that_a_python_function_reads_is_explained_as_a_missing_argument():
    def scaled(a):
        return a * w

    x, w = tf.Variable(2.0), tf.Variable(3.0, name="w")
    with tf.GradientTape() as tape:
        y = tf.py_function(scaled, [x], tf.float32)
    assert tape.gradient(y, [x, w])[1] is None
    explanation = " ".join(str(tf.explain(tape, y, w)).split())
    assert "w is used inside scaled, which the tape records as one op" in explanation
    assert "Pass it as an argument." in explanation


def test_a_variable_that_no_function_reads_is_not_explained_by_a_step():
    x, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
    assert "records as one op" not in str(tf.explain(tape, y, w))
