"""Convolution and pooling: margins, ties, errors, and gradients that generated tests leave open."""

from __future__ import annotations

import numpy as np
import pytest


def picture(tf, *shape):
    return tf.reshape(tf.range(float(np.prod(shape))), shape)


def test_a_filter_of_ones_sums_its_window(tf):
    x = picture(tf, 1, 3, 3, 1)
    y = tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), 1, "VALID")
    assert y.numpy()[0, :, :, 0].tolist() == [[8.0, 12.0], [20.0, 24.0]]


@pytest.mark.parametrize(
    ("strides", "padding", "shape"),
    [
        (1, "SAME", (1, 5, 4, 2)),
        (2, "SAME", (1, 3, 2, 2)),
        ([1, 2, 1, 1], "SAME", (1, 3, 4, 2)),
        ((2, 1), "VALID", (1, 2, 2, 2)),
        (1, [[0, 0], [1, 0], [0, 1], [0, 0]], (1, 4, 3, 2)),
    ],
)
def test_the_margin_decides_the_size(tf, strides, padding, shape):
    y = tf.nn.conv2d(picture(tf, 1, 5, 4, 1), tf.ones([3, 3, 1, 2]), strides, padding)
    assert tuple(y.shape) == shape


def test_the_odd_place_of_a_margin_comes_last(tf):
    y = tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "SAME")
    assert y.numpy()[0, :, :, 0].tolist() == [[4.0, 4.0, 2.0], [4.0, 4.0, 2.0], [2.0, 2.0, 1.0]]


def test_a_dilated_filter_skips_places(tf):
    w = tf.ones([2, 2, 1, 1])
    y = tf.nn.conv2d(picture(tf, 1, 3, 3, 1), w, 1, "VALID", dilations=2)
    assert y.numpy().ravel().tolist() == [0.0 + 2.0 + 6.0 + 8.0]


def test_a_row_is_a_picture_of_one_row(tf):
    x, w = picture(tf, 1, 4, 1), tf.constant([[[1.0]], [[10.0]]])
    assert tf.nn.conv1d(x, w, 1, "VALID").numpy().ravel().tolist() == [10.0, 21.0, 32.0]
    assert tf.nn.conv1d(x, w, 2, "SAME").numpy().ravel().tolist() == [10.0, 32.0]


def test_the_transposed_convolution_is_the_gradient_of_the_convolution(tf):
    x, w = tf.Variable(picture(tf, 1, 4, 4, 2)), picture(tf, 3, 3, 2, 5)
    with tf.GradientTape() as tape:
        y = tf.nn.conv2d(x, w, 2, "SAME")
    seed = picture(tf, *y.shape)
    expected = tape.gradient(y, x, output_gradients=seed)
    got = tf.nn.conv2d_transpose(seed, w, x.shape, 2, "SAME")
    np.testing.assert_allclose(got.numpy(), expected.numpy())


def test_the_largest_of_each_window_alone_gets_the_gradient(tf):
    x = tf.Variable(picture(tf, 1, 3, 3, 1))
    with tf.GradientTape() as tape:
        y = tf.nn.max_pool2d(x, 2, 1, "VALID")
    assert y.numpy().ravel().tolist() == [4.0, 5.0, 7.0, 8.0]
    assert tape.gradient(y, x).numpy().ravel().tolist() == [0, 0, 0, 0, 1, 1, 0, 1, 1]


def test_the_first_of_several_largest_gets_the_gradient(tf):
    x = tf.Variable(tf.ones([1, 2, 2, 1]))
    with tf.GradientTape() as tape:
        y = tf.nn.max_pool2d(x, 2, 2, "SAME")
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1.0, 0.0, 0.0, 0.0]


def test_the_margin_does_not_count_in_a_mean(tf):
    x = tf.Variable(tf.ones([1, 2, 2, 1]))
    with tf.GradientTape() as tape:
        y = tf.nn.avg_pool2d(x, 2, 1, "SAME")
    assert y.numpy().ravel().tolist() == [1.0] * 4
    assert tape.gradient(y, x).numpy().ravel().tolist() == [0.25, 0.75, 0.75, 2.25]


def test_the_margin_is_never_the_largest(tf):
    y = tf.nn.max_pool2d(-tf.ones([1, 3, 3, 1]), 2, 2, "SAME")
    assert y.numpy().max() == -1.0


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (
            lambda tf: tf.nn.conv2d(tf.ones([1, 3, 3, 4]), tf.ones([2, 2, 3, 1]), 1, "SAME"),
            "input depth must be evenly divisible by filter depth: 4 vs 3",
        ),
        (
            lambda tf: tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([5, 5, 1, 1]), 1, "VALID"),
            "Computed output size would be negative",
        ),
    ],
)
def test_a_filter_that_does_not_fit_is_an_invalid_argument(tf, f, says):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf)
    assert says in str(caught.value)


def test_a_padding_that_does_not_exist_is_an_invalid_argument():
    import tapelab as tf

    with pytest.raises(tf.errors.InvalidArgumentError, match="'padding' of \"FOO\" is not in the"):
        tf.nn.max_pool2d(tf.ones([1, 3, 3, 1]), 2, 2, "FOO")
