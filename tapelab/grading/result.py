"""What grading a submission comes to: frozen, plain, the same text for the same outcome."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final, Self

from tapelab.exercises.check import Visibility

__all__ = [
    "EVERY_CHECK",
    "FORMAT",
    "CheckResult",
    "ExerciseResult",
    "Result",
    "Status",
    "Visibility",
]

EVERY_CHECK: Final = ""
"""The key that stands for all checks of a submission."""
FORMAT: Final = 1
"""Counted up when a field changes its meaning; readers refuse a newer one."""


class Status(StrEnum):
    """How one check ended; errors of the student's code differ from wrong results."""

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    UNSOLVED = "unsolved"
    """The answer is still the placeholder, or is not there."""
    WAITING = "waiting"
    """A person grades this by hand, and has not done so yet."""
    RAISED = "raised"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    """The process ended by itself, or by a signal."""
    OUTPUT = "output"
    """More was sent back than the limit allows."""
    REFUSED = "refused"
    """The reply was not plain data, or contradicted itself."""
    BROKEN = "broken"
    """The check itself raised an error: the teacher has to repair it and grade again."""


@dataclass(frozen=True)
class CheckResult:
    """What one check found; `key` names it in its assignment, `version` is a hash of what it is."""

    key: str
    version: str
    title: str
    visibility: Visibility
    points: float
    of: float
    status: Status
    text: str = ""
    expected: str = ""
    got: str = ""
    code: str = ""
    """The pitfall that the diagnosis found in the learner's recording, as in `tf.explain`."""
    hint: str = ""
    """What the student may read of a hidden check that did not pass: its hint for this pitfall."""


@dataclass(frozen=True)
class ExerciseResult:
    """The checks of one exercise, in the order in which it has them."""

    exercise: str
    title: str
    checks: tuple[CheckResult, ...]
    hints: tuple[str, ...] = ()
    """Where points are missing, the hints that are open: the first, and what the student opened."""
    hint_count: int = 0
    """How many hints the exercise has."""

    @property
    def points(self) -> float:
        """What the answer earned."""
        return sum(check.points for check in self.checks)

    @property
    def of(self) -> float:
        """What a full answer earns."""
        return sum(check.of for check in self.checks)


@dataclass(frozen=True)
class Result:
    """What a submission earned in an assignment, and under which conditions it was judged.

    `submission` is the SHA-256 of its files, `version` that of the assignment: both together are
    the key under which a result exists once. `sandbox` names what held the learner's code.
    """

    submission: str
    student: str
    assignment: str
    version: str
    seed: int
    sandbox: str
    exercises: tuple[ExerciseResult, ...]
    notes: tuple[str, ...] = ()
    """What a teacher should know, such as a cell that stopped with an error."""

    @property
    def points(self) -> float:
        """What was earned."""
        return sum(each.points for each in self.exercises)

    @property
    def of(self) -> float:
        """What can be earned."""
        return sum(each.of for each in self.exercises)

    def to_json(self) -> str:
        """One line of text; the same for the same result."""
        return json.dumps({"format": FORMAT, **asdict(self)}, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The result that `to_json` wrote; ValueError for anything else."""
        try:
            read = _of_known_format(json.loads(text))
            exercises = tuple(_exercise(each) for each in read.pop("exercises"))
            return cls(exercises=exercises, notes=tuple(read.pop("notes")), **read)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"This is no result of grading: {error}.") from None


def _of_known_format(read: dict[str, Any]) -> dict[str, Any]:
    if read.pop("format") > FORMAT:
        raise ValueError("a newer tapelab wrote it; upgrade tapelab to read it")
    return read


def _exercise(read: Mapping[str, Any]) -> ExerciseResult:
    checks, hints = tuple(map(_check, read["checks"])), tuple(read.get("hints", ()))
    return ExerciseResult(read["exercise"], read["title"], checks, hints, read.get("hint_count", 0))


def _check(read: Mapping[str, Any]) -> CheckResult:
    kinds = {"visibility": Visibility(read["visibility"]), "status": Status(read["status"])}
    return CheckResult(**{**read, **kinds})
