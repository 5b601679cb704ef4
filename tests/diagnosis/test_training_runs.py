"""`tf.why()` after `model.fit`: which gradient went wrong first, when, and why."""

from __future__ import annotations

import warnings

import numpy as np

import tapelab as tf

X = np.random.default_rng(0).standard_normal((64, 8), np.float32)
Y = X.sum(axis=1, keepdims=True)
Dense = tf.keras.layers.Dense


def fitted(layers, loss="mse", rate=0.01, epochs=3):
    tf.random.set_seed(1)
    model = tf.keras.Sequential(layers)
    model.compile(tf.keras.optimizers.SGD(rate), loss)
    return model.fit(X, Y, epochs=epochs, batch_size=16, verbose=0)


def codes():
    return [finding.code for finding in tf.why().findings]


def test_a_vanishing_gradient_is_explained_with_its_layers_step_and_epoch():
    fitted([Dense(8, activation="sigmoid") for _ in range(14)] + [Dense(1)])
    why = tf.why()
    assert "vanished in step 1 of 12 (epoch 1) and in the last one" in why.headline
    assert "dense" in why.headline
    assert [finding.code for finding in why.findings] == ["VANISHING"]
    assert "14 ops such as `sigmoid`" in why.findings[0].message
    assert '`activation="relu"`' in why.headline


def test_no_fix_replaces_the_call_of_fit_itself():
    fitted([Dense(8, activation="sigmoid") for _ in range(14)] + [Dense(1)])
    assert [finding.fix for finding in tf.why().findings] == [None]


def test_a_nan_of_a_loss_is_explained_once_with_the_line_to_write():
    def root(t, p):
        return tf.reduce_mean(tf.sqrt(tf.nn.relu(p - t)))

    fitted([Dense(8, activation="relu"), Dense(1)], root)
    why = tf.why()
    assert "first NaN or infinite in step 1 of 12 (epoch 1)" in why.headline
    (finding,) = why.findings
    assert finding.fix is not None
    assert "1e-12" in finding.fix.after


def test_a_loss_that_explodes_is_put_down_to_the_learning_rate():
    fitted([Dense(64, activation="relu"), Dense(1)], rate=5.0, epochs=40)
    why = tf.why()
    assert "first NaN or infinite in step" in why.headline
    assert "the loss grew from" in why.headline
    assert "learning rate" in why.headline


def test_a_gradient_that_is_none_in_fit_is_explained_with_its_cut():
    class Cut(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = Dense(4), Dense(1)

        def call(self, x):
            return self.b(tf.stop_gradient(self.a(x)))

    model = Cut()
    model.compile("sgd", "mse")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, Y, epochs=2, batch_size=16, verbose=0)
    why = tf.why()
    assert "is None in step 1 of 8 (epoch 1) and in the last one" in why.headline
    assert [finding.code for finding in why.findings] == ["STOPPED"]


def test_of_a_healthy_training_it_says_that_nothing_is_wrong():
    fitted([Dense(8, activation="relu"), Dense(1)])
    why = tf.why()
    assert "In the 12 steps of this training every gradient" in why.headline
    assert why.findings == ()


def test_a_gradient_computed_after_the_training_is_the_last_one_again():
    fitted([Dense(8), Dense(1)])
    x = tf.Variable(2.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 3.0
    tape.gradient(y, x)
    assert codes() == ["STOPPED"]
