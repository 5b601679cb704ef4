"""Metrics as learners meet them: over batches, inside others, off the tape."""

import numpy as np
import pytest

import tapelab as tf


def test_the_mean_over_batches_weighs_each_by_its_samples():
    metric = tf.keras.metrics.MeanSquaredError()
    metric.update_state([[0.0], [0.0], [0.0]], [[1.0], [1.0], [1.0]])
    metric.update_state([[0.0]], [[3.0]])
    assert float(metric.result()) == pytest.approx((3 * 1 + 9) / 4)


def test_batches_in_any_order_give_the_same_area():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 60), rng.uniform(size=60)
    whole = tf.keras.metrics.AUC()(labels, scores)
    parts = tf.keras.metrics.AUC()
    for rows in (slice(40, 60), slice(0, 25), slice(25, 40)):
        parts.update_state(labels[rows], scores[rows])
    np.testing.assert_allclose(parts.result(), whole)


def test_a_metric_inside_a_metric_is_kept_and_reset_with_it():
    class Range(tf.keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="range")
            self.inner = tf.keras.metrics.Mean()

        def update_state(self, values):
            self.inner.update_state(tf.reduce_max(values) - tf.reduce_min(values))

        def result(self):
            return self.inner.result()

    metric = Range()
    assert float(metric([1.0, 4.0])) == 3.0
    assert len(metric.variables) == 2
    metric.reset_state()
    assert float(metric.result()) == 0.0


def test_a_metric_as_a_loss_is_explained():
    w, metric = tf.Variable(2.0), tf.keras.metrics.Mean()
    with tf.GradientTape() as tape:
        metric.update_state(w * 3.0)
        loss = metric.result()
    assert tape.gradient(loss, w) is None
    finding = tf.explain(tape, loss, w).findings[0]
    assert finding.code == "STATE_READ"
    assert "metric.update_state(w * 3.0)" in finding.title


def test_a_traced_metric_counts_each_call():
    metric = tf.keras.metrics.Precision()

    @tf.function
    def compiled_accuracy(labels, scores):
        metric.update_state(labels, scores)
        return metric.result()

    assert float(compiled_accuracy(tf.constant([1, 0]), tf.constant([0.9, 0.8]))) == 0.5
    assert float(compiled_accuracy(tf.constant([1, 1]), tf.constant([0.9, 0.8]))) == 0.75


def test_a_wrong_threshold_is_refused():
    with pytest.raises(ValueError, match="interval"):
        tf.keras.metrics.BinaryAccuracy(threshold=2.0)
    with pytest.raises(ValueError, match="must be an integer > 1"):
        tf.keras.metrics.AUC(num_thresholds=1)
    with pytest.raises(ValueError, match="summation method"):
        tf.keras.metrics.AUC(summation_method="bad")
