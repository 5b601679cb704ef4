"""Callbacks that save the model during training, and go on with a training that was interrupted."""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from tapelab.keras.callbacks.callback import Callback
from tapelab.keras.callbacks.training_control import MetricMonitor
from tapelab.keras.class_settings import setting


class _BatchCounter:
    """Says after which batches a callback saves that saves every so many of them."""

    def __init__(self, save_freq: Any, message: str) -> None:
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(message)
        self._every = save_freq
        self._since = 0

    def is_due(self) -> bool:
        """Count a batch; return whether to save after it."""
        if self._every == "epoch":
            return False
        self._since += 1
        due: bool = self._since >= self._every
        self._since = 0 if due else self._since
        return due


class ModelCheckpoint(MetricMonitor):
    """Saves the model or its weights after each epoch, or only when a metric has improved."""

    filepath: str = setting(before="monitor", convert=str)
    verbose: int = setting(0, before="mode")
    save_best_only: bool = setting(False, before="mode")
    save_weights_only: bool = setting(False, before="mode")
    save_freq: Any = setting("epoch")
    initial_value_threshold: float | None = setting(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._batches = _BatchCounter(
            self.save_freq,
            f"Unrecognized save_freq: {self.save_freq}. Expected save_freq are 'epoch' or integer "
            "values",
        )
        if self.save_weights_only and not self.filepath.endswith(".weights.h5"):
            raise ValueError(
                "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided "
                "must end in `.weights.h5` (Keras weights format). "
                f"Received: filepath={self.filepath}"
            )
        if not self.save_weights_only and not self.filepath.endswith(".keras"):
            raise ValueError(
                "The filepath provided must end in `.keras` (Keras model format). "
                f"Received: filepath={self.filepath}"
            )
        self.best: Any = self.initial_value_threshold
        self._epoch = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Note the epoch, for names of files."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Save the model if `save_freq` batches have passed."""
        if self._batches.is_due():
            self._save(logs or {}, batch=batch + 1)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Save the model of the epoch, if it is to be kept."""
        self._epoch = epoch
        if self.save_freq == "epoch":
            self._save(logs or {})

    def _save(self, logs: dict[str, Any], **batch: int) -> None:
        path = self._path({**batch, **logs})
        if not self._is_kept(logs, path):
            return
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        if Path(path).is_dir():
            raise OSError(
                "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an "
                f"existing directory: {path}"
            )
        (self.model.save_weights if self.save_weights_only else self.model.save)(path)
        self._report(f"finished saving model to {path}")

    def _path(self, values: dict[str, Any]) -> str:
        try:
            return self.filepath.format(epoch=self._epoch + 1, **values)
        except KeyError as error:
            raise KeyError(
                f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}'
            ) from error

    def _is_kept(self, logs: dict[str, Any], path: str) -> bool:
        """Whether the model is saved now; says so if `verbose` is set."""
        if not self.save_best_only:
            self._report(f"saving model to {path}")
            return True
        value = logs.get(self.monitor)
        if value is None:
            warnings.warn(f"Can save best model only with {self.monitor} available.", stacklevel=4)
            return True
        if np.ndim(value):
            warnings.warn(
                "Can save best model only when `monitor` is a scalar value. Received: "
                f"{value}. Falling back to `save_best_only=False`.",
                stacklevel=4,
            )
            return True
        best = "None" if self.best is None else f"{self.best:.5f}"
        if not self.improved(value, self.best):
            self._report(f"{self.monitor} did not improve from {best}")
            return False
        self._report(f"{self.monitor} improved from {best} to {value:.5f}, saving model to {path}")
        self.best = value
        return True

    def _report(self, text: str) -> None:
        if self.verbose:
            sys.stdout.write(f"\nEpoch {self._epoch + 1}: {text}\n")


class BackupAndRestore(Callback):
    """Backs the training up after each epoch, and goes on with one that was interrupted."""

    backup_dir: str = setting(convert=lambda path: str(path or ""))
    save_freq: Any = setting("epoch")
    double_checkpoint: bool = setting(False)
    delete_checkpoint: bool = setting(True)

    def __post_init__(self) -> None:
        if not self.backup_dir:
            raise ValueError("Empty `backup_dir` argument passed")
        self._batches = _BatchCounter(
            self.save_freq,
            f"Invalid value for argument `save_freq`. Received: save_freq={self.save_freq}. "
            "Expected either 'epoch' or an integer value.",
        )
        folder = Path(self.backup_dir)
        self._weights = folder / "latest.weights.h5"
        self._metadata = folder / "training_metadata.json"
        self._epoch = self._batch = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Restore the state of a training that was interrupted; an older one if it is damaged."""
        if not self.model.built:
            raise ValueError(
                "To use the BackupAndRestore callback, you model must be built before you call "
                f"`fit()`. Model {self.model} is unbuilt. You can build it beforehand by calling "
                "it on a batch of data."
            )
        try:
            self._restore()
        except OSError:
            if not _copy_of(self._weights).exists():
                raise
            for file in (self._weights, self._metadata):
                shutil.copy(_copy_of(file), file)
            self._restore()

    def _restore(self) -> None:
        if self._weights.exists():
            if self.model.optimizer is not None and not self.model.optimizer.built:
                self.model.optimizer.build(self.model.trainable_variables)
            self.model.load_weights(self._weights)
        if self._metadata.exists():
            self.model._compiled.first_epoch = json.loads(self._metadata.read_text())["epoch"]

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Back up if `save_freq` batches have passed."""
        self._batch = batch
        if self._batches.is_due():
            self._back_up()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Back up the epoch."""
        self._epoch, self._batch = epoch + 1, 0
        if self.save_freq == "epoch":
            self._back_up()

    def _back_up(self) -> None:
        self._weights.parent.mkdir(parents=True, exist_ok=True)
        for file in (self._weights, self._metadata):
            if self.double_checkpoint and file.exists():
                shutil.copy(file, _copy_of(file))
        self.model.save_weights(self._weights)
        self._metadata.write_text(json.dumps({"epoch": self._epoch, "batch": self._batch}))

    def on_train_end(self, logs: Any = None) -> None:
        """Delete the backup, unless it is to be kept."""
        if self.delete_checkpoint and self._weights.parent.exists():
            shutil.rmtree(self._weights.parent)


def _copy_of(file: Path) -> Path:
    """The older copy of a file of the backup."""
    return file.with_name(f"{file.name}.bkp")
