"""Choosing between the entries of large arrays gives what NumPy gives, NaN and signs of 0 too."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.kernels import loader, where_kernels

SHAPES = [(7,), (3, 5), (1,), (2, 3, 4)]


@pytest.fixture(autouse=True)
def at_any_size(monkeypatch):
    """Let the kernels run on small arrays, too, and let none fail in silence."""
    monkeypatch.setattr(where_kernels, "COMPILED_FROM", 1)
    yield
    assert not loader._given_up


def numbers(shape, dtype=np.float32, seed=0):
    x = np.random.default_rng(seed).normal(size=shape).astype(dtype)
    x.reshape(-1)[:5] = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-45])[: x.size]
    return x


def same(got, expected):
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))
    assert got.dtype == expected.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_and_single_numbers(shape, dtype):
    x, y = numbers(shape, dtype), numbers(shape, dtype, seed=1)[::-1]
    c, number = np.random.default_rng(2).random(shape) < 0.5, dtype(-0.0)
    for one, other in ((x, y), (x, number), (number, y)):
        same(where_kernels.chosen(c, one, other), np.where(c, one, other))
        assert where_kernels.compiled(c, one, other) is not None


def test_turned_thinned_and_empty_arrays():
    x, y = numbers((6, 8)), numbers((6, 8), seed=1)
    for part in (lambda a: a.T, lambda a: a[::2, ::3], lambda a: a[::-1], lambda a: a[:, :0]):
        c = part(x) > 0
        same(where_kernels.chosen(c, part(x), part(y)), np.where(c, part(x), part(y)))


def test_what_is_broadcast_and_what_is_no_float_is_left_to_numpy():
    x, c = numbers((3, 5)), np.ones((3, 5), bool)
    for one, other in ((x[0], x), (c.astype(int), c.astype(int)), (x, x.astype(np.float64))):
        assert where_kernels.compiled(c, one, other) is None
    same(where_kernels.chosen(c, x[0], x), np.where(c, x[0], x))


@pytest.mark.parametrize("name", ["elu", "selu", "leaky_relu"])
def test_activations_and_their_gradients_are_those_of_small_arrays(monkeypatch, name):
    def both():
        x = tf.constant(numbers((4, 6)))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf.nn, name)(x)
        return y, tape.gradient(y, x)

    got = both()
    monkeypatch.setattr(where_kernels, "COMPILED_FROM", 2**62)
    for one, other in zip(got, both(), strict=True):
        same(np.asarray(one), np.asarray(other))
