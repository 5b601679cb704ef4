"""Layers on the tape, what they refuse, and what building them leaves behind."""

from __future__ import annotations

import copy
import gc

import numpy as np
import pytest

import tapelab as tf
from tapelab.keras import masks

layers = tf.keras.layers


@pytest.fixture(autouse=True)
def _fresh_names():
    tf.keras.backend.clear_session()


def group_names(recording):
    return [group.name for group in recording.groups]


def test_ops_stand_in_groups_named_after_the_layers():
    model = tf.keras.Sequential([layers.Dense(2), layers.BatchNormalization()])
    x = tf.ones((3, 2))
    model(x)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(x, training=True))
    names = group_names(tape.recording(y))
    assert names[:3] == ["sequential", "dense", "batch_normalization"]


def test_a_group_knows_the_layer_around_it():
    model = tf.keras.Sequential([layers.Dense(2, activation="softmax")])
    model(tf.ones((1, 2)))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(tf.ones((1, 2))))
    groups = tape.recording(y).groups
    assert [groups[group.parent].name for group in groups if group.parent >= 0] == ["sequential"]


def test_no_name_of_a_group_is_private():
    model = tf.keras.Sequential(
        [layers.Embedding(5, 3), layers.GRU(2, return_sequences=True), layers.LSTM(2),
         layers.Dense(2, activation="hard_sigmoid", kernel_regularizer="l2"), layers.Dropout(0.5),
         layers.BatchNormalization()]
    )  # fmt: skip
    x = tf.constant([[1, 2, 3]])
    model(x)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(x, training=True)) + tf.add_n(model.losses)
    assert not [name for name in group_names(tape.recording(y)) if name.startswith("_")]


def test_building_inside_a_tape_records_nothing_of_the_trial_run():
    class Half(layers.Layer):
        def call(self, x):
            return x * 0.5

    with tf.GradientTape() as tape:
        symbol = Half()(tf.keras.Input((3,)))
    assert symbol.shape == (None, 3)
    assert "Ran" not in {type(located.event).__name__ for located in tape.recording()}


def test_an_error_inside_a_layer_says_which_layer_and_what_it_was_given():
    layer = layers.Embedding(3, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in") as caught:
        layer(tf.constant([[7]]))
    (note,) = caught.value.__notes__
    assert "Exception encountered when calling Embedding.call()." in note
    assert "inputs=tf.Tensor(shape=(1, 1), dtype=int32)" in note


def test_a_list_of_numbers_is_refused_with_what_would_do():
    with pytest.raises(ValueError, match=r"try tf\.constant"):
        layers.Dense(2)([[1.0, 2.0]])


def test_a_missing_layer_names_the_nearest():
    with pytest.raises(AttributeError, match=r"nearest is tf\.keras\.layers\.BatchNormalization"):
        _ = layers.BatchNormalisation


def test_attributes_before_super_are_refused_with_the_reason():
    class Early(layers.Layer):
        def __init__(self):
            self.units = 3

    with pytest.raises(AttributeError, match=r"super\(\).__init__\(\)"):
        Early()


def test_dropout_drops_its_share_and_keeps_the_mean():
    y = layers.Dropout(0.25, seed=3)(tf.ones((100, 100)), training=True).numpy()
    assert abs((y == 0).mean() - 0.25) < 0.02
    assert abs(y.mean() - 1.0) < 0.02


def test_dropout_draws_again_at_each_call_and_passes_gradients_where_it_kept():
    layer, x = layers.Dropout(0.5, seed=3), tf.ones((4, 50))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x, training=True)
    np.testing.assert_array_equal(tape.gradient(y, x), y)
    assert not np.array_equal(y, layer(x, training=True))


def test_spatial_dropout_drops_whole_channels():
    y = layers.SpatialDropout1D(0.5, seed=1)(tf.ones((2, 5, 20)), training=True).numpy()
    assert (y == y[:, :1]).all()
    assert 0 < (y == 0).mean() < 1


def test_noise_has_its_deviation():
    y = layers.GaussianNoise(0.3, seed=1)(tf.zeros((100, 100)), training=True).numpy()
    assert abs(y.std() - 0.3) < 0.01


@pytest.mark.parametrize("seeding", [tf.random.set_seed, tf.keras.utils.set_random_seed])
def test_weights_and_draws_repeat_after_a_seed(seeding):
    def draw():
        seeding(11)
        layer = layers.Dense(3)
        layer(tf.ones((1, 4)))
        dropped = layers.Dropout(0.5)(tf.ones((1, 30)), training=True)
        return np.concatenate([layer.kernel.numpy().ravel(), dropped.numpy().ravel()])

    np.testing.assert_array_equal(draw(), draw())


