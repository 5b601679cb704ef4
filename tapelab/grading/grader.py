"""Grading one submission: `grade(submission, assignment)` returns a Result, whatever its code does.

The student's code runs in a sandboxed worker; checks, references and points stay in this process.
The grader sends inputs, receives plain data and recordings, trusts neither before they were
verified, and alone decides on points. A timeout, a crash or a refused value is the status of one
check, never the end of the grading.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from tapelab.errors import RecordingError
from tapelab.exercises.answer import Answer, Ends
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.reading import value_of
from tapelab.exercises.trial import Trial
from tapelab.exercises.values import Picture, Value
from tapelab.exercises.verdict import outcome
from tapelab.grading.hints import deducted
from tapelab.grading.protocol import Parcel, WireError
from tapelab.grading.replay import Doubt
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility
from tapelab.grading.sandbox import choose_sandbox
from tapelab.grading.sandbox.backends import UNSAFE
from tapelab.grading.sandbox.process import Ended
from tapelab.grading.tamper_check import believed
from tapelab.grading.worker_session import Sitting, told_ending

if TYPE_CHECKING:
    from tapelab.exercises.exercise import Exercise
    from tapelab.grading.assignment import Assignment
    from tapelab.grading.submission import Submission
    from tapelab.recording import Recording


LONGEST: Final = 500
"""Letters of a sentence in a result; a learner's value may have millions."""


class RemoteAnswer(Answer):
    """A learner's function in a worker."""

    def __init__(
        self, exercise: Exercise, sitting: Sitting, *, seed: int = 0, picture: Picture | None = None
    ) -> None:
        super().__init__(seed=seed)
        self._exercise, self._sitting = exercise, sitting
        self._picture = picture or Picture()

    def _result(self, arguments: tuple[Value, ...]) -> Value:
        reply, parcel = self._asked("result", arguments)
        try:
            return self._with_picture(parcel.take(reply.get("value")))
        except WireError as error:
            raise _refused(error) from None

    def _trial(self, ends: Ends, arguments: tuple[Value, ...]) -> Trial:
        reply, parcel = self._asked("trial", arguments, ends=list(ends))
        try:
            tape = parcel.buffer(reply.get("tape"))
            return believed(tape, reply, lambda: self._sitting.doubt(reply, parcel))
        except (Doubt, RecordingError, WireError) as error:
            raise _refused(error) from None

    def _asked(
        self, kind: str, arguments: tuple[Value, ...], **more: Any
    ) -> tuple[dict[str, Any], Parcel]:
        parcel = Parcel()
        told = [parcel.put(value_of(each)) for each in arguments]
        header = {"kind": kind, "arguments": told, **more}
        reply, values = self._sitting.ask(self._exercise, header, parcel)
        expected = {"result": "value", "trial": "trial"}[kind]
        if reply.get("kind") != expected:
            try:
                raise Ended(*told_ending(reply))
            except WireError as error:
                raise _refused(error) from None
        return reply, values

    def _with_picture(self, value: Value) -> Value:
        """A live picture comes with what was predicted in the notebook that was handed in."""
        return self._picture if type(value) is Picture else value


def _refused(error: Exception) -> Ended:
    return Ended("refused", f"What came back cannot be believed: {error}.")


def result_of(check: Check, key: str, version: str, answer: Answer) -> CheckResult:
    """One check as it goes into the result; the points are the judge's alone."""
    found = outcome(check, answer)
    return CheckResult(
        key, version, check.title, check.visibility, _points(found, check), check.points,
        _status(found, check), text=_short(found.text), expected=_short(found.expected),
        got=_short(found.got), code=_short(found.code),
    )  # fmt: skip


def _points(found: Outcome, check: Check) -> float:
    return found.points if math.isfinite(found.points) else min(0, check.points)


def _status(found: Outcome, check: Check) -> Status:
    if found.ending:
        return Status(found.ending)
    if found.points >= check.points:
        return Status.PASSED
    return Status.PARTIAL if found.points > 0 else Status.FAILED


def _short(text: str) -> str:
    clean = text.encode("utf-8", "replace").decode()
    return clean if len(clean) <= LONGEST else clean[: LONGEST - 1] + "…"


_Kept = Mapping[tuple[str, str], CheckResult]


def grade(
    submission: Submission, assignment: Assignment, *, seed: int | None = None,
    sandbox: str = "auto", earlier: Result | None = None,
    keep: Callable[[str, Recording], None] | None = None,
) -> Result:  # fmt: skip
    """What a submission earns, judged outside the sandbox in which its code runs.

    The seed says which points checks draw; by default it follows from submission and assignment.
    What `earlier` found is kept for every check that has not changed since. NoSandboxError where
    nothing can hold the code; sandbox="unsafe" runs it all the same, and the result says so.
    `keep` is given what tapes of an exercise recorded, as far as public checks asked first: a
    picture may be shown to the learner, and has to tell nothing of the other checks.
    """
    backend = choose_sandbox(sandbox)
    kept = _kept(submission, earlier, seed, backend.name)
    if seed is None:
        seed = earlier.seed if earlier and kept else _drawn(submission.digest, assignment.version)
    sitting = Sitting(submission, assignment, backend, _drawn(submission.digest, "worker"))
    picture = Picture(submission.predictions)
    try:
        exercises = tuple(
            _exercise(
                exercise, submission,
                tuple(_checks(exercise, assignment, kept,
                              RemoteAnswer(exercise, sitting, seed=seed, picture=picture),
                              keep)),
            )
            for exercise in assignment.exercises
        )  # fmt: skip
    finally:
        sitting.close()
    notes = sitting.notes() or (earlier.notes if earlier and kept else ())
    return Result(
        submission.digest, submission.student, assignment.name, assignment.version, seed,
        backend.name, exercises, notes,
    )  # fmt: skip


def _exercise(
    exercise: Exercise, submission: Submission, checks: tuple[CheckResult, ...]
) -> ExerciseResult:
    """What the checks found, and what the hints that were opened take off."""
    off = deducted(exercise, submission.hints.get(exercise.id, 0), checks)
    return ExerciseResult(exercise.id, exercise.title, (*checks, *off))


def _checks(
    exercise: Exercise, assignment: Assignment, kept: _Kept, answer: RemoteAnswer,
    keep: Callable[[str, Recording], None] | None,
) -> Iterator[CheckResult]:  # fmt: skip
    for check, (key, version) in zip(exercise.checks, assignment.keys(exercise), strict=True):
        seen = len(answer.trials)
        yield kept.get((key, version)) or result_of(check, key, version, answer)
        if keep is not None and check.visibility is Visibility.PUBLIC:
            for trial in answer.trials[seen:]:
                keep(exercise.id, trial.recording)


def _kept(submission: Submission, earlier: Result | None, seed: int | None, sandbox: str) -> _Kept:
    """The findings of an earlier result that still hold, by key and version."""
    if earlier is None or earlier.submission != submission.digest:
        return {}
    if seed not in (None, earlier.seed) or (earlier.sandbox == UNSAFE and sandbox != UNSAFE):
        return {}
    found = (check for exercise in earlier.exercises for check in exercise.checks)
    return {(each.key, each.version): each for each in found if each.status != Status.BROKEN}


def _drawn(*words: str) -> int:
    """A whole number that follows from some words, and tells nobody which."""
    return int.from_bytes(sha256("\0".join(words).encode()).digest()[:6], "big")
