"""The workers of one submission: requests to them, their limits, and restarts after a crash.

A session starts a worker in the sandbox, has it run all cells, and sends it the requests of the
checks. A worker that crashes, exceeds a limit or breaks the protocol is ended; a new one runs the
cells again, without the cell that no worker survives. After MOST_CRASHES the notebook is given up.
Once an exercise has exceeded its time limit, its other requests have one more time limit together,
and then LATER_SECONDS each: a function that loops for one input mostly loops for all of them,
and the class waits; where it does not, its answer comes soon.

The replay verifier is a second worker in the same sandbox that never receives the student's cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from tapelab.grading.protocol import (
    FrameTooLongError,
    Payload,
    ProtocolError,
    encode_frame,
    read_frame,
    short_text,
)
from tapelab.grading.sandbox import Backend
from tapelab.grading.sandbox.host_lock import alone, beside_others, lock_folder
from tapelab.grading.sandbox.process import Ended, SandboxedProcess, StartedProcess
from tapelab.grading.sandbox.process_tree import TimeLimit
from tapelab.grading.submission import answer_pattern
from tapelab.locales import say

if TYPE_CHECKING:
    from tapelab.exercises.exercise import Exercise
    from tapelab.grading.assignment import Assignment, Limits
    from tapelab.grading.submission import Submission

_Reply = TypeVar("_Reply")
MOST_CRASHES: Final = 8
"""Crashes of workers after which a notebook is given up."""
TOTAL_FACTOR: Final = 10
"""All cells and requests of a notebook together may take so many times the time limit."""
LATER_SECONDS: Final = 6.0
"""Seconds that each request of an exercise has when two of its limits are used up, at most."""
START_SECONDS: Final = 60.0
"""Seconds for Python and NumPy to load, before the time limit of the notebook begins."""
REPLAY_SECONDS: Final = 20.0
"""Seconds that a replay may take, at least."""
LONGEST_NOTE: Final = 300
SLOW_SHARE: Final = 0.5
"""Part of the time limit of a cell after which the worker says which line runs."""


class WorkerError(RuntimeError):
    """No worker starts on this host: no code of the submission has run, nothing is graded."""


class _ContendedError(Exception):
    """A time limit was exceeded while other programs had the CPU; it is to be tried alone."""


class CellError(NamedTuple):
    """What stopped a cell: the status that this gives to its answers, and a sentence."""

    ending: str
    text: str


class WorkerSession:
    """The worker that has run the cells of a submission, replaced when it crashes."""

    def __init__(
        self, submission: Submission, assignment: Assignment, backend: Backend, seed: int
    ) -> None:
        self._submission, self._assignment, self._backend = submission, assignment, backend
        self._seed, self._exercises = seed, assignment.exercises
        self._limits = _largest_limits(assignment)
        self._worker: SandboxedProcess | None = None
        self._verifier: SandboxedProcess | None = None
        self._replays = 0
        self._crashes = self._requests = 0
        self.locks = lock_folder()
        self._may_retry = True
        self._retries: list[str] = []
        longest = max([self._limits.seconds, *map(assignment.seconds, self._exercises)])
        self._seconds_left = TOTAL_FACTOR * longest
        self._seconds_after_timeout: dict[str, float] = {}
        self._running_cell = -1
        self._slow_lines: dict[int, int] = {}
        self._skipped_cells: set[int] = set()
        self._cell_errors: dict[int, CellError] = {}

    def request(
        self, exercise: Exercise, header: dict[str, Any], payload: Payload
    ) -> tuple[dict[str, Any], Payload]:
        """The worker's reply to a request of a check; Ended if there is none, with its status.

        Where a time limit was exceeded while other programs had the CPU, the request is made once
        more alone, with the cells if they have to run again, and what comes of that counts.
        """
        return self._counted(
            f"Exercise {exercise.id}", lambda: self._attempt(exercise, header, payload)
        )

    def _counted(self, title: str, attempt: Callable[[], _Reply]) -> _Reply:
        """What an attempt comes to, at the second time alone if others had the CPU at the first."""
        seconds_left = self._seconds_left
        try:
            with beside_others(self.locks):
                return attempt()
        except _ContendedError as error:
            contended = error
        crashes, has_ended = self._crashes, False
        self._seconds_left, self._may_retry = seconds_left, False
        with alone(self.locks) as is_alone:
            how = "alone" if is_alone else "once more"
            try:
                return attempt()
            except Ended as ended:
                has_ended = ended.ending == "timeout"
                raise Ended(ended.ending, f"{ended} It was tried again {how}.") from ended
            finally:
                self._may_retry = not has_ended and self._crashes == crashes
                outcome = "the limit was kept" if self._may_retry else "the same happened"
                self._retries.append(
                    f"{title}: {contended} Other programs used the processor meanwhile, so it was "
                    f"tried again {how}, and {outcome}."
                )

    def _attempt(
        self, exercise: Exercise, header: dict[str, Any], payload: Payload
    ) -> tuple[dict[str, Any], Payload]:
        seconds = self._assignment.seconds(exercise)
        worker = self._ready_worker()
        worker.memory = self._assignment.memory(exercise)
        self._requests += 1
        left = self._seconds_after_timeout.get(exercise.id, seconds)
        limit = self._time_limit(worker, max(left, min(seconds, LATER_SECONDS)))
        header = {**header, "exercise": exercise.id}
        try:
            worker.send(encode_frame({**header, "number": self._requests}, payload), limit)
            reply, values = self._read_reply(worker, limit)
        except Ended as ended:
            self._count_crash(ended)
            if ended.ending == "timeout":
                is_first = exercise.id not in self._seconds_after_timeout
                self._seconds_after_timeout[exercise.id] = seconds if is_first else 0.0
            raise
        finally:
            self._seconds_left -= worker.used(limit)
        if exercise.id in self._seconds_after_timeout:
            self._seconds_after_timeout[exercise.id] -= worker.used(limit)
        if reply.get("kind") == "ending" and reply.get("ending") == "missing":
            self._explain_missing(exercise)
        return reply, values

    def _explain_missing(self, exercise: Exercise) -> None:
        """Say which cell holds the answer and stopped before it was there; Ended, if one did."""
        mention = answer_pattern(exercise.id)
        for at, (ending, text) in sorted(self._cell_errors.items(), reverse=True):
            if mention.search(self._submission.cells[at].source):
                raise Ended(ending, f"Your answer is in code cell {at + 1}, which stopped. {text}")

    def _read_reply(
        self, worker: SandboxedProcess, limit: TimeLimit
    ) -> tuple[dict[str, Any], Payload]:
        reply, values = self._read_message(worker, limit)
        if reply.get("number") != self._requests:
            raise Ended("refused", "The reply does not belong to the request.")
        return reply, values

    def replay_mismatch(self, reply: dict[str, Any], payload: Payload) -> str:
        """What the replay verifier finds wrong with a recording; empty if it replays alike.

        It has the same limits, and a recording that makes it crash is refused.
        """
        try:
            return str(self._ask_verifier("replay", reply, payload)["mismatch"])
        except Ended as ended:
            return f"its replay ended early: {ended}"

    def replayed_memory(self, reply: dict[str, Any], payload: Payload) -> int:
        """The bytes that the tape of a recording holds when it is replayed; -1 if unknown."""
        try:
            return int(self._ask_verifier("memory", reply, payload)["peak"])
        except Ended:
            return -1

    def _ask_verifier(self, kind: str, reply: dict[str, Any], payload: Payload) -> dict[str, Any]:
        fields = ("tape", "call", "position", "settings")
        header = {"kind": kind, **{name: reply.get(name) for name in fields}}
        return self._counted("A replay", lambda: self._replay(header, payload))

    def _replay(self, header: dict[str, Any], payload: Payload) -> dict[str, Any]:
        verifier = self._verifier = self._verifier or SandboxedProcess(self._start, self._limits)
        limit = verifier.time_limit(START_SECONDS)
        try:
            if not self._replays:
                empty = {"cells": [], "skip": [], "files": [], "seed": 0}
                verifier.send(encode_frame({"kind": "begin", **empty}, Payload()), limit)
                self._read_message(verifier, limit)
                self._read_message(verifier, limit)
            self._replays += 1
            limit = verifier.time_limit(max(self._limits.seconds, REPLAY_SECONDS))
            verifier.send(encode_frame({**header, "number": self._replays}, payload), limit)
            return self._read_message(verifier, limit)[0]
        except Ended as ended:
            self._end_verifier()
            self._raise_contended(ended)
            raise

    def notes(self) -> tuple[str, ...]:
        """The cells that stopped and why, in order, then what was tried again."""
        cells = (f"Cell {at + 1}: {each.text}" for at, each in sorted(self._cell_errors.items()))
        return (*cells, *self._retries)

    def close(self) -> None:
        """End the worker and the replay verifier."""
        self._end_worker()
        self._end_verifier()

    def _end_verifier(self) -> None:
        if self._verifier:
            self._verifier.end()
            self._verifier, self._replays = None, 0

    def _end_worker(self) -> None:
        if self._worker:
            self._worker.end()
            self._worker = None

    def _start(self, scratch: Path) -> StartedProcess:
        return self._backend.start(self._limits, scratch)

    def _count_crash(self, ended: Ended) -> None:
        self._end_worker()
        self._raise_contended(ended)
        self._crashes += 1

    def _raise_contended(self, ended: Ended) -> None:
        """_ContendedError if what ended is to be tried again alone; a second time counts."""
        if ended.contended and self._may_retry:
            raise _ContendedError(str(ended)) from ended

    def _time_limit(self, worker: SandboxedProcess, seconds: float) -> TimeLimit:
        """A limit that begins now, shorter where the notebook has used up most of its time."""
        return worker.time_limit(min(seconds, max(self._seconds_left, 0.0)))

    def _ready_worker(self) -> SandboxedProcess:
        """A worker that has run all cells, except those that crash every worker."""
        while self._worker is None:
            if self._crashes >= MOST_CRASHES:
                raise Ended("crashed", "The notebook crashed too often.")
            running = self._start_worker()
            if running is not None:
                self._skipped_cells.add(running)
        return self._worker

    def _start_worker(self) -> int | None:
        """Start a worker and run the cells; the cell that crashed it, or None when it is ready."""
        worker = SandboxedProcess(self._start, self._limits)
        self._worker, self._running_cell = worker, -1
        try:
            self._send_notebook(worker)
            self._run_cells(worker)
        except Ended as ended:
            self._count_crash(ended)
            if self._running_cell < 0 or self._running_cell in self._skipped_cells:
                raise
            self._cell_errors[self._running_cell] = self._ended_cell(ended)
            return self._running_cell
        except BaseException:
            self._end_worker()
            raise
        return None

    def _ended_cell(self, ended: Ended) -> CellError:
        """What is said of the running cell, which no worker survives."""
        text = f"{ended} It was left out."
        if ended.ending == "timeout":
            line = self._slow_lines.get(self._running_cell)
            where = f"line {line}" if line else "the cell"
            text = f"{ended} Jupyter shows [*] beside it, and it does not end: {where} still ran."
        return CellError(ended.ending, text)

    def _send_notebook(self, worker: SandboxedProcess) -> None:
        limit = worker.time_limit(START_SECONDS)
        try:
            worker.send(self._notebook_frame(), limit)
            self._read_message(worker, limit)
        except Ended as ended:
            self._raise_contended(ended)
            raise WorkerError(
                f"The sandbox {self._backend.name} did not start: {ended} Try tapelab doctor."
            ) from ended

    def _notebook_frame(self) -> bytes:
        """The first frame: the cells, and the files beside the notebook."""
        payload = Payload()
        data = {path.name: path.read_bytes() for path in self._assignment.files}
        folder = PurePosixPath(self._submission.folder)
        beside = {str(folder / name): content for name, content in data.items()}
        files = [(name, payload.add(content))
                 for name, content in {**self._submission.files, **beside}.items()]  # fmt: skip
        cells = [cell.source for cell in self._submission.cells]
        notebook = {
            "cells": cells,
            "script": self._submission.is_script,
            "skip": sorted(self._skipped_cells),
            "files": files,
            "folder": str(folder),
            "seed": self._seed,
            "slow": SLOW_SHARE * self._limits.seconds,
        }
        return encode_frame({"kind": "begin", **notebook}, payload)

    def _run_cells(self, worker: SandboxedProcess) -> None:
        limit = self._time_limit(worker, self._limits.seconds)
        while True:
            header, _ = self._read_message(worker, limit)
            kind, cell = header.get("kind"), header.get("cell")
            if kind == "ready":
                self._seconds_left -= worker.used(limit)
                return
            if type(cell) is not int or not 0 <= cell < len(self._submission.cells):
                raise Ended("refused", "The worker sent something other than the state of a cell.")
            if kind == "running":
                self._seconds_left -= worker.used(limit)
                limit = self._time_limit(worker, self._limits.seconds)
                self._running_cell = cell
            elif kind == "slow" and type(header.get("line")) is int:
                self._slow_lines[cell] = header["line"]
            else:
                text = str(header.get("text"))[:LONGEST_NOTE]
                self._cell_errors[cell] = CellError("raised", text)

    def _read_message(
        self, worker: SandboxedProcess, limit: TimeLimit
    ) -> tuple[dict[str, Any], Payload]:
        try:
            return read_frame(lambda size: worker.read(size, limit), self._limits.output)
        except FrameTooLongError:
            raise Ended("output", "It sent back more than the limit.") from None
        except ProtocolError as error:
            raise Ended("refused", f"The worker did not send plain data: {error}.") from None


def _largest_limits(assignment: Assignment) -> Limits:
    """The limits of a worker, with the memory of the largest exercise."""
    limits, exercises = assignment.limits, assignment.exercises
    most = max((assignment.memory(each) for each in exercises), default=limits.memory)
    return replace(limits, memory=max(most, limits.memory))


def reported_ending(reply: dict[str, Any]) -> tuple[str, str]:
    """Status and sentence of a reply without a value; only known statuses are passed on."""
    ending = reply.get("ending")
    if ending == "missing":
        return "unsolved", say("Run the cell with your answer first.")
    known = str(ending) if ending in _ENDINGS else "refused"
    return known, short_text(reply.get("text", "")) or _ENDINGS[known]


_ENDINGS: Final = {
    "unsolved": "Nothing here yet.",
    "raised": "Your code stopped.",
    "failed": "This answer cannot be read.",
    "memory": "It needed more memory than the limit.",
    "output": "It sent back more than the limit.",
    "refused": "The worker did not send plain data.",
}
