"""What a gradebook hands out: frozen, plain, independent of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tapelab.grading.gradebook.late import Policy
from tapelab.grading.result import Result


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
