"""Callbacks that report training: the progress bar of `fit`, and a file of the logs."""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path
from typing import Any, Final

from tapelab.keras.callbacks.callback import Callback
from tapelab.keras.class_settings import setting

WIDTH: Final = 20
INTERVAL: Final = 0.05


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


def _in_notebook() -> bool:
    """Whether this runs in a notebook, which can overwrite a line."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


class ProgressLine:
    """A line of progress, which overwrites itself in a terminal or a notebook.

    A file gets the final line only.
    """

    def __init__(self, steps: int | None, verbose: int) -> None:
        self._steps, self._verbose = steps, verbose
        self._started = self._shown = time.time()
        self._length = 0
        self._alive = verbose == 1 and (sys.stdout.isatty() or _in_notebook())

    def show(self, step: int, logs: dict[str, Any]) -> None:
        """Write the current line, unless the last one is recent."""
        now = time.time()
        if not self._alive or (now - self._shown < INTERVAL and step > 1):
            return
        self._shown = now
        self._write(
            f"{self._bar(step)} {self._pace(step, now, done=False)}{metrics_text(logs)}", ""
        )

    def finish(self, step: int, logs: dict[str, Any]) -> None:
        """Write the final line; none for `verbose` above 2."""
        if self._verbose > 2:
            return
        self._steps = self._steps or step
        pace = self._pace(step, time.time(), done=True)
        if self._verbose == 2:
            self._write(
                f"{step}/{self._steps} - {pace.replace(' ', ' - ', 1)}{metrics_text(logs)}", "\n"
            )
            return
        self._write(f"{self._bar(step)} {pace}{metrics_text(logs)}", "\n")

    def _write(self, text: str, end: str) -> None:
        start = "\r" if self._alive else ""
        sys.stdout.write(f"{start}{text}{' ' * (self._length - len(text))}{end}")
        sys.stdout.flush()
        self._length = len(text)

    def _bar(self, step: int) -> str:
        if self._steps is None:
            return f"{step:7d}/Unknown"
        filled = int(WIDTH * step / max(self._steps, 1))
        count = f"{step:{len(str(self._steps))}d}/{self._steps}"
        full, empty = "━" * filled, "━" * (WIDTH - filled)
        if not self._alive:
            return f"{count} {full}"
        return f"\033[1m{count}\033[0m \033[32m{full}\033[0m\033[37m{empty}\033[0m"

    def _pace(self, step: int, now: float, *, done: bool) -> str:
        """The time that has passed or remains, and the time per step."""
        each = (now - self._started) / max(step, 1)
        whole = now - self._started if done else each * ((self._steps or step) - step)
        return f"{clock(whole)} {per_step(each)}"


def metrics_text(logs: dict[str, Any]) -> str:
    """Return the metrics as the end of a line."""
    return "".join(f" - {name}: {_number(value)}" for name, value in logs.items())


def _number(value: Any) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"


def clock(seconds: float) -> str:
    """Return a time as 7s, 1:07 or 2:01:07."""
    hours, rest = divmod(int(seconds), 3600)
    if hours:
        return f"{hours}:{rest // 60:02d}:{rest % 60:02d}"
    return f"{rest // 60}:{rest % 60:02d}" if rest >= 60 else f"{rest}s"


def per_step(seconds: float) -> str:
    """Return the time per step, in a suitable unit."""
    if seconds >= 1:
        return f"{seconds:.0f}s/step"
    return f"{seconds * 1e3:.0f}ms/step" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/step"


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
                if self.filename.stat().st_size == 0:
                    writer.writerow(["epoch", *self._names])
            writer.writerow([epoch, *(values.get(name, "NA") for name in self._names)])
