"""Rows by ids, counts and bins, as guides use them."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf


def test_a_tie_within_an_id_shares_the_gradient():
    x = tf.Variable([3.0, 1.0, 3.0, 5.0])
    with tf.GradientTape() as tape:
        y = tf.math.unsorted_segment_max(x, [0, 0, 0, 1], 2)
    assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.0, 0.5, 1.0]


def test_one_zero_in_a_product_still_has_a_gradient_and_two_have_none():
    x = tf.Variable([0.0, 2.0, 3.0, 0.0, 0.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.math.segment_prod(x, [0, 0, 0, 1, 1, 1])
    assert tape.gradient(y, x).numpy().tolist() == [6.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_dealing_out_and_stitching_gives_the_rows_and_the_gradient_back():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    heaps = tf.constant([1, 0, 1])
    with tf.GradientTape() as tape:
        parts = tf.dynamic_partition(x, heaps, 2)
        places = tf.dynamic_partition(tf.range(3), heaps, 2)
        whole = tf.dynamic_stitch(places, [part * (n + 1.0) for n, part in enumerate(parts)])
        y = tf.reduce_sum(whole)
    assert whole.numpy().tolist() == [[2.0, 4.0], [3.0, 4.0], [10.0, 12.0]]
    assert tape.gradient(y, x).numpy().tolist() == [[2.0, 2.0], [1.0, 1.0], [2.0, 2.0]]


def test_an_id_larger_than_the_last_is_named_with_its_place():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"segment_ids\[1,0\] = 9"):
        tf.math.unsorted_segment_sum([[1.0], [2.0]], [[0], [9]], 3)


def test_space_in_the_batch_and_back_is_the_same_picture():
    picture = tf.constant(np.random.default_rng(0).normal(size=(2, 5, 6, 3)))
    pads, crops = tf.required_space_to_batch_paddings([5, 6], [2, 4])
    blocks = tf.space_to_batch(picture, [2, 4], pads)
    assert blocks.shape == (16, 3, 2, 3)
    np.testing.assert_array_equal(tf.batch_to_space(blocks, [2, 4], crops), picture)


def test_a_confusion_matrix_counts_every_pair():
    rng = np.random.default_rng(0)
    truths, guesses = rng.integers(0, 4, (2, 100))
    matrix = tf.math.confusion_matrix(truths, guesses, 4).numpy()
    assert matrix.sum() == 100
    assert matrix[2, 1] == np.sum((truths == 2) & (guesses == 1))


def test_the_running_log_of_sums_of_exponentials_does_not_overflow():
    x = tf.Variable([1000.0, 0.0, 1001.0])
    with tf.GradientTape() as tape:
        y = tf.math.cumulative_logsumexp(x)
    np.testing.assert_allclose(y, [1000.0, 1000.0, 1001.31326], rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(y, x), [2.26894, 0.0, 0.73106], atol=2e-4)
