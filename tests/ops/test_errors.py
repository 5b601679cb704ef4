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
    ("axis", "message"),
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
def test_a_bad_axis(tf, axis, message):
    assert message_of(tf, lambda: tf.reduce_sum(tf.ones([2, 3]), axis=axis)) == message


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
def test_an_integer_divided_by_zero(tf, divide):
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


def test_the_variance_of_integers(tf):
    message = message_of(tf, lambda: tf.math.reduce_variance([1, 2]), TypeError)
    assert re.search("Received integer type.*int32", message)


def test_a_number_that_is_not_finite(tf):
    message = message_of(tf, lambda: tf.debugging.check_numerics([1.0, np.nan], "the loss"))
    assert message == "the loss : Tensor had NaN values [Op:CheckNumerics]"


INVALID = {
    "a_slice_that_starts_on_too_many_axes": lambda tf: tf.slice([1, 2], [0, 0], [1, 1]),
    "a_slice_with_ends_of_another_length": lambda tf: tf.strided_slice([1, 2], [0], [1, 1]),
    "an_einsum_of_unequal_lengths": lambda tf: tf.einsum(
        "ij,jk->ik", tf.ones([1, 1]), tf.ones([2, 2])
    ),
    "an_einsum_of_another_rank": lambda tf: tf.einsum("ij->i", tf.ones([1])),
    "a_depth_below_zero": lambda tf: tf.one_hot([1], -3),
    "two_pieces_of_unknown_length": lambda tf: tf.split([1.0, 2.0], [-1, -1]),
    "pieces_longer_than_the_whole": lambda tf: tf.split([1.0, 2.0], [3, -1]),
    "more_shifts_than_axes": lambda tf: tf.roll([1.0], [1, 2], [0]),
    "fewer_than_no_largest_entries": lambda tf: tf.math.top_k([1.0], -1),
    "the_inverse_of_whole_numbers": lambda tf: tf.linalg.inv([[1, 2], [3, 4]]),
    "a_diagonal_of_another_length": lambda tf: tf.linalg.set_diag(tf.ones([2, 2]), [1.0]),
    "the_band_of_a_vector": lambda tf: tf.linalg.band_part([1.0, 2.0], 0, 0),
    "a_search_in_a_scalar": lambda tf: tf.searchsorted(3.0, [1.0]),
    "a_search_for_another_dtype": lambda tf: tf.searchsorted([1, 2], [1.5]),
    "the_order_of_strings": lambda tf: tf.sort(["b", "a"]),
    "limits_that_do_not_fit": lambda tf: tf.clip_by_value([1.0, 2.0], [1.0, 2.0, 3.0], 2.0),
    "a_random_shape_below_zero": lambda tf: tf.random.normal([-2]),
    "two_shapes_that_do_not_broadcast": lambda tf: tf.broadcast_dynamic_shape([2], [3]),
    "an_assertion_on_other_shapes": lambda tf: tf.debugging.assert_equal([1, 2], [1, 2, 3]),
    "ids_of_rows_that_are_not_there": lambda tf: tf.math.unsorted_segment_sum(
        [1.0, 2.0], [0, 1, 1], 2
    ),
    "an_id_beyond_the_last": lambda tf: tf.math.unsorted_segment_sum([1.0, 2.0], [0, 5], 2),
    "whole_numbers_as_scores": lambda tf: tf.nn.softmax_cross_entropy_with_logits([[1]], [[1]]),
    "a_grid_of_two_dtypes": lambda tf: tf.meshgrid([1, 2], [1.0, 2.0]),
    "a_window_of_length_zero": lambda tf: tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), 0, 1, "SAME"),
}


@pytest.mark.parametrize("call", INVALID.values(), ids=INVALID)
def test_input_that_does_not_fit_is_an_invalid_argument(tf, call):
    assert message_of(tf, lambda: call(tf))


VALUE_ERRORS = {
    "an_unknown_letter": lambda tf: tf.einsum("ij->ik", tf.ones([1, 1])),
    "a_letter_that_is_none": lambda tf: tf.einsum("i$->i", tf.ones([1, 1])),
    "limits_that_would_stretch": lambda tf: tf.clip_by_value([1.0], [1.0, 2.0], 3.0),
    "a_mask_from_a_missing_axis": lambda tf: tf.boolean_mask([1.0, 2.0], [True, False], axis=3),
    "a_repeat_along_a_missing_axis": lambda tf: tf.repeat([1, 2], 2, 5),
    "a_rate_that_is_none": lambda tf: tf.nn.dropout([1.0], None),
    "scores_that_are_one_number": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(0, 3.0),
    "the_norm_of_a_list_of_axes": lambda tf: tf.norm([[1.0]], axis=[0]),
    "a_matrix_norm_of_a_vector": lambda tf: tf.norm([1.0], "fro"),
    "a_vector_norm_of_a_matrix": lambda tf: tf.norm([[1.0]], 3, (0, 1)),
}


@pytest.mark.parametrize("call", VALUE_ERRORS.values(), ids=VALUE_ERRORS)
def test_a_setting_that_means_nothing_is_a_value_error(tf, call):
    assert message_of(tf, lambda: call(tf), ValueError)


def test_a_cross_product_of_two_numbers(tf):
    message = message_of(
        tf, lambda: tf.linalg.cross([1.0, 2.0], [3.0, 4.0]), tf.errors.FailedPreconditionError
    )
    assert "only defined for 3-element vectors" in message


def test_truediv_takes_the_dtype_of_its_first_argument(tf):
    message = message_of(tf, lambda: tf.truediv(2, tf.constant([1.0])), TypeError)
    assert "must have the same dtype, got tf.int32 != tf.float32" in message
