"""Rows that meet at numbered places: what NumPy gives, in the same order, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.kernels import loader, row_scatter

HOWS = [np.add, np.subtract, np.maximum, np.minimum, np.multiply]


@pytest.fixture(autouse=True)
def at_any_size(monkeypatch):
    """Let the kernels run on small arrays, too, and let none fail in silence."""
    monkeypatch.setattr(row_scatter, "COMPILED_FROM", 1)
    yield
    assert not loader._given_up


def numbers(shape, dtype=np.float32, seed=0):
    x = np.random.default_rng(seed).normal(size=shape).astype(dtype)
    x.reshape(-1)[2:5] = np.nan, np.inf, -np.inf
    return x


def at(how, whole, places, values):
    result = np.array(whole)
    with np.errstate(invalid="ignore"):
        how.at(result, places, values)
    return result


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("rest", [(), (3,), (2, 3), (1,)], ids=str)
@pytest.mark.parametrize("how", HOWS, ids=lambda how: how.__name__)
def test_rows_meet_as_numpy_lets_them(how, rest, dtype):
    values = np.random.default_rng(0).integers(-9, 9, (20, *rest)) / (1 if dtype == np.int32 else 7)
    whole, values = np.ones((5, *rest), dtype), values.astype(dtype)
    places = np.random.default_rng(1).integers(0, 5, 20).astype(np.int32)
    before = whole.copy()
    got = row_scatter.meet_rows(how, whole, values, places)
    np.testing.assert_array_equal(got, at(how, whole, places, values))
    np.testing.assert_array_equal(whole, before)
    assert got.dtype == dtype


@pytest.mark.parametrize("how", [np.maximum, np.minimum], ids=lambda how: how.__name__)
def test_nan_wins_and_infinity_is_a_number(how):
    whole, values, places = numbers((3, 4)), numbers((6, 4), seed=1), np.array([0, 1, 2, 0, 0, 2])
    got = row_scatter.meet_rows(how, whole, values, places)
    np.testing.assert_array_equal(got, at(how, whole, places, values))


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_index_tuples_of_any_depth(depth):
    shape = (3, 4, 5)
    indices = np.stack(
        [np.random.default_rng(at).integers(0, shape[at], (2, 6)) for at in range(3)]
    )
    indices = np.moveaxis(indices, 0, -1)[..., :depth]
    values = np.random.default_rng(3).normal(size=(2, 6, *shape[depth:])).astype(np.float32)
    whole = np.zeros(shape, np.float32)
    places = tuple(np.moveaxis(indices, -1, 0)) if depth else (...,)
    expected = at(np.add, whole, places, values if depth else values.sum((0, 1)))
    np.testing.assert_allclose(
        row_scatter.meet_at(np.add, whole, values, indices), expected, rtol=1e-5
    )


def test_no_rows_and_no_tuples_change_nothing():
    whole = numbers((3, 4))
    none = np.zeros((0, 1), np.int64)
    np.testing.assert_array_equal(row_scatter.meet_at(np.add, whole, whole[:0], none), whole)
    np.testing.assert_array_equal(
        row_scatter.add_rows(whole[:0], none[:, 0], (2, 4)), np.zeros((2, 4))
    )


def test_rows_of_another_width_or_dtype_never_reach_compiled_code():
    whole, places = np.zeros((3, 4), np.float32), np.array([0, 2])
    assert not row_scatter._meet(np.add, whole, np.ones((2, 1), np.float32), places)
    assert not row_scatter._meet(np.add, whole, np.ones((2, 4)), places)
    assert not row_scatter._meet(np.add, whole, np.ones((2, 4), np.float32), np.array([0, 3]))
    assert not row_scatter._meet(np.add, whole, np.ones((2, 4), np.float32), np.array([-1, 0]))


def test_rows_that_are_turned_or_thinned_are_read_as_they_are():
    whole, places = np.zeros((3, 6), np.float32), np.array([0, 2, 0, 1])
    wide = np.random.default_rng(0).normal(size=(12, 12)).astype(np.float32)
    for values in (wide[:4, ::2], wide.T[:4, :6], np.broadcast_to(wide[0, :6], (4, 6))):
        got = row_scatter.meet_rows(np.add, whole, values, places)
        np.testing.assert_array_equal(got, at(np.add, whole, places, values))


@pytest.mark.parametrize(("axis", "batch_dims"), [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2)])
def test_the_gradient_of_picked_elements_is_scattered_along_any_axis(axis, batch_dims):
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    indices = np.random.default_rng(1).integers(0, 3, (*x.shape[:batch_dims], 2, 2))
    source = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(source)
        picked = tf.gather(source, indices, axis=axis, batch_dims=batch_dims)
        y = tf.reduce_sum(picked * picked)
    got = tf.convert_to_tensor(tape.gradient(y, source))
    counted = np.zeros(x.shape)
    where = np.arange(x.size).reshape(x.shape)
    taken = np.asarray(tf.gather(where, indices, axis=axis, batch_dims=batch_dims))
    np.add.at(counted.reshape(-1), taken.reshape(-1), 1)
    np.testing.assert_allclose(got, 2 * x * counted)


@pytest.mark.parametrize("how", ["add", "sub", "max", "min"])
@pytest.mark.parametrize("nested", [False, True])
def test_rows_written_into_a_variable_leave_its_former_value_alone(how, nested):
    before = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    places, updates = np.array([4, 0, 4]), np.random.default_rng(1).normal(size=(3, 3))
    updates = updates.astype(np.float32)
    variable = tf.Variable(before)
    former = variable.read_value()
    if nested:
        getattr(variable, f"scatter_nd_{how}")(places[:, None], updates)
    else:
        getattr(variable, f"scatter_{how}")(tf.IndexedSlices(updates, places))
    ufunc = {"add": np.add, "sub": np.subtract, "max": np.maximum, "min": np.minimum}[how]
    np.testing.assert_array_equal(variable, at(ufunc, before, places, updates))
    np.testing.assert_array_equal(former, before)
