"""`grade(submission, assignment)`: a Result, whatever the submission does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

from tapelab.exercises.values import Picture
from tapelab.grading.hints import deducted
from tapelab.grading.judge import RemoteAnswer, result_of
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility
from tapelab.grading.sandbox import choose
from tapelab.grading.sandbox.backends import UNSAFE
from tapelab.grading.sitting import Sitting

if TYPE_CHECKING:
    from tapelab.exercises.exercise import Exercise
    from tapelab.grading.assignment import Assignment
    from tapelab.grading.submission import Submission
    from tapelab.recording import Recording

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
    backend = choose(sandbox)
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
