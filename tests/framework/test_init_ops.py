"""TensorFlow's own initializers: where their numbers lie, and when they repeat."""

from __future__ import annotations

import numpy as np

import tapelab as tf


def test_a_random_normal_initializer_has_its_deviation():
    drawn = tf.random_normal_initializer(mean=1.0, stddev=0.5, seed=2)((10_000,)).numpy()
    assert abs(drawn.mean() - 1.0) < 0.02
    assert abs(drawn.std() - 0.5) < 0.02


def test_a_random_uniform_initializer_keeps_its_limits():
    drawn = tf.random_uniform_initializer(-2.0, 3.0, seed=2)((10_000,)).numpy()
    assert -2.0 <= drawn.min() < -1.9
    assert 2.9 < drawn.max() < 3.0


def test_without_a_seed_it_goes_on_and_follows_the_global_seed():
    def twice():
        tf.random.set_seed(4)
        initializer = tf.random_normal_initializer()
        return initializer((3,)).numpy(), initializer((3,)).numpy()

    first, again = twice(), twice()
    assert not np.array_equal(first[0], first[1])
    np.testing.assert_array_equal(first, again)
