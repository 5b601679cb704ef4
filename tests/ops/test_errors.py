"""What an op says when it cannot run: what happened, why, and what to try."""

from __future__ import annotations

import re

import numpy as np
import pytest


def message_of(tf, function, error=None):
    with pytest.raises(error or tf.errors.InvalidArgumentError) as caught:
        function()
    return str(caught.value)


def test_mixed_dtypes(tf):
    message = message_of(tf, lambda: tf.constant([1.0, 2.0]) * tf.constant([1, 2]))
    assert message == (
        "cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a "
        "int32 tensor. multiply() got float32[2] and int32[2]; tensors are never cast silently. "
        "Try tf.cast(…, tf.float32) [Op:Mul]"
    )


def test_incompatible_shapes(tf):
    message = message_of(tf, lambda: tf.ones([2, 3]) + tf.ones([4]))
    assert message == (
        "Incompatible shapes: [2,3] vs. [4]. add() needs equal lengths along each axis, or 1; "
        "shapes are compared from the last axis on. Try tf.reshape or tf.expand_dims [Op:AddV2]"
    )


def test_an_integer_where_only_floats_make_sense(tf):
    message = message_of(tf, lambda: tf.sqrt(tf.constant([1, 4])))
    assert message == (
        "Value for attr 'T' of int32 is not in the list of allowed values: half, float, double, "
        "complex64, complex128. sqrt() got int32[2]; tensors are never cast silently. "
        "Try tf.cast(x, tf.float32) [Op:Sqrt]"
    )


def test_a_float_where_only_bits_make_sense(tf):
    message = message_of(tf, lambda: ~tf.constant(6.0))
    assert "Value for attr 'T' of float is not in the list of allowed values: int8" in message
    assert "Try tf.cast(x, tf.int32)" in message


@pytest.mark.parametrize(
    ("axis", "told"),
    [
        (
            2,
            (
                "Invalid reduction dimension (2 for input with 2 dimension(s). "
                "Axes of shape (2, 3) go from -2 to 1 [Op:Sum]"
            ),
        ),
        ([0, 0], "Invalid reduction arguments: Axes contains duplicate dimension: 0 [Op:Sum]"),
    ],
)
def test_a_bad_axis(tf, axis, told):
    assert message_of(tf, lambda: tf.reduce_sum(tf.ones([2, 3]), axis=axis)) == told


def test_an_axis_that_is_a_fraction(tf):
    message = message_of(tf, lambda: tf.reduce_sum(tf.ones([2, 3]), axis=1.5), TypeError)
    assert message.startswith("Cannot convert 1.5 to EagerTensor of dtype int32")


def test_axes_that_are_fractions_in_a_tensor(tf):
    fractions = tf.constant([1.5])
    message = message_of(tf, lambda: tf.reduce_sum(tf.ones([2, 3]), axis=fractions))
    assert message.startswith("Value for attr 'Tidx' of float is not in the list of allowed values")


def test_a_python_bool_counts_as_an_axis(tf):
    assert tf.reduce_sum(tf.ones([2, 3]), axis=True).shape == (2,)


def test_an_axis_of_a_scalar(tf):
    message = message_of(tf, lambda: tf.reduce_sum(3.0, axis=0))
    assert "A scalar has no axes; leave axis out" in message


def test_an_axis_that_a_running_sum_does_not_have(tf):
    message = message_of(tf, lambda: tf.cumsum([1.0, 2.0], axis=1))
    assert message == "ScanOp: Expected scan axis in the range [-1, 1), but got 1 [Op:Cumsum]"


def test_an_integer_raised_to_a_negative_power(tf):
    message = message_of(tf, lambda: tf.constant(2) ** -1)
    assert message.startswith("Integers to negative integer powers are not allowed. Try tf.cast")


@pytest.mark.parametrize("divide", [lambda x: x // 0, lambda x: x % 0], ids=["//", "%"])
def test_a_whole_number_divided_by_zero(tf, divide):
    from_tf = tf.__name__ == "tensorflow"  # which ends the process instead
    assert from_tf or "Integer division by zero" in message_of(tf, lambda: divide(tf.constant(5)))


def test_a_condition_that_is_no_bool(tf):
    message = message_of(tf, lambda: tf.where([1, 0], 1.0, 2.0), TypeError)
    assert message == "Cannot convert [1, 0] to EagerTensor of dtype bool"


def test_branches_that_do_not_fit_together(tf):
    message = message_of(tf, lambda: tf.where([True, False, True], [1.0, 2.0], [3.0, 4.0]))
    assert message == "condition [3], then [2], and else [2] must be broadcastable [Op:SelectV2]"


def test_a_missing_branch(tf):
    assert "must both be non-None" in message_of(tf, lambda: tf.where([True], [1.0]), ValueError)


def test_a_cast_of_text(tf):
    message = message_of(tf, lambda: tf.cast("1.5", tf.float32), tf.errors.UnimplementedError)
    assert message.startswith("Cast string to float32 is not supported")


def test_the_variance_of_whole_numbers(tf):
    message = message_of(tf, lambda: tf.math.reduce_variance([1, 2]), TypeError)
    assert re.search("Received integer type.*int32", message)


def test_a_number_that_is_not_finite(tf):
    message = message_of(tf, lambda: tf.debugging.check_numerics([1.0, np.nan], "the loss"))
    assert message == "the loss : Tensor had NaN values [Op:CheckNumerics]"
