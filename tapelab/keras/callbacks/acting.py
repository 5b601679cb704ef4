"""Callbacks that set the learning rate, end a broken training, or write a file."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tapelab.core.tensor import Tensor
from tapelab.keras.callbacks.callback import Callback


class LearningRateScheduler(Callback):
    """Set the learning rate before each round, as a function of its number says."""

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the rate of the round."""
        optimizer = self.model.optimizer
        try:
            rate = self.schedule(epoch, float(optimizer.learning_rate))
        except TypeError:  # a function of the round alone
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.floating, Tensor)):
            raise ValueError(
                f"The output of the `schedule` function should be a float. Got: {rate}"
            )
        optimizer.learning_rate = rate
        if self.verbose:
            sys.stdout.write(
                f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to "
                f"{float(rate)}.\n"
            )

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Let the logs tell the rate."""
        if logs is not None:
            logs["learning_rate"] = float(self.model.optimizer.learning_rate)


class TerminateOnNaN(Callback):
    """End training when the loss is no longer a number."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Look at the loss."""
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            sys.stdout.write(f"Batch {batch}: Invalid loss, terminating training\n")
            self.model.stop_training = True


class CSVLogger(Callback):
    """Write the logs of each round into a file, one line for each."""

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.separator, self.append = Path(filename), separator, append
        self._names: list[str] | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin a new file, unless lines are to be added."""
        self._names = None
        if not self.append:
            self.filename.write_text("", encoding="utf-8")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write a line."""
        told = logs or {}
        with self.filename.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=self.separator, lineterminator="\n")
            if self._names is None:
                self._names = sorted(told)
                if file.tell() == 0:
                    writer.writerow(["epoch", *self._names])
            writer.writerow([epoch, *(told.get(name, "NA") for name in self._names)])
