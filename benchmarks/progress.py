"""How far a run is: in place on a terminal, else a line for each task."""

from __future__ import annotations

import time
from typing import Final, Self, TextIO

from benchmarks.works import BY_NAME

KNOWN_FROM: Final = 20
"""After so many turns, what is left can be guessed."""
WIDTH: Final = 100


class Progress:
    """Tells of each turn before it is taken, and at the end how long all took."""

    def __init__(self, total: int, out: TextIO) -> None:
        self._total, self._out = total, out
        self._done, self._begun = 0, time.perf_counter()
        self._last = (-1, "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        minutes = (time.perf_counter() - self._begun) / 60
        print(f"\r{f'{self._done} turns in {minutes:.1f} minutes':{WIDTH}}", file=self._out)

    def announce(self, number: int, task: str, name: str) -> None:
        """Tell which round, task and contender are next."""
        title = BY_NAME[task].title if task in BY_NAME else "1e6-op tape"
        share = f"{100 * self._done // self._total:3}%"
        line = f"{share}{self._left()} · round {number + 1} · {title[:40]}"
        if self._out.isatty():
            print(f"\r{f'{line} · {name}':{WIDTH}}", end="", file=self._out, flush=True)
        elif (number, task) != self._last:
            print(line, file=self._out, flush=True)
        self._last = number, task
        self._done += 1

    def _left(self) -> str:
        if self._done < KNOWN_FROM:
            return ""
        each = (time.perf_counter() - self._begun) / self._done
        return f", about {each * (self._total - self._done) / 60:.0f} minutes left"
