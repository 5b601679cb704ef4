"""Picking rows, and the gradients that come back to them."""

from __future__ import annotations

import numpy as np
import pytest


def test_a_row_gathered_twice_receives_both_gradients(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [2, 0, 2]) * [[1.0], [10.0], [100.0]])
    got = tape.gradient(y, table)
    assert got.indices.numpy().tolist() == [2, 0, 2]
    assert tf.convert_to_tensor(got).numpy().tolist() == [[10.0, 10.0], [0.0, 0.0], [101.0, 101.0]]


def test_one_row_gathered_by_a_scalar_comes_back_as_one_row(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(table, 1)
    got = tape.gradient(y, table)
    assert got.indices.numpy().tolist() == [1]
    assert got.values.shape == [1, 2]


def test_a_matrix_of_indices_comes_back_flat(tf):
    table = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [[0, 1], [1, 1]])
    got = tape.gradient(y, table)
    assert got.indices.numpy().tolist() == [0, 1, 1, 1]
    assert got.values.shape == [4]


def test_a_gathered_gradient_can_be_differentiated_again(tf):
    table = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.gather(table, [2, 2]) ** 2)
        first = tf.reduce_sum(tf.convert_to_tensor(inner.gradient(y, table)) ** 2)
    second = tf.convert_to_tensor(outer.gradient(first, table))
    assert float(first) == 144.0
    assert second.numpy().tolist() == [0.0, 0.0, 96.0]


@pytest.mark.parametrize("batch_dims", [0, 1])
def test_columns_come_back_dense(tf, batch_dims):
    x = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    picks = [[2, 2], [0, 1]] if batch_dims else [2, 2]
    with tf.GradientTape() as tape:
        y = tf.gather(x, picks, axis=1, batch_dims=batch_dims)
    got = tape.gradient(y, x)
    expected = [[0, 0, 2], [1, 1, 0]] if batch_dims else [[0, 0, 2], [0, 0, 2]]
    assert tf.is_tensor(got)
    assert got.numpy().tolist() == expected


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_takes_what_numpy_takes(tf, axis):
    x = np.arange(24.0).reshape(2, 3, 4)
    picks = np.array([[1, 0], [1, 1]])
    got = tf.gather(tf.constant(x), picks, axis=axis)
    np.testing.assert_array_equal(got.numpy(), np.take(x, picks, axis))


def test_gather_nd_picks_by_index_tuples_within_a_batch(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.gather_nd(x, [[1], [0]], batch_dims=1).numpy().tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (lambda tf: tf.gather([1.0, 2.0, 3.0], [[0, 5]]), "indices[0,1] = 5 is not in [0, 3)"),
        (lambda tf: tf.gather([1.0, 2.0, 3.0], 5), "indices = 5 is not in [0, 3)"),
        (lambda tf: tf.gather(1.0, 0), "params must be at least 1 dimensional"),
        (lambda tf: tf.gather([1.0], [0], axis=2), "Shape must be at least rank 3 but is rank 1"),
        (lambda tf: tf.gather_nd([1.0], [[5]]), "indices[0] = [5] does not index into param shape"),
        (lambda tf: tf.gather_nd([1.0], 0), "indices must be at least a vector"),
        (lambda tf: tf.scatter_nd([[5]], [1.0], [3]), "= [5] does not index into shape [3]"),
        (
            lambda tf: tf.tensor_scatter_nd_update([1.0, 2.0], [[0]], [1.0, 2.0]),
            "Outer dimensions of indices and update must match",
        ),
    ],
)
def test_a_place_that_is_not_there_is_named(tf, f, says):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf)
    assert says in str(caught.value)


def test_the_larger_of_tied_entries_share_the_gradient(tf):
    x, u = tf.Variable([1.0, 4.0, 2.0]), tf.Variable([4.0, 5.0])
    with tf.GradientTape() as tape:
        y = tf.tensor_scatter_nd_max(x, [[1], [2]], u)
    dx, du = tape.gradient(y, [x, u])
    assert y.numpy().tolist() == [1.0, 4.0, 5.0]
    assert dx.numpy().tolist() == [1.0, 0.5, 0.0]
    assert du.numpy().tolist() == [0.5, 1.0]


def test_a_mask_of_another_shape_is_a_value_error(tf):
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(1,\) are incompatible"):
        tf.boolean_mask([1.0, 2.0], [True])
