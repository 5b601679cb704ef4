"""What `fit` keeps of its steps: the series of gradient norms, and the tapes of a few of them.

A `TrainingLog` observes the gradient calls of its thread while it is open. It takes at most SHARE
of the time of the training: all of the first ALWAYS steps are measured, and later ones as often as
this allows. A step whose loss is not finite is always measured.

Tapes are kept of the last RECENT steps, and of the first step at which a gradient was None, not
finite, zero or vanished. A kept tape has released its large values; one that has not, or that is
very long, is not kept. When the training ends, snapshots take their place, which keep no variable
and no model alive.
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
    state_of,
    thinned,
)

if TYPE_CHECKING:
    from tapelab.core.backward_report import GradientCall
    from tapelab.core.tape import GradientTape

ALWAYS: Final = 200
SHARE: Final = 0.01
RECENT: Final = 8
LONGEST: Final = 20_000
"""A tape of more records is not kept."""
FINE: Final = ("gradient", "unknown")
"""The states in which nothing is wrong with a gradient, as far as is known."""


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
        self.variables: dict[int, SeriesVariable] = {}
        self.troubles: dict[tuple[str, State], Trouble] = {}
        self.present: dict[str, State] = {}
        """How the gradient of each variable looked when it was measured last."""
        self._recent: deque[KeptCall] = deque(maxlen=RECENT)
        self._pinned: dict[int, KeptCall] = {}
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
        loss = _loss_of(call)
        kept = KeptCall(self.step, tape, call)
        self.last_serial = call.serial
        if _is_light(tape):
            self._recent.append(kept)
        begun = time.perf_counter()
        is_finite = loss is None or math.isfinite(loss)
        if self.step > ALWAYS and begun < self._due and is_finite:
            return
        self._measure(kept, loss, results)
        ended = time.perf_counter()
        self._due = ended + (ended - begun) / SHARE

    def _measure(self, kept: KeptCall, loss: float | None, results: Any) -> None:
        norms: dict[int, Norm] = {}
        for source, result in zip(kept.call.sources, results, strict=True):
            owner = source.owner
            if owner is None:
                continue
            variable = self._variable(owner.id, owner.name, math.prod(owner.shape))
            if variable is None:
                continue
            norm: Norm = "none" if result is None else quick_norm(result)
            norms[owner.id] = norm
            self._note(variable.name, state_of(norm, variable.size), kept)
        self._add_row(kept.step, loss, norms)

    def _note(self, variable: str, state: State, kept: KeptCall) -> None:
        """Note how a gradient looks, and pin the tape of the first step where one looks so."""
        self.present[variable] = state
        if state in FINE or (variable, state) in self.troubles:
            return
        pinned = next((each.step for each in self.troubles.values() if each.state == state), None)
        if pinned is None:
            first = self._first_non_finite(kept) if state == "nan" else kept
            pinned = first.step
            if first in self._recent:
                self._pinned[pinned] = first
        step = pinned if pinned in self._skipped(kept.step) else kept.step
        self.troubles[variable, state] = Trouble(variable, state, step)

    def _skipped(self, step: int) -> range:
        """The steps between the last one that was measured and this one."""
        return range(self.rows[-1].step + 1 if self.rows else step, step)

    def _first_non_finite(self, kept: KeptCall) -> KeptCall:
        """Of this step and those passed over before it, the first with a NaN in a kept result."""
        skipped = self._skipped(kept.step)
        calls = (each for each in self._recent if each.step in skipped)
        return next((each for each in calls if _has_non_finite(each.call)), kept)

    def _variable(self, identity: int, name: str, size: int) -> SeriesVariable | None:
        """A variable of the series; None for one too many."""
        known = self.variables.get(identity)
        if known is None and len(self.variables) < MOST_VARIABLES:
            known = self.variables[identity] = SeriesVariable(name, size)
        return known

    def _add_row(self, step: int, loss: float | None, norms: dict[int, Norm]) -> None:
        """Add a row; a second gradient call of the step adds its norms to the first."""
        row = tuple(map(norms.get, self.variables))
        if self.rows and self.rows[-1].step == step:
            before = self.rows.pop().norms
            before += (None,) * (len(row) - len(before))
            row = tuple(old if new is None else new for old, new in zip(before, row, strict=True))
        self.rows.append(Row(step, loss, row))
        if len(self.rows) > MOST_ROWS:
            self.rows = thinned(self.rows, {each.step for each in self.troubles.values()})

    def kept(self) -> dict[int, KeptCall]:
        """The steps whose tapes are kept."""
        return {each.step: each for each in (*self._pinned.values(), *self._recent)}

    def finish(self) -> None:
        """Release the tapes of the user's code; snapshots take their place."""
        pinned, recent = list(self._pinned.values()), list(self._recent)
        self._pinned = {each.step: _copied(each) for each in pinned}
        self._recent.clear()
        self._recent.extend(map(_copied, recent))

    def series(self) -> TrainingSeries:
        """The series as it is now."""
        return TrainingSeries(
            "loss",
            tuple(self.variables.values()),
            tuple(self.rows),
            tuple(self.epochs),
            tuple(sorted(self.kept())),
        )


def _has_non_finite(call: GradientCall) -> bool:
    norms = (quick_norm(result) for result in call.results)
    return any(norm is not None and not math.isfinite(norm) for norm in norms)


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


def latest_log() -> TrainingLog | None:
    """The log of the last training in this process; None before the first."""
    return _latest[0] if _latest else None
