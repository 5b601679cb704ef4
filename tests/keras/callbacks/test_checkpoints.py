"""Callbacks that save models: when, under which names, and how a training goes on."""

import numpy as np
import pytest

import tapelab as tf

keras = tf.keras
X, Y = np.arange(4.0).reshape(4, 1), np.arange(4.0).reshape(4, 1)


def network(rate=0.01):
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(rate), "mse")
    return model


def fit(model, callback, epochs=1, **settings):
    return model.fit(X, Y, epochs=epochs, verbose=0, callbacks=[callback], **settings)


def test_a_checkpoint_keeps_the_best_weights(tmp_path, capsys):
    model = network(3.0)  # diverges
    path = tmp_path / "best.weights.h5"
    keep = keras.callbacks.ModelCheckpoint(
        path, monitor="loss", save_best_only=True, save_weights_only=True, verbose=1
    )
    fit(model, keep)
    after_one = model.get_weights()
    fit(model, keep, epochs=2)
    model.load_weights(path)
    for kept, first in zip(model.get_weights(), after_one, strict=True):
        np.testing.assert_array_equal(kept, first)
    lines = capsys.readouterr().out
    assert lines.count("loss improved from None to") == 1
    assert lines.count("loss did not improve from") == 2


def test_a_checkpoint_makes_its_folder_and_names_files_by_epoch(tmp_path):
    path = tmp_path / "new" / "m-{epoch:02d}-{loss:.0f}.keras"
    fit(network(), keras.callbacks.ModelCheckpoint(path), epochs=2)
    files = sorted((tmp_path / "new").iterdir())
    assert [each.name[:4] for each in files] == ["m-01", "m-02"]
    assert int(keras.models.load_model(files[1]).optimizer.iterations.numpy()) == 2


def test_a_checkpoint_is_written_every_so_many_batches(tmp_path):
    path = str(tmp_path / "{epoch}-{batch}.weights.h5")
    keep = keras.callbacks.ModelCheckpoint(path, save_weights_only=True, save_freq=3)
    fit(network(), keep, epochs=2, batch_size=1)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["1-3.weights.h5", "2-2.weights.h5"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"filepath": "m.txt"}, "must end in `.keras`"),
        ({"filepath": "m.txt", "save_weights_only": True}, r"must end in `\.weights\.h5`"),
        ({"filepath": "m.keras", "save_freq": "day"}, "Unrecognized save_freq: day"),
    ],
)
def test_a_checkpoint_that_cannot_be_is_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        keras.callbacks.ModelCheckpoint(**settings)


def test_a_name_with_an_unknown_metric_is_refused(tmp_path):
    keep = keras.callbacks.ModelCheckpoint(tmp_path / "{acc}.keras")
    with pytest.raises(KeyError, match="Failed to format this callback filepath"):
        fit(network(), keep)


class _Stop(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            raise RuntimeError("interrupted")


def test_an_interrupted_training_goes_on_where_it_was(tmp_path):
    whole = network()
    fit(whole, keras.callbacks.TerminateOnNaN(), epochs=4, shuffle=False)
    model = network()
    model.set_weights(whole.get_weights())
    start = [each * 0 for each in model.get_weights()]
    for each in (model, whole):
        each.set_weights(start)
    whole.fit(X, Y, epochs=4, verbose=0, shuffle=False)
    backup = keras.callbacks.BackupAndRestore(tmp_path / "backup")
    with pytest.raises(RuntimeError, match="interrupted"):
        model.fit(X, Y, epochs=4, verbose=0, shuffle=False, callbacks=[backup, _Stop()])
    again = network()
    history = fit(again, backup, epochs=4, shuffle=False)
    assert history.epoch == [2, 3]
    for one, other in zip(again.get_weights(), whole.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert not (tmp_path / "backup").exists()


def test_a_damaged_backup_is_replaced_by_the_one_before(tmp_path):
    settings = {"double_checkpoint": True, "delete_checkpoint": False}
    backup = keras.callbacks.BackupAndRestore(tmp_path / "b", **settings)
    fit(network(), backup, epochs=2)
    (tmp_path / "b" / "latest.weights.h5").write_bytes(b"rubbish")
    assert fit(network(), backup, epochs=3).epoch == [1, 2]
