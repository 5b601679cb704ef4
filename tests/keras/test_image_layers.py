"""Layers that change images: what no recorded program shows."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf

layers = tf.keras.layers
IMAGES = np.random.default_rng(0).uniform(0, 255, (2, 5, 6, 3)).astype("float32")


@pytest.mark.parametrize("mode", ["reflect", "wrap", "constant", "nearest"])
def test_the_gradient_of_a_rotation_counts_how_often_each_pixel_is_read(mode):
    layer = layers.RandomRotation((0.1, 0.1), fill_mode=mode, seed=1)
    x = tf.Variable(IMAGES)
    with tf.GradientTape() as tape:
        y = layer(x, training=True)
        total = tf.reduce_sum(y)
    gradient = tape.gradient(total, x)
    assert float(tf.reduce_sum(gradient * x)) == pytest.approx(float(total), rel=1e-4)


def test_a_dict_that_is_passed_stays_as_it_is():
    data = {"images": tf.constant(IMAGES), "labels": tf.constant([[1.0], [0.0]])}
    before = dict(data)
    result = layers.RandomBrightness(0.5, seed=1)(data)
    assert data["images"] is before["images"]
    assert set(result) == {"images", "labels"}


def test_boxes_need_a_format():
    boxes = {"boxes": tf.zeros((2, 1, 4)), "labels": tf.zeros((2, 1))}
    with pytest.raises(ValueError, match="didn't specify a bounding box format"):
        layers.RandomFlip()({"images": tf.constant(IMAGES), "bounding_boxes": boxes})


def test_a_pipeline_changes_batches_whose_size_is_unknown():
    pairs = tf.data.Dataset.from_tensor_slices((IMAGES, [0, 1])).batch(3)
    layer = layers.RandomZoom((-0.5, -0.5), seed=1)
    (images, _), *rest = pairs.map(lambda x, y: (layer(x), y))
    assert not rest
    assert not np.allclose(images, IMAGES)
