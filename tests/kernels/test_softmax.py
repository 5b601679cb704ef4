"""Logarithms of sums, cross entropies and their VJPs, row by row, against 64 bits."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.kernels import softmax
from tapelab.ops import losses, reduce_ops

WIDTH = 96
ROWS = softmax.COMPILED_FROM // WIDTH + 2


@pytest.fixture(scope="module")
def scores():
    return (np.random.default_rng(0).normal(size=(ROWS, WIDTH)) * 20 + 50).astype(np.float32)


@pytest.fixture(scope="module")
def labels():
    chances = np.random.default_rng(1).uniform(size=(ROWS, WIDTH))
    return (chances / chances.sum(-1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def upstream():
    return np.random.default_rng(2).normal(size=ROWS).astype(np.float32)


def sizes(x):
    """The logarithm of the sum of the exponentials of each row, in 64 bits."""
    return np.logaddexp.reduce(x.astype(np.float64), axis=-1)


def chances(x):
    return np.exp(x.astype(np.float64) - sizes(x)[..., None])


def test_the_logarithm_of_a_sum_of_exponentials(scores):
    got = softmax.logsumexp(scores, (1,))
    np.testing.assert_allclose(got, sizes(scores), rtol=3e-7)
    kept = reduce_ops.reduce_logsumexp(scores, axis=(-1,), keepdims=True)
    np.testing.assert_array_equal(kept, got[:, None])
    whole = reduce_ops.reduce_logsumexp(scores.reshape(-1))
    assert type(whole) is np.float32
    assert whole == pytest.approx(np.logaddexp.reduce(sizes(scores)), rel=3e-7)


def test_infinity_and_nan_in_a_row_give_what_mathematics_says(scores):
    x = scores.copy()
    x[0], x[1, 3], x[2, 3], x[4, 3], x[5, 3] = -np.inf, np.inf, np.nan, -np.inf, -np.nan
    x[3, :2] = np.inf, np.nan
    x[6, :2] = np.inf, -np.inf
    got = softmax.logsumexp(x, (-1,))
    expected = [-np.inf, np.inf, np.nan, np.nan, sizes(x[4]), np.nan, np.inf]
    np.testing.assert_allclose(got[:7], expected, rtol=3e-7)
    assert np.isfinite(got[7:]).all()


def test_the_vjp_of_a_logarithm_of_a_sum(scores, upstream):
    got = reduce_ops.reduce_logsumexp_grad_x(upstream, None, scores, axis=(1,))
    np.testing.assert_allclose(got, upstream[:, None] * chances(scores), rtol=1e-5, atol=1e-37)


def test_the_vjp_of_a_log_softmax(scores, labels):
    y = softmax.log_softmax(scores, -1)
    got = losses.log_softmax_grad_x(labels, y, scores)
    expected = labels - chances(scores) * labels.astype(np.float64).sum(-1, keepdims=True)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_cross_entropy_and_its_vjp(scores, labels, upstream):
    logs = scores - sizes(scores)[:, None]
    got = losses.softmax_cross_entropy(labels, scores)
    np.testing.assert_allclose(got, -(labels * logs).sum(-1), rtol=1e-6)
    back = losses.softmax_cross_entropy_grad_y(upstream, got, labels, scores)
    expected = upstream[:, None] * (chances(scores) - labels)
    np.testing.assert_allclose(back, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_cross_entropy_of_numbered_classes_and_its_vjp(scores, upstream, dtype):
    classes = np.random.default_rng(3).integers(0, WIDTH, ROWS).astype(dtype)
    got = losses.sparse_softmax_cross_entropy(classes, scores)
    expected = sizes(scores) - scores[np.arange(ROWS), classes].astype(np.float64)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-5)
    back = losses.sparse_softmax_cross_entropy_grad_y(upstream, got, classes, scores)
    right = np.arange(WIDTH) == classes[:, None]
    expected = upstream[:, None] * (chances(scores) - right)
    np.testing.assert_allclose(back, expected, rtol=1e-5, atol=1e-6)


def test_a_small_loss_beside_large_scores_keeps_its_digits():
    x = np.zeros((ROWS, WIDTH), np.float32)
    x[:, 0], x[:, 1] = 1000, 990
    got = losses.sparse_softmax_cross_entropy(np.zeros(ROWS, np.int64), x)
    np.testing.assert_allclose(got, np.log1p(np.exp(-10.0)), rtol=1e-2)


def test_other_axes_dtypes_and_layouts_give_the_same(scores):
    np.testing.assert_allclose(
        softmax.softmax(scores.T, 0), softmax.softmax(scores, -1).T, rtol=1e-5, atol=1e-37
    )
    back = scores[::-1, ::-1]
    np.testing.assert_allclose(softmax.logsumexp(back, (1,)), sizes(back), rtol=3e-7)
    assert softmax.logsumexp(scores, (0,)) is None
    assert softmax.logsumexp(scores, None) is None
    assert softmax.logsumexp(scores.astype(np.float64), (1,)) is None
    assert softmax.logsumexp(scores[:2], (1,)) is None
    cube = scores[: ROWS // 2 * 2].reshape(2, -1, WIDTH)
    np.testing.assert_allclose(softmax.logsumexp(cube, (2,)), sizes(cube), rtol=3e-7)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_the_vjp_of_few_numbered_scores_does_not_depend_on_their_layout(layout):
    few = np.asarray(np.arange(12.0).reshape(3, 4) % 5, order=layout)
    classes, dz = np.array([3, 0, 1]), np.array([1.0, 2.0, -1.0])
    chances = np.exp(few) / np.exp(few).sum(axis=1, keepdims=True)
    expected = dz[:, None] * (chances - np.eye(4)[classes])
    assert softmax.numbered_softmax_vjp(dz, classes, few) == pytest.approx(expected)


def few(*, fixed):
    scores = np.random.default_rng(3).normal(size=(4, 3)).astype(np.float32)
    scores.flags.writeable = not fixed
    return scores


def test_the_backward_pass_takes_up_what_the_loss_of_fixed_scores_worked_out():
    classes, dz = np.array([0, 2, 1, 1]), np.ones(4, np.float32)
    for fixed in (False, True):
        scores = few(fixed=fixed)
        expected = softmax.numbered_softmax_vjp(dz, classes, scores)
        losses.sparse_softmax_cross_entropy.kernel(classes, scores)
        last = softmax._last[0]
        assert (last is not None and last() is scores) is fixed
        for _ in range(2):
            gradient = softmax.numbered_softmax_vjp(dz, classes, scores)
            np.testing.assert_array_equal(gradient, expected)
    other = few(fixed=True) + 1
    np.testing.assert_array_equal(
        softmax.numbered_softmax_vjp(dz, classes, other),
        softmax.numbered_softmax_vjp(dz, classes, other.copy()),
    )


def test_what_was_worked_out_goes_with_the_scores():
    scores = few(fixed=True)
    losses.sparse_softmax_cross_entropy.kernel(np.zeros(4, np.int64), scores)
    assert softmax._last[1] is not None
    del scores
    assert softmax._last == (None, None, None)
