"""The steps that a tape took, the last first, as a backward pass visits them.

A tape has windows into logs: the stretches in which it was recording. A window holds the records of
everything that happened in its thread; a step (the run of an op, or a call of a compiled program)
names the tapes that took it. A call is one step, which can be expanded into the runs inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from tapelab.core.large_values import Dropped
from tapelab.core.log import Log
from tapelab.core.records import (
    CUSTOM_VJP,
    STEPS,
    OpRun,
    Record,
    TapedCall,
    as_op_run,
    kind_of,
    steps_taken,
    tapes_of,
    view,
)
from tapelab.core.tape_base import TapeBase

Window = tuple[Log, int, int]
"""A log, and the places of the first record and behind the last."""


class TapedSteps:
    """The steps that a tape has taken up to now."""

    __slots__ = ("_serial", "holds_calls", "holds_large_values", "windows")

    def __init__(self, tape: TapeBase) -> None:
        self._serial = tape._serial
        self.windows: list[Window] = []
        self.holds_calls = False
        self.holds_large_values = False  # or gradient functions of the user
        for log, start, stop in tape._windows:
            self.windows.append((log, start, len(log.records) if stop is None else stop))
            self.holds_calls |= log.holds_calls
            self.holds_large_values |= bool(log.large_records)

    def backwards(self) -> Iterable[Record]:
        """All steps, last first."""
        parts = []
        for log, start, stop in reversed(self.windows):
            steps = steps_taken(log.records[start:stop], self._serial)
            steps.reverse()
            parts.append(steps)
        return parts[0] if len(parts) == 1 else chain.from_iterable(parts)

    def backwards_once(self) -> Iterator[Record]:
        """All steps, last first; the large values of each are released behind it."""
        for log, start, stop in reversed(self.windows):
            records, large_records = log.records, log.large_records
            for at in range(stop - 1, start - 1, -1):
                record = records[at]
                if kind_of(record) in STEPS and self._serial in tapes_of(record):
                    yield record
                if at in large_records:
                    records[at] = log.summary_of(at)

    def runs_backwards(self) -> Iterable[Record]:
        """All runs of ops, last first, those inside calls among them."""
        return self.expanded(self.backwards())

    def expanded(self, steps: Iterable[Record]) -> Iterable[Record]:
        """Steps, last first, with the runs that the tape took in place of each call."""
        return self._expanded(steps) if self.holds_calls else steps

    def _expanded(self, steps: Iterable[Record]) -> Iterator[Record]:
        for record in steps:
            if kind_of(record) is TapedCall:
                inside = view(TapedCall, record).call.op_runs(record)
                yield from [run for run in reversed(inside) if self._serial in tapes_of(run)]
            else:
                yield record

    def large_runs(self) -> Iterator[OpRun]:
        """Runs of ops in the logs of this tape on values that are released later."""
        for log, _, _ in self.windows:
            for at in log.large_records:
                yield as_op_run(log.records[at])


def is_needed_once(tape: TapeBase) -> bool:
    """Whether a tape keeps its values for one backward pass, and no other tape needs them."""
    if tape._persistent:
        return False
    holders = [each() for log, _, _ in tape._windows for each in log.holders]
    return all(each is None or each is tape for each in holders)


def is_released(tape: TapeBase) -> bool:
    """Whether the tape has released a large value that a backward pass would read."""
    if not tape._consumed:
        return False
    return any(map(_misses_values, map(as_op_run, TapedSteps(tape).runs_backwards())))


def _misses_values(run: OpRun) -> bool:
    values = (*run.inputs, *(value for _, value in run.result_pairs))
    return Dropped in map(type, values) or run.settings.get(CUSTOM_VJP, True) is None
