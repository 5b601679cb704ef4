"""Functions of `tf.math` that are more than one op, or take more than tensors."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf


def test_add_n_sums_tensors_of_one_shape():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.add_n([x, x, [3.0, 4.0]])
    assert y.numpy().tolist() == [5.0, 8.0]
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]
    assert tf.add_n(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist() == [4.0, 6.0]


def test_add_n_does_not_walk_through_a_scalar():
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        tf.add_n(tf.constant(3.0))


@pytest.mark.parametrize(
    ("inputs", "error", "wording"),
    [
        (list, ValueError, "at least one Tensor"),
        (lambda: [tf.ones([2]), tf.ones([1])], tf.errors.InvalidArgumentError, r"\[2\] != input 1"),
        (lambda: [tf.constant(1), tf.constant(1.0)], tf.errors.InvalidArgumentError, "AddN"),
    ],
)
def test_add_n_refuses_the_rest(inputs, error, wording):
    with pytest.raises(error, match=wording):
        tf.add_n(inputs())


def test_the_first_argument_decides_where_both_are_plain():
    assert tf.add(1.5, 2).dtype == tf.float32
    assert tf.multiply(2, np.ones(2)).dtype == tf.int32
    with pytest.raises(tf.errors.InvalidArgumentError, match="AddV2"):
        tf.add(1, 2.5)
    with pytest.raises(TypeError, match=r"Cannot convert 2\.0 to EagerTensor of dtype int32"):
        tf.maximum(1, 2.0)


def test_a_tensor_decides_wherever_it_stands():
    x = tf.constant([2.0])
    for y in (tf.multiply(2, x), tf.multiply([1], x), tf.pow(2, x), tf.divide(np.ones(1), x)):
        assert y.dtype == tf.float32


def test_a_polynomial_takes_its_coefficients_in_a_list():
    assert float(tf.math.polyval([1.0, 2.0, 3.0], 2.0)) == 11.0
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.math.polyval([x, x], x)
    assert float(tape.gradient(y, x)) == 7.0
    with pytest.raises(ValueError, match="must be list type"):
        tf.math.polyval(tf.constant([1.0]), 2.0)


def test_counting_what_is_not_zero():
    assert int(tf.math.count_nonzero([0.0, 1.0, 2.0])) == 2
    assert tf.math.count_nonzero([[0, 1], [1, 1]], axis=1).numpy().tolist() == [1, 2]
    assert tf.math.count_nonzero([0]).dtype == tf.int64


def test_a_scalar_times_a_tensor():
    assert tf.scalar_mul(3, [1.0, 2.0]).numpy().tolist() == [3.0, 6.0]
    with pytest.raises(ValueError, match="must be a 0-D value"):
        tf.scalar_mul([3.0], [1.0])


def test_bits():
    assert int(tf.bitwise.left_shift(1, 3)) == 8
    assert int(tf.bitwise.right_shift(tf.constant(9), 1)) == 4
    assert int(tf.bitwise.invert(1)) == -2


def test_running_sums_run_both_ways():
    x = [1.0, 2.0, 3.0]
    assert tf.cumsum(x).numpy().tolist() == [1.0, 3.0, 6.0]
    assert tf.cumsum(x, reverse=True).numpy().tolist() == [6.0, 5.0, 3.0]
    assert tf.cumsum(x, exclusive=True).numpy().tolist() == [0.0, 1.0, 3.0]
    assert tf.math.cumprod(x, exclusive=True, reverse=True).numpy().tolist() == [6.0, 3.0, 1.0]
    assert tf.cumsum([[1, 2], [3, 4]], axis=-1).numpy().tolist() == [[1, 3], [3, 7]]


def test_a_row_with_an_id_below_zero_belongs_to_no_sum():
    rows = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        sums = tf.math.unsorted_segment_sum(rows, [0, -1, 1], 2)
    assert sums.numpy().tolist() == [1.0, 3.0]
    assert tf.convert_to_tensor(tape.gradient(sums, rows)).numpy().tolist() == [1.0, 0.0, 1.0]


def test_the_norm_of_no_tensors_is_zero():
    assert float(tf.linalg.global_norm([None])) == 0.0
