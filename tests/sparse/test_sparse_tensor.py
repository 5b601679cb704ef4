"""What a sparse tensor is made of, and what it refuses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest


@pytest.fixture
def sparse(tf):
    return tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [3, 4])


def test_it_keeps_its_parts_and_its_dtype(sparse, tf):
    assert sparse.indices.dtype is tf.int64
    assert sparse.dense_shape.numpy().tolist() == [3, 4]
    assert sparse.dtype is tf.float32
    assert sparse.shape == [3, 4]


def test_it_prints_as_the_guides_show(tf):
    sparse = tf.SparseTensor(indices=[[0, 3], [2, 4]], values=[10, 20], dense_shape=[3, 10])
    assert str(sparse) == (
        "SparseTensor(indices=tf.Tensor(\n[[0 3]\n [2 4]], shape=(2, 2), dtype=int64), "
        "values=tf.Tensor([10 20], shape=(2,), dtype=int32), "
        "dense_shape=tf.Tensor([ 3 10], shape=(2,), dtype=int64))"
    )


def test_it_survives_pickle_and_copy(sparse, tf):
    for other in (pickle.loads(pickle.dumps(sparse)), copy.deepcopy(sparse)):
        np.testing.assert_array_equal(tf.sparse.to_dense(other), tf.sparse.to_dense(sparse))


def test_two_of_them_are_equal_only_if_they_are_one(sparse):
    assert sparse == sparse  # noqa: PLR0124 - that is the question
    assert sparse != sparse.with_values(sparse.values)
    assert len({sparse, sparse}) == 1


@pytest.mark.parametrize(
    ("indices", "values", "shape", "says"),
    [
        ([[0, 0]], [1.0, 2.0], [3, 4], "1 and 2 are not compatible.*got 2 values"),
        ([[0, 0], [1, 1]], [1.0, 2.0], [3], "2 and 1 are not compatible"),
        ([[0, 0]], [[1.0]], [3, 4], r"Shape \(1, 1\) must have rank 1"),
        ([0, 1], [1.0, 2.0], [3], r"Shape \(2,\) must have rank 2"),
    ],
)
def test_parts_that_do_not_fit_are_distinguished(tf, indices, values, shape, says):
    with pytest.raises(ValueError, match=says):
        tf.SparseTensor(indices, values, shape)


def test_a_function_that_wants_a_dense_tensor_says_how_to_make_one(sparse, tf):
    with pytest.raises(ValueError, match=r"Try tf\.sparse\.to_dense\(x\)"):
        tf.reduce_sum(sparse)


def test_a_gradient_is_taken_of_the_values(sparse, tf):
    with tf.GradientTape() as tape:
        tape.watch(sparse)
        y = tf.sparse.reduce_sum(sparse)
    with pytest.raises(ValueError, match=r"tape\.gradient\(target, x\.values\)"):
        tape.gradient(y, sparse)
    np.testing.assert_array_equal(tape.gradient(y, sparse.values), [1, 1])


def test_reading_a_variable_into_the_values_is_recorded(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        sparse = tf.SparseTensor([[0], [2]], x, [3])
        y = tf.sparse.to_dense(sparse) * [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(tape.gradient(y, x), [1, 3])


def test_only_a_tensor_may_stand_on_the_left(sparse, tf):
    np.testing.assert_array_equal((tf.ones([3, 4]) * sparse).values, [1, 2])
    with pytest.raises(TypeError, match="unsupported operand"):
        2.0 * sparse


def test_a_spec_knows_what_fits(sparse, tf):
    spec = tf.SparseTensorSpec([None, 4], tf.float32)
    assert spec.is_compatible_with(sparse)
    assert not tf.SparseTensorSpec([None, 4], tf.int32).is_compatible_with(sparse)
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert spec.value_type is tf.SparseTensor
    with pytest.raises(TypeError, match="Expected SparseTensor"):
        tf.SparseTensorSpec.from_value(3.0)


def test_tf_sparse_says_what_it_does_not_have(tf):
    with pytest.raises(AttributeError, match="'cross_over'"):
        _ = tf.sparse.cross_over
    assert "to_dense" in dir(tf.sparse)
