"""The judge: it asks a worker, believes nothing but plain data, and says what each check found."""

from __future__ import annotations

import math
from typing import Any, Final

from tapelab.errors import RecordingError
from tapelab.exercises.answer import Answer, Ends
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.reading import value_of
from tapelab.exercises.trial import Trial
from tapelab.exercises.values import Picture, Value
from tapelab.exercises.verdict import outcome
from tapelab.grading.evidence import believed
from tapelab.grading.replaying import Doubt
from tapelab.grading.result import CheckResult, Status
from tapelab.grading.sandbox.process import Ended
from tapelab.grading.sitting import Sitting, told_ending
from tapelab.grading.wire import Parcel, WireError

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
