"""Callbacks that watch one number, and act when it gets no better."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Final

import numpy as np

from tapelab.keras.callbacks.callback import Callback

RISING: Final = ("accuracy", "acc", "auc", "precision", "recall", "fmeasure", "f1_score", "iou")
"""How the names of numbers end or begin that should become larger."""


class Monitor(Callback):
    """Knows a number of the logs, and whether it got better."""

    def __init__(self, monitor: str, mode: str = "auto", min_delta: float = 0) -> None:
        super().__init__()
        kind = type(self).__name__
        if mode not in {"auto", "min", "max"}:
            warnings.warn(f"{kind} mode '{mode}' is unknown, fallback to auto mode.", stacklevel=3)
            mode = "auto"
        rises = any(each in monitor.lower() for each in RISING)
        self.monitor, self.mode = monitor, mode
        self.rising = mode == "max" or (mode == "auto" and rises)
        self.min_delta = abs(min_delta)

    @property
    def worst(self) -> float:
        """What every number is better than."""
        return -np.inf if self.rising else np.inf

    def improved(self, value: Any, best: Any) -> bool:
        """Whether a number is better than another, by more than `min_delta`."""
        if self.rising:
            return bool(value - self.min_delta > best)
        return bool(value + self.min_delta < best)

    def number(self, logs: Any, does: str) -> Any:
        """The number to watch; a warning where the logs have none of that name."""
        found = (logs or {}).get(self.monitor)
        if found is None:
            warnings.warn(
                f"{does} conditioned on metric `{self.monitor}` which is not available. "
                f"Available metrics are: {','.join(logs or {})}",
                stacklevel=4,
            )
        return found


class EarlyStopping(Monitor):
    """End training when a number has not become better for some rounds."""

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0,
        verbose: int = 0, mode: str = "auto", baseline: float | None = None,
        restore_best_weights: bool = False, start_from_epoch: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights = restore_best_weights
        self.start_from_epoch = start_from_epoch
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best: Any = None
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Forget an earlier training."""
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best, self.best_weights = None, None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """See whether the number became better."""
        value = self.number(logs, "Early stopping")
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self.improved(value, self.worst if self.best is None else self.best):
            self._keep(epoch, value)
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def _keep(self, epoch: int, value: Any) -> None:
        self.best, self.best_epoch = value, epoch
        if self.restore_best_weights:
            self.best_weights = self.model.get_weights()
        if self.baseline is None or self.improved(value, self.baseline):
            self.wait = 0

    def on_train_end(self, logs: Any = None) -> None:
        """Say where training ended, and take the best weights if asked."""
        if self.stopped_epoch and self.verbose:
            sys.stdout.write(f"Epoch {self.stopped_epoch + 1}: early stopping\n")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose:
                sys.stdout.write(
                    "Restoring model weights from the end of the best epoch: "
                    f"{self.best_epoch + 1}.\n"
                )
            self.model.set_weights(self.best_weights)


class ReduceLROnPlateau(Monitor):
    """Make the learning rate smaller when a number has not become better for some rounds."""

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10,
        verbose: int = 0, mode: str = "auto", min_delta: float = 1e-4, cooldown: int = 0,
        min_lr: float = 0.0, **unused: Any,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        if factor >= 1.0:
            raise ValueError(
                f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}"
            )
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self.cooldown_counter = 0
        self.best: Any = self.worst

    def on_train_begin(self, logs: Any = None) -> None:
        """Forget an earlier training."""
        self.wait = self.cooldown_counter = 0
        self.best = self.worst

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """See whether the number became better."""
        logs = {} if logs is None else logs
        rate = float(self.model.optimizer.learning_rate)
        logs["learning_rate"] = rate
        value = self.number(logs, "Learning rate reduction is")
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.improved(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience and rate > self.min_lr:
                self._reduce(epoch, rate)

    def _reduce(self, epoch: int, rate: float) -> None:
        new = max(rate * self.factor, self.min_lr)
        self.model.optimizer.learning_rate = new
        self.cooldown_counter, self.wait = self.cooldown, 0
        if self.verbose:
            sys.stdout.write(
                f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.\n"
            )


class ModelCheckpoint(Monitor):
    """Save the weights after each round, or only when a number became better."""

    def __init__(
        self, filepath: Any, monitor: str = "val_loss", verbose: int = 0,
        save_best_only: bool = False, save_weights_only: bool = False, mode: str = "auto",
        save_freq: str = "epoch", initial_value_threshold: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode)
        if not save_weights_only:
            raise ValueError(
                "tapelab saves weights only. Try ModelCheckpoint('name.weights.h5', "
                "save_weights_only=True)."
            )
        if not str(filepath).endswith(".weights.h5"):
            raise ValueError(
                "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided "
                f"must end in `.weights.h5` (Keras weights format). Received: filepath={filepath}"
            )
        if save_freq != "epoch":
            raise ValueError("tapelab saves after whole rounds only: save_freq='epoch'.")
        self.filepath, self.verbose = str(filepath), verbose
        self.save_best_only = save_best_only
        self.best: Any = self.worst if initial_value_threshold is None else initial_value_threshold

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Save, if this round is to be kept."""
        if self.save_best_only:
            value = self.number(logs, "Can save best model only")
            if value is None or not self.improved(value, self.best):
                return
            self.best = value
        path = self.filepath.format(epoch=epoch + 1, **(logs or {}))
        if self.verbose:
            sys.stdout.write(f"\nEpoch {epoch + 1}: saving model to {path}\n")
        self.model.save_weights(path)
