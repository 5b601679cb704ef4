"""Losses as learners meet them: in pictures, with labels of all kinds, on the way to a gradient."""

import numpy as np
import pytest

import tapelab as tf

LABELS, SCORES = [[0.0, 1.0], [1.0, 0.0]], [[0.2, 0.7], [0.6, 0.5]]


@pytest.mark.parametrize("name", ["mean_squared_error", "binary_crossentropy", "huber"])
def test_a_loss_is_one_step_of_a_picture(name):
    scores = tf.Variable(SCORES)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(getattr(tf.keras.losses, name)(LABELS, scores))
    recording = tape.recording(loss, scores)
    assert name in {group.name for group in recording.groups}


def test_the_gradient_of_a_mean_is_that_of_a_sum_divided_by_the_count():
    scores = tf.Variable(SCORES)
    gradients = {}
    for reduction in ("sum", "sum_over_batch_size"):
        with tf.GradientTape() as tape:
            loss = tf.keras.losses.MeanSquaredError(reduction=reduction)(LABELS, scores)
        gradients[reduction] = tape.gradient(loss, scores).numpy()
    np.testing.assert_allclose(gradients["sum"], 2 * gradients["sum_over_batch_size"])


def test_a_sample_of_weight_zero_has_no_gradient():
    scores = tf.Variable(SCORES)
    with tf.GradientTape() as tape:
        loss = tf.keras.losses.MeanSquaredError()(LABELS, scores, sample_weight=[0.0, 1.0])
    gradient = tape.gradient(loss, scores).numpy()
    assert (gradient[0] == 0).all()
    assert (gradient[1] != 0).all()


def test_logits_and_probabilities_give_the_same_loss_and_gradient():
    logits = tf.Variable([[0.3, -1.0, 2.0]])
    results = []
    for from_logits in (True, False):
        loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=from_logits)
        with tf.GradientTape() as tape:
            loss = loss_fn([2], logits if from_logits else tf.nn.softmax(logits))
        results.append((loss.numpy(), tape.gradient(loss, logits).numpy()))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-6)
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-5)


def test_only_logits_survive_a_certain_mistake():
    logits = tf.Variable([[-200.0, 200.0]])
    gradients = []
    for from_logits in (True, False):
        loss_fn = tf.keras.losses.CategoricalCrossentropy(from_logits=from_logits)
        with tf.GradientTape() as tape:
            loss = loss_fn([[1.0, 0.0]], logits if from_logits else tf.nn.softmax(logits))
        gradients.append(tape.gradient(loss, logits).numpy())
    np.testing.assert_allclose(gradients[0], [[-1.0, 1.0]])
    np.testing.assert_array_equal(gradients[1], [[0.0, 0.0]])


def test_labels_of_a_list_go_with_predictions_of_a_tensor():
    loss = tf.keras.losses.MeanSquaredError()(LABELS, tf.constant(SCORES))
    assert float(loss) == pytest.approx(0.135)


def test_swapped_arguments_show_in_the_loss_itself():
    labels, shares = [[0.0, 1.0]], [[0.3, 0.7]]
    right = tf.keras.losses.binary_crossentropy(labels, shares)
    swapped = tf.keras.losses.binary_crossentropy(shares, labels)
    assert float(swapped[0]) > 5 * float(right[0])


def test_the_classes_of_a_mistake_are_named():
    with pytest.raises(ValueError, match="sparse_categorical_crossentropy"):
        tf.keras.losses.CategoricalCrossentropy()(tf.constant([1, 0]), tf.constant(SCORES))
    with pytest.raises(ValueError, match="One-hot labels belong to categorical_crossentropy"):
        tf.keras.losses.SparseCategoricalCrossentropy()(tf.constant(LABELS), tf.constant(SCORES))


def test_the_room_offers_its_functions_and_classes():
    names = dir(tf.keras.losses)
    assert {"mse", "MeanSquaredError", "sparse_categorical_crossentropy", "Loss"} <= set(names)


def test_a_users_subclass_of_a_loss_keeps_its_function_and_settings():
    class Doubled(tf.keras.losses.Huber):
        def call(self, y_true, y_pred):
            return 2.0 * super().call(y_true, y_pred)

    loss, doubled = tf.keras.losses.Huber(delta=0.3), Doubled(delta=0.3)
    np.testing.assert_allclose(doubled(LABELS, SCORES), 2.0 * loss(LABELS, SCORES))
    assert doubled.name == loss.name


def test_a_users_subclass_of_a_metric_keeps_its_function():
    class Percent(tf.keras.metrics.MeanAbsoluteError):
        def result(self):
            return 100.0 * super().result()

    plain = tf.keras.metrics.MeanAbsoluteError()
    np.testing.assert_allclose(Percent()(LABELS, SCORES), 100.0 * plain(LABELS, SCORES))
