"""What `fit` keeps of its steps: the series of gradient norms, and the tapes of a few of them.

A `TrainingLog` observes the gradient calls of its thread while it is open. It measures all of the
first ALWAYS steps, and later ones as often as SHARE of the thread's processor time allows: waiting
for other processes makes no step cheaper to measure. A step whose loss is not finite is always
measured.

Tapes are kept of the last RECENT measured steps, and of the first step at which a gradient was
None, not finite, zero or vanished. A kept tape has released its large values; one that has not, or
that is very long, is not kept. When the training ends, snapshots take their place, which keep no
variable and no model alive.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tapelab.core.gradient_call import observers
from tapelab.core.large_values import Dropped
from tapelab.core.log import thread
from tapelab.recorder.gradient_norms import quick_norm
from tapelab.recorder.tape_snapshot import keeps_nothing_alive, tape_snapshot
from tapelab.recording.training_series import (
    MOST_ROWS,
    MOST_VARIABLES,
    Norm,
    Row,
    SeriesVariable,
    State,
    TrainingSeries,
    least_norm,
    state_of,
    thinned,
)

if TYPE_CHECKING:
    from tapelab.core.backward_report import GradientCall
    from tapelab.core.origin import VariableIdentity
    from tapelab.core.tape import GradientTape

ALWAYS: Final = 20
SHARE: Final = 0.005
RECENT: Final = 8
LONGEST: Final = 20_000
"""A tape of more records is not kept."""


class KeptCall(NamedTuple):
    """A step's tape and the gradient call of that step."""

    step: int
    tape: GradientTape
    call: GradientCall


class Trouble(NamedTuple):
    """Something wrong with the gradient of a variable, and the first step that showed it."""

    variable: str
    state: State
    step: int


