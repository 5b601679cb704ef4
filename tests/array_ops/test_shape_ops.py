"""Shaping, joining, marking, measuring and sorting: what goldens and generated tests leave open."""

from __future__ import annotations

import numpy as np
import pytest


def gradient(tf, f, value):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (lambda tf: tf.reshape([1, 2, 3], [-2, 3]), "must be non-negative, not -2"),
        (lambda tf: tf.transpose([[1, 2]], [0, 0]), "1 is missing from {0,0}."),
        (lambda tf: tf.transpose([[1, 2]], [0, 3]), "3 is out of range [0 .. 2)"),
        (lambda tf: tf.transpose([[1, 2]], [0]), "transpose expects a vector of size 2."),
        (lambda tf: tf.expand_dims([1], 3), "Tried to expand dim index 3 for tensor with 1 dim"),
        (lambda tf: tf.squeeze([[1, 2]], 5), "Tried to squeeze dim index 5 for tensor with 2 dim"),
        (lambda tf: tf.unstack(tf.zeros([2, 3]), num=3), "Input shape axis 0 must equal 3, got"),
        (lambda tf: tf.split([1, 2, 3], [1, 1]), "Determined shape must either match input shape"),
        (lambda tf: tf.split(tf.range(5), 2), "Number of ways to split should evenly divide"),
        (lambda tf: tf.tile([1, 2], 2), "Expected multiples to be 1-D, but got shape []"),
        (lambda tf: tf.pad([1.0], [1, 1]), "paddings must be a matrix with 2 columns: [2]"),
        (
            lambda tf: tf.pad([1.0, 2.0], [[2, 1]], "REFLECT"),
            "paddings must be less than the dimension size: 2, 1 not less than 2",
        ),
        (lambda tf: tf.reverse([1, 2], [1]), "'axis'[0] = 1 is out of valid range [0, 0"),
        (lambda tf: tf.roll([1, 2], 1, 2), "axis 2 is out of range"),
        (lambda tf: tf.concat([[[1]], [2]], 0), "Ranks of all input tensors should match"),
        (lambda tf: tf.ensure_shape([1, 2], [3]), "is not compatible with expected shape [3]"),
        (lambda tf: tf.slice([1, 2, 3], [1], [5]), "Expected size[0] in [0, 2], but got 5"),
        (lambda tf: tf.math.top_k([3.0, 1.0], 5), "input must have at least k columns. Had 2"),
        (lambda tf: tf.one_hot([0.0], 2), "of float"),
    ],
)
def test_what_does_not_fit_is_said_in_the_words_of_tensorflow(tf, f, says):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "f",
    [
        lambda tf: tf.stack([1, 2], axis=3),
        lambda tf: tf.unstack(tf.constant(1.0)),
        lambda tf: tf.repeat([1, 2], [1, 2, 3]),
        lambda tf: tf.pad([1.0], [[1, 1]], "foo"),
        lambda tf: tf.sort([1], direction="UP"),
        lambda tf: tf.meshgrid([1], [2], indexing="zz"),
    ],
)
def test_a_setting_that_does_not_exist_is_a_value_error(tf, f):
    with pytest.raises(ValueError):
        f(tf)


def test_shapes_are_read_from_tensors_within_lists(tf):
    x = tf.range(6)
    assert tf.reshape(x, [tf.constant(2), -1]).shape == [2, 3]
    assert tf.zeros(tf.shape(x)).shape == [6]


def test_a_shape_does_not_carry_a_gradient(tf):
    for f in (tf.shape, tf.size, tf.rank):
        assert gradient(tf, lambda x, f=f: tf.cast(f(x), tf.float32) * 2.0, [1.0, 2.0]) is None


def test_stacked_variables_get_a_gradient_each(tf):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stack([a, 5.0, b]) * [1.0, 10.0, 100.0]
    assert [float(g) for g in tape.gradient(y, [a, b])] == [1.0, 100.0]


def test_a_piece_that_is_not_used_gets_zeros(tf):
    got = gradient(tf, lambda x: tf.split(x, [1, 2])[1], [1.0, 2.0, 3.0])
    assert got.numpy().tolist() == [0.0, 1.0, 1.0]


def test_an_entry_repeated_by_different_counts_collects_them(tf):
    got = gradient(tf, lambda x: tf.repeat(x, [3, 0, 1]), [1.0, 2.0, 3.0])
    assert got.numpy().tolist() == [3.0, 0.0, 1.0]


def test_a_mirrored_margin_adds_to_its_originals(tf):
    got = gradient(tf, lambda x: tf.pad(x, [[2, 0]], "REFLECT"), [1.0, 2.0, 3.0])
    assert got.numpy().tolist() == [1.0, 2.0, 2.0]


def test_sorted_entries_keep_their_own_gradient(tf):
    got = gradient(
        tf, lambda x: tf.sort(x, direction="DESCENDING") * [1.0, 10.0, 100.0], [2.0, 3.0, 1.0]
    )
    assert got.numpy().tolist() == [10.0, 1.0, 100.0]


def test_only_the_largest_get_a_gradient(tf):
    got = gradient(tf, lambda x: tf.math.top_k(x, 2).values * [1.0, 10.0], [2.0, 9.0, 5.0])
    assert got.numpy().tolist() == [0.0, 1.0, 10.0]


def test_ties_keep_their_order(tf):
    assert tf.argsort([1, 0, 1, 0], stable=True).numpy().tolist() == [1, 3, 0, 2]
    found = tf.argsort([1, 0, 1, 0], direction="DESCENDING", stable=True)
    assert found.numpy().tolist() == [0, 2, 1, 3]
    assert tf.math.top_k([1.0, 1.0, 2.0], 3).indices.numpy().tolist() == [2, 0, 1]


def test_places_in_a_sorted_row(tf):
    assert tf.searchsorted([1, 3, 3, 5], [3, 9]).numpy().tolist() == [1, 4]
    assert tf.searchsorted([1, 3, 3, 5], [3, 9], side="right").numpy().tolist() == [3, 4]
    rows = tf.searchsorted([[1, 3], [2, 4]], [[2], [5]])
    assert rows.numpy().tolist() == [[1], [2]]


def test_unique_values_come_in_the_order_of_first_sight(tf):
    y, places, counts = tf.unique_with_counts([5, 3, 5, 1, 3, 5])
    assert y.numpy().tolist() == [5, 3, 1]
    assert places.numpy().tolist() == [0, 1, 0, 2, 1, 0]
    assert counts.numpy().tolist() == [3, 2, 1]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_the_axis_of_one_hot_rows(tf, axis):
    got = tf.one_hot([[0, 2]], 3, axis=axis).numpy()
    assert got.shape == {0: (3, 1, 2), 1: (1, 3, 2), -1: (1, 2, 3)}[axis]
    assert np.moveaxis(got, axis, -1).tolist() == [[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]


def test_strided_slice_understands_its_masks(tf):
    x = tf.reshape(tf.range(6), [2, 3])
    got = tf.strided_slice(x, [1, 5], [2, 5], shrink_axis_mask=1, begin_mask=2, end_mask=2)
    assert got.numpy().tolist() == [3, 4, 5]
    assert tf.strided_slice(x, [0, 0], [0, 2], new_axis_mask=1).shape == [1, 2, 3]


def test_a_scalar_turned_round_is_itself():
    import tapelab as tf

    assert float(tf.reverse(3.0, [0])) == 3.0
