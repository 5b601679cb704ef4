"""The memory that tapes take and release: in a pass, over many steps, with work done twice."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.log import recent

LENGTH = 50_000
ARRAY = LENGTH * 4
"""The bytes of a large array of float32."""


@pytest.fixture
def traced():
    """Trace memory, NumPy's too, for the length of a test."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


def most_during(work):
    """The result of some work, and by how many large arrays the memory grew meanwhile at most."""
    gc.collect()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    result = work()
    return result, (tracemalloc.get_traced_memory()[1] - before) / ARRAY


def product_of(weights, *, persistent=False):
    x = tf.ones([LENGTH])
    with tf.GradientTape(persistent=persistent) as tape:
        y = x
        for weight in weights:
            y = tf.sin(y * weight)
    return tape, y


@pytest.mark.usefixtures("traced")
def test_values_are_released_as_soon_as_the_backward_pass_is_past_them():
    weights = [tf.Variable(np.linspace(1, 2, LENGTH, dtype=np.float32)) for _ in range(20)]
    tape, y = product_of(weights)
    gradients, most = most_during(lambda: tape.gradient(y, weights))
    assert len(gradients) == 20
    assert most < 5, "20 gradients take the room of 40 values, one by one"
    tape, y = product_of(weights, persistent=True)
    again, most = most_during(lambda: tape.gradient(y, weights))
    assert most > 20, "here the values stay"
    for one, other in zip(gradients, again, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("traced")
def test_cotangents_are_released_as_soon_as_they_are_propagated():
    x = tf.Variable(np.linspace(1, 2, LENGTH, dtype=np.float32))
    with tf.GradientTape(persistent=True) as tape:
        y = x * 1.0
        for _ in range(40):
            y = tf.sin(y)
    _, most = most_during(lambda: tape.gradient(y, x))
    assert most < 6


def test_a_backward_pass_that_failed_half_way_cannot_be_repeated():
    @tf.custom_gradient
    def broken(x):
        def back(upstream):
            raise ArithmeticError("no gradient today")

        return x + 1.0, back

    x = tf.Variable(tf.ones([1000]))
    with tf.GradientTape() as tape:
        y = tf.sin(broken(tf.sin(x)))
    with pytest.raises(ArithmeticError):
        tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(y, x)


def test_a_picture_of_the_backward_pass_uses_nothing_up():
    x = tf.Variable(tf.ones([1000]))
    with tf.GradientTape() as tape:
        y = tf.sin(x * x)
    tape.recording(y, x)
    np.testing.assert_allclose(tape.gradient(y, x), 2 * np.cos(np.ones(1000)), rtol=1e-6)


def test_an_outer_tape_keeps_what_the_backward_pass_of_an_inner_one_is_past():
    x = tf.Variable(tf.ones([1000]))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.sin(x * x)
        gradient = inner.gradient(y, x)
    expected = 2 * np.cos(1.0) - 4 * np.sin(1.0)
    np.testing.assert_allclose(outer.gradient(gradient, x), np.full(1000, expected), rtol=1e-5)


@pytest.mark.usefixtures("traced")
def test_recomputed_gradients_save_what_is_inside():
    x = tf.Variable(np.linspace(0, 1, LENGTH, dtype=np.float32))

    def block(y):
        for _ in range(10):
            y = tf.sin(y)
        return y

    def through(function):
        with tf.GradientTape() as tape:
            y = x * 1.0
            for _ in range(4):
                y = function(y)
        return tape, y

    (tape, y), plain = most_during(lambda: through(block))
    expected = tape.gradient(y, x)
    (tape, y), saved = most_during(lambda: through(tf.recompute_grad(block)))
    gradient, back = most_during(lambda: tape.gradient(y, x))
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    assert plain > 40
    assert saved < 10
    assert saved + back < 25


def descended(number):
    x = tf.Variable(0.5)
    for _ in range(number):
        with tf.GradientTape() as tape:
            y = 0.5 * x * x
        x.assign(tape.gradient(y, x))


def trained(number):
    w, optimizer = tf.Variable([0.5, -0.5]), tf.keras.optimizers.SGD(0.001)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(number):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(tf.linalg.matvec(x, w)) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])


def curved(number):
    x = tf.Variable([0.5, -0.5])
    for _ in range(number):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(x * x * x)
            gradient = inner.gradient(y, x)
        outer.jacobian(gradient, x)


def never_differentiated(number):
    x = tf.Variable(0.5)
    for _ in range(number):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x * x)


def remains():
    """How many objects Python could search, and bytes, without the short memory of the log."""
    recent.clear()
    gc.collect()
    return len(gc.get_objects()), tracemalloc.get_traced_memory()[0]


@pytest.mark.slow
def test_ten_thousand_steps_leave_no_object_behind():
    descended(100)
    before, _ = remains()
    descended(10_000)
    assert abs(remains()[0] - before) < 50


@pytest.mark.slow
@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("loop", [descended, trained, curved, never_differentiated])
def test_a_loop_leaves_nothing_behind(loop):
    loop(100)
    remains()
    loop(50)
    objects, memory = remains()
    loop(200)
    more_objects, more_memory = remains()
    assert abs(more_objects - objects) < 50
    assert more_memory - memory < 200 * 50, "less than 50 bytes a step"
