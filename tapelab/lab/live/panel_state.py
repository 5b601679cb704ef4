"""The state that the Tape panels show: the newest tape, the run of calls, the lines that record."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from tapelab.core.gradient_call import seen
from tapelab.core.tape import GradientTape
from tapelab.lab.live.history import History
from tapelab.lab.live.runs import MOST_FINDINGS
from tapelab.lab.live.tape_statistics import Meter
from tapelab.lab.notebook_cells import RUNNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tapelab.core.origin import LoggedTensor

MOST_LINES: Final = 200
MOST_WATCHED: Final = 64
MOST_EPOCHS: Final = 100
"""More are not marked: the film has no place between them."""


class Scene:
    """Looks at the learner's thread from another one, and changes nothing there."""

    def __init__(self) -> None:
        self.history = History()
        self._meter: Meter | None = None
        self._space: dict[str, Any] = {}
        self._known: ref[GradientTape] | None = None
        self._looked = -1.0

    def use(self, space: dict[str, Any]) -> None:
        """Also find tapes without gradient calls among these names."""
        self._space = space

    def frame(self) -> dict[str, Any]:
        """All that the panel shows, but for the curves."""
        fresh = self.history.measure()
        tape = self._newest(fresh)
        recording = tape is not None and bool(tape._recording)
        if recording and tape is not None and not tape._gradient_calls:
            self.history.await_answer(_watched(tape))
        run = self.history.run
        return {
            "running": RUNNING.on,
            "cell": RUNNING.cell.id,
            "run": run.number,
            "step": run.step,
            "calls": run.step,
            "counted": run.counted,
            "missed": self.history.missed,
            "target": run.target,
            "loss": run.loss,
            "variables": [track.facts() for track in tuple(run.tracks.values())],
            "more": len(run.more),
            "kept": run.tapes.steps(),
            "epochs": run.epochs if len(run.epochs) <= MOST_EPOCHS else [],
            "findings": self._findings(),
            **self._facts(tape, recording),
        }

    def newest(self) -> GradientTape | None:
        """The newest tape, with or without gradient calls."""
        return self._newest(False)

    def of_cell(self, cell: str) -> GradientTape | None:
        """The newest tape of a cell: one with a call while it ran, else one opened in its code."""
        if RUNNING.on and cell == RUNNING.cell.id and (tape := self._open()) is not None:
            return tape
        self.history.measure()
        known, where = self.history.cells, self.history.run.places.where
        called = known.of(cell)
        opened = [each for each in (*self._reachable(), *known) if where(each._origin)[0] == cell]
        return max((each for each in (*opened, called) if each is not None), key=_age, default=None)

    def _reachable(self) -> Iterator[GradientTape]:
        """Tapes that user code holds by a name, and those of the last gradient calls."""
        called = (reference() for reference, *_ in tuple(RUNNING.state["recent_calls"]))
        for each in (*called, *tuple(self._space.values())):
            if isinstance(each, GradientTape):
                yield each

    def _newest(self, fresh: bool) -> GradientTape | None:
        """The tape of the newest call where there was one just now; else one that is open."""
        if fresh:
            called = self._last_called()
            if called is not None:
                return called
        if (tape := self._open()) is not None:
            return tape
        tapes = [tape for tape in (self._last_called(), self._named()) if tape is not None]
        return max(tapes, key=_age, default=None)

    def _open(self) -> GradientTape | None:
        """The innermost tape that records now."""
        state = RUNNING.state
        if state.get("environment") is None and state["trace"] is None:
            for tape in reversed(tuple(state["tapes"])):
                if isinstance(tape, GradientTape):
                    return tape
        return None

    def _last_called(self) -> GradientTape | None:
        latest = self.history.latest
        return latest.original() if latest is not None else None

    def _named(self) -> GradientTape | None:
        """The newest tape that has a name in the notebook, looked for once after each cell."""
        if self._looked != RUNNING.ended and not RUNNING.on:
            self._looked = RUNNING.ended
            named = [each for each in tuple(self._space.values()) if isinstance(each, GradientTape)]
            newest = max(named, key=_age, default=None)
            self._known = None if newest is None else ref(newest)
        return self._known() if self._known is not None else None

    def _findings(self) -> list[dict[str, Any]]:
        findings = sorted(self.history.run.findings.values(), key=lambda each: -each["step"])
        return findings[:MOST_FINDINGS]

    def _facts(self, tape: GradientTape | None, recording: bool) -> dict[str, Any]:
        if tape is None:
            return {"tape": None, "lines": [], "at": None}
        if self._meter is None or not self._meter.is_of(tape):
            self._meter = Meter(tape)
        meter, where = self._meter, self.history.run.places.where
        meter.look(tape)
        lines = sorted({where(each) for each in tuple(meter.places.values())}, key=str)
        return {
            "tape": {
                "id": tape._serial,
                "name": self.history.run.places.tape(tape._origin),
                "ops": meter.ops,
                "bytes": meter.bytes,
                "parts": meter.parts(),
                "recording": recording,
                "persistent": tape._persistent,
                "consumed": tape._consumed,
                "exact": meter.exact,
            },
            "lines": list(islice(map(list, lines), MOST_LINES)),
            "at": list(where(meter.last)) if recording and meter.last else None,
        }


def _age(tape: GradientTape) -> int:
    return tape._serial


def _watched(tape: GradientTape) -> tuple[LoggedTensor, ...]:
    """The present states of what a tape watches."""
    things: list[Any] = [*tape._watched.values(), *tape._followed.values()]
    return seen(things[:MOST_WATCHED])
