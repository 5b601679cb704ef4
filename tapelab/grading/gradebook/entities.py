"""The plain values that a gradebook returns: frozen, and independent of the database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from math import ceil
from typing import Final, Self

from tapelab.grading.gradebook.gradebook_errors import UnfitError
from tapelab.grading.result import CheckResult, Result

DAY: Final = timedelta(days=1)
NEVER: Final = datetime.max.replace(tzinfo=UTC)
"""The due date that takes a due date away."""


class Counts(StrEnum):
    """Which attempt of a student counts."""

    BEST = "best"
    LAST = "last"


@dataclass(frozen=True)
class Policy:
    """How an assignment treats lateness and several attempts.

    `per_day` is what each begun day costs, in percent of what was earned; nothing within `grace`
    minutes; after `cutoff` days there are no points (None: there is no such day).
    """

    per_day: float = 0.0
    grace: float = 0.0
    cutoff: float | None = None
    counts: Counts = Counts.BEST

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if not 0 <= self.per_day <= 100:
            raise UnfitError(f"A day costs {self.per_day:g} %; choose 0 to 100.")
        if self.grace < 0 or (self.cutoff is not None and self.cutoff < 0):
            raise UnfitError("Grace and cutoff are lengths of time: give 0 or more.")

    def late(self, received: datetime, due: datetime | None) -> timedelta:
        """How long after the due date and the grace something arrived; 0 for in time."""
        if due is None or received <= due + timedelta(minutes=self.grace):
            return timedelta(0)
        return received - due

    def cost(self, received: datetime, due: datetime | None) -> float:
        """The part of the points that lateness takes, 0 to 1."""
        late = self.late(received, due)
        if self.cutoff is not None and late > self.cutoff * DAY:
            return 1.0
        return min(ceil(late / DAY) * self.per_day / 100, 1.0)

    def to_json(self) -> str:
        """One line of text."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The policy that `to_json` wrote."""
        read = json.loads(text)
        return cls(**{**read, "counts": Counts(read["counts"])})


@dataclass(frozen=True)
class Student:
    """Somebody of the course; `login` is unique, `ids` are what other systems call them."""

    login: str
    name: str = ""
    email: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """An exercise of an assignment, and what it is worth."""

    exercise: str
    title: str
    of: float


@dataclass(frozen=True)
class Listed:
    """An assignment as the gradebook has it; `due` is in UTC."""

    name: str
    title: str
    version: str
    parts: tuple[Part, ...] = ()
    due: datetime | None = None
    policy: Policy = field(default_factory=Policy)

    @property
    def of(self) -> float:
        """What can be earned."""
        return sum(part.of for part in self.parts)

    def with_rules(self, due: datetime | None, policy: Policy | None) -> Self:
        """The assignment under other rules; None leaves a rule as it is, NEVER takes `due` away."""
        kept = self.due if due is None else due
        return replace(self, due=None if kept == NEVER else kept, policy=policy or self.policy)


@dataclass(frozen=True)
class Handed:
    """A submission: who handed in which files when."""

    student: str
    assignment: str
    digest: str
    received: datetime
    path: str = ""


@dataclass(frozen=True)
class Graded:
    """A result and the submission it belongs to."""

    handed: Handed
    result: Result
    at: datetime


@dataclass(frozen=True)
class Failure:
    """A submission that could not be graded, and why; it is tried again next time."""

    handed: Handed
    version: str
    why: str
    at: datetime


class Kind(StrEnum):
    """What a mark by hand does."""

    POINTS = "points"
    """They stand in the place of what was graded."""
    EXTRA = "extra"
    """They are added, and lateness does not touch them."""


@dataclass(frozen=True)
class Mark:
    """Points that a person gave, for an exercise or (exercise "") for all of an assignment."""

    student: str
    assignment: str
    exercise: str
    kind: Kind
    points: float
    comment: str = ""
    by: str = ""


@dataclass(frozen=True)
class Comment:
    """What a person wrote for a student."""

    student: str
    assignment: str
    exercise: str
    text: str
    by: str
    at: datetime


@dataclass(frozen=True)
class Grade:
    """What a student has for an assignment, and how it comes to that.

    `points` is of the attempt that counts, marks by hand included; `penalty` is what lateness
    takes from it, `extra` what was given on top; `final` is the sum, never below 0.
    """

    student: str
    name: str
    assignment: str
    points: float
    of: float
    penalty: float
    extra: float
    attempts: int
    days_late: float = 0.0
    digest: str = ""
    received: datetime | None = None
    ungraded: int = 0
    """How many attempts have no result yet."""
    by_hand: bool = False

    @property
    def final(self) -> float:
        """The points that count."""
        return max(round(self.points - self.penalty + self.extra, 6), 0.0)


@dataclass(frozen=True)
class Event:
    """One line of the history: who changed what, when, from what, to what."""

    at: datetime
    who: str
    what: str
    about: str
    before: str
    after: str


@dataclass(frozen=True)
class Change:
    """A check that has other points than before; None where it was not there."""

    student: str
    exercise: str
    check: str
    before: float | None
    after: float | None
    of: float

    @property
    def by(self) -> float:
        """How many points more."""
        return (self.after or 0.0) - (self.before or 0.0)


def changed(before: Result, after: Result) -> tuple[Change, ...]:
    """The checks that differ in their points, or came, or went; in the order of `after`."""
    old, new = _checks(before), _checks(after)
    keys = [*new, *(key for key in old if key not in new)]
    changes = (_change(after.student, key, old.get(key), new.get(key)) for key in keys)
    return tuple(each for each in changes if each.before != each.after)


def _change(
    student: str, key: tuple[str, str], before: CheckResult | None, after: CheckResult | None
) -> Change:
    exercise, _ = key
    one = after or before
    assert one is not None, "the key is of one of them"
    was, is_now = (each.points if each else None for each in (before, after))
    return Change(student, exercise, one.title, was, is_now, one.of)


def _checks(result: Result) -> dict[tuple[str, str], CheckResult]:
    return {(e.exercise, check.key): check for e in result.exercises for check in e.checks}
