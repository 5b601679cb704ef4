"""Grading one submission: `grade(submission, assignment)` returns a Result, whatever its code does.

The student's code runs in a sandboxed worker; checks, references and points stay in this process.
The grader sends inputs, receives plain data and recordings, trusts neither before they were
verified, and alone decides on points. A timeout, a crash or a refused value is the status of one
check, never the end of the grading.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from tapelab.errors import RecordingError
from tapelab.exercises.answer import Answer, Ends
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.exercise import Exercise, cost_of
from tapelab.exercises.tape_trial import Trial
from tapelab.exercises.value_conversion import value_of
from tapelab.exercises.values import Picture, Value
from tapelab.exercises.verdict import outcome
from tapelab.exercises.verdict_text import short
from tapelab.grading.check_versions import fingerprint, has_unknown_reach
from tapelab.grading.protocol import Payload, ProtocolError
from tapelab.grading.replay_verifier import ReplayMismatch
from tapelab.grading.result import (
    EVERY_CHECK,
    CheckResult,
    ExerciseResult,
    Result,
    Status,
    Visibility,
)
from tapelab.grading.sandbox import choose_sandbox
from tapelab.grading.sandbox.backends import UNSAFE
from tapelab.grading.sandbox.process import Ended
from tapelab.grading.tamper_check import verified_trial
from tapelab.grading.worker_session import WorkerSession, reported_ending

if TYPE_CHECKING:
    from tapelab.grading.assignment import Assignment
    from tapelab.grading.submission import Submission
    from tapelab.recording import Recording


HINTS_TITLE: Final = "Hints"
LONGEST_SENTENCE: Final = 500
"""Characters of a sentence in a result; a student's value may have millions."""


class RemoteAnswer(Answer):
    """A student's function in a worker."""

    def __init__(
        self,
        exercise: Exercise,
        session: WorkerSession,
        *,
        seed: int = 0,
        picture: Picture | None = None,
    ) -> None:
        super().__init__(seed=seed)
        self._grade_exercise, self._session = exercise, session
        self._picture = picture or Picture()

    def _result(self, arguments: tuple[Value, ...]) -> Value:
        reply, payload = self._request("result", arguments)
        try:
            return self._with_picture(payload.take(reply.get("value")))
        except ProtocolError as error:
            raise _refusal(error) from None

    def _trial(self, ends: Ends, arguments: tuple[Value, ...]) -> Trial:
        reply, payload = self._request("trial", arguments, ends=list(ends))
        try:
            tape = payload.buffer(reply.get("tape"))
            trial = verified_trial(
                tape, reply, lambda: self._session.replay_mismatch(reply, payload)
            )
            return replace(trial, replay=lambda: self._session.replayed_memory(reply, payload))
        except (ReplayMismatch, RecordingError, ProtocolError) as error:
            raise _refusal(error) from None

    def _request(
        self, kind: str, arguments: tuple[Value, ...], **more: Any
    ) -> tuple[dict[str, Any], Payload]:
        payload = Payload()
        encoded = [payload.put(value_of(each)) for each in arguments]
        header = {"kind": kind, "arguments": encoded, **more}
        reply, values = self._session.request(self._grade_exercise, header, payload)
        expected = {"result": "value", "trial": "trial"}[kind]
        if reply.get("kind") != expected:
            try:
                raise Ended(*reported_ending(reply))
            except ProtocolError as error:
                raise _refusal(error) from None
        return reply, values

    def _with_picture(self, value: Value) -> Value:
        """Predictions made in a live figure come from the notebook that was handed in."""
        return self._picture if type(value) is Picture else value


def _refusal(error: Exception) -> Ended:
    return Ended("refused", f"The reply was refused: {error}.")


def check_result(check: Check, key: str, version: str, answer: Answer) -> CheckResult:
    """Run one check; what it found as a CheckResult, whose points only the grader decides."""
    seen = outcome(check, answer)
    return CheckResult(
        key, version, check.title, check.visibility, _points(seen, check), check.points,
        _status(seen, check), text=_short(seen.text), expected=_short(seen.expected),
        got=_short(seen.got), code=_short(seen.code), hint=_hint(seen, check),
    )  # fmt: skip


def _refused_result(check: Check, key: str, version: str, why: str) -> CheckResult:
    text = f"What your code returned could not be graded: {why}. Return a smaller, plainer value."
    return CheckResult(
        key, version, check.title, check.visibility, 0, check.points, Status.REFUSED, _short(text)
    )


def _points(seen: Outcome, check: Check) -> float:
    return seen.points if math.isfinite(seen.points) else min(0, check.points)


def _status(seen: Outcome, check: Check) -> Status:
    if seen.ending:
        return Status(seen.ending)
    if seen.points >= check.points:
        return Status.PASSED
    return Status.PARTIAL if seen.points > 0 else Status.FAILED


def _hint(seen: Outcome, check: Check) -> str:
    """The hint of a hidden check for what was found; others say it in their text."""
    is_hidden = check.visibility is Visibility.HIDDEN and seen.points < check.points
    return _short(check.advice.get(seen.code, "")) if is_hidden else ""


def _short(text: str) -> str:
    clean = text.encode("utf-8", "replace").decode()
    return clean if len(clean) <= LONGEST_SENTENCE else clean[: LONGEST_SENTENCE - 1] + "…"


