"""Square brackets on tensors and variables: what they mean, what they refuse, what they write."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x[1], [0.0, 1.0, 0.0, 0.0]),
        (lambda x: x[-1], [0.0, 0.0, 0.0, 1.0]),
        (lambda x: x[::-2], [0.0, 1.0, 0.0, 1.0]),
        (lambda x: x[None, 1:3], [0.0, 1.0, 1.0, 0.0]),
        (lambda x: x[x > 2.5], [0.0, 0.0, 1.0, 1.0]),
        (lambda x: x[0] * x[0] + x[0], [3.0, 0.0, 0.0, 0.0]),
        (lambda x: x[2:2], [0.0, 0.0, 0.0, 0.0]),
    ],
    ids=["int", "negative", "backwards", "new_axis", "mask", "twice", "nothing"],
)
def test_the_gradient_is_propagated_to_the_picked_elements(gradient_at, f, expected):
    assert gradient_at(f, [1.0, 2.0, 3.0, 4.0]) == expected


def test_the_gradient_of_a_slice_is_dense_and_differentiable_again(tf):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x[1] ** 3
        first = inner.gradient(y, x)
    assert first.numpy().tolist() == [0.0, 12.0, 0.0]
    assert outer.gradient(first, x).numpy().tolist() == [0.0, 12.0, 0.0]


def test_a_list_is_one_index_per_axis_and_the_error_says_what_to_write():
    import tapelab as tf

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.constant([1.0, 2.0, 3.0])[[1, 4]]
    assert "x[[1, 4]] means x[1, 4]" in str(caught.value)
    assert "try tf.gather(x, [1, 4])" in str(caught.value)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (5, "slice index 5 of dimension 0 out of bounds"),
        (-4, "slice index -1 of dimension 0 out of bounds"),
        ((0, 0), "Index out of range using input dim 1; input has only 1 dims"),
        ((..., 9), "slice index 9 of dimension 0 out of bounds"),
        (slice(None, None, 0), "strides[0] must be non-zero"),
        ((..., ...), "Multiple ellipses in slice spec not allowed"),
        ([True, False, True], "Value for attr 'Index' of bool"),
    ],
)
def test_an_index_that_does_not_fit_is_an_invalid_argument(tf, key, says):
    for x in (tf.constant([1.0, 2.0, 3.0]), tf.Variable([1.0, 2.0, 3.0])):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            x[key]
        assert says in str(caught.value)


@pytest.mark.parametrize("key", [1.0, "a", np.array([0, 1]), slice(0, 1.5)], ids=repr)
def test_an_index_that_is_no_integer_is_a_type_error(tf, key):
    with pytest.raises(TypeError, match="Only integers, slices"):
        tf.constant([1.0, 2.0])[key]


def test_a_mask_of_another_length_is_a_value_error(tf):
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
        tf.constant([1.0, 2.0, 3.0])[tf.constant([True, False])]


def test_a_bool_is_no_index(tf):
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        tf.constant([1.0, 2.0])[True]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (0, 5.0, [[5.0, 5.0], [3.0, 4.0]]),
        ((1, 0), 9, [[1.0, 2.0], [9.0, 4.0]]),
        ((slice(None), 1), [7.0, 8.0], [[1.0, 7.0], [3.0, 8.0]]),
        (..., [[0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]),
    ],
    ids=["row", "entry", "column", "everything"],
)
def test_assigning_to_a_piece_writes_into_the_variable(tf, key, value, expected):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    before = v[0]
    returned = v[key].assign(value)
    assert v.numpy().tolist() == expected
    assert returned.numpy().tolist() == expected
    assert before.numpy().tolist() == [1.0, 2.0]


def test_assigning_a_piece_of_another_shape_is_refused(tf):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        v[0].assign([5.0, 6.0])
    assert "Cannot broadcast input shape [2] into final shape []" in str(caught.value)
    assert v.numpy().tolist() == [1.0, 2.0]


def test_assigning_a_piece_of_another_dtype_is_refused(tf):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(TypeError):
        v[0].assign("a")
    with pytest.raises((TypeError, ValueError)):
        v[0].assign(tf.constant(1, tf.int64))
    assert v.numpy().tolist() == [1.0, 2.0]


def test_no_gradient_passes_an_assignment_to_a_piece(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        v[0].assign(w * 2.0)
        y = v[0] * 5.0
    dv, dw = tape.gradient(y, [v, w])
    assert dv.numpy().tolist() == [5.0, 0.0]
    assert dw is None


def test_a_piece_of_a_tensor_cannot_be_assigned(tf):
    with pytest.raises(AttributeError):
        tf.constant([1.0, 2.0])[0].assign(5.0)
