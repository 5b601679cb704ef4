"""Callbacks that report training: the progress bar of `fit`, and a file of the logs."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from tapelab.keras.callbacks.callback import Callback
from tapelab.keras.class_settings import setting
from tapelab.keras.utils.progress_bar import ProgressLine


class ProgbarLogger(Callback):
    """Prints the progress of an epoch, and the metrics."""

    def __init__(self) -> None:
        super().__init__()
        self._line: ProgressLine | None = None
        self._within_fit = False
        self._step = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Note that validation is a part of an epoch from now on."""
        self._within_fit = True

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Print the number of the epoch, if there are several."""
        if self.params["epochs"] > 1:
            sys.stdout.write(f"Epoch {epoch + 1}/{self.params['epochs']}\n")
        self._start_line()

    def on_test_begin(self, logs: Any = None) -> None:
        """Start a bar for `evaluate` outside training."""
        if not self._within_fit:
            self._start_line()

    def on_predict_begin(self, logs: Any = None) -> None:
        """Start a bar."""
        self._start_line()

    def _start_line(self) -> None:
        self._line = ProgressLine(self.params.get("steps"), self.params["verbose"])
        self._step = 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Extend the bar."""
        self._extend(batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Extend the bar of `evaluate` outside training."""
        if not self._within_fit:
            self._extend(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Extend the bar."""
        self._extend(batch, {})

    def _extend(self, batch: int, logs: Any) -> None:
        assert self._line is not None
        self._step = batch + 1
        self._line.show(self._step, logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Print the final line of the epoch."""
        self._finish(logs)

    def on_test_end(self, logs: Any = None) -> None:
        """Print the final line of `evaluate` outside training."""
        if not self._within_fit:
            self._finish(logs)

    def on_predict_end(self, logs: Any = None) -> None:
        """Print the final line."""
        self._finish({})

    def _finish(self, logs: Any) -> None:
        assert self._line is not None
        self._line.finish(self._step, logs or {})


class CSVLogger(Callback):
    """Writes the logs of each epoch to a line of a file."""

    filename: Path = setting(convert=Path)
    separator: str = setting(",")
    append: bool = setting(False)

    def on_train_begin(self, logs: Any = None) -> None:
        """Start a new file, unless lines are to be appended."""
        self._names: list[str] | None = None
        if not self.append:
            self.filename.write_text("", encoding="utf-8")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write a line."""
        values = logs or {}
        with self.filename.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=self.separator, lineterminator="\n")
            if self._names is None:
                self._names = sorted(values)
                if not any(name.startswith("val_") for name in values):  # they may come later
                    self._names += [f"val_{name}" for name in self._names]
                if self.filename.stat().st_size == 0:
                    writer.writerow(["epoch", *self._names])
            writer.writerow([epoch, *(values.get(name, "NA") for name in self._names)])