_Kept = Mapping[tuple[str, str], CheckResult]


def grade(
    submission: Submission, assignment: Assignment, *, seed: int | None = None,
    sandbox: str = "auto", earlier: Result | None = None,
    keep: Callable[[str, Recording], None] | None = None,
    refused: Mapping[str, str] | None = None, began: Callable[[str], None] | None = None,
) -> Result:  # fmt: skip
    """Grade a submission; its code runs in a sandbox, outside of this process.

    The seed decides which points checks draw. By default it is random, so that no
    student can compute it; the result keeps it, and the same seed gives the same result.
    Results of `earlier` are kept for every check that has not changed since. NoSandboxError where
    no sandbox works; sandbox="unsafe" runs the code all the same, and the result says so. `keep` is
    called with the recordings that public checks requested: a figure of them may be shown to the
    student, so it must reveal nothing of the other checks. `began` is called with the key of each
    check before it runs; one whose key, or EVERY_CHECK, is in `refused` does not run: an earlier
    judge ended in it, for that reason.
    """
    backend = choose_sandbox(sandbox)
    kept = _kept_results(submission, earlier, seed, backend.name)
    if seed is None:
        seed = earlier.seed if earlier and kept else secrets.randbits(48)
    session = WorkerSession(submission, assignment, backend, _seed_of_worker(submission.digest))
    picture = Picture(submission.predictions)
    try:
        exercises = tuple(
            _grade_exercise(
                exercise, submission,
                tuple(_run_checks(exercise, assignment, kept,
                              RemoteAnswer(exercise, session, seed=seed, picture=picture),
                              keep, refused or {}, began)),
            )
            for exercise in assignment.exercises
        )  # fmt: skip
    finally:
        session.close()
    endings = (f"A grading process ended at {key or 'a check'}: {why}."
               for key, why in (refused or {}).items())  # fmt: skip
    notes = (*session.notes(), *endings) or (earlier.notes if earlier and kept else ())
    return Result(
        submission.digest, submission.student, assignment.name, assignment.version, seed,
        backend.name, exercises, notes,
    )  # fmt: skip


def _grade_exercise(
    exercise: Exercise, submission: Submission, checks: tuple[CheckResult, ...]
) -> ExerciseResult:
    """The results of the checks, the deduction for opened hints, and these hints."""
    opened = submission.hints.get(exercise.id, 0)
    off = hint_deductions(exercise, opened, checks)
    missing = any(each.points < each.of for each in checks)
    hints = tuple(map(str, exercise.hints[: max(opened, 1)])) if missing else ()
    return ExerciseResult(exercise.id, exercise.title, (*checks, *off), hints, len(exercise.hints))


def _run_checks(
    exercise: Exercise, assignment: Assignment, kept: _Kept, answer: RemoteAnswer,
    keep: Callable[[str, Recording], None] | None, refused: Mapping[str, str],
    began: Callable[[str], None] | None,
) -> Iterator[CheckResult]:  # fmt: skip
    for check, (key, version) in zip(exercise.checks, assignment.keys(exercise), strict=True):
        seen = len(answer.trials)
        if kept_result := kept.get((key, version)):
            yield kept_result
        elif why := refused.get(key, refused.get(EVERY_CHECK)):
            yield _refused_result(check, key, version, why)
        else:
            if began is not None:
                began(key)
            yield check_result(check, key, version, answer)
        if keep is not None and check.visibility is Visibility.PUBLIC:
            for trial in answer.trials[seen:]:
                keep(exercise.id, trial.recording)


def _kept_results(
    submission: Submission, earlier: Result | None, seed: int | None, sandbox: str
) -> _Kept:
    """The check results of an earlier grading that still hold, by key and version."""
    if earlier is None or earlier.submission != submission.digest:
        return {}
    if seed not in (None, earlier.seed) or (earlier.sandbox == UNSAFE and sandbox != UNSAFE):
        return {}
    seen = (check for exercise in earlier.exercises for check in exercise.checks)
    return {
        (each.key, each.version): each
        for each in seen
        if each.status != Status.BROKEN and not has_unknown_reach(each.version)
    }


def _seed_of_worker(digest: str) -> int:
    """The seed of what a notebook draws itself: the same in every run of the same notebook."""
    return int.from_bytes(sha256(digest.encode()).digest()[:6], "big")


def hint_deductions(
    exercise: Exercise, opened: int, checks: Sequence[CheckResult]
) -> tuple[CheckResult, ...]:
    """What opened hints cost, if the exercise counts them; never more than the checks gave."""
    if not exercise.counts_hints:
        return ()
    opened = min(max(opened, 0), len(exercise.hints))
    cost = sum(map(cost_of, exercise.hints[:opened]))
    cost = min(cost, sum(each.points for each in checks))
    if cost <= 0:
        return ()
    text = f"{opened} of {len(exercise.hints)} hints were opened; they cost {short(cost)}."
    version = fingerprint(HINTS_TITLE, [cost_of(each) for each in exercise.hints])
    key = f"{exercise.id} {HINTS_TITLE}"
    deduction = CheckResult(
        key, version, HINTS_TITLE, Visibility.PUBLIC, -cost, 0, Status.PARTIAL, text
    )
    return (deduction,)
