"""Casts: between floats the gradient is cast back, through integers it is lost."""

from __future__ import annotations

import numpy as np
import pytest


def test_a_cast_between_floats_is_undone_in_the_backward_pass(tf):
    x = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        y = tf.cast(tf.cast(x, tf.float64) * 2, tf.float32)
    gradient = tape.gradient(y, x)
    assert (gradient.dtype, float(gradient)) == (tf.float32, 2.0)


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_a_cast_to_integers_loses_the_gradient(tf, gradient_at, dtype):
    assert gradient_at(lambda x: tf.cast(tf.cast(x, dtype), tf.float32), 1.5) is None


@pytest.mark.parametrize(
    ("given", "dtype", "expected"),
    [
        ([1.9, -1.9], "int32", [1, -1]),
        ([0.0, 0.5, float("nan")], "bool", [False, True, True]),
        ([300, -1], "uint8", [44, 255]),
        ([1, 2], "float32", [1.0, 2.0]),
        ([True, False], "float32", [1.0, 0.0]),
        ([1.9, True], "int32", [1, 1]),
        (np.array([2.9]), "int32", [2]),
    ],
)
def test_numbers_are_cut_off_towards_zero_and_wrap_around(tf, given, dtype, expected):
    y = tf.cast(given, dtype)
    assert y.dtype.name == dtype
    assert y.numpy().tolist() == expected


def test_a_cast_to_the_same_dtype_is_the_tensor_itself(tf):
    x = tf.constant([1.0])
    assert tf.cast(x, tf.float32) is x


def test_saturation_holds_at_the_bounds(tf):
    assert tf.saturate_cast([300.0, -5.0, 7.0], tf.uint8).numpy().tolist() == [255, 0, 7]


def test_complex_numbers_and_their_parts(tf, gradient_at):
    z = tf.complex(3.0, 4.0)
    assert (z.dtype, complex(z.numpy())) == (tf.complex64, 3 + 4j)
    assert gradient_at(lambda a, b: tf.abs(tf.complex(a, b)), 3.0, 4.0) == pytest.approx([0.6, 0.8])
    assert gradient_at(tf.math.real, 3 + 4j) == 1
    assert gradient_at(tf.math.imag, 3 + 4j) == 1j
    assert tf.math.imag(tf.constant([1.0])).numpy().tolist() == [0.0]
    assert float(tf.cast(tf.constant(1 + 2j), tf.float32)) == 1.0


def test_the_parts_of_a_complex_number_are_floats_of_one_dtype(tf):
    with pytest.raises(TypeError, match="incorrect types: int32 int32"):
        tf.complex([1, 2], [3, 4])


def test_angles(tf, gradient_at):
    assert tf.math.angle([1.0, -1.0]).numpy().tolist() == pytest.approx([0.0, np.pi])
    assert tf.math.angle(tf.constant([1j, -1])).numpy().tolist() == pytest.approx(
        [np.pi / 2, np.pi]
    )
    assert abs(gradient_at(lambda x: tf.math.angle(tf.cast(x, tf.complex64)), 5.0)) == 0.0
