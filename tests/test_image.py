"""The one image function there is: it runs forward, and has no gradient."""

from __future__ import annotations

import pytest

import tapelab as tf


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_contrast_is_stretched_around_the_mean_of_each_channel(dtype):
    image = tf.constant([[[1, 2], [3, 4]]], dtype)
    expected = [[[0, 1], [4, 5]]]
    got = tf.image.adjust_contrast(image, 2.0)
    assert got.dtype.name == dtype
    assert got.numpy().tolist() == expected


def test_its_gradient_is_a_lookup_error():
    x = tf.Variable([[[0.5, 0.2, 0.0]]])
    with tf.GradientTape() as tape:
        y = tf.image.adjust_contrast(x, 2.0)
    wording = "gradient registry has no entry for: AdjustContrastv2"
    with pytest.raises(LookupError, match=wording):
        tape.gradient(y, x)


def test_a_picture_has_three_axes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="input must be at least 3-D"):
        tf.image.adjust_contrast([1.0], 2.0)
