"""Jacobians and higher orders: statements 20 and 21 of the tape's semantics, by number."""

from __future__ import annotations

import numpy as np
import pytest


def rows_of(tf):
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_s20_the_jacobian_has_the_shape_of_target_then_source(tf):
    x = rows_of(tf)
    matrix = tf.constant([[1.0, 0.0, 2.0, -1.0], [0.5, 1.0, 0.0, 3.0]])
    with tf.GradientTape() as tape:
        y = tf.matmul(x, matrix)
    jacobian = tape.jacobian(y, x)
    assert jacobian.shape == (3, 4, 3, 2)
    expected = np.einsum("ir,cj->ijrc", np.eye(3), matrix.numpy())
    np.testing.assert_allclose(jacobian.numpy(), expected)


def test_s20_the_jacobian_of_a_scalar_has_the_shape_of_its_source(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x)
    assert tape.jacobian(y, x).numpy().tolist() == [2.0, 4.0]


def test_s20_the_jacobian_keeps_the_structure_of_the_sources(tf):
    x, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * x
    result = tape.jacobian(y, {"x": x, "w": w})
    assert result["x"].numpy().tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert result["w"].numpy().tolist() == [1.0, 2.0]


def test_s20_a_list_of_targets_raises_attribute_error(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(AttributeError):
        tape.jacobian([y, y], x)


def test_s20_one_row_at_a_time_needs_a_persistent_tape(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(RuntimeError, match="persistent"):
        tape.jacobian(y, x, experimental_use_pfor=False)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    jacobian = tape.jacobian(y, x, experimental_use_pfor=False, parallel_iterations=1)
    assert jacobian.numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_s20_an_unconnected_jacobian_is_none_or_zeros_on_request(tf):
    x, other = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert tape.jacobian(y, other) is None
    zeros = tape.jacobian(y, other, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert not zeros.numpy().any()


def test_s20_the_batch_jacobian_is_one_jacobian_per_row(tf):
    x = rows_of(tf)
    with tf.GradientTape() as tape:
        y = tf.concat([x * x, x[:, :1] * x[:, 1:]], axis=1)
    jacobian = tape.batch_jacobian(y, x)
    assert jacobian.shape == (3, 3, 2)
    expected = [[[2 * a, 0], [0, 2 * b], [b, a]] for a, b in x.numpy()]
    np.testing.assert_allclose(jacobian.numpy(), expected)


def test_s20_rows_that_are_coupled_are_summed_in(tf):
    x = rows_of(tf)
    with tf.GradientTape() as tape:
        y = x + tf.reduce_sum(x, axis=0, keepdims=True)
    # Entry (b, y, x) sums what x of row b does to y in every row: 1 by itself, 3 by the sum.
    np.testing.assert_allclose(tape.batch_jacobian(y, x).numpy(), [4 * np.eye(2)] * 3)


def test_s20_unequal_batches_raise_value_error(tf):
    x = rows_of(tf)
    with tf.GradientTape() as tape:
        y = x[:2] * 2.0
    with pytest.raises(ValueError, match="first dimension"):
        tape.batch_jacobian(y, x)


@pytest.mark.parametrize("flat", ["target", "source"])
def test_s20_a_rank_below_two_raises_value_error(tf, flat):
    x = rows_of(tf)
    vector = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x, axis=1) if flat == "target" else x * vector[:, None]
    with pytest.raises(ValueError):
        tape.batch_jacobian(y, x if flat == "target" else vector)


def test_s20_an_unconnected_batch_jacobian_is_zeros(tf):
    x, other = rows_of(tf), rows_of(tf)
    with tf.GradientTape() as tape:
        y = x * x
    jacobian = tape.batch_jacobian(y, other)
    assert jacobian.shape == (3, 2, 2)
    assert not jacobian.numpy().any()


def test_s21_the_inner_gradient_inside_the_outer_block_gives_the_second_order(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        dx = inner.gradient(y, x)
    assert float(dx) == 27.0
    assert float(outer.gradient(dx, x)) == 18.0


def test_s21_the_inner_gradient_outside_the_outer_block_gives_none(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x**3
    dx = inner.gradient(y, x)
    assert outer.gradient(dx, x) is None


def test_s21_nesting_works_to_any_order(tf):
    x = tf.Variable(2.0)

    def derivative(order):
        if order == 0:
            return x**5
        with tf.GradientTape() as tape:
            y = derivative(order - 1)
        return tape.gradient(y, x)

    assert [float(derivative(n)) for n in range(6)] == [32.0, 80.0, 160.0, 240.0, 240.0, 120.0]


def test_s21_inner_by_input_and_outer_by_parameter_give_mixed_derivatives(tf):
    x, w = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = w * w * x**3
        gradient = inner.gradient(y, x)
        penalty = (gradient - 1.0) ** 2
    assert float(gradient) == 108.0
    # d/dw (3 w² x² - 1)² = 2 (3 w² x² - 1) · 6 w x²
    assert float(outer.gradient(penalty, w)) == 2 * 107.0 * 72.0


def test_s21_the_jacobian_of_an_inner_gradient_is_the_hessian(tf):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x[0] * x[0] * x[1] + tf.reduce_sum(x**3)
        dx = inner.gradient(y, x)
    hessian = outer.jacobian(dx, x).numpy()
    np.testing.assert_allclose(hessian, [[10.0, 2.0, 0.0], [2.0, 12.0, 0.0], [0.0, 0.0, 18.0]])


def test_s21_one_persistent_tape_can_serve_both_orders(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = tf.sin(x)
        dx = inner.gradient(y, x)
    assert float(outer.gradient(y, x)) == pytest.approx(np.cos(3.0))
    assert float(outer.gradient(dx, x)) == pytest.approx(-np.sin(3.0))
