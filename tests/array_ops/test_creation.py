"""Constants, zeros and ones, ranges: their values, dtypes and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapelab as tf


@pytest.mark.parametrize(
    ("make", "dtype", "values"),
    [
        (lambda: tf.zeros(3), "float32", [0, 0, 0]),
        (lambda: tf.zeros([2], tf.bool), "bool", [False, False]),
        (lambda: tf.zeros([1], tf.string), "string", [b""]),
        (lambda: tf.zeros(tf.constant([1, 2])), "float32", [[0, 0]]),
        (lambda: tf.ones([2], tf.complex64), "complex64", [1, 1]),
        (lambda: tf.ones(tf.TensorShape([1, 1])), "float32", [[1]]),
        (lambda: tf.zeros_like([1, 2]), "int32", [0, 0]),
        (lambda: tf.zeros_like(tf.constant([1.0]), dtype=tf.int32), "int32", [0]),
        (lambda: tf.ones_like(3.0), "float32", 1),
        (lambda: tf.fill([2], 7), "int32", [7, 7]),
        (lambda: tf.fill([2], 7.0), "float32", [7, 7]),
        (lambda: tf.eye(2, 3), "float32", [[1, 0, 0], [0, 1, 0]]),
        (lambda: tf.eye(1, batch_shape=[2]), "float32", [[[1]], [[1]]]),
        (lambda: tf.range(5, 0, -2), "int32", [5, 3, 1]),
        (lambda: tf.range(0, 1, 0.25), "float32", [0, 0.25, 0.5, 0.75]),
        (lambda: tf.range(3, dtype=tf.int64), "int64", [0, 1, 2]),
        (lambda: tf.range(tf.constant(2)), "int32", [0, 1]),
        (lambda: tf.linspace(0, 1, 5), "float64", [0, 0.25, 0.5, 0.75, 1]),
        (lambda: tf.linspace(0.0, 1, 3), "float32", [0, 0.5, 1]),
        (lambda: tf.linspace([0.0, 1], [1.0, 3], 3), "float32", [[0, 1], [0.5, 2], [1, 3]]),
        (lambda: tf.constant(1, shape=[2, 1]), "int32", [[1], [1]]),
        (lambda: tf.constant([1, 2], shape=[2, 1]), "int32", [[1], [2]]),
        (lambda: tf.constant(np.ones(2)), "float64", [1, 1]),
        (lambda: tf.constant(tf.Variable(2.0)), "float32", 2),
    ],
)
def test_values_and_dtypes(make, dtype, values):
    x = make()
    assert x.dtype.name == dtype
    assert np.asarray(x.numpy()).tolist() == values


@pytest.mark.parametrize(
    ("make", "error", "wording"),
    [
        (lambda: tf.zeros([-1]), tf.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
        (lambda: tf.range(1, 5, 0), tf.errors.InvalidArgumentError, "Requires delta != 0"),
        (lambda: tf.range(5, 1), tf.errors.InvalidArgumentError, "Requires start <= limit"),
        (lambda: tf.linspace(0.0, 1.0, 3.0), TypeError, "must be of type integer"),
        (lambda: tf.constant([1, 2, 3], shape=[2]), TypeError, "has 3 elements.*with 2 elements"),
        (lambda: tf.constant(tf.constant(1), dtype=tf.float32), TypeError, "Try tf.cast"),
        (lambda: tf.constant([tf.constant(1.0), 2.0]), ValueError, "Try tf.stack"),
        (lambda: tf.constant([[1], [1, 2]]), ValueError, "non-rectangular"),
        (lambda: tf.constant(1.5, tf.int32), TypeError, "Cannot convert 1.5 to EagerTensor"),
        (lambda: tf.constant(None), ValueError, "unsupported type"),
    ],
)
def test_what_makes_no_tensor_is_refused(make, error, wording):
    with pytest.raises(error, match=wording):
        make()


@given(
    start=st.integers(-50, 50), limit=st.integers(-50, 50),
    delta=st.integers(-7, 7).filter(bool),
)  # fmt: skip
def test_a_range_agrees_with_numpy(start, limit, delta):
    if (limit - start) * delta < 0:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.range(start, limit, delta)
    else:
        assert tf.range(start, limit, delta).numpy().tolist() == [*range(start, limit, delta)]


def test_the_ends_of_a_linspace_and_the_value_of_a_fill_have_gradients():
    start, value = tf.Variable(1.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        line = tf.linspace(start, 2.0, 3)
        filled = tf.fill([2, 3], value)
    assert float(tape.gradient(line, start)) == 1.5
    assert float(tape.gradient(filled, value)) == 6.0


def test_a_constant_has_no_history_and_a_conversion_keeps_it():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        cut = tf.constant((x * x).numpy())
        kept = tf.convert_to_tensor([x * x, 1.0])
    assert tape.gradient(cut, x) is None
    assert float(tape.gradient(kept, x)) == 4.0


def test_zeros_like_takes_the_shape_only():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.zeros_like(x) + 3.0
    assert tape.gradient(y, x) is None
