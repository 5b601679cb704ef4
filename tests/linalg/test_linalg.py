"""What is asked of a matrix, its errors, and the gradients that generated tests cannot fix."""

from __future__ import annotations

import numpy as np
import pytest

A = [[4.0, 1.0], [1.0, 3.0]]


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (lambda tf: tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]]), "Input is not invertible."),
        (lambda tf: tf.linalg.inv(tf.ones([2, 3])), "Input matrix must be square."),
        (lambda tf: tf.linalg.inv([1.0]), "must have rank >= 2"),
        (lambda tf: tf.linalg.solve(tf.ones([2, 2]), tf.ones([2, 1])), "not invertible."),
        (lambda tf: tf.linalg.solve(A, [1.0, 2.0]), "All input tensors must have the same rank."),
        (lambda tf: tf.linalg.diag_part([1.0]), "input must be at least 2-dim"),
    ],
)
def test_what_cannot_be_done_to_a_matrix_is_an_invalid_argument(tf, f, says):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf)
    assert says in str(caught.value)


def test_cholesky_of_an_indefinite_matrix_is_nan_and_leaves_the_others_of_its_batch():
    import tapelab as tf

    factors = tf.linalg.cholesky([[[1.0, 2.0], [2.0, 1.0]], [[4.0, 0.0], [0.0, 9.0]]]).numpy()
    assert np.isnan(factors[0][np.tril_indices(2)]).all()
    assert factors[1].tolist() == [[2.0, 0.0], [0.0, 3.0]]


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda tf, a: tf.linalg.det(a), [[3.0, -1.0], [-1.0, 4.0]]),
        (lambda tf, a: tf.linalg.trace(a), [[1.0, 0.0], [0.0, 1.0]]),
        (lambda tf, a: tf.linalg.logdet(a), [[3 / 11, -1 / 11], [-1 / 11, 4 / 11]]),
        (lambda tf, a: tf.linalg.slogdet(a)[1], [[3 / 11, -1 / 11], [-1 / 11, 4 / 11]]),
        (lambda tf, a: tf.linalg.diag_part(a), [[1.0, 0.0], [0.0, 1.0]]),
        (lambda tf, a: tf.linalg.band_part(a, -1, 0), [[1.0, 0.0], [1.0, 1.0]]),
        (lambda tf, a: tf.linalg.matvec(a, [1.0, 2.0]), [[1.0, 2.0], [1.0, 2.0]]),
        (lambda tf, a: tf.linalg.set_diag(a, [0.0, 0.0]), [[0.0, 1.0], [1.0, 0.0]]),
        (lambda tf, a: tf.linalg.eigvalsh(a), [[1.0, 0.0], [0.0, 1.0]]),
    ],
    ids=["det", "trace", "logdet", "slogdet", "diag_part", "band", "matvec", "set_diag", "eig"],
)
def test_the_gradient_of_a_function_of_a_matrix(tf, f, expected):
    a = tf.Variable(A)
    with tf.GradientTape() as tape:
        y = f(tf, a)
    np.testing.assert_allclose(tape.gradient(y, a).numpy(), expected, atol=1e-6)


def test_the_gradient_of_cholesky_is_symmetric(tf):
    a = tf.Variable(A)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.linalg.cholesky(a))
    got = tape.gradient(y, a).numpy()
    np.testing.assert_allclose(got, got.T)
    # L = [[p, 0], [q / p, sqrt(r - q**2 / p**2)]] with p = sqrt(a11), differentiated by hand.
    np.testing.assert_allclose(got[1, 1], 1 / (2 * np.sqrt(3 - 1 / 4)), rtol=1e-5)


@pytest.mark.parametrize("kind", ["svd", "qr", "eigh"])
def test_the_factors_multiply_to_the_matrix(tf, kind):
    a = tf.constant(A)
    factors = getattr(tf.linalg, kind)(a)
    if kind == "svd":
        s, u, v = factors
        back = u @ tf.linalg.diag(s) @ tf.transpose(v)
    elif kind == "qr":
        back = factors.q @ factors.r
    else:
        w, v = factors
        back = v @ tf.linalg.diag(w) @ tf.transpose(v)
    np.testing.assert_allclose(back.numpy(), A, rtol=1e-5)


def test_the_singular_values_of_a_wide_matrix_have_a_gradient(tf):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3))
    a = tf.Variable(x)
    with tf.GradientTape() as tape:
        s, u, v = tf.linalg.svd(a)
        y = tf.reduce_sum(s * [1.0, 3.0]) + tf.reduce_sum((u @ tf.linalg.adjoint(v)) ** 2)
    got = tape.gradient(y, a).numpy()

    def value(m):
        u, s, vh = np.linalg.svd(m, full_matrices=False)
        return np.sum(s * [1.0, 3.0]) + np.sum((u @ vh) ** 2)

    expected = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-6
        expected[at] = (value(x + step) - value(x - step)) / 2e-6
    np.testing.assert_allclose(got, expected, atol=1e-6)


def test_float32_matrices_stay_float32(tf):
    for name in ("inv", "det", "cholesky", "eigvalsh", "logdet"):
        assert getattr(tf.linalg, name)(tf.constant(A)).dtype == tf.float32


def test_cross_is_at_right_angles(tf):
    assert tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy().tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(("order", "expected"), [(1, 6.0), (np.inf, 7.0), (2, 5.1166725)])
def test_two_axes_give_the_norm_of_a_matrix(order, expected):
    import tapelab as tf

    assert tf.norm([[1.0, 2.0], [3.0, -4.0]], order, (0, 1)).numpy() == pytest.approx(expected)
    batch = tf.reshape(tf.range(8.0), [2, 2, 2])
    assert tf.norm(batch, order, (0, 2), keepdims=True).shape == (1, 2, 1)


def test_a_misspelt_setting_is_refused():
    import tapelab as tf

    with pytest.raises(TypeError, match="unexpected keyword argument 'pading'"):
        tf.linalg.diag([1.0, 2.0], pading=9)


def test_equal_eigenvalues_have_the_gradient_that_tensorflow_gives_them(tf):
    x = tf.Variable([[1.0, 0.0], [0.0, 1.0]])
    with tf.GradientTape(persistent=True) as tape:
        w, v = tf.linalg.eigh(x)
        total, turned = tf.reduce_sum(w), tf.reduce_sum(v**3)
    assert tape.gradient(total, x).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert tape.gradient(turned, x).numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_einsum_refuses_tensors_of_two_dtypes(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input #1\(zero-based\)"):
        tf.einsum("ij,jk->ik", tf.ones([2, 2]), tf.constant([[0, 1], [1, 0]]))
