"""Windows over pictures, compiled: what NumPy gives, forward and back, however they slide."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.kernels import convolution as convolving
from tapelab.kernels import loader, pooling
from tapelab.kernels.sliding_windows import Sliding
from tapelab.ops import convolution
from tapelab.ops import pooling as pools

NEVER = 2**62
ONE, TWO = ((1, 1), (1, 1)), ((2, 2), (1, 1))
SLIDES = {
    "close": Sliding((2, 2), *ONE, ((0, 0), (0, 0))),
    "apart": Sliding((2, 2), *TWO, ((0, 0), (0, 0))),
    "overlapping": Sliding((3, 2), (2, 1), (1, 1), ((1, 1), (0, 1))),
    "with gaps": Sliding((2, 3), (1, 3), (1, 1), ((0, 0), (1, 2))),
    "dilated": Sliding((2, 2), (1, 1), (2, 3), ((1, 1), (2, 1))),
    "wider than the picture": Sliding((7, 9), *ONE, ((3, 3), (4, 4))),
    "of one entry": Sliding((1, 1), *ONE, ((0, 0), (0, 0))),
    "a row": Sliding((3,), (2,), (1,), ((1, 1),)),
}


@pytest.fixture(autouse=True)
def at_any_size(monkeypatch):
    """Let the kernels run on small arrays, too, and let none fail in silence."""
    for limit in ("COMPILED_FROM", "LONG"):
        monkeypatch.setattr(pooling, limit, 1)
    yield
    assert not loader._given_up


@pytest.fixture
def plain(monkeypatch):
    """Compute something by NumPy alone."""

    def by_numpy(function, *arrays, **settings):
        with monkeypatch.context() as patch:
            patch.setattr(pooling, "COMPILED_FROM", NEVER)
            return function(*arrays, **settings)

    return by_numpy


def numbers(shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def pictures(how, channels=4, dtype=np.float32):
    return numbers((3, 5, 6, channels) if len(how.size) == 2 else (3, 6, channels), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("how", SLIDES.values(), ids=SLIDES)
@pytest.mark.parametrize("op", [pools.max_pool, pools.avg_pool], ids=["max", "avg"])
def test_pooling_and_its_vjp(plain, op, how, dtype):
    x = pictures(how, dtype=dtype)
    y = op(x, how=how)
    assert y.dtype == dtype
    np.testing.assert_allclose(y, plain(op, x, how=how), rtol=1e-6, atol=1e-6)
    dy = numbers(y.shape, dtype, seed=1)
    rule = op.rules["x"].function
    expected = plain(rule, dy, y, x, how=how)
    np.testing.assert_allclose(rule(dy, y, x, how=how), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("how", SLIDES.values(), ids=SLIDES)
def test_equal_entries_give_the_gradient_to_the_first(plain, how):
    x = np.round(pictures(how))  # many are equal
    y = pools.max_pool(x, how=how)
    rule = pools.max_pool_grad_x
    np.testing.assert_array_equal(rule(y, y, x, how=how), plain(rule, y, y, x, how=how))
    expected = plain(pools.places_of_largest, x, how)
    np.testing.assert_array_equal(pools.places_of_largest(x, how), expected)


def test_nan_is_the_largest_and_infinity_is_a_number(plain):
    how = SLIDES["overlapping"]
    x = pictures(how)
    x[0, 1, 1, 0], x[1, 2, 2, 1], x[2, 0, :, 2] = np.nan, np.inf, -np.inf
    y = pools.max_pool(x, how=how)
    np.testing.assert_array_equal(y, plain(pools.max_pool, x, how=how))
    assert np.isnan(y).any()
    rule = pools.max_pool_grad_x
    ones = np.ones_like(y)
    np.testing.assert_array_equal(rule(ones, y, x, how=how), plain(rule, ones, y, x, how=how))


@pytest.mark.parametrize("filters", [(4, 3), (1, 4), (2, 4), (1, 8)], ids=str)
@pytest.mark.parametrize("how", SLIDES.values(), ids=SLIDES)
def test_convolutions_and_their_ways_back(monkeypatch, plain, how, filters):
    monkeypatch.setattr(convolving, "AT_ONCE", 400)  # two pictures at a time, and what is left
    x, w = pictures(how), numbers((*how.size, *filters), seed=1)
    y = convolution.convolution(x, w, how=how)
    close = {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(y, convolution.by_loops(x, w, how), **close)
    dy = numbers(y.shape, seed=2)
    for rule in (convolution.convolution_grad_x, convolution.convolution_grad_w):
        np.testing.assert_allclose(rule(dy, y, x, w, how=how),
                                   plain(rule, dy, y, x, w, how=how), **close)  # fmt: skip


def test_pictures_that_are_turned_or_thinned_are_read_as_they_are(plain):
    how, whole = SLIDES["overlapping"], numbers((6, 10, 12, 8))
    for x in (whole[::2, ::2, ::2], whole.transpose(0, 2, 1, 3), whole[..., ::-1]):
        for op in (pools.max_pool, pools.avg_pool):
            np.testing.assert_allclose(op(x, how=how), plain(op, x, how=how), rtol=1e-5, atol=1e-6)


def test_an_upstream_that_was_broadcast_is_read_as_it_is(plain):
    how = SLIDES["apart"]
    x = pictures(how)
    y = pools.max_pool(x, how=how)
    for rule in (pools.max_pool_grad_x, pools.avg_pool_grad_x):
        ones = np.broadcast_to(np.float32(1), y.shape)
        np.testing.assert_allclose(rule(ones, y, x, how=how), plain(rule, ones, y, x, how=how))


def test_numbers_that_are_no_floats_and_blocks_stay_with_numpy():
    x = np.arange(60).reshape(1, 5, 6, 2)
    assert pooling.max_pool(x, SLIDES["close"]) is None
    block = Sliding((2, 2, 2), (1, 1, 1), (1, 1, 1), ((0, 0),) * 3)
    assert pooling.max_pool(numbers((1, 3, 3, 3, 1)), block) is None
    assert pools.max_pool(x, how=SLIDES["close"]).dtype == x.dtype


def test_places_of_the_largest_count_through_all_pictures():
    x = numbers((3, 4, 4, 2))
    _, places = tf.nn.max_pool_with_argmax(x, 2, 2, "VALID", include_batch_in_index=True)
    y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    np.testing.assert_array_equal(x.reshape(-1)[places], y)
