"""Callbacks, and what training prints."""

import sys

import numpy as np
import pytest

import tapelab as tf
from tapelab.keras.utils.progress_bar import clock, metrics_text, per_step

X = np.linspace(-1, 1, 20, dtype=np.float32).reshape(10, 2)
Y = X.sum(1, keepdims=True) * 2 + 1


def model(**settings):
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
    network = tf.keras.Sequential([tf.keras.Input((2,)), dense])
    network.compile(**{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", **settings})
    return network


def test_a_plain_log_gets_one_line_for_each_round(capsys):
    model().fit(X, Y, epochs=2, batch_size=2, verbose=1)
    lines = capsys.readouterr().out.split("\n")
    assert lines[0] == "Epoch 1/2"
    assert lines[1].startswith("5/5 ━━━━━━━━━━━━━━━━━━━━ 0s ")
    assert "ms/step - loss: " in lines[1] or "us/step - loss: " in lines[1]
    assert lines[2] == "Epoch 2/2"
    assert len(lines) == 5


def test_a_single_round_is_not_numbered(capsys):
    model().fit(X, Y, verbose="auto")
    assert "Epoch" not in capsys.readouterr().out


def test_a_terminal_sees_the_line_grow(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("tapelab.keras.utils.progress_bar.INTERVAL", 0)
    model(metrics=["mae"]).fit(X, Y, batch_size=5, verbose=1)
    out = capsys.readouterr().out
    assert "\r\033[1m1/2\033[0m \033[32m━━━━━━━━━━\033[0m" in out
    assert out.count("\n") == 1
    assert out.count("\r") == 3


def test_verbose_two_prints_lines_and_three_only_rounds(capsys):
    network = model()
    network.fit(X, Y, epochs=2, verbose=2, validation_data=(X, Y))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Epoch 1/2"
    assert lines[1].startswith("1/1 - 0s - ")
    assert lines[1].count(" - ") == 4
    network.fit(X, Y, epochs=2, verbose=3)
    assert capsys.readouterr().out == "Epoch 1/2\nEpoch 2/2\n"


def test_evaluate_and_predict_print_a_line_of_their_own(capsys):
    network = model()
    network.evaluate(X, Y, verbose=2)
    assert " - loss: " in capsys.readouterr().out
    network.predict(X, verbose=2)
    assert capsys.readouterr().out.startswith("1/1 - 0s - ")


def test_numbers_are_reported_in_the_format_of_keras():
    assert metrics_text({"loss": 0.25, "tiny": 0.00012345}) == " - loss: 0.2500 - tiny: 1.2345e-04"
    assert [clock(s) for s in (7.4, 67, 7267)] == ["7s", "1:07", "2:01:07"]
    paces = [per_step(s, "step") for s in (2.0, 0.0205, 3e-5)]
    assert paces == ["2s/step", "20ms/step", "30us/step"]


def test_early_stopping_says_where_it_stopped_and_what_it_kept(capsys):
    stop = tf.keras.callbacks.EarlyStopping(
        monitor="loss", mode="max", verbose=1, restore_best_weights=True, patience=1
    )
    model().fit(X, Y, epochs=5, verbose=0, callbacks=[stop])
    assert capsys.readouterr().out == (
        "Epoch 2: early stopping\nRestoring model weights from the end of the best epoch: 1.\n"
    )


def test_a_changed_rate_is_reported(capsys):
    halve = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2, verbose=1)
    model().fit(X, Y, verbose=0, callbacks=[halve])
    assert capsys.readouterr().out == (
        "\nEpoch 1: LearningRateScheduler setting learning rate to 0.05000000074505806.\n"
    )


def test_a_reduced_rate_is_reported(capsys):
    plateau = tf.keras.callbacks.ReduceLROnPlateau(
        monitor="loss", min_delta=9.0, patience=1, verbose=1, factor=0.5
    )
    model().fit(X, Y, epochs=2, verbose=0, callbacks=[plateau])
    assert "Epoch 2: ReduceLROnPlateau reducing learning rate to 0.05" in capsys.readouterr().out


def test_an_unknown_mode_is_taken_for_auto():
    with pytest.warns(UserWarning, match="mode 'x' is unknown, fallback to auto mode"):
        stop = tf.keras.callbacks.EarlyStopping(mode="x")
    assert stop.mode == "auto"


def test_rounds_are_written_into_a_file(tmp_path):
    path = tmp_path / "log.csv"
    writer = tf.keras.callbacks.CSVLogger(path)
    model().fit(X, Y, epochs=2, verbose=0, callbacks=[writer])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "epoch,loss,val_loss"
    assert [line.split(",")[0] for line in lines[1:]] == ["0", "1"]
