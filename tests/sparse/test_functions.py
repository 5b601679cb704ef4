"""What the functions of tf.sparse do, held to what dense tensors do."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def random_sparse(tf):
    """Give a random sparse tensor of a shape, together with its dense form."""

    def make(*shape, dtype=np.float32, seed=0):
        rng = np.random.default_rng(seed)
        dense = rng.normal(size=shape).astype(dtype) * (rng.random(shape) < 0.5)
        return tf.sparse.from_dense(dense), dense

    return make


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (0, 3), (1, 1)])
def test_from_dense_and_to_dense_are_inverse(tf, random_sparse, shape):
    sparse, dense = random_sparse(*shape)
    np.testing.assert_array_equal(tf.sparse.to_dense(sparse), dense)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), [0, 1, 2]])
@pytest.mark.parametrize("keepdims", [True, False])
def test_sums_agree_with_dense_sums_dense_and_sparse(tf, random_sparse, axis, keepdims):
    sparse, dense = random_sparse(2, 3, 4)
    expected = dense.sum(tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)
    np.testing.assert_allclose(tf.sparse.reduce_sum(sparse, axis, keepdims), expected, atol=1e-6)
    stored = tf.sparse.reduce_sum(sparse, axis, keepdims, output_is_sparse=True)
    if expected.ndim:
        np.testing.assert_allclose(tf.sparse.to_dense(stored), expected, atol=1e-6)


@pytest.mark.parametrize("turn_a", [True, False])
@pytest.mark.parametrize("turn_b", [True, False])
def test_the_product_agrees_with_the_dense_product(tf, random_sparse, turn_a, turn_b):
    sparse, dense = random_sparse(3, 4)
    inner = 3 if turn_a else 4
    b = np.random.default_rng(1).normal(size=(2, inner) if turn_b else (inner, 2)).astype("f4")
    got = tf.sparse.sparse_dense_matmul(sparse, b, adjoint_a=turn_a, adjoint_b=turn_b)
    expected = (dense.T if turn_a else dense) @ (b.T if turn_b else b)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("turn_a", [True, False])
@pytest.mark.parametrize("turn_b", [True, False])
def test_the_product_from_the_left_agrees_too(tf, random_sparse, turn_a, turn_b):
    sparse, dense = random_sparse(3, 4)
    inner = 4 if turn_b else 3
    a = np.random.default_rng(1).normal(size=(inner, 2) if turn_a else (2, inner)).astype("f4")
    got = tf.sparse.sparse_dense_matmul(a, sparse, adjoint_a=turn_a, adjoint_b=turn_b)
    expected = (a.T if turn_a else a) @ (dense.T if turn_b else dense)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_two_sparse_matrices_are_refused_with_a_way_out(tf, random_sparse):
    sparse, _ = random_sparse(3, 3)
    with pytest.raises(TypeError, match=r"tf\.sparse\.to_dense"):
        tf.sparse.sparse_dense_matmul(sparse, sparse)


@pytest.mark.parametrize("axes", [None, [2, 0, 1], [0, 1, 2], [1, 2, 0]])
def test_transposed_indices_come_out_sorted(tf, random_sparse, axes):
    sparse, dense = random_sparse(2, 3, 4)
    np.testing.assert_array_equal(
        tf.sparse.to_dense(tf.sparse.transpose(sparse, axes)), dense.transpose(axes)
    )


@pytest.mark.parametrize(("start", "size"), [((0, 0), (2, 2)), ((1, 2), (2, 2)), ((2, 0), (9, 9))])
def test_a_slice_is_the_slice_of_the_dense_tensor(tf, random_sparse, start, size):
    sparse, dense = random_sparse(3, 4)
    box = tuple(slice(at, at + length) for at, length in zip(start, size, strict=True))
    np.testing.assert_array_equal(
        tf.sparse.to_dense(tf.sparse.slice(sparse, start, size)), dense[box]
    )


def test_pieces_joined_are_the_whole(tf, random_sparse):
    sparse, dense = random_sparse(3, 7)
    pieces = tf.sparse.split(sparse, 3, axis=1)
    assert [piece.shape[1] for piece in pieces] == [3, 2, 2]
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.sparse.concat(1, pieces)), dense)


@pytest.mark.parametrize("factor", [(3, 4), (1, 4), (3, 1), (4,), ()])
def test_a_product_broadcasts_the_dense_side_only(tf, random_sparse, factor):
    sparse, dense = random_sparse(3, 4)
    other = np.random.default_rng(2).normal(size=factor).astype("f4")
    np.testing.assert_allclose(tf.sparse.to_dense(sparse * other), dense * other, rtol=1e-6)


def test_extremes_hold_what_is_missing_to_zero(tf, random_sparse):
    (one, first), (other, second) = random_sparse(3, 4), random_sparse(3, 4, seed=5)
    for function, numpy in ((tf.sparse.maximum, np.maximum), (tf.sparse.minimum, np.minimum)):
        np.testing.assert_array_equal(
            tf.sparse.to_dense(function(one, other)), numpy(first, second)
        )


def test_the_larger_entry_receives_the_gradient(tf):
    x = tf.Variable([1.0, 5.0])
    with tf.GradientTape() as tape:
        one = tf.SparseTensor([[0], [1]], x, [3])
        other = tf.SparseTensor([[0], [2]], [3.0, 4.0], [3])
        y = tf.sparse.maximum(one, other).values
    np.testing.assert_array_equal(tape.gradient(y, x), [0, 1])


def test_the_gradient_of_a_sum_of_two_agrees_at_second_order(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            sparse = tf.SparseTensor([[0], [1]], x, [3])
            y = tf.reduce_sum(tf.sparse.add(sparse, sparse).values ** 3)
        gradient = inner.gradient(y, x)
    np.testing.assert_allclose(gradient, [24, 96])
    np.testing.assert_allclose(outer.gradient(gradient, x), [48, 96])


def test_a_scalar_factor_has_its_gradient(tf):
    factor, x = tf.Variable(3.0), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = (tf.SparseTensor([[0], [1]], x, [3]) * factor).values
    by_factor, by_x = tape.gradient(y, [factor, x])
    assert by_factor.numpy() == 3
    np.testing.assert_array_equal(by_x, [3, 3])


def test_softmax_has_no_second_row_to_overflow_with(tf):
    sparse = tf.SparseTensor([[0, 0], [1, 0], [1, 2]], [1000.0, -1000.0, -1000.0], [2, 3])
    np.testing.assert_allclose(tf.sparse.softmax(sparse).values, [1, 0.5, 0.5])


def test_the_gradient_of_softmax_agrees_with_differences(tf):
    places = [[0, 0], [0, 2], [1, 1]]

    def loss(values):
        soft = tf.sparse.softmax(tf.SparseTensor(places, values, [2, 3]))
        return tf.reduce_sum(soft.values * tf.constant([1.0, 3.0, 5.0], tf.float64))

    x = np.array([0.2, -0.4, 0.7])
    variable = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = loss(variable)
    steps = np.eye(3) * 1e-6
    expected = [(loss(x + step) - loss(x - step)).numpy() / 2e-6 for step in steps]
    np.testing.assert_allclose(tape.gradient(y, variable), expected, atol=1e-8)


@pytest.mark.parametrize("name", ["segment_sum", "segment_mean", "segment_sqrt_n"])
def test_a_segment_without_rows_gives_zeros(tf, name):
    data = tf.constant([[1.0], [2.0], [3.0]])
    reduced = getattr(tf.sparse, name)(data, [0, 1, 2], [0, 0, 2], num_segments=4)
    assert reduced.shape == (4, 1)
    assert reduced[1, 0].numpy() == reduced[3, 0].numpy() == 0


def test_a_mask_takes_rows_out_of_slices(tf):
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([0, 2, 4]))
    left = tf.sparse.mask(slices, [2, 3])
    np.testing.assert_array_equal(left.indices, [0, 4])
    np.testing.assert_array_equal(left.values, [[1], [3]])


def test_explain_says_why_concat_has_no_gradient(tf):
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        sparse = tf.SparseTensor([[0]], x, [2])
        y = tf.sparse.concat(0, [sparse, sparse]).values
    (finding,) = tf.explain(tape, y, x).findings
    assert "tf.sparse.concat" in finding.message


def test_a_picture_folds_the_product_into_one_group(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.sparse.sparse_dense_matmul(
            tf.SparseTensor([[0, 0], [1, 1]], x, [2, 2]), tf.ones([2, 1])
        )
    groups = {group.name for group in tape.recording(y, [x]).groups}
    assert "sparse_dense_matmul" in groups


def test_a_matrix_of_one_hot_rows_picks_rows_of_an_embedding(tf):
    table = tf.Variable(np.arange(6.0, dtype=np.float32).reshape(3, 2))
    picks = tf.SparseTensor([[0, 2], [1, 0], [2, 2]], tf.ones(3), [3, 3])
    with tf.GradientTape() as tape:
        rows = tf.sparse.sparse_dense_matmul(picks, table)
    np.testing.assert_array_equal(rows, [[4, 5], [0, 1], [4, 5]])
    np.testing.assert_array_equal(tape.gradient(rows, table), [[1, 1], [0, 0], [2, 2]])
