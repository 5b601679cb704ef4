"""Models: what they are made of, where they are saved, and what a functional one shares."""

from __future__ import annotations

import copy
import subprocess
import sys

import numpy as np
import pytest

import tapelab as tf

layers = tf.keras.layers


@pytest.fixture(autouse=True)
def _fresh_names():
    tf.keras.backend.clear_session()


def test_importing_tapelab_does_not_import_keras():
    code = "import sys, tapelab; assert not [m for m in sys.modules if 'tapelab.keras' in m]"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_name_of_the_table_is_there():
    for part in (tf.keras, layers, tf.keras.models, tf.keras.initializers, tf.keras.backend):
        assert dir(part)
        for name in dir(part):
            assert getattr(part, name) is not None


def test_a_functional_model_runs_each_layer_once():
    calls = []

    class Counted(layers.Layer):
        def call(self, x):
            calls.append(1)
            return x * 2.0

        def compute_output_shape(self, shape):
            return shape

    i = tf.keras.Input((2,))
    twice = Counted()(i)
    model = tf.keras.Model(i, [twice, layers.Add()([twice, i])])
    doubled, tripled = model(tf.ones((1, 2)))
    assert len(calls) == 1
    np.testing.assert_array_equal(doubled + 1.0, tripled)


def test_an_unknown_length_is_found_by_two_trial_runs():
    i = tf.keras.Input((None, 3))
    o = layers.Lambda(lambda x: tf.concat([x, x], 1))(i)
    assert o.shape == (None, None, 3)
    assert (i[:, 0] + 1.0).shape == (None, 3)


def test_what_no_trial_run_can_build_is_refused_with_the_method_to_write():
    class Odd(layers.Layer):
        def call(self, x):
            return tf.reshape(x, (2, 2))

    with pytest.raises(ValueError, match=r"implement the `Odd.compute_output_shape\(\)` method"):
        Odd()(tf.keras.Input((3,)))


def test_a_copy_of_a_model_keeps_its_weights_together():
    model = tf.keras.Sequential([layers.Dense(2), layers.Dense(1)])
    x = tf.ones((1, 3))
    y = model(x)
    other = copy.deepcopy(model)
    np.testing.assert_array_equal(other(x), y)
    other.set_weights([w * 0 for w in other.get_weights()])
    np.testing.assert_array_equal(other(x), [[0.0]])
    np.testing.assert_array_equal(model(x), y)


def test_weights_come_back_under_both_suffixes(tmp_path):
    model = tf.keras.Sequential([layers.Dense(2), layers.BatchNormalization()])
    model(tf.ones((2, 3)), training=True)
    kept = model.get_weights()
    for name in ("m.weights.h5", "m.npz"):
        model.save_weights(tmp_path / name)
        model.set_weights([w * 0 for w in kept])
        model.load_weights(tmp_path / name)
        for weight, value in zip(model.get_weights(), kept, strict=True):
            np.testing.assert_array_equal(weight, value)


def test_weights_are_not_written_over_another_file_by_default(tmp_path):
    model = tf.keras.Sequential([layers.Dense(1)])
    model(tf.ones((1, 1)))
    model.save_weights(tmp_path / "m.npz")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        model.save_weights(tmp_path / "m.npz", overwrite=False)


def test_build_by_hand_builds_the_layers_of_a_subclass():
    class Two(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = layers.Dense(2), layers.Dense(1)

        def call(self, x):
            return self.b(self.a(x))

    model = Two()
    model.build((None, 3))
    assert [tuple(w.shape) for w in model.weights] == [(3, 2), (2,), (2, 1), (1,)]


def test_a_table_may_be_taken_instead_of_printed(capsys):
    model, lines = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(1)]), []
    model.summary(print_fn=lines.append)
    assert capsys.readouterr().out == ""
    model.summary()
    assert capsys.readouterr().out == lines[0] + "\n"


def test_transfer_learning_trains_the_head_alone():
    base = tf.keras.Sequential([layers.Dense(4, activation="relu"), layers.BatchNormalization()])
    base(tf.ones((2, 3)))
    base.trainable = False
    i = tf.keras.Input((3,))
    model = tf.keras.Model(i, layers.Dense(1)(base(i, training=False)))
    kept = base.get_weights()
    x, y = tf.random.normal((8, 3)), tf.ones((8, 1))
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
    assert len(model.trainable_variables) == 2
    for weight, value in zip(base.get_weights(), kept, strict=True):
        np.testing.assert_array_equal(weight, value)


def test_an_autoencoder_of_the_guide_learns():
    class Sampling(layers.Layer):
        def call(self, inputs):
            mean, log_variance = inputs
            return mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))

    class Autoencoder(tf.keras.Model):
        def __init__(self, size):
            super().__init__()
            self.encode = tf.keras.Sequential([layers.Dense(8, activation="relu")])
            self.mean, self.log_variance = layers.Dense(2), layers.Dense(2)
            self.sampling = Sampling()
            self.decode = tf.keras.Sequential([layers.Dense(8, activation="relu"),
                                               layers.Dense(size)])  # fmt: skip

        def call(self, x):
            hidden = self.encode(x)
            mean, log_variance = self.mean(hidden), self.log_variance(hidden)
            cost = tf.square(mean) + tf.exp(log_variance) - log_variance - 1.0
            self.add_loss(0.001 * tf.reduce_mean(cost))
            return self.decode(self.sampling((mean, log_variance)))

    tf.keras.utils.set_random_seed(1)
    model, x, losses = Autoencoder(4), tf.random.normal((16, 4)), []
    for _ in range(60):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - x) ** 2) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_weights)
        for variable, gradient in zip(model.trainable_weights, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        losses.append(float(loss))
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])


@pytest.mark.parametrize("shape", [(None, 2), [None, 2]])
def test_a_sequence_is_built_for_a_shape_in_a_tuple_or_a_list(tf, shape):
    model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])
    model.build(shape)
    assert [tuple(each.shape) for each in model.trainable_variables] == [(2, 4), (4,), (4, 1), (1,)]
