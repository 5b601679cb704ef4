"""Powers and roots at their corners, as seen on TensorFlow."""

from __future__ import annotations

import math

import numpy as np
import pytest


def test_a_power_has_a_gradient_at_every_base(tf, gradient_at):
    dx, dy = gradient_at(tf.pow, [-2.0, 0.0, 0.0, 2.0], [3.0, 0.0, 2.0, 0.5])
    np.testing.assert_allclose(dx, [12.0, math.nan, 0.0, 0.35355338], rtol=1e-6)
    np.testing.assert_allclose(dy, [0.0, 0.0, 0.0, 0.98025811], rtol=1e-6)


def test_a_negative_power_of_zero_is_infinitely_steep(tf, gradient_at):
    dx, dy = gradient_at(tf.pow, 0.0, -1.0)
    assert dx == -math.inf
    assert math.isnan(dy)


def test_a_square_is_flat_at_zero_however_it_is_written(tf, gradient_at):
    for square in (tf.square, lambda x: x**2, lambda x: x * x, lambda x: tf.pow(x, 2)):
        assert gradient_at(square, [0.0, 1.0]) == [0.0, 2.0]


@pytest.mark.parametrize("name", ["sqrt", "math.rsqrt", "math.reciprocal"])
def test_no_upstream_means_no_gradient_even_where_the_derivative_is_infinite(tf, gradient_at, name):
    function = tf
    for part in name.split("."):
        function = getattr(function, part)
    assert gradient_at(lambda x: function(x) * [0.0, 1.0], [0.0, 1.0])[0] == 0.0


def test_integers_stay_integers(tf):
    assert (tf.constant(2) ** 3).dtype == tf.int32
    assert int(tf.square(3)) == 9
    assert int(tf.math.squared_difference(3, 5)) == 4


def test_complex_gradients_are_conjugated(tf, gradient_at):
    np.testing.assert_allclose(gradient_at(lambda z: z**2, 3 + 4j), 6 - 8j)
    np.testing.assert_allclose(gradient_at(lambda z: 1 / z, 3 + 4j), 0.0112 - 0.0384j)
    np.testing.assert_allclose(gradient_at(tf.sqrt, 1 + 1j), 0.38844349 + 0.16089856j, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("exponent", [-3, -2, 3, 4, 7, 20_000])
def test_whole_powers_of_many_numbers_below_0_are_those_of_each(tf, dtype, exponent):
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
    x = np.array([*np.linspace(-3, 3, 100), *ends], dtype)
    power = np.array(exponent, np.float64).astype(dtype)[()]
    with np.errstate(all="ignore"):
        got = (tf.constant(x) ** power).numpy()
        expected = np.power(x, np.full_like(x, power))
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, rtol=4 * np.finfo(dtype).eps)
    known = ~np.isnan(x)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(expected[known]))
