"""Training as learners meet it: data of all kinds, seeds, and what leaves the tape."""

import warnings

import numpy as np
import pytest

import tapelab as tf

X = np.linspace(-1, 1, 20, dtype=np.float32).reshape(10, 2)
Y = X.sum(1, keepdims=True) * 2 + 1


def model(**settings):
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
    network = tf.keras.Sequential([tf.keras.Input((2,)), dense])
    network.compile(**{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", **settings})
    return network


def test_equal_seeds_shuffle_equally_and_others_do_not():
    def losses(seed):
        tf.random.set_seed(seed)
        return model().fit(X, Y, epochs=3, batch_size=3, verbose=0).history["loss"]

    assert losses(1) == losses(1)
    assert losses(1) != losses(2)


def test_every_sample_is_seen_once_in_an_epoch():
    seen = []

    class BatchCollector(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1)

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            seen.extend(data[0].numpy()[:, 0].tolist())
            return super().train_step(data)

    trained = BatchCollector()
    trained.compile("sgd", "mse")
    trained.fit(X, Y, batch_size=3, verbose=0)
    assert len(seen) == 10
    assert sorted(seen) == sorted(X[:, 0].tolist())
    assert seen != X[:, 0].tolist()


def test_an_array_that_changes_later_does_not_change_the_batch():
    kept = []

    class Keeping(tf.keras.Sequential):
        def train_step(self, data):
            kept.append(data[0])
            return super().train_step(data)

    x = np.arange(20).reshape(10, 2)
    trained = Keeping([tf.keras.layers.Dense(1)])
    trained.compile("sgd", "mse")
    trained.fit(x, Y, verbose=0, shuffle=False)
    x[:] = 0
    np.testing.assert_array_equal(kept[0].numpy(), np.arange(20).reshape(10, 2))


def test_a_split_that_leaves_nothing_is_refused():
    with pytest.raises(ValueError, match="not sufficient to split"):
        model().fit(X[:1], Y[:1], validation_split=0.5, verbose=0)


def test_class_weights_and_sample_weights_do_not_go_together():
    with pytest.raises(ValueError, match="at the same time"):
        model().fit(X, Y, class_weight={0: 2.0}, sample_weight=np.ones(10), verbose=0)


def test_a_class_without_a_weight_counts_once():
    labels = np.array([[0], [1], [2]])
    trained = model(loss="mae")
    weighted = trained.train_on_batch(X[:3], labels, class_weight={1: 3.0})
    plain = np.abs(X[:3].sum(1) - [0, 1, 2])
    assert weighted == pytest.approx(float(np.mean(plain * [1, 3, 1])), rel=1e-5)


def test_missing_data_raise_an_error():
    with pytest.raises(ValueError, match="There is no data"):
        model().fit()


def test_predictions_of_several_outputs_keep_their_structure():
    inputs = tf.keras.Input((2,))
    one, two = tf.keras.layers.Dense(1)(inputs), tf.keras.layers.Dense(2)(inputs)
    predictions = tf.keras.Model(inputs, {"one": one, "two": two}).predict(
        X, batch_size=4, verbose=0
    )
    assert {name: array.shape for name, array in predictions.items()} == {
        "one": (10, 1),
        "two": (10, 2),
    }
    assert all(type(array) is np.ndarray for array in predictions.values())


def test_predict_in_a_loss_is_explained():
    trained = model()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(trained.predict(X, verbose=0) ** 2)
    kernel = trained.trainable_variables[0]
    assert tape.gradient(loss, kernel) is None
    finding = tf.explain(tape, loss, kernel).findings[0]
    assert finding.code == "LEFT_ENGINE"
    assert "predict" in finding.title


def test_a_frozen_model_warns_that_nothing_learns():
    trained = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    trained.trainable = False
    trained.compile("sgd", "mse")
    with pytest.warns(UserWarning, match="does not have any trainable weights"):
        trained.fit(X, Y, verbose=0)


def test_a_generator_that_ends_early_ends_training_with_a_warning():
    with pytest.warns(UserWarning, match="Your input ran out of data"):
        history = model().fit(((X, Y) for _ in range(2)), steps_per_epoch=3, verbose=0)
    assert len(history.history["loss"]) == 1


def test_an_unknown_output_is_named():
    inputs = tf.keras.Input((2,))
    outputs = {name: tf.keras.layers.Dense(1)(inputs) for name in "ab"}
    trained = tf.keras.Model(inputs, outputs)
    trained.compile("sgd", {"a": "mse", "c": "mse"})
    with pytest.raises(ValueError, match=r"keys \['c'\] are not the names of outputs"):
        trained.fit(X, {"a": Y, "b": Y}, verbose=0)


def test_one_output_of_two_may_have_no_loss():
    inputs = tf.keras.Input((2,))
    outputs = {name: tf.keras.layers.Dense(1)(inputs) for name in "ab"}
    trained = tf.keras.Model(inputs, outputs)
    trained.compile("sgd", {"a": "mse"})
    before = [weight.numpy() for weight in trained.weights]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trained.fit(X, {"a": Y, "b": Y}, verbose=0)
    assert any("Gradients do not exist" in str(each.message) for each in caught)
    changed = [
        not np.array_equal(w.numpy(), b) for w, b in zip(trained.weights, before, strict=True)
    ]
    assert sum(changed) == 2


def test_a_tape_around_fit_is_no_hindrance():
    trained = model()
    with tf.GradientTape():
        history = trained.fit(X, Y, epochs=2, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]
