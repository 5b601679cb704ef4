"""A recording at other values is that of the program run at those values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapelab as tf
from tapelab.recorder.rerun import ReplayError, replayed
from tapelab.recording import from_bytes, to_bytes


def variables_of(recording):
    count = len(recording.columns["tensor.role"])
    tensors = map(recording.tensor, range(count))
    return {each.name: each.index for each in tensors if each.variable >= 0}


def run(program, *values):
    variables = [tf.Variable(value, name=name) for name, value in zip("xy", values, strict=False)]
    with tf.GradientTape() as tape:
        result = program(*variables)
    tape.gradient(result, variables)
    return tape.recording()


def many_ops(x, y):
    z = x * y + tf.sin(x)
    m = tf.nn.softmax(tf.reshape(tf.linspace(0.1, 2.0, 12), [3, 4]) * z)
    c = tf.cast(m[:, 1:], tf.float64)
    p = tf.nn.conv2d(tf.reshape(m, [1, 3, 4, 1]), tf.fill([2, 2, 1, 1], y), 1, "SAME")
    a, b = tf.split(m, 2, axis=1)
    total = tf.reduce_sum(p) + tf.reduce_max(a) + tf.norm(b) + z * x
    return tf.cast(tf.reduce_mean(c**2), tf.float32) + total


numbers = st.floats(-4, 4, width=32).filter(lambda value: abs(value) > 0.01)


@pytest.mark.slow
@settings(deadline=None)
@given(x=numbers, y=numbers)
def test_a_replay_equals_the_run_at_the_new_values(x, y):
    recording = from_bytes(to_bytes(run(many_ops, 3.0, 4.0)))
    indices = variables_of(recording)
    again = replayed(recording, {indices["x"]: x, indices["y"]: y})
    expected = run(many_ops, x, y).columns["values"]
    np.testing.assert_allclose(again.columns["values"], expected, rtol=1e-5, atol=1e-5)


def test_without_new_values_nothing_changes():
    recording = run(many_ops, 3.0, 4.0)
    assert replayed(recording, {}) == recording
    simple = run(lambda x, y: x * y + tf.sin(x), 3.0, 4.0)
    assert replayed(simple, {variables_of(simple)["x"]: 3.0}) == simple


def test_a_branch_that_python_took_is_not_decided_again():
    recording = run(lambda x: x * x if x > 0 else -x, 3.0)
    again = replayed(recording, {variables_of(recording)["x"]: -2.0})
    assert 4.0 in again.columns["values"].tolist()


def test_assignments_are_carried_out_again():
    x = tf.Variable(2.0, name="x")
    with tf.GradientTape() as tape:
        y = x * x
        x.assign_add(y)
        z = x * 3.0
    recording = tape.recording(z)
    first = next(at for at in range(99) if recording.tensor(at).variable >= 0)
    again = replayed(recording, {first: 3.0})
    assert 36.0 in again.columns["values"].tolist()


def test_what_was_not_kept_cannot_run_again_and_says_so():
    data = tf.ones([20, 20])
    recording = run(lambda x: tf.reduce_sum(data * x), 3.0)
    with pytest.raises(ReplayError, match="were not kept"):
        replayed(recording, {variables_of(recording)["x"]: 1.0})


def test_a_gradient_of_ones_own_cannot_run_again():
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 3.0

    recording = run(lambda x: f(x) + x, 3.0)
    with pytest.raises(ReplayError):
        replayed(recording, {variables_of(recording)["x"]: 1.0})
