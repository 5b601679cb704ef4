"""What `fit` prints: a bar that fills up, or one line for each round."""

from __future__ import annotations

import sys
import time
from typing import Any, Final

from tapelab.keras.callbacks.callback import Callback

WIDTH: Final = 20
INTERVAL: Final = 0.05


class ProgbarLogger(Callback):
    """Prints how far a round has come, and what the metrics say."""

    def __init__(self) -> None:
        super().__init__()
        self._line: Line | None = None
        self._within_fit = False
        self._step = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Remember that rounds of validation belong to a round of training."""
        self._within_fit = True

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Print the number of the round, if there are several."""
        if self.params["epochs"] > 1:
            sys.stdout.write(f"Epoch {epoch + 1}/{self.params['epochs']}\n")
        self._begin()

    def on_test_begin(self, logs: Any = None) -> None:
        """Start a bar, where `evaluate` stands by itself."""
        if not self._within_fit:
            self._begin()

    def on_predict_begin(self, logs: Any = None) -> None:
        """Start a bar."""
        self._begin()

    def _begin(self) -> None:
        self._line = Line(self.params.get("steps"), self.params["verbose"])
        self._step = 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Let the bar grow."""
        self._grow(batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Let the bar grow, where `evaluate` stands by itself."""
        if not self._within_fit:
            self._grow(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Let the bar grow."""
        self._grow(batch, {})

    def _grow(self, batch: int, logs: Any) -> None:
        assert self._line is not None
        self._step = batch + 1
        self._line.show(self._step, logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Print the whole line of the round."""
        self._finish(logs)

    def on_test_end(self, logs: Any = None) -> None:
        """Print the whole line, where `evaluate` stands by itself."""
        if not self._within_fit:
            self._finish(logs)

    def on_predict_end(self, logs: Any = None) -> None:
        """Print the whole line."""
        self._finish({})

    def _finish(self, logs: Any) -> None:
        assert self._line is not None
        self._line.finish(self._step, logs or {})


def _in_notebook() -> bool:
    """Whether a kernel runs this, whose front-end can write a line over itself."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


class Line:
    """One line of progress, written over itself where somebody can watch it grow.

    A plain log gets the finished line only.
    """

    def __init__(self, steps: int | None, verbose: int) -> None:
        self._steps, self._verbose = steps, verbose
        self._started = self._shown = time.time()
        self._length = 0
        self._alive = verbose == 1 and (sys.stdout.isatty() or _in_notebook())

    def show(self, step: int, logs: dict[str, Any]) -> None:
        """Write the line as it stands, unless that was done a moment ago."""
        now = time.time()
        if not self._alive or (now - self._shown < INTERVAL and step > 1):
            return
        self._shown = now
        self._write(f"{self._bar(step)} {self._pace(step, now, done=False)}{told(logs)}", "")

    def finish(self, step: int, logs: dict[str, Any]) -> None:
        """Write the line for good; a number above 2 asks for nothing but the rounds."""
        if self._verbose > 2:
            return
        self._steps = self._steps or step
        pace = self._pace(step, time.time(), done=True)
        if self._verbose == 2:
            self._write(f"{step}/{self._steps} - {pace.replace(' ', ' - ', 1)}{told(logs)}", "\n")
            return
        self._write(f"{self._bar(step)} {pace}{told(logs)}", "\n")

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
        """The time that was needed, or is still needed, and the time of a step."""
        each = (now - self._started) / max(step, 1)
        whole = now - self._started if done else each * ((self._steps or step) - step)
        return f"{clock(whole)} {per_step(each)}"


def told(logs: dict[str, Any]) -> str:
    """What the metrics say, as the end of a line."""
    return "".join(f" - {name}: {_number(value)}" for name, value in logs.items())


def _number(value: Any) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"


def clock(seconds: float) -> str:
    """A time as a clock shows it: 7s, 1:07, 2:01:07."""
    hours, rest = divmod(int(seconds), 3600)
    if hours:
        return f"{hours}:{rest // 60:02d}:{rest % 60:02d}"
    return f"{rest // 60}:{rest % 60:02d}" if rest >= 60 else f"{rest}s"


def per_step(seconds: float) -> str:
    """How long a step takes, in the unit that suits."""
    if seconds >= 1:
        return f"{seconds:.0f}s/step"
    return f"{seconds * 1e3:.0f}ms/step" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/step"
