"""What a tape keeps alive, and how long a tape may be: statement 19, and no recursion."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest


def large(tf):
    return tf.Variable(np.linspace(0.0, 1.0, 10_000, dtype=np.float32))


def watch_death(tensor):
    """A weak reference to what holds the numbers: tapelab's array, TensorFlow's tensor."""
    return weakref.ref(getattr(tensor, "_value", tensor))


def squared_sine(tf, x):
    """The square of a sine on a tape's block, and the death watch of the sine in between."""
    between = tf.sin(x)
    return between * between, watch_death(between)


def test_s19_after_gradient_the_tape_keeps_no_intermediates_alive(tf):
    x = large(tf)
    with tf.GradientTape() as tape:
        y, alive = squared_sine(tf, x)
    gc.collect()
    assert alive() is not None, "the backward pass still needs it"
    tape.gradient(y, x)
    gc.collect()
    assert alive() is None


def test_s19_a_persistent_tape_keeps_them_until_it_dies(tf):
    x = large(tf)
    with tf.GradientTape(persistent=True) as tape:
        y, alive = squared_sine(tf, x)
    tape.gradient(y, x)
    gc.collect()
    assert alive() is not None
    del tape
    gc.collect()
    assert alive() is None
    assert y.shape == (10_000,)


def test_s19_a_tape_that_is_dropped_unasked_keeps_nothing_alive(tf):
    x = large(tf)
    with tf.GradientTape() as tape:
        _, alive = squared_sine(tf, x)
    del tape
    gc.collect()
    assert alive() is None


def test_s19_an_outer_tape_still_has_what_the_inner_one_let_go(tf):
    x = large(tf)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y, _ = squared_sine(tf, x)
        dx = inner.gradient(y, x)
    second = outer.gradient(dx, x)
    np.testing.assert_allclose(second.numpy(), 2 * np.cos(2 * x.numpy()), rtol=1e-4, atol=1e-5)


def test_what_no_tape_follows_is_not_kept_alive(tf):
    constant = tf.constant(np.ones(10_000, np.float32))
    x = large(tf)
    with tf.GradientTape() as tape:
        _, alive = squared_sine(tf, constant)
        y = x * 2.0
        gc.collect()
        assert alive() is None
    assert tape.gradient(y, x) is not None


def test_a_chain_of_a_hundred_thousand_ops_needs_no_recursion(tf):
    x = tf.Variable(1.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = tf.identity(x)
        for _ in range(100_000):
            y = y * 1.00001
    assert float(tape.gradient(y, x)) == pytest.approx(1.00001**100_000)


def test_a_large_constant_made_in_the_block_is_not_kept_alive_either(tf):
    x = large(tf)
    with tf.GradientTape() as tape:
        y = x * 2.0
        alive = watch_death(tf.constant(np.ones(10_000, np.float32)))
        back = watch_death(tf.constant(y.numpy()))
        gc.collect()
        assert alive() is None
        assert back() is None
    assert tape.gradient(y, x) is not None
