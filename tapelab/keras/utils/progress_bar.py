"""The line of progress that `fit` writes, and `tf.keras.utils.Progbar` for loops of your own."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

INTERVAL: Final = 0.05
"""Seconds between two versions of a line."""


def _in_notebook() -> bool:
    """Whether this runs in a notebook, which can overwrite a line."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


class ProgressLine:
    """A line of progress, which overwrites itself in a terminal or a notebook.

    A file gets the final line only.
    """

    def __init__(
        self, steps: int | None, verbose: int, width: int = 20, unit: str = "step"
    ) -> None:
        self._steps, self._verbose, self._width, self._unit = steps, verbose, width, unit
        self._started = self._shown = time.time()
        self._length = 0
        self._alive = verbose == 1 and (sys.stdout.isatty() or _in_notebook())

    def show(self, step: int, logs: dict[str, Any], *, always: bool = False) -> None:
        """Write the current line, unless the last one is recent or a file cannot show it."""
        now = time.time()
        if not always and (not self._alive or (now - self._shown < INTERVAL and step > 1)):
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
        start = "\r" if self._alive else "\n" if self._length or not end else ""
        sys.stdout.write(f"{start}{text}{' ' * (self._length - len(text))}{end}")
        sys.stdout.flush()
        self._length = len(text)

    def _bar(self, step: int) -> str:
        if self._steps is None:
            return f"{step:7d}/Unknown"
        filled = int(self._width * step / max(self._steps, 1))
        count = f"{step:{len(str(self._steps))}d}/{self._steps}"
        full, empty = "━" * filled, "━" * (self._width - filled)
        if not self._alive:
            return f"{count} {full}"
        return f"\033[1m{count}\033[0m \033[32m{full}\033[0m\033[37m{empty}\033[0m"

    def _pace(self, step: int, now: float, *, done: bool) -> str:
        """The time that has passed or remains, and the time per step."""
        each = (now - self._started) / max(step, 1)
        whole = now - self._started if done else each * ((self._steps or step) - step)
        return f"{clock(whole)} {per_step(each, self._unit)}"


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


def per_step(seconds: float, unit: str) -> str:
    """Return the time per step, in a suitable unit."""
    if seconds >= 1 or not seconds:
        return f"{seconds:.0f}s/{unit}"
    return f"{seconds * 1e3:.0f}ms/{unit}" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/{unit}"


class Progbar:
    """A line of progress towards a target, with the means of values.

    Values whose names are in `stateful_metrics` are shown as they are, not averaged; with
    `stateless_metrics` all others are.
    """

    def __init__(
        self, target: int | None, width: int = 20, verbose: int = 1, interval: float = INTERVAL,
        stateful_metrics: Iterable[str] | None = None,
        stateless_metrics: Iterable[str] | None = None, unit_name: str = "step",
    ) -> None:  # fmt: skip
        if stateful_metrics is not None and stateless_metrics is not None:
            raise ValueError(
                "Only one of `stateful_metrics` or `stateless_metrics` can be provided. "
                "`stateful_metrics` is used to make metrics stateless by default (with an "
                "exclusion list), while `stateless_metrics` is used to make metrics stateful by "
                "default (with an exclusion list)."
            )
        self.target, self.width, self.verbose = target, width, verbose
        self.interval, self.unit_name = interval, unit_name
        self._averages_named = stateless_metrics is not None
        self._named = set(stateless_metrics or stateful_metrics or ())
        self._line = ProgressLine(target, verbose, width, unit_name)
        self._values: dict[str, tuple[Any, float]] = {}
        self._seen = 0
        self._updated = -np.inf

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """Show a number of steps, and pairs of a name and its last value."""
        done = self.target is not None and current >= self.target
        finalize = done if finalize is None else finalize
        steps = 1 if finalize else max(current - self._seen, 1)
        for name, value in values or ():
            total, count = 0.0, 0.0
            if (name in self._named) == self._averages_named and not finalize:
                total, count = self._values.get(name, (0, 0))
            self._values[name] = (total + np.asarray(value) * steps, count + steps)
        self._seen = current
        means = {name: float(np.mean(total)) / n for name, (total, n) in self._values.items()}
        now = time.monotonic()
        if finalize:
            self._line.finish(current, means)
        elif self.verbose == 1 and now - self._updated >= self.interval:
            self._line.show(current, means, always=True)
        self._updated = now

    def add(self, n: int, values: Any = None) -> None:
        """Show `n` more steps."""
        self.update(self._seen + n, values)
