"""What `fit` keeps of its steps, and how much that costs and holds."""

from __future__ import annotations

import gc
import math
import weakref

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.gradient_call import observers
from tapelab.recorder import training_log as module
from tapelab.recorder.gradient_norms import quick_norm
from tapelab.recorder.training_log import RECENT, TrainingLog, latest_log, training_log
from tapelab.recording.training_series import MOST_ROWS

X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(16, 2)
Y = X.sum(axis=1, keepdims=True)


def model_of(*units, loss="mse", rate=0.01):
    layers = [tf.keras.layers.Dense(count) for count in units]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(rate), loss)
    return model


def steps(log, count, gradient=lambda step, w: w * w):
    """Train a variable by hand, with a gradient call in each step."""
    w = tf.Variable([1.0, 2.0], name="w")
    for _ in range(count):
        log.begin_step()
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(gradient(log.step, w))
        tape.gradient(y, w)


def test_fit_records_the_norms_of_all_steps_and_where_epochs_begin():
    model = model_of(3)
    history = model.fit(X, Y, batch_size=4, epochs=3, verbose=0, shuffle=False)
    series = history.gradients.series()
    assert [variable.name for variable in series.variables] == [
        each.path for each in model.trainable_variables
    ]
    assert [row.step for row in series.rows] == list(range(1, 13))
    assert series.epochs == (1, 5, 9)
    assert [series.epoch_of(step) for step in (1, 4, 5, 12)] == [1, 1, 2, 3]


def test_the_norms_are_those_of_the_gradients():
    tf.keras.utils.set_random_seed(1)
    model = model_of(3)
    model.build((None, 2))
    with tf.GradientTape() as tape:
        loss = model.compute_loss(X, Y, model(X))
    wanted = [float(tf.norm(each)) for each in tape.gradient(loss, model.trainable_variables)]
    row = model.fit(X, Y, batch_size=16, verbose=0).gradients.series().rows[0]
    assert row.norms == pytest.approx(wanted, rel=1e-5)
    assert row.loss == pytest.approx(float(loss), rel=1e-5)


def test_a_training_step_of_ones_own_is_recorded_as_well():
    class Own(tf.keras.Sequential):
        def train_step(self, data):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(data[0]) - data[1]) ** 2)
            weights = self.trainable_variables
            self.optimizer.apply(tape.gradient(loss, weights), weights)
            return {"loss": loss}

    model = Own([tf.keras.layers.Dense(1)])
    model.compile("sgd")
    series = model.fit(X, Y, batch_size=8, verbose=0).gradients.series()
    assert [len(row.norms) for row in series.rows] == [2, 2]


def test_only_gradient_calls_inside_the_block_are_recorded():
    before = list(observers)
    with training_log() as log:
        steps(log, 2)
    steps(TrainingLog(), 1)
    assert [row.step for row in log.rows] == [1, 2]
    assert observers == before
    assert latest_log() is log


def test_an_error_in_a_step_ends_the_observation():
    model = model_of(2)
    with pytest.raises(Exception, match="shape"):
        model.fit(X, np.zeros((16, 3, 5)), verbose=0)
    assert not [each for each in observers if getattr(each, "__self__", None) is latest_log()]


def test_the_first_nan_keeps_its_tape_however_long_the_training_goes_on():
    with training_log() as log:
        steps(log, 40, lambda step, w: w * (math.nan if step >= 5 else 1.0))
    trouble = log.troubles["w", "nan"]
    assert trouble.step == 5
    assert 5 in log.kept()
    assert len(log.kept()) == RECENT + 1


def test_a_nan_in_a_step_that_was_passed_over_is_found_in_its_tape(monkeypatch):
    """The loss is finite in that step, and NaN in the next."""
    monkeypatch.setattr(module, "ALWAYS", 3)
    monkeypatch.setattr(module, "SHARE", 1e-9)

    def term(step, w):
        if step < 6:
            return w
        return tf.sqrt(w * 0.0) if step == 6 else w * math.nan

    with training_log() as log:
        steps(log, 8, term)
    assert math.isnan(next(row for row in log.rows if row.step == 6).norms[0])
    assert log.troubles["w", "nan"].step == 6
    assert 6 in log.kept()


def test_rows_are_bounded_and_keep_the_first_nan(monkeypatch):
    monkeypatch.setattr(module, "ALWAYS", 10**9)
    with training_log() as log:
        steps(log, MOST_ROWS + 300, lambda step, w: w * (math.nan if step >= 333 else 1.0))
    assert len(log.rows) <= MOST_ROWS
    assert next(row.step for row in log.rows if math.isnan(row.norms[0])) == 333


def test_two_gradient_calls_of_a_step_share_a_row():
    a, b = tf.Variable(3.0, name="a"), tf.Variable(4.0, name="b")
    with training_log() as log:
        log.begin_step()
        for each in (a, b):
            with tf.GradientTape() as tape:
                y = each * each
            tape.gradient(y, each)
    assert [row.norms for row in log.rows] == [(6.0, 8.0)]


def test_none_zero_and_vanished_gradients_differ():
    names = ["none", "zero", "faint", "fine"]
    none, zero, faint, fine = (tf.Variable(1.0, name=name) for name in names)
    with training_log() as log:
        log.begin_step()
        with tf.GradientTape() as tape:
            y = zero * 0.0 + faint * 1e-9 + fine
        tape.gradient(y, [none, zero, faint, fine])
    assert log.present == {
        "none": "none",
        "zero": "zero",
        "faint": "vanished",
    }


def test_a_gradient_that_recovers_is_wrong_no_more():
    with training_log() as log:
        steps(log, 4, lambda step, w: w * (0.0 if step < 3 else 1.0))
    assert log.present == {}
    assert log.troubles["w", "zero"].step == 1


def test_after_the_training_the_log_keeps_no_model_alive():
    model = model_of(3)
    history = model.fit(X, Y, verbose=0)
    log, alive = history.gradients, weakref.ref(model.layers[0].kernel)
    del model, history
    gc.collect()
    assert alive() is None
    assert log.kept()


@pytest.mark.parametrize(
    "values",
    [[3.0, 4.0], [3e30, 4e30], [3e-30, 4e-30], [0.0, 0.0]],
    ids=["plain", "overflowing", "underflowing", "zero"],
)
def test_the_norm_neither_overflows_nor_underflows(values):
    wide = float(np.linalg.norm(np.array(values, np.float64)))
    with np.errstate(all="ignore"):
        assert quick_norm(tf.constant(values)) == pytest.approx(wide, rel=1e-6)


def test_the_norm_of_slices_complex_values_and_nothing():
    slices = tf.IndexedSlices(tf.constant([[3.0], [4.0]]), tf.constant([0, 2]))
    assert quick_norm(slices) == 5.0
    assert quick_norm(tf.constant([3 + 4j])) == pytest.approx(5.0)
    assert quick_norm(None) is None
