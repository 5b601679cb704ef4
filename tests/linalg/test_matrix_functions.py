"""Functions of matrices, and gradients that depend on no arbitrary sign or phase."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf


def complex_matrix(rows, columns, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)) + 1j * rng.normal(size=(rows, columns))


def hermitian(size):
    a = complex_matrix(size, size)
    return a + a.conj().T + np.diag(4.0 * np.arange(size))


def numerical_gradient(f, a, step=1e-6):
    """The gradient of a real function of a complex matrix, entry by entry."""
    estimate = np.zeros_like(a)
    for at in np.ndindex(a.shape):
        for way in (1, 1j):
            moved = np.zeros_like(a)
            moved[at] = way * step
            estimate[at] += way * (f(a + moved) - f(a - moved)) / (2 * step)
    return estimate


def gradient(f, a):
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_the_gradient_of_complex_singular_vectors_follows_what_has_no_phase(shape):
    weights = tf.constant(np.random.default_rng(5).normal(size=(shape[0], min(shape))))

    def f(x):
        s, u, v = tf.linalg.svd(x)
        nearest = tf.matmul(u, v, adjoint_b=True)  # the phases of u and v undo each other here
        return tf.reduce_sum(tf.abs(u) ** 2 * weights) + tf.reduce_sum(
            s * tf.math.real(nearest)[0, 0]
        )

    a = complex_matrix(*shape)
    np.testing.assert_allclose(
        gradient(f, a), numerical_gradient(lambda m: f(tf.constant(m)).numpy(), a), atol=1e-6
    )


def test_the_gradient_of_hermitian_eigenvectors_follows_what_has_no_phase():
    weights = tf.constant(np.random.default_rng(5).normal(size=(3, 3)))

    def f(x):
        values, vectors = tf.linalg.eigh((x + tf.linalg.adjoint(x)) / 2)
        sizes = tf.reduce_sum(tf.abs(vectors) ** 2 * weights)
        return sizes + tf.reduce_sum(tf.math.real(values) ** 2)

    a = hermitian(3)
    np.testing.assert_allclose(
        gradient(f, a), numerical_gradient(lambda m: f(tf.constant(m)).numpy(), a), atol=1e-5
    )


def test_a_complex_cholesky_factor_has_a_hermitian_gradient():
    a = hermitian(3) + 9 * np.eye(3)
    got = gradient(lambda x: tf.reduce_sum(tf.abs(tf.linalg.cholesky(x)) ** 2), a)
    np.testing.assert_allclose(got, got.conj().T, atol=1e-12)
    np.testing.assert_allclose(got, np.eye(3), atol=1e-9)  # the sum is the trace


def test_exponential_logarithm_and_root_undo_each_other():
    a = tf.constant(hermitian(3) / 4)
    np.testing.assert_allclose(tf.linalg.expm(tf.linalg.logm(tf.linalg.expm(a))), tf.linalg.expm(a))
    root = tf.linalg.sqrtm(tf.linalg.expm(a))
    np.testing.assert_allclose(root @ root, tf.linalg.expm(a), atol=1e-9)


def test_the_gradient_of_the_trace_of_an_exponential_is_the_exponential():
    a = np.random.default_rng(1).normal(size=(3, 3))
    got = gradient(lambda x: tf.linalg.trace(tf.linalg.expm(x)), a)
    np.testing.assert_allclose(got, tf.transpose(tf.linalg.expm(a)), rtol=1e-9)


def test_a_pseudoinverse_undoes_from_the_left():
    a = tf.constant(np.random.default_rng(2).normal(size=(5, 3)))
    np.testing.assert_allclose(tf.linalg.pinv(a) @ a, np.eye(3), atol=1e-9)


def test_lu_factors_multiply_to_the_rows_in_their_order():
    a = tf.constant(np.random.default_rng(2).normal(size=(2, 4, 4)))
    packed, order = tf.linalg.lu(a)
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(packed, order), a, atol=1e-12)
    b = tf.ones([2, 4, 1], tf.float64)
    np.testing.assert_allclose(a @ tf.linalg.lu_solve(packed, order, b), b, atol=1e-9)


def test_a_zero_on_the_diagonal_makes_only_what_hangs_on_it_infinite():
    a = tf.constant([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 2.0]])
    solution = tf.linalg.triangular_solve(a, tf.constant([[1.0], [1.0], [3.0]])).numpy()
    assert solution[0] == 1.0
    assert np.isinf(solution[1])
    assert np.isnan(solution[2])
