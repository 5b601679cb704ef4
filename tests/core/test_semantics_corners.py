"""Corners where the derivative is a matter of convention: statements 26 to 29, by number."""

from __future__ import annotations

import math

import numpy as np
import pytest


def gradient_at(tf, f, *values):
    """The gradients of f at the variables made of the values."""
    sources = [tf.Variable(value) for value in values]
    with tf.GradientTape() as tape:
        y = f(*sources)
    result = tape.gradient(y, sources)
    return result[0] if len(result) == 1 else result


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda tf, x: tf.abs(x), 0.0),
        (lambda tf, x: tf.nn.relu(x), 0.0),
        (lambda tf, x: tf.nn.relu6(x), 0.0),
        (lambda tf, x: tf.nn.leaky_relu(x, alpha=0.25), 0.25),
        (lambda tf, x: tf.sqrt(x), math.inf),
        (lambda tf, x: tf.math.log(x), math.inf),
        (lambda tf, x: tf.norm(x), math.nan),
        (lambda tf, x: x**0.0, math.nan),
    ],
    ids=["abs", "relu", "relu6", "leaky_relu", "sqrt", "log", "norm", "power_zero"],
)
def test_s26_the_derivative_at_zero(tf, f, expected):
    got = gradient_at(tf, lambda x: f(tf, x), 0.0)
    np.testing.assert_equal(got.numpy(), np.float32(expected))


def test_s26_relu6_has_derivative_zero_at_six(tf):
    assert gradient_at(tf, tf.nn.relu6, [5.9, 6.0, 7.0]).numpy().tolist() == [1.0, 0.0, 0.0]


def test_s26_divide_no_nan_by_zero_has_derivative_zero(tf):
    dx, dy = gradient_at(tf, tf.math.divide_no_nan, 3.0, 0.0)
    assert (float(dx), float(dy)) == (0.0, 0.0)


def test_s26_clip_by_value_passes_at_the_bound(tf):
    got = gradient_at(tf, lambda x: tf.clip_by_value(x, -1.0, 1.0), [-2.0, -1.0, 0.0, 1.0, 2.0])
    assert got.numpy().tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda tf, x: tf.sqrt(x), 0.0),
        (lambda tf, x: tf.math.rsqrt(x), 0.0),
        (lambda tf, x: tf.math.reciprocal(x), 0.0),
        (lambda tf, x: tf.math.log(x), math.nan),
        (lambda tf, x: 1 / x, math.nan),
        (lambda tf, x: x**0.5, math.nan),
    ],
    ids=["sqrt", "rsqrt", "reciprocal", "log", "one_over", "power_half"],
)
def test_s26_with_zero_upstream_some_gradients_are_zero_and_others_nan(tf, f, expected):
    got = gradient_at(tf, lambda x: tf.where(x > 1.0, f(tf, x), 0.0), 0.0)
    np.testing.assert_equal(got.numpy(), np.float32(expected))


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_s27_a_tie_of_two_goes_to_the_first_argument(tf, name):
    da, db = gradient_at(tf, getattr(tf, name), [1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
    first = [0.0, 1.0, 1.0] if name == "maximum" else [1.0, 1.0, 0.0]
    assert da.numpy().tolist() == first
    assert db.numpy().tolist() == [1.0 - g for g in first]


@pytest.mark.parametrize("name", ["reduce_max", "reduce_min"])
def test_s27_a_tie_in_a_reduction_is_shared_evenly(tf, name):
    values = [[5.0, 5.0, 1.0], [1.0, 1.0, 5.0]]
    got = gradient_at(tf, lambda x: getattr(tf, name)(x, axis=1), values)
    high, low = [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], [[0.0, 0.0, 1.0], [0.5, 0.5, 0.0]]
    assert got.numpy().tolist() == (high if name == "reduce_max" else low)


def test_s28_a_power_has_derivative_zero_for_the_exponent_of_a_negative_base(tf):
    dx, dy = gradient_at(tf, lambda x, y: x**y, [-2.0, 0.0, 2.0], [3.0, 2.0, 3.0])
    assert dx.numpy().tolist() == [12.0, 0.0, 12.0]
    np.testing.assert_allclose(dy.numpy(), [0.0, 0.0, 8 * math.log(2)], rtol=1e-6)


def test_s28_complex_gradients_are_conjugated(tf):
    z = tf.Variable(1 + 2j, dtype=tf.complex64)
    with tf.GradientTape() as tape:
        y = tf.math.real(z * z)
    dz = tape.gradient(y, z)
    assert dz.dtype == tf.complex64
    assert complex(dz.numpy()) == 2 - 4j


def test_s29_the_gradient_of_gather_keeps_its_repeated_indices(tf):
    table = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        rows = tf.gather(table, [2, 0, 2])
    gradient = tape.gradient(rows, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [2, 0, 2]
    assert gradient.values.numpy().tolist() == [[1.0]] * 3
    assert gradient.dense_shape.numpy().tolist() == [3, 1]
    dense = tf.convert_to_tensor(gradient)
    assert dense.numpy().tolist() == [[1.0], [0.0], [2.0]]


def test_s29_an_embedding_lookup_gives_indexed_slices_too(tf):
    table = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup(table, [1, 1])
    gradient = tape.gradient(rows, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [1, 1]


def test_s29_sums_of_indexed_slices_stay_so(tf):
    table = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0])) + 5.0 * tf.reduce_sum(tf.gather(table, [2, 0]))
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert sorted(gradient.indices.numpy().tolist()) == [0, 0, 2]
    assert tf.convert_to_tensor(gradient).numpy().tolist() == [[6.0], [0.0], [5.0]]


@pytest.mark.parametrize(
    "f",
    [
        lambda tf, t: tf.reduce_sum(tf.gather(t, [1])) + tf.reduce_sum(t * 0.0),
        lambda tf, t: tf.gather(t * 1.0, [1]),
        lambda tf, t: tf.gather(t, [0], axis=1)[1],
        lambda tf, t: t[1:2],
        lambda tf, t: tf.gather_nd(t, [[1, 0]]),
        lambda tf, t: tf.boolean_mask(t, [False, True, False]),
    ],
    ids=["mixed", "through_an_op", "other_axis", "slice", "gather_nd", "mask"],
)
def test_s29_everything_else_is_dense(tf, f):
    table = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        y = f(tf, table)
    gradient = tape.gradient(y, table)
    assert tf.is_tensor(gradient)
    assert gradient.numpy().tolist() == [[0.0], [1.0], [0.0]]
