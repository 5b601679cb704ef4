"""Matrix products and Einstein sums."""

from __future__ import annotations

import numpy as np
import pytest

EQUATIONS = {
    "ij,jk": [(2, 3), (3, 2)],
    "...ij,...jk->...ik": [(2, 2, 3), (3, 2)],
    "b...,b->...": [(2, 3, 4), (2,)],
    "ii->i": [(3, 3)],
    "iij->j": [(2, 2, 3)],
    "i j , j -> i": [(2, 3), (3,)],
}


@pytest.mark.parametrize("equation", EQUATIONS)
def test_an_einstein_sum_and_its_gradient_are_those_of_its_definition(tf, equation):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in EQUATIONS[equation]]
    variables = [tf.Variable(array) for array in arrays]
    expected = np.einsum(equation, *arrays)
    seed = rng.normal(size=expected.shape)
    with tf.GradientTape() as tape:
        y = tf.einsum(equation, *variables)
    np.testing.assert_allclose(y.numpy(), expected)
    for position, got in enumerate(tape.gradient(y, variables, output_gradients=tf.constant(seed))):
        gradient = np.zeros(arrays[position].shape)
        for at in np.ndindex(gradient.shape):
            unit = np.zeros(gradient.shape)
            unit[at] = 1
            moved = [unit if i == position else each for i, each in enumerate(arrays)]
            gradient[at] = np.sum(seed * np.einsum(equation, *moved))
        np.testing.assert_allclose(got.numpy(), gradient, atol=1e-12)


def test_an_einstein_sum_with_too_few_tensors_is_a_value_error(tf):
    with pytest.raises(ValueError):
        tf.einsum("ij,jk->ik", tf.ones([2, 2]))


def test_a_stretched_batch_gets_its_gradient_summed(tf):
    a, b = tf.Variable(tf.ones([2, 1, 3])), tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape() as tape:
        y = tf.matmul(a, b)
    da, db = tape.gradient(y, [a, b])
    assert da.shape == [2, 1, 3]
    assert db.shape == [3, 2]
    assert db.numpy().tolist() == [[2.0, 2.0]] * 3


def test_transposing_and_taking_the_adjoint_at_once_is_refused(tf):
    with pytest.raises(ValueError, match="Only one of `transpose_b` and `adjoint_b`"):
        tf.matmul([[1.0]], [[1.0]], transpose_b=True, adjoint_b=True)


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        (([2], [2, 2]), "In[0] ndims must be >= 2"),
        (([2, 2], []), "In[1] ndims must be >= 2"),
        (([1, 2], [1, 2]), "Matrix size-incompatible: In[0]: [1,2], In[1]: [1,2]"),
        (
            ([2, 1, 3], [3, 3, 1]),
            "In[0] and In[1] must have compatible batch dimensions: [2,1,3] vs. [3,3,1]",
        ),
    ],
)
def test_matrices_that_do_not_fit_are_named_with_their_shapes(tf, shapes, says):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.matmul(*map(tf.ones, shapes))
    assert says in str(caught.value)


def test_tensordot_sums_the_named_axes(tf):
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(4, 3)
    got = tf.tensordot(tf.constant(a), tf.constant(b), axes=[[1], [1]])
    np.testing.assert_allclose(got.numpy(), a @ b.T)
    assert tf.tensordot(tf.ones([2, 0]), tf.ones([0, 3]), 1).numpy().tolist() == [[0.0] * 3] * 2