def test_two_layers_begin_with_different_weights():
    tf.random.set_seed(1)
    one, other = layers.Dense(3), layers.Dense(3)
    one(tf.ones((1, 4)))
    other(tf.ones((1, 4)))
    assert not np.array_equal(one.kernel, other.kernel)


def test_a_mask_lives_as_long_as_its_tensor():
    before = len(masks._masks)
    y = layers.Masking()(tf.ones((1, 2, 2)))
    assert len(masks._masks) == before + 1
    assert masks.masks_of(y) is not None
    del y
    gc.collect()
    assert len(masks._masks) == before


def test_a_copy_of_a_layer_trains_by_itself():
    layer = layers.Dense(2)
    layer(tf.ones((1, 2)))
    other = copy.deepcopy(layer)
    kept = layer.get_weights()
    other.set_weights([np.zeros((2, 2)), np.ones(2)])
    np.testing.assert_array_equal(layer.get_weights()[0], kept[0])
    np.testing.assert_array_equal(other(tf.ones((1, 2))), [[1.0, 1.0]])


def test_what_is_put_into_a_list_later_is_noticed_in_that_order():
    class Stack(layers.Layer):
        def __init__(self):
            super().__init__()
            self.parts = []
            self.last = layers.Dense(1, name="last")
            self.parts += [layers.Dense(2, name="a")]
            self.parts.extend([layers.Dense(3, name="b")])
            self.parts.insert(0, layers.Dense(4, name="c"))
            self.parts[0] = layers.Dense(5, name="d")
            self.named = {}
            self.named.update(e=layers.Dense(6, name="e"))
            self.named.setdefault("f", layers.Dense(7, name="f"))

    stack = Stack()
    assert [layer.name for layer in stack._layers] == ["last", *"abcdef"]


def test_a_copy_notices_what_is_put_into_its_own_lists():
    class Stack(layers.Layer):
        def __init__(self):
            super().__init__()
            self.parts, self.named = [layers.Dense(1, name="a")], {}

    stack = Stack()
    other = copy.deepcopy(stack)
    other.parts.append(layers.Dense(2, name="b"))
    other.named["c"] = layers.Dense(3, name="c")
    assert [layer.name for layer in other._layers] == ["a", "b", "c"]
    assert [layer.name for layer in stack._layers] == ["a"]


def test_what_is_deleted_is_held_no_more():
    model = tf.keras.Sequential([layers.Dense(1)])
    model.head = layers.Dense(2, name="head")
    assert [layer.name for layer in model.layers][-1] == "head"
    del model.head
    assert len(model.layers) == 1


def test_a_layer_frozen_and_thawed_trains_what_it_trained_before():
    layer = layers.BatchNormalization()
    layer(tf.ones((2, 2)))
    layer.trainable = False
    layer.trainable = True
    assert [v.name for v in layer.trainable_variables] == ["gamma", "beta"]


def test_second_derivatives_pass_through_recurrent_layers():
    layer, x = layers.LSTM(2), tf.random.normal((1, 3, 2))
    layer(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(layer(x) ** 2)
        gradient = inner.gradient(y, x)
        length = tf.reduce_sum(gradient**2)
    second = outer.gradient(length, layer.trainable_variables)
    assert all(g is not None and np.isfinite(g.numpy()).all() for g in second)


def test_a_config_makes_the_same_layer_again():
    copies = [
        layers.Conv2D(3, 2, padding="same", activation="relu", kernel_regularizer="l2"),
        layers.LSTM(4, return_sequences=True, dropout=0.1),
        layers.Bidirectional(layers.GRU(2), merge_mode="sum"),
        layers.Embedding(5, 2, mask_zero=True),
        layers.BatchNormalization(momentum=0.8),
        layers.MaxPooling2D(3, strides=2),
    ]
    for layer in copies[:2] + copies[3:]:
        again = type(layer).from_config(layer.get_config())
        assert again.get_config() == layer.get_config()


def test_layers_without_weights_are_built_once_they_are_constructed():
    stateless = [
        layers.Dropout(0.5), layers.ReLU(), layers.MaxPooling1D(), layers.GlobalMaxPooling2D(),
        layers.Softmax(), layers.Identity(), layers.Masking(), layers.UnitNormalization(),
    ]  # fmt: skip
    assert all(layer.built for layer in stateless)
    assert not layers.Flatten().built

    class WithBuild(layers.ReLU):
        def build(self, input_shape):
            self.steps = self.add_weight(shape=())

    assert not WithBuild().built
