"""Mixed precision on the tape: where weights are cast, and in which dtype gradients arrive."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.keras.variables import autocast_scope, current_autocast

layers = tf.keras.layers


class Scaled(layers.Layer):
    """A layer of a user, whose call does not know of dtypes."""

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], 2), initializer="ones")
        self.count = self.add_weight(shape=(), initializer="zeros", dtype="int32", trainable=False)
        self.offset = self.add_weight(shape=(), initializer="ones", autocast=False)

    def call(self, x):
        self.seen = (x.dtype.name, self.kernel.dtype, self.count.dtype, self.offset.dtype)
        return tf.matmul(x, self.kernel) * 0.5


def test_a_layer_of_a_user_reads_its_weights_in_half_precision():
    layer = Scaled(dtype="mixed_float16")
    y = layer(tf.ones((1, 3)))
    assert y.dtype is tf.float16
    assert layer.seen == ("float16", "float16", "int32", "float32")
    assert layer.kernel.dtype == "float32"


def test_the_tape_records_a_cast_behind_the_read_of_a_weight_and_the_gradient_is_single():
    layer = layers.Dense(2, dtype="mixed_float16")
    layer(tf.ones((1, 3)))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(tf.ones((1, 3))))
    text = tape.recording(y).to_text()
    assert "kernel cast" in text
    assert "bias cast" in text
    assert tape.gradient(y, layer.kernel).dtype is tf.float32


def test_a_traced_step_computes_what_an_eager_one_does():
    layer = layers.Dense(2, dtype="mixed_float16")
    layer(tf.ones((1, 3)))
    x = tf.constant([[1.0, 2.0, 3.0]])

    def gradient():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.square(layer(x)))
        return tape.gradient(y, layer.kernel)

    assert tf.reduce_all(gradient() == tf.function(gradient)())


def test_a_layer_in_single_precision_inside_a_half_one_reads_its_own_dtype():
    class Outer(layers.Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.inner = Scaled(dtype="float32")

        def call(self, x):
            return self.inner(x)

    outer = Outer(dtype="mixed_float16")
    assert outer(tf.ones((1, 3))).dtype is tf.float32
    assert outer.inner.seen[:2] == ("float32", "float32")


def test_an_error_inside_a_call_ends_the_scope():
    class Failing(layers.Layer):
        def call(self, x):
            raise ValueError(current_autocast())

    with pytest.raises(ValueError, match="float16"):
        Failing(dtype="mixed_float16")(tf.ones(2))
    assert current_autocast() is None


def test_no_dtype_inside_a_scope_reads_weights_as_they_are():
    weight = tf.keras.Variable([1.0])
    with autocast_scope("float16"):
        assert tf.convert_to_tensor(weight).dtype is tf.float16
        with autocast_scope(None):
            assert tf.convert_to_tensor(weight).dtype is tf.float32


def test_a_model_in_half_precision_scales_its_loss_by_default():
    before = tf.keras.config.dtype_policy()
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        dense = layers.Dense(1, kernel_initializer="zeros")  # no gradient is infinite when scaled
        model = tf.keras.Sequential([tf.keras.Input((2,)), dense])
    finally:
        tf.keras.config.set_dtype_policy(before)
    model.compile("sgd", "mse")
    assert type(model.optimizer) is tf.keras.optimizers.LossScaleOptimizer
    assert type(model.optimizer.inner_optimizer) is tf.keras.optimizers.SGD
    model.fit(tf.ones((4, 2)), tf.fill((4, 1), 0.1), verbose=0)
    assert int(model.optimizer.iterations) == 1
    model.compile("sgd", "mse", auto_scale_loss=False)
    assert type(model.optimizer) is tf.keras.optimizers.SGD


def test_a_scaled_optimizer_is_constructed_again_from_its_config():
    optimizer = tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), 64.0)
    again = tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(optimizer))
    assert (again.initial_scale, float(again.learning_rate)) == (64.0, 0.5)
    again.learning_rate = 0.25
    assert float(again.inner_optimizer.learning_rate) == 0.25
