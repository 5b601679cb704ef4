"""Reductions: axes, ties, zeros, empty tensors, integers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

PAIRS = [
    ("reduce_sum", np.sum),
    ("reduce_mean", np.mean),
    ("reduce_max", np.max),
    ("reduce_min", np.min),
    ("reduce_prod", np.prod),
]


@pytest.mark.parametrize(("name", "plain"), PAIRS)
@settings(max_examples=20, deadline=None)
@given(axes=st.sets(st.integers(0, 2)), keepdims=st.booleans(), turned=st.booleans())
def test_any_axes_agree_with_numpy(tf, name, plain, axes, keepdims, turned):
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    given = [axis - 3 if turned else axis for axis in axes]
    got = getattr(tf, name)(x, axis=given, keepdims=keepdims)
    expected = plain(x, axis=tuple(axes), keepdims=keepdims)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5)
    assert got.dtype == tf.float32


@pytest.mark.parametrize("axis", [0, np.int64(0), [0], (0,), np.array([0])])
def test_an_axis_may_be_given_in_many_ways(tf, axis):
    assert tf.reduce_sum([[1.0, 2.0], [3.0, 4.0]], axis).numpy().tolist() == [4.0, 6.0]
    assert tf.reduce_sum([[1.0, 2.0]], tf.constant(axis)).numpy().tolist() == [1.0, 2.0]


def test_no_axes_at_all_leave_the_tensor_as_it_is(tf):
    assert tf.reduce_sum([[1.0, 2.0]], axis=[]).numpy().tolist() == [[1.0, 2.0]]


def test_ties_share_the_gradient_evenly(tf, gradient_at):
    assert gradient_at(tf.reduce_max, [1.0, 3.0, 3.0]) == [0.0, 0.5, 0.5]
    assert gradient_at(tf.reduce_min, [1.0, 1.0, 3.0]) == [0.5, 0.5, 0.0]


def test_a_product_has_a_gradient_at_its_zeros(tf, gradient_at):
    assert gradient_at(tf.reduce_prod, [2.0, 0.0, 3.0]) == [0.0, 6.0, 0.0]
    assert gradient_at(tf.reduce_prod, [0.0, 0.0, 3.0]) == [0.0, 0.0, 0.0]
    rows = gradient_at(lambda x: tf.reduce_prod(x, axis=1), [[2.0, 0.0], [3.0, 4.0]])
    assert rows == [[0.0, 2.0], [4.0, 3.0]]


def test_the_mean_of_integers_is_cut_off_towards_zero(tf):
    assert int(tf.reduce_mean([1, 2])) == 1
    assert int(tf.reduce_mean([-1, -2])) == -1
    assert tf.reduce_mean([1, 2]).dtype == tf.int32


def test_small_integers_wrap_around(tf):
    assert int(tf.reduce_sum(tf.constant([100, 100], tf.int8))) == -56


def test_nothing_reduces_to_the_neutral_number(tf):
    nothing = tf.zeros([0])
    assert float(tf.reduce_sum(nothing)) == 0.0
    assert float(tf.reduce_prod(nothing)) == 1.0
    assert float(tf.reduce_max(nothing)) == -math.inf
    assert float(tf.reduce_min(nothing)) == math.inf
    assert math.isnan(float(tf.reduce_mean(nothing)))


def test_a_sum_of_exponentials_does_not_overflow(tf, gradient_at):
    assert float(tf.reduce_logsumexp([1000.0, 1000.0])) == pytest.approx(1000 + math.log(2))
    assert float(tf.reduce_logsumexp([-math.inf, -math.inf])) == -math.inf
    assert gradient_at(tf.reduce_logsumexp, [-math.inf, 2.0]) == [0.0, 1.0]
    assert gradient_at(tf.reduce_logsumexp, [1000.0, 1000.0]) == [0.5, 0.5]


def test_the_norm_has_gradient_nan_at_zero(tf, gradient_at):
    for norm in (tf.norm, tf.math.reduce_euclidean_norm):
        assert gradient_at(norm, [3.0, 4.0]) == pytest.approx([0.6, 0.8])
        assert np.isnan(gradient_at(norm, [0.0, 0.0])).all()


def test_other_norms(tf, gradient_at):
    assert float(tf.norm([3.0, -4.0], ord=1)) == 7.0
    assert float(tf.norm([[3.0, 4.0], [1.0, 2.0]], ord=np.inf)) == 4.0
    assert float(tf.norm([1.0, 2.0], ord=3)) == pytest.approx(9 ** (1 / 3))
    assert gradient_at(lambda x: tf.norm(x, ord=np.inf), [2.0, -2.0]) == [0.5, -0.5]
    with pytest.raises(ValueError, match="must be a supported vector norm, got 'nuc'"):
        tf.norm([1.0], ord="nuc")


def test_spread_and_deviation(tf, gradient_at):
    assert float(tf.math.reduce_std([1.0, 2.0, 3.0])) == pytest.approx(math.sqrt(2 / 3))
    got = gradient_at(tf.math.reduce_variance, [1.0, 2.0, 4.0])
    assert got == pytest.approx([-8 / 9, -2 / 9, 10 / 9], rel=1e-5)
    assert np.isnan(gradient_at(tf.math.reduce_std, [2.0, 2.0])).all()
    assert tf.math.reduce_std(tf.constant([1 + 1j, 2])).dtype == tf.float64


def test_all_and_any_take_only_true_and_false(tf):
    assert bool(tf.reduce_all([True, False])) is False
    assert tf.reduce_any([[True, False]], axis=1).numpy().tolist() == [True]
    with pytest.raises(TypeError, match="EagerTensor of dtype bool"):
        tf.reduce_all([1, 0])


def test_positions_count_from_the_first_of_equals(tf):
    rows = [[1, 3, 3], [4, 1, 0]]
    assert tf.argmax(rows).numpy().tolist() == [1, 0, 0]
    assert tf.argmax(rows, axis=1).numpy().tolist() == [1, 0]
    assert tf.argmin(rows, axis=-1).numpy().tolist() == [0, 2]
    assert tf.argmax(rows).dtype == tf.int64
    assert tf.argmax(rows, output_type=tf.int32).dtype == tf.int32


def test_a_running_product_divides_and_so_gives_zero_at_zeros(tf, gradient_at):
    assert gradient_at(tf.math.cumprod, [1.0, 2.0, 3.0]) == [9.0, 4.0, 2.0]
    assert gradient_at(tf.math.cumprod, [1.0, 0.0, 3.0]) == [1.0, 0.0, 0.0]
