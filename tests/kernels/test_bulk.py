"""Sums and VJPs of large arrays: what NumPy gives, where it is summed in the same pass."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.core import backward_fast_path, cotangents, fast_path
from tapelab.kernels import bulk, loader
from tapelab.ops import arithmetic, reduce_ops

SHAPES = [((6, 5), (6, 5)), ((6, 5), (6, 1)), ((6, 5), (5,)), ((6, 5), ()), ((6, 1), (1, 5)),
          ((2, 3, 4), (2, 1, 1)), ((2, 3, 4), (3, 4)), ((2, 3, 4), (1, 3, 1)), ((1, 5), (1, 1)),
]  # fmt: skip


@pytest.fixture(autouse=True)
def at_any_size(monkeypatch):
    """Let the kernels run on small arrays, too, and let none fail in silence."""
    for module in (bulk, backward_fast_path, cotangents, reduce_ops):
        monkeypatch.setattr(module, "LARGE", 1)
    yield
    assert not loader._given_up


def numbers(shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)[()]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("function", [tf.multiply, tf.subtract, tf.add])
def test_gradients_are_those_of_small_arrays(monkeypatch, function, shapes, dtype):
    arrays = [numbers(shape, dtype, seed) for seed, shape in enumerate(shapes)]
    upstream = numbers(np.broadcast_shapes(*shapes), dtype, seed=9)

    def both():
        sources = [tf.constant(each) for each in arrays]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            y = function(*sources)
        return tape.gradient(y, sources, output_gradients=tf.constant(upstream))

    got = both()
    for module in (backward_fast_path, cotangents):
        monkeypatch.setattr(module, "LARGE", 2**62)
    for one, other, array in zip(got, both(), arrays, strict=True):
        assert one.shape == array.shape
        assert one.dtype == dtype
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((7,), None), ((3, 4), (1,)), ((3, 4), (-1,)), ((3, 4, 5), (1, 2)), ((3, 4, 5), None),
     ((2**15 + 3,), None), ((2, 2**14), None)],
)  # fmt: skip
def test_sums_along_the_last_axes_keep_their_digits(shape, axis):
    x = numbers(shape) + np.float32(1000)
    got = bulk.sum_along(x, axis)
    assert got.dtype == np.float32
    exact = np.sum(x, axis=axis, dtype=np.float64)
    np.testing.assert_array_equal(got, exact.astype(np.float32))


def test_other_sums_are_left_to_numpy():
    x = numbers((4, 5))
    for other in (x.astype(np.float64), x[:0], np.broadcast_to(x[0], (3, 5)), x.astype(np.int32)):
        assert bulk.sum_along(other, (1,)) is None
    assert bulk.sum_along(x, (0,)) is None
    assert bulk.sum_along(x, ()) is None
    assert bulk.product_to((5,), x, x.astype(np.float64)) is None


def test_public_sums_and_means_have_the_requested_shape():
    x = numbers((4, 5, 6))
    for function, plain in ((tf.reduce_sum, np.sum), (tf.reduce_mean, np.mean)):
        for axis in (None, 2, (1, 2), [-1], 0):
            for keepdims in (False, True):
                along = tuple(axis) if isinstance(axis, list) else axis
                expected = plain(x, axis=along, keepdims=keepdims)
                np.testing.assert_allclose(
                    function(x, axis=axis, keepdims=keepdims), expected, rtol=1e-4, atol=1e-6
                )


def test_infinity_and_nan_stay_in_their_row():
    x = numbers((4, 5))
    x[0, 1], x[1, 2], x[2, :2] = np.inf, np.nan, (np.inf, -np.inf)
    got = bulk.sum_along(x, (1,))
    np.testing.assert_array_equal(np.isnan(got), [False, True, True, False])
    assert got[0] == np.inf
    with np.errstate(invalid="ignore"):
        assert np.isnan(bulk.sum_along(x, None))


def test_a_sum_beyond_float32_is_infinite_without_a_warning():
    x = np.full((2, 8), 3e38, np.float32)
    assert np.isinf(np.asarray(tf.reduce_sum(x, axis=1))).all()
    assert np.isinf(float(tf.reduce_sum(x)))


def test_arrays_that_are_turned_or_thinned_are_summed_as_they_are():
    whole = numbers((6, 8))
    for x in (whole.T, whole[::2, ::3], whole[::-1, ::-1]):
        np.testing.assert_allclose(bulk.sum_along(x, (1,)), x.sum(1), rtol=1e-5)
        np.testing.assert_allclose(
            bulk.product_to((len(x), 1), x, x)[:, 0], (x * x).sum(1), rtol=1e-5
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply])
def test_large_sums_and_products_are_those_of_numpy(ufunc, shapes, dtype):
    x, y = (numbers(shape, dtype, seed) for seed, shape in enumerate(shapes))
    np.testing.assert_array_equal(bulk.combined(ufunc, x, y), ufunc(x, y))


def test_operators_on_large_tensors_are_recorded_like_those_on_small_ones(monkeypatch):
    def names():
        x = tf.constant(numbers((4, 6)))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = (x * 2.0 - x[:1]) * (1.0 + x)
        return [each.name for each in tape.recording().ops], np.asarray(tape.gradient(y, x))

    small, gradient = names()
    for module in (fast_path, arithmetic):
        monkeypatch.setattr(module, "LARGE", 2)  # numbers stay small
    large, same = names()
    assert large == small
    np.testing.assert_allclose(same, gradient, rtol=1e-6)


@pytest.mark.parametrize(("number", "shared"), [(1.0, True), (2.0, False)])
def test_ones_that_come_back_from_a_sum_cost_no_product(number, shared):
    y = np.arange(12, dtype=np.float32).reshape(3, 4)
    upstream = np.broadcast_to(np.float32(number), y.shape)
    got = bulk.product_to(y.shape, upstream, y)
    np.testing.assert_array_equal(got, number * y)
    assert np.shares_memory(got, y) == shared
