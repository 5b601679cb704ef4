"""Normalizing large arrays in one pass gives what its small steps give, each way, twice."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.kernels import loader, normal

NEVER = 2**62
LAYOUTS = [((6, 5), [1]), ((6, 5), [0]), ((4, 3, 5), [0, 1]), ((4, 3, 5), [1, 2]), ((7, 1), [0]),
           ((1, 7), [1]), ((2, 3, 4, 5), [0, 1, 2])]  # fmt: skip


@pytest.fixture(autouse=True)
def at_any_size(monkeypatch):
    """Let the kernels run on small arrays, too, and let none fail in silence."""
    monkeypatch.setattr(normal, "FUSED_FROM", 1)
    yield
    assert not loader._given_up


def numbers(shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).normal(3, 2, size=shape).astype(dtype)


def rows_kept(axes):
    return axes[0] != 0


def normed(x, axes, scale, offset):
    """What batch and layer normalization do, weighed so that no gradient is 0 by symmetry."""
    mean, variance = tf.nn.moments(x, axes, keepdims=rows_kept(axes))
    y = tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
    return tf.reduce_sum(y * tf.sin(x))


def both_orders(x, axes, learned):
    """The value, the gradients, and the gradients of what is made of these, flattened."""
    sources = [tf.constant(x), *map(tf.constant, learned)]
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            y = normed(sources[0], axes, *sources[1:])
        first = tape.gradient(y, sources)
        total = tf.add_n([tf.reduce_sum(tf.cos(each)) for each in first])
    tensors = [y, *first, *outer.gradient(total, sources)]
    return np.concatenate([np.ravel(each) for each in tensors])


@pytest.mark.parametrize(("shape", "axes"), LAYOUTS)
def test_values_and_gradients_are_those_of_the_single_steps(monkeypatch, shape, axes):
    x = numbers(shape)
    columns = shape[axes[0] :] if rows_kept(axes) else shape[len(axes) :]
    learned = [numbers(columns, seed=1), numbers(columns, seed=2)]
    got = both_orders(x, axes, learned)
    monkeypatch.setattr(normal, "FUSED_FROM", NEVER)
    np.testing.assert_allclose(got, both_orders(x, axes, learned), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("shape", "axes"), LAYOUTS)
def test_single_precision_keeps_the_digits_of_long_sums(shape, axes):
    x = numbers(shape, np.float32) + 1000
    wide = x.astype(np.float64)
    variance = tf.nn.moments(x, axes)[1]
    assert variance.dtype == tf.float32
    np.testing.assert_allclose(variance, wide.var(tuple(axes)), rtol=1e-3)
    even = tf.nn.batch_normalization(x, *tf.nn.moments(x, axes, keepdims=True), None, None, 1e-3)
    along = {"axis": tuple(axes), "keepdims": True}
    expected = (wide - wide.mean(**along)) / np.sqrt(wide.var(**along) + 1e-3)
    np.testing.assert_allclose(even, expected, atol=2e-2)


def test_a_large_array_takes_one_op_where_a_small_one_shows_its_steps(monkeypatch):
    def ops_of():
        x = tf.constant(numbers((4, 3)))
        with tf.GradientTape() as tape:
            tape.watch(x)
            normed(x, [0], None, None)
        return {each.name for each in tape.recording().ops}

    assert "normalize" in ops_of()
    monkeypatch.setattr(normal, "FUSED_FROM", NEVER)
    assert "normalize" not in ops_of()


@pytest.mark.parametrize("kind", ["rows", "columns"])
def test_nan_and_infinity_reach_only_what_shares_their_number(kind):
    x = numbers((6, 5), np.float32)
    x[2, 3], x[4, 1] = np.nan, np.inf
    axes = [1] if kind == "rows" else [0]
    variance = np.asarray(tf.nn.moments(x, axes)[1])
    nonfinite = [2, 4] if kind == "rows" else [3, 1]
    assert np.isnan(variance[nonfinite]).all()
    assert np.isfinite(np.delete(variance, nonfinite)).all()


def test_turned_and_thinned_arrays_are_read_as_they_are():
    whole = numbers((10, 12))
    for x in (whole.T, whole[::2, ::3], whole[::-1], np.broadcast_to(whole[0], (4, 12))):
        m = x.mean(1, keepdims=True)
        np.testing.assert_allclose(normal.mean_square(x, m)[:, 0], x.var(1), atol=1e-12)
        got = normal.distances(m, x, m)
        np.testing.assert_allclose(got, m * (x - m), atol=1e-12)


def test_other_layouts_and_dtypes_are_left_to_the_single_steps():
    x = numbers((4, 3, 5))
    assert normal.laid_flat(x.shape, (4, 1, 5)) is None
    assert normal.laid_flat(x.shape, ()) is None
    assert normal.mean_square(x.astype(np.float16), x[:1, :1].astype(np.float16)) is None
    assert normal.mean_square(x, x[:1].astype(np.float32)) is None
    assert normal.normalized(x, x[0], x[0], x[0, 0], x[0, 0]) is None


def test_numbers_that_are_scaled_by_one_factor_take_the_single_steps():
    x = tf.constant(numbers((4, 3)))
    mean, variance = tf.nn.moments(x, [0])
    y = tf.nn.batch_normalization(x, mean, variance, 0.5, 2.0, 0.0)
    expected = (x - mean) / tf.sqrt(variance) * 2 + 0.5
    np.testing.assert_allclose(y, expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [(6, 5), (2, 3, 4), (1, 7), (7, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_layer_that_normalizes_rows_does_it_in_one_op(monkeypatch, shape, dtype):
    x, weights = tf.constant(numbers(shape, dtype)), tf.constant(numbers(shape, dtype, seed=3))
    layer = tf.keras.layers.LayerNormalization(dtype=dtype)
    layer.build(shape)
    learned = [layer.gamma, layer.beta]
    for seed, each in enumerate(learned):
        each.assign(numbers(each.shape, dtype, seed))

    def both():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x)
        return y, *tape.gradient(y, [x, *learned], output_gradients=weights)

    got = both()
    monkeypatch.setattr(normal, "FUSED_FROM", NEVER)
    close = 1e-9 if dtype == "float64" else 3e-4
    for one, other in zip(got, both(), strict=True):
        np.testing.assert_allclose(one, other, rtol=close, atol=close)


def test_a_layer_without_scale_or_shift_and_one_along_other_axes(monkeypatch):
    x = tf.constant(numbers((3, 4, 5), np.float32))
    layers = [tf.keras.layers.LayerNormalization(scale=False, center=False),
              tf.keras.layers.LayerNormalization(axis=[1, 2]),
              tf.keras.layers.LayerNormalization(axis=1)]  # fmt: skip
    got = [layer(x) for layer in layers]
    monkeypatch.setattr(normal, "FUSED_FROM", NEVER)
    for one, layer in zip(got, layers, strict=True):
        np.testing.assert_allclose(one, layer(x), rtol=1e-4, atol=1e-5)


def test_an_upstream_that_was_broadcast_is_read_as_it_is():
    x, g = numbers((4, 6), np.float32), numbers((6,), np.float32)
    one = np.broadcast_to(np.float32(1), x.shape)
    expected = normal.layer_vjps(np.ones_like(x), x, g, 1e-3)
    for got, whole in zip(normal.layer_vjps(one, x, g, 1e-3), expected, strict=True):
        np.testing.assert_array_equal(got, whole)


def test_wide_rows_and_many_rows_far_from_0_lose_no_digits():
    """Sums in single precision join sums in double precision before they wear off."""
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(40, 5000)) + 100).astype(np.float32)
    dy, g = (rng.normal(size=shape).astype(np.float32) for shape in (x.shape, x.shape[1:]))
    y = normal.layer_normalized(x, g, g, 1e-5)
    away = x.astype(np.float64) - x.mean(1, np.float64, keepdims=True)
    factor = 1 / np.sqrt(np.mean(away**2, 1, keepdims=True) + 1e-5)
    even, inner = away * factor, dy * g.astype(np.float64)
    whole = inner.mean(1, keepdims=True) + even * np.mean(inner * even, 1, keepdims=True)
    exact = (inner - whole) * factor, np.sum(dy * even, 0), np.sum(dy, 0, np.float64)
    np.testing.assert_allclose(y, even * g + g, rtol=0, atol=1e-4)  # x has steps of 8e-6
    for got, expected in zip(normal.layer_vjps(dy, x, g, 1e-5), exact, strict=True):
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
