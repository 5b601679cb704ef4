"""Losses that stay finite, normalisation, dropout, and the errors of tf.nn."""

from __future__ import annotations

import numpy as np
import pytest


def gradient(tf, f, value):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x).numpy()


def test_softmax_of_huge_scores_is_no_overflow(tf):
    assert tf.nn.softmax([1e4, 1e4, -1e4]).numpy().tolist() == [0.5, 0.5, 0.0]
    assert tf.nn.log_softmax([1e4, 0.0]).numpy().tolist() == [0.0, -1e4]


def test_softmax_of_nothing_is_nothing(tf):
    assert tf.nn.softmax([]).numpy().tolist() == []


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_probabilities_sum_to_one_along_the_axis(tf, axis):
    y = tf.nn.softmax(tf.reshape(tf.range(6.0), [2, 3]), axis=axis)
    np.testing.assert_allclose(y.numpy().sum(axis), 1.0, rtol=1e-6)


def test_a_confident_wrong_answer_costs_its_distance_and_has_gradient_one(tf):
    def loss(x):
        return tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], x)

    assert loss([[1000.0, 0.0]]).numpy().tolist() == [1000.0]
    assert gradient(tf, loss, [[1000.0, 0.0]]).tolist() == [[1.0, -1.0]]


def test_an_impossible_class_makes_the_loss_by_rows_nan_but_not_the_one_by_number(tf):
    scores = [[0.0, -np.inf]]
    by_row = tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], scores)
    assert np.isnan(by_row.numpy()).all()
    assert tf.nn.sparse_softmax_cross_entropy_with_logits([0], scores).numpy().tolist() == [0.0]


def test_classes_by_number_cost_what_their_probabilities_cost(tf):
    scores = [[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]]
    by_number = tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], scores)
    by_row = tf.nn.softmax_cross_entropy_with_logits([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], scores)
    np.testing.assert_allclose(by_number.numpy(), by_row.numpy(), rtol=1e-6)


def test_labels_along_another_axis(tf):
    loss = tf.nn.softmax_cross_entropy_with_logits([[0.0], [1.0]], [[1.0], [2.0]], axis=0)
    np.testing.assert_allclose(loss.numpy(), [np.log1p(np.exp(-1.0))], rtol=1e-6)


def test_integer_labels_become_probabilities(tf):
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=[[0, 1]], logits=[[1.0, 2.0]])
    assert loss.dtype == tf.float32


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_the_sigmoid_loss_is_stable_on_both_sides(tf, label):
    def loss(x):
        return tf.nn.sigmoid_cross_entropy_with_logits(tf.constant([label] * 3), x)

    scores = [-1000.0, 0.0, 1000.0]
    losses = loss(tf.constant(scores)).numpy()
    expected = [0.0, np.log(2), 1000.0] if label == 0 else [1000.0, np.log(2), 0.0]
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    np.testing.assert_allclose(gradient(tf, loss, scores), np.array([0.0, 0.5, 1.0]) - label)


def test_the_weighted_loss_weighs_positive_labels(tf):
    got = tf.nn.weighted_cross_entropy_with_logits([1.0], [2.0], 2.0)
    np.testing.assert_allclose(got.numpy(), [2 * np.log1p(np.exp(-2.0))], rtol=1e-6)


@pytest.mark.parametrize(
    ("f", "error", "says"),
    [
        (
            lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits([5], [[1.0, 2.0]]),
            "InvalidArgumentError",
            "Received a label value of 5 which is outside the valid range of [0, 2)",
        ),
        (
            lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits([1.0], [[1.0, 2.0]]),
            "InvalidArgumentError",
            "Value for attr 'Tlabels' of float",
        ),
        (
            lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], [[1.0, 2.0]]),
            "ValueError",
            "`labels.shape` must equal `logits.shape` except for the last dimension",
        ),
        (
            lambda tf: tf.nn.sigmoid_cross_entropy_with_logits([0.0, 1.0], [1.0]),
            "ValueError",
            "`logits` and `labels` must have the same shape, received ((1,) vs (2,)).",
        ),
        (
            lambda tf: tf.nn.softmax([[1.0, 2.0]], axis=5),
            "InvalidArgumentError",
            "`dim` must be in the range [-2, 2)",
        ),
        (
            lambda tf: tf.nn.bias_add([[1.0, 2.0]], [1.0, 2.0, 3.0]),
            "InvalidArgumentError",
            "Must provide as many biases as the last dimension of the input tensor: [3] vs. [1,2]",
        ),
        (
            lambda tf: tf.nn.dropout([1.0, 2.0], 1.0),
            "ValueError",
            "`rate` must be a scalar tensor or a float in the range [0, 1)",
        ),
        (
            lambda tf: tf.nn.dropout([1, 2], 0.5),
            "ValueError",
            "`x.dtype` must be a floating point tensor",
        ),
    ],
)
def test_what_a_loss_cannot_work_with_is_said(tf, f, error, says):
    expected = {"ValueError": ValueError}.get(error) or getattr(tf.errors, error)
    with pytest.raises(expected) as caught:
        f(tf)
    assert says in str(caught.value)


@pytest.mark.parametrize("keepdims", [False, True])
def test_moments_are_mean_and_variance(tf, keepdims):
    x = np.array([[1.0, 2.0], [3.0, 6.0]], np.float32)
    mean, variance = tf.nn.moments(tf.constant(x), [0], keepdims=keepdims)
    np.testing.assert_allclose(mean.numpy(), x.mean(0, keepdims=keepdims))
    np.testing.assert_allclose(variance.numpy(), x.var(0, keepdims=keepdims))


def test_the_gradient_of_a_variance_is_twice_the_distance_over_the_count(tf):
    got = gradient(tf, lambda x: tf.nn.moments(x, [0])[1], [1.0, 3.0])
    np.testing.assert_allclose(got, [-1.0, 1.0])


def test_normalising_nothing_gives_nothing(tf):
    assert tf.nn.l2_normalize([0.0, 0.0]).numpy().tolist() == [0.0, 0.0]


def test_batch_normalisation_moves_and_scales(tf):
    x = tf.constant([[1.0, 10.0], [3.0, 30.0]])
    mean, variance = tf.nn.moments(x, [0])
    y = tf.nn.batch_normalization(x, mean, variance, tf.constant(5.0), tf.constant(2.0), 0.0)
    np.testing.assert_allclose(y.numpy(), [[3.0, 3.0], [7.0, 7.0]], rtol=1e-5)


def test_dropout_drops_a_share_and_keeps_the_mean(tf):
    y = tf.nn.dropout(tf.ones([10_000]), rate=0.25, seed=1).numpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(y.mean() - 1) < 0.05


def test_only_what_was_kept_gets_a_gradient(tf):
    x = tf.Variable([1.0] * 100)
    with tf.GradientTape() as tape:
        y = tf.nn.dropout(x, rate=0.5, seed=1)
    assert tape.gradient(y, x).numpy().tolist() == y.numpy().tolist()


def test_the_bias_of_a_channel_collects_all_its_places(tf):
    b = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.nn.bias_add(tf.ones([3, 2]), b)
    assert tape.gradient(y, b).numpy().tolist() == [3.0, 3.0]