class TrainingLog:
    """The series of one training, as it grows."""

    def __init__(self) -> None:
        self.step = 0
        self.epochs: list[int] = []
        self.rows: list[Row] = []
        self.variables: list[SeriesVariable] = []
        self.troubles: dict[tuple[str, State], Trouble] = {}
        self.present: dict[str, State] = {}
        """What is wrong with the gradient of a variable, as far as it was measured last."""
        self._places: dict[int, int] = {}  # of each variable by its id, and by place:
        self._names: list[str] = []
        self._limits: list[float] = []
        self._recent: deque[KeptCall] = deque(maxlen=RECENT)
        self._pinned: dict[int, KeptCall] = {}
        self._previous: KeptCall | None = None
        self._thread = get_ident()
        self._due = 0.0
        self.last_serial = 0
        """The serial of the last gradient call of the training."""

    def begin_epoch(self) -> None:
        """The next step is the first of an epoch."""
        self.epochs.append(self.step + 1)

    def begin_step(self) -> None:
        """The next gradient calls belong to the next step."""
        self.step += 1

    def observe(self, tape: GradientTape, call: GradientCall, results: Any) -> None:
        """Measure a gradient call, if it is time, and keep its tape."""
        if get_ident() != self._thread or thread.__dict__.get("environment") is not None:
            return
        self.last_serial = call.serial
        loss = _loss_of(call)
        is_finite = loss is None or -math.inf < loss < math.inf
        begun = time.thread_time()
        previous, self._previous = self._previous, KeptCall(self.step, tape, call)
        if self.step > ALWAYS and begun < self._due and is_finite:
            return
        if not is_finite and previous is not None and self.rows[-1].step < previous.step:
            self._keep(previous)
            self._measure(previous, _loss_of(previous.call), previous.call.results)
        self._keep(self._previous)
        self._measure(self._previous, loss, results)
        ended = time.thread_time()
        self._due = ended + (ended - begun) / SHARE

    def _keep(self, kept: KeptCall) -> None:
        """Keep the tape of a step among the recent ones."""
        if _is_light(kept.tape) and kept not in self._recent:
            self._recent.append(kept)

    def _measure(self, kept: KeptCall, loss: float | None, results: Any) -> None:
        """Add the norms of a gradient call; the usual gradient costs about a microsecond."""
        row: list[Norm] = [None] * len(self.variables)
        places, limits, names = self._places, self._limits, self._names
        with np.errstate(all="ignore"):
            for source, result in zip(kept.call.sources, results, strict=True):
                owner = source.owner
                if owner is None:
                    continue
                at = places.get(owner.id, -1)
                if at < 0:
                    if len(places) == MOST_VARIABLES:
                        continue
                    at = self._add_variable(owner)
                    row.append(None)
                norm: Norm = "none" if result is None else quick_norm(result)
                row[at] = norm
                if type(norm) is float and limits[at] <= norm < math.inf:
                    if self.present:
                        self.present.pop(names[at], None)
                else:
                    self._note(self.variables[at], norm, kept)
        self._add_row(kept.step, loss, row)

    def _add_variable(self, owner: VariableIdentity) -> int:
        """Give a variable the next place in the rows."""
        variable = SeriesVariable(owner.name, math.prod(owner.shape))
        self._places[owner.id] = len(self.variables)
        self.variables.append(variable)
        self._names.append(variable.name)
        self._limits.append(least_norm(variable.size))
        return len(self.variables) - 1

    def _note(self, variable: SeriesVariable, norm: Norm, kept: KeptCall) -> None:
        """Note a gradient that looks wrong, and pin the tape of the first step where one does."""
        state, name = state_of(norm, variable.size), variable.name
        if state == "unknown":
            return
        self.present[name] = state
        if (name, state) in self.troubles:
            return
        is_first = all(each.state != state for each in self.troubles.values())
        if is_first and kept in self._recent:
            self._pinned[kept.step] = kept
        self.troubles[name, state] = Trouble(name, state, kept.step)

    def _add_row(self, step: int, loss: float | None, row: list[Norm]) -> None:
        """Add a row; a second gradient call of the step adds its norms to the first."""
        if self.rows and self.rows[-1].step == step:
            before = list(self.rows.pop().norms)
            before += [None] * (len(row) - len(before))
            row = [old if new is None else new for old, new in zip(before, row, strict=True)]
        self.rows.append(Row(step, loss, tuple(row)))
        if len(self.rows) > MOST_ROWS:
            self.rows = thinned(self.rows, {each.step for each in self.troubles.values()})

    def kept(self) -> dict[int, KeptCall]:
        """The steps whose tapes are kept."""
        return {each.step: each for each in (*self._pinned.values(), *self._recent)}

    def finish(self) -> None:
        """Release the tapes of the user's code; snapshots take their place."""
        if self._previous is not None:
            self._keep(self._previous)
            self._previous = None
        pinned, recent = list(self._pinned.values()), list(self._recent)
        self._pinned = {each.step: _copied(each) for each in pinned}
        self._recent.clear()
        self._recent.extend(map(_copied, recent))

    def series(self) -> TrainingSeries:
        """The series as it is now."""
        return TrainingSeries(
            "loss",
            tuple(self.variables),
            tuple(self.rows),
            tuple(self.epochs),
            tuple(sorted(self.kept())),
        )


def _copied(kept: KeptCall) -> KeptCall:
    snapshot = tape_snapshot(kept.tape, [kept.call])
    return kept._replace(tape=snapshot, call=snapshot._gradient_calls[0])


def _is_light(tape: GradientTape) -> bool:
    """Whether a tape keeps neither large values nor many records alive."""
    records = sum((len(log.records) if stop is None else stop) - start
                  for log, start, stop in tape._windows)  # fmt: skip
    return records <= LONGEST and keeps_nothing_alive(tape)


def _loss_of(call: GradientCall) -> float | None:
    """The sum of the targets of a call; None where their values were not kept."""
    values = [each.value for each in call.targets]
    if len(values) == 1 and type(values[0]) is np.float32:
        return float(values[0])
    if any(type(value) is Dropped or np.iscomplexobj(value) for value in values):
        return None
    with np.errstate(all="ignore"):
        return float(sum(float(np.sum(value)) for value in values))


_latest: Final[list[TrainingLog]] = []


@contextmanager
def training_log() -> Iterator[TrainingLog]:
    """A log that observes the gradient calls of this thread inside the block."""
    log = TrainingLog()
    _latest[:] = [log]
    observers.append(log.observe)
    try:
        yield log
    finally:
        observers.remove(log.observe)
        log.finish()


def running_log() -> TrainingLog | None:
    """The log of the training that is under way; None where there is none."""
    log = latest_log()
    return log if log is not None and log.observe in observers else None


def latest_log() -> TrainingLog | None:
    """The log of the last training in this process; None before the first."""
    return _latest[0] if _latest else None
