"""A notebook at work in a sandbox; where its worker breaks down, a fresh one goes on."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tapelab.grading.protocol import Parcel, TooLongError, WireError, pack, receive, short
from tapelab.grading.sandbox import Backend
from tapelab.grading.sandbox.process import Confined, Ended

if TYPE_CHECKING:
    from tapelab.exercises.exercise import Exercise
    from tapelab.grading.assignment import Assignment, Limits
    from tapelab.grading.submission import Submission

MOST_ENDINGS: Final = 8
"""So often a worker may break down before its notebook is given up."""
ALL_TOGETHER: Final = 10
"""A notebook has so many times the time limit for everything together."""
STARTING: Final = 60.0
"""Seconds for Python and NumPy to load, before the learner's time begins."""
WITNESS: Final = 20.0
"""Seconds that running a recording again may take at least."""
NOTE: Final = 300


class WorkerError(RuntimeError):
    """A worker did not even start: nothing that the learner wrote has run, nothing is judged."""


class Sitting:
    """Workers that run the cells of one submission, one after the other where one breaks down."""

    def __init__(
        self, submission: Submission, assignment: Assignment, backend: Backend, seed: int
    ) -> None:
        self._submission, self._assignment, self._backend = submission, assignment, backend
        self._seed, self._exercises = seed, assignment.exercises
        self._limits = _roomy(assignment)
        self._worker: Confined | None = None
        self._witness: Confined | None = None
        self._asked_witness = 0
        self._endings = self._asked = 0
        self._until = 0.0
        self._running = -1
        self._skipped: set[int] = set()
        self._stopped: dict[int, str] = {}

    def ask(
        self, exercise: Exercise, header: dict[str, Any], parcel: Parcel
    ) -> tuple[dict[str, Any], Parcel]:
        """The answer of a worker; Ended says why there is none."""
        worker = self._ready()
        worker.memory = self._assignment.memory(exercise)
        self._asked += 1
        until = self._soon(self._assignment.seconds(exercise))
        header = {**header, "exercise": exercise.id}
        try:
            worker.send(pack({**header, "number": self._asked}, parcel), until)
            return self._reply(worker, until)
        except Ended:
            self._break_down()
            raise

    def _reply(self, worker: Confined, until: float) -> tuple[dict[str, Any], Parcel]:
        reply, values = self._heard(worker, until)
        if reply.get("number") != self._asked:
            raise Ended("refused", "What came back was no answer to the question.")
        return reply, values

    def doubt(self, told: dict[str, Any], parcel: Parcel) -> str:
        """What a second worker, in which nothing of the learner's runs, finds wrong with a trial.

        It has the same limits; a recording that breaks it down is not believed.
        """
        header = {name: told.get(name) for name in ("tape", "call", "settings")}
        witness = self._witness = self._witness or Confined(self._command, self._limits)
        until = time.monotonic() + STARTING
        try:
            if not self._asked_witness:
                empty = {"cells": [], "skip": [], "files": [], "seed": 0}
                witness.send(pack({"kind": "begin", **empty}, Parcel()), until)
                self._heard(witness, until)
                self._heard(witness, until)
            self._asked_witness += 1
            until = time.monotonic() + max(self._limits.seconds, WITNESS)
            header.update(kind="witness", number=self._asked_witness)
            witness.send(pack(header, parcel), until)
            return str(self._heard(witness, until)[0]["doubt"])
        except Ended as ended:
            witness.end()
            self._witness, self._asked_witness = None, 0
            return f"running it again ended so: {ended}"

    def notes(self) -> tuple[str, ...]:
        """What a teacher should know: the cells that stopped, in order."""
        return tuple(f"Cell {at + 1}: {text}" for at, text in sorted(self._stopped.items()))

    def close(self) -> None:
        """End the workers that there are."""
        self._leave()
        if self._witness:
            self._witness.end()
            self._witness, self._asked_witness = None, 0

    def _leave(self) -> None:
        if self._worker:
            self._worker.end()
            self._worker = None

    def _command(self, scratch: Path) -> list[str]:
        return self._backend.command(self._limits, scratch)

    def _break_down(self) -> None:
        self._endings += 1
        self._leave()

    def _soon(self, seconds: float) -> float:
        return min(time.monotonic() + seconds, self._until)

    def _ready(self) -> Confined:
        """A worker that has run all cells, except those that no worker comes through."""
        while self._worker is None:
            if self._endings >= MOST_ENDINGS:
                raise Ended("crashed", "The notebook broke down too often.")
            running = self._begin()
            if running is not None:
                self._skipped.add(running)
        return self._worker

    def _begin(self) -> int | None:
        """Start a worker; the cell that broke it down, or None when it is ready."""
        worker = Confined(self._command, self._limits)
        self._worker, self._running = worker, -1
        try:
            self._wake(worker)
            self._run_cells(worker)
        except Ended as ended:
            self._break_down()
            if self._running < 0 or self._running in self._skipped:
                raise
            self._stopped[self._running] = f"{ended} It was left out."
            return self._running
        except BaseException:
            self._leave()
            raise
        return None

    def _wake(self, worker: Confined) -> None:
        until = time.monotonic() + STARTING
        try:
            worker.send(self._task(), until)
            self._heard(worker, until)
        except Ended as ended:
            raise WorkerError(
                f"The sandbox {self._backend.name} did not start: {ended} Try tapelab doctor."
            ) from ended
        longest = max([self._limits.seconds, *map(self._assignment.seconds, self._exercises)])
        self._until = self._until or time.monotonic() + ALL_TOGETHER * longest

    def _task(self) -> bytes:
        """The first frame: the cells, and the files to put beside them."""
        parcel = Parcel()
        given = {path.name: path.read_bytes() for path in self._assignment.files}
        files = [(name, parcel.add(content))
                 for name, content in {**self._submission.files, **given}.items()]  # fmt: skip
        cells = [cell.source for cell in self._submission.cells]
        told = {"cells": cells, "skip": sorted(self._skipped), "files": files, "seed": self._seed}
        return pack({"kind": "begin", **told}, parcel)

    def _run_cells(self, worker: Confined) -> None:
        until = self._soon(self._limits.seconds)
        while True:
            header, _ = self._heard(worker, until)
            kind, cell = header.get("kind"), header.get("cell")
            if kind == "ready":
                return
            if type(cell) is not int or not 0 <= cell < len(self._submission.cells):
                raise Ended("refused", "What came back was no news of a cell.")
            if kind == "running":
                self._running, until = cell, self._soon(self._limits.seconds)
            else:
                self._stopped[cell] = str(header.get("text"))[:NOTE]

    def _heard(self, worker: Confined, until: float) -> tuple[dict[str, Any], Parcel]:
        try:
            return receive(lambda size: worker.read(size, until), self._limits.output)
        except TooLongError:
            raise Ended("output", "It sent back more than the limit.") from None
        except WireError as error:
            raise Ended("refused", f"What came back was no plain data: {error}.") from None


def _roomy(assignment: Assignment) -> Limits:
    """The limits of a worker, in which the largest of all exercises has room."""
    limits, exercises = assignment.limits, assignment.exercises
    most = max((assignment.memory(each) for each in exercises), default=limits.memory)
    return replace(limits, memory=max(most, limits.memory))


def told_ending(reply: dict[str, Any]) -> tuple[str, str]:
    """How the learner's function ended, in the worker's words; only words that are known."""
    ending = reply.get("ending")
    known = str(ending) if ending in _ENDINGS else "refused"
    return known, short(reply.get("text", "")) or _ENDINGS[known]


_ENDINGS: Final = {
    "unsolved": "Nothing here yet.",
    "raised": "Your code stopped.",
    "failed": "This answer cannot be read.",
    "memory": "It needed more memory than the limit.",
    "output": "It sent back more than the limit.",
    "refused": "What came back was no plain data.",
}
