"""bfloat16: computed in float32, rounded, differentiable, and loaded only when it is named."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import tapelab as tf


def brain(*numbers):
    return tf.constant(list(numbers), tf.bfloat16)


def test_a_result_is_rounded_once_from_float32():
    x, y = brain(1.0078125, 3.0), brain(1.0078125, 0.3)
    exact = tf.cast(x, tf.float32) * tf.cast(y, tf.float32)
    assert (x * y).dtype == tf.bfloat16
    np.testing.assert_array_equal((x * y).numpy(), tf.cast(exact, tf.bfloat16).numpy())


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * 0.5 + 1.0,
        lambda x: tf.reduce_mean(x) * tf.ones_like(x),
        lambda x: tf.exp(x) / 3.0,
        lambda x: tf.nn.softmax(x),
        lambda x: tf.matmul(x[tf.newaxis], x[:, tf.newaxis]),
        lambda x: tf.math.erf(x),
        lambda x: tf.stack([x, x * x]),
    ],
)
def test_results_and_gradients_stay_narrow(f):
    x = tf.Variable([0.5, -1.5], dtype=tf.bfloat16)
    with tf.GradientTape() as tape:
        y = f(x)
    gradient = tape.gradient(y, x)
    assert y.dtype == gradient.dtype == tf.bfloat16
    wide = tf.Variable([0.5, -1.5])
    with tf.GradientTape() as tape:
        z = f(wide)
    np.testing.assert_allclose(
        gradient.numpy().astype(np.float32), tape.gradient(z, wide), rtol=0.03, atol=0.02
    )


def test_a_tape_in_a_tape_follows_narrow_numbers():
    x = brain(1.5, 2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        gradient = inner.gradient(y, x)
    second = outer.gradient(gradient, x)
    assert second.dtype == tf.bfloat16
    np.testing.assert_allclose(second.numpy().astype(float), [9.0, 12.0])


def test_ops_for_integers_refuse_it_by_name():
    with pytest.raises(tf.errors.InvalidArgumentError, match="of bfloat16 is not in the list"):
        tf.bitwise.invert(brain(1.0))


@pytest.mark.parametrize(
    "named", ["tf.bfloat16", "tf.as_dtype('bfloat16')", "tf.cast(1, 'bfloat16')"]
)
def test_its_package_is_loaded_when_it_is_first_named(named):
    program = f"""
import sys
import tapelab as tf
before = "ml_dtypes" in sys.modules
{named}
print(before, "ml_dtypes" in sys.modules)
"""
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == ["False", "True"]


def test_numbers_of_the_package_itself_are_taken_as_they_are():
    import ml_dtypes

    x = tf.constant(np.array([1.5, 2.0], ml_dtypes.bfloat16))
    assert (
        repr(x) == "<tf.Tensor: shape=(2,), dtype=bfloat16, numpy=array([1.5, 2], dtype=bfloat16)>"
    )
