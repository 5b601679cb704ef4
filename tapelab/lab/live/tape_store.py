"""Tapes of gradient calls, kept so that the recording of a step can be opened later.

A tape that would keep large values alive is held by a weak reference alone; of a small one a
snapshot is kept. Each store has a limit in tapes and in bytes, and the oldest make room.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from tapelab.lab.notebook_cells import RUNNING
from tapelab.recorder.tape_snapshot import keeps_nothing_alive, tape_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tapelab.core.backward_report import GradientCall
    from tapelab.core.tape import GradientTape

A_RECORD: Final = 600
"""The approximate size of one record of a released tape, in bytes."""
MOST_BYTES: Final = 32_000_000
LARGEST: Final = MOST_BYTES // 4
MOST_PINNED: Final = 8


class KeptTape:
    """One tape with one of its gradient calls.

    A tape that still has large values to keep, or is very long, is not kept alive: it can be looked
    at as long as the learner's code holds it.
    """

    def __init__(self, tape: GradientTape, answer: GradientCall) -> None:
        self.bytes = A_RECORD * (1 + sum(_length(window) for window in tape._windows))
        self._copy: GradientTape | None = None
        self._tape: ref[GradientTape] | None = None
        if self.bytes <= LARGEST and keeps_nothing_alive(tape):
            self._copy = tape_snapshot(tape, [answer])
        else:
            self._tape, self._serial, self.bytes = ref(tape), answer.serial, A_RECORD

    def original(self) -> GradientTape | None:
        """The copy, or the learner's own tape; None where it is gone."""
        return self._copy if self._tape is None else self._tape()

    def tape(self) -> GradientTape | None:
        """A tape to be looked at, with its one question; None where it is gone."""
        tape = self.original()
        if tape is None or tape is self._copy:
            return tape
        answers = [each for each in tuple(tape._gradient_calls) if each.serial == self._serial]
        return tape_snapshot(tape, answers) if answers else None


def _length(window: list[Any]) -> int:
    log, start, stop = window
    length: int = (len(log.records) if stop is None else stop) - start
    return length


class TapeStore:
    """The tapes of some steps; those of the oldest make room for new ones, pinned ones last."""

    def __init__(self) -> None:
        self._kept: dict[int, KeptTape] = {}
        self._pinned: set[int] = set()
        self._bytes = 0

    def pin(self, step: int) -> None:
        """Keep the tape of a step at which a gradient first went wrong, while there is room."""
        if len(self._pinned) < MOST_PINNED:
            self._pinned.add(step)

    def put(self, step: int, kept: KeptTape, most: int) -> None:
        """Keep the tape of a step, and at most so many in all."""
        if step in self._kept:
            return
        self._kept[step] = kept
        self._bytes += kept.bytes
        while len(self._kept) > most or self._bytes > MOST_BYTES:
            self._bytes -= self._kept.pop(self._oldest()).bytes

    def _oldest(self) -> int:
        """The oldest step that is not pinned; the oldest of all where all are."""
        free = (step for step in self._kept if step not in self._pinned)
        return next(free, next(iter(self._kept)))

    def __contains__(self, step: int) -> bool:
        return step in self._kept

    def steps(self) -> list[int]:
        """The steps whose tapes can be looked at, in order."""
        return sorted(
            step for step, kept in tuple(self._kept.items()) if kept.original() is not None
        )

    def tape(self, step: int) -> GradientTape | None:
        """The tape of a step, with the one question of that step; None if it is not kept."""
        kept = self._kept.get(step)
        return None if kept is None else kept.tape()


class RateLimit:
    """A rate limit: so many at once, and afterwards so many a second."""

    def __init__(self, at_once: int, rate: float) -> None:
        self._left, self._most, self._rate = float(at_once), at_once, rate
        self._then = time.monotonic()

    def take(self, wanted: int = 1) -> int:
        """How many of those that are wanted there are; they are taken."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._then) * self._rate)
        self._then = now
        taken = min(wanted, int(self._left))
        self._left -= taken
        return taken


MOST_CELLS: Final = 100


class CellTapes:
    """The last called tape of each cell; those that ran longest ago make room."""

    def __init__(self) -> None:
        self._fresh: dict[str, tuple[int, Callable[[], GradientTape | None], GradientCall]] = {}
        self._kept: dict[str, tuple[int, KeptTape]] = {}

    def note(self, tape: Callable[[], GradientTape | None], answer: GradientCall) -> None:
        """Note a call of the running cell; its tape is kept by the next `keep`."""
        if RUNNING.cell.id is not None:
            self._fresh[RUNNING.cell.id] = RUNNING.execution, tape, answer

    def keep(self) -> None:
        """Keep what was noted since the last call."""
        fresh, self._fresh = self._fresh, {}
        for cell, (execution, held, answer) in fresh.items():
            tape = held()
            if tape is not None and answer in tape._gradient_calls:
                self._kept.pop(cell, None)
                self._kept[cell] = execution, KeptTape(tape, answer)
        while len(self._kept) > MOST_CELLS or self._bytes() > MOST_BYTES:
            del self._kept[next(iter(self._kept))]

    def _bytes(self) -> int:
        return sum(kept.bytes for _, kept in self._kept.values())

    def of(self, cell: str) -> GradientTape | None:
        """The last called tape of a cell; None if the cell ran again or the tape is gone."""
        execution, kept = self._kept.get(cell, (0, None))
        current = execution == RUNNING.executions.get(cell)
        return kept.tape() if kept is not None and current else None

    def __iter__(self) -> Iterator[GradientTape]:
        """All that are there still."""
        tapes = [self.of(cell) for cell in tuple(self._kept)]
        return (tape for tape in tapes if tape is not None)
