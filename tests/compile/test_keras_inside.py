"""Layers, losses and metrics inside functions whose signature leaves the batch open."""

from __future__ import annotations

import numpy as np
import pytest

LAYERS = {
    "dense": (lambda layers: layers.Dense(2), [3]),
    "flatten": (lambda layers: layers.Flatten(), [2, 3]),
    "reshape": (lambda layers: layers.Reshape((3, 2)), [6]),
    "convolution": (lambda layers: layers.Conv2D(2, 2), [4, 4, 1]),
    "transposed convolution": (lambda layers: layers.Conv2DTranspose(2, 2), [4, 4, 1]),
    "pooling": (lambda layers: layers.MaxPooling2D(), [4, 4, 1]),
    "normalization": (lambda layers: layers.LayerNormalization(), [4]),
    "recurrence": (lambda layers: layers.LSTM(2), [3, 2]),
    "sequences": (lambda layers: layers.GRU(2, return_sequences=True), [3, 2]),
    "both directions": (lambda layers: layers.Bidirectional(layers.LSTM(2)), [3, 2]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_takes_any_batch_in_one_signature(tf, name):
    make, shape = LAYERS[name]
    layer = make(tf.keras.layers)
    f = tf.function(lambda x: layer(x), input_signature=[tf.TensorSpec([None, *shape])])
    for batch in (1, 3):
        x = tf.reshape(tf.range(float(batch * np.prod(shape))), [batch, *shape]) / 10.0
        assert np.allclose(f(x), layer(x), atol=1e-6)
    assert len(f._traces) == 1


def test_dropout_draws_anew_at_each_call_whatever_the_batch(tf):
    layer = tf.keras.layers.Dropout(0.5, seed=1)
    f = tf.function(lambda x: layer(x, training=True), input_signature=[tf.TensorSpec([None, 20])])
    first, second = f(tf.ones([3, 20])).numpy(), f(tf.ones([3, 20])).numpy()
    assert (first != second).any()
    assert set(np.unique([first, second])) == {0.0, 2.0}


def test_tracing_draws_nothing_from_the_seed_of_a_layer(tf):
    layer = tf.keras.layers.Dropout(0.5, seed=1)
    before = layer.seed_generator.state.numpy().tolist()
    f = tf.function(lambda x: layer(x, training=True))
    f.get_concrete_function(tf.TensorSpec([None, 20]))
    assert layer.seed_generator.state.numpy().tolist() == before


def test_a_network_is_trained_on_batches_of_any_size(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Conv2D(2, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
        layers.Dropout(0.2), layers.Dense(3),
    ])  # fmt: skip
    optimizer = tf.keras.optimizers.SGD(0.05)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    mean, accuracy = tf.keras.metrics.Mean(), tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 1]), tf.TensorSpec([None], tf.int32)])
    def step(x, y):
        with tf.GradientTape() as tape:
            scores = model(x, training=True)
            loss = loss_of(y, scores)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        mean.update_state(loss)
        accuracy.update_state(y, scores)
        return loss

    for batch in (4, 6, 3):
        step(np.ones((batch, 8, 8, 1), np.float32), np.zeros(batch, np.int32))
    assert step.experimental_get_tracing_count() == 2  # once more after the weights were made
    assert accuracy.count.numpy() == 13.0
    assert int(optimizer.iterations) == 3
