"""A grade as every list of grades has it: whose it is, in what, and how much."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


class UnreadableFormat(ValueError):  # noqa: N818 - it says what is wrong with a file
    """A file is not of the format that it was given as; the message says where, and what to try."""


@dataclass(frozen=True)
class Learner:
    """A learner as a platform knows them; `id` is the name that a submission carries."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    """What else a platform calls them by, as in ("SIS User ID", "4711")."""

    @property
    def sortable_name(self) -> str:
        """The name as lists are sorted by it, "Noether, Emmy"; the id where there is no name."""
        return ", ".join(filter(None, (self.last_name, self.first_name))) or self.id


@dataclass(frozen=True)
class Grade:
    """What a learner earned in an assignment; `points` is None where nothing was handed in."""

    learner: Learner
    assignment: str
    points: float | None
    of: float
    penalty: float = 0.0
    due: datetime | None = None
    handed_in: datetime | None = None
    feedback: str = field(default="", compare=False)

    @property
    def score(self) -> float | None:
        """The points that count: less the penalty for being late, never below zero."""
        return None if self.points is None else max(0.0, self.points - self.penalty)


def number(points: float | None, *, places: int = 5) -> str:
    """Points as platforms read them: a dot, no group marks, no zeros at the end."""
    return "" if points is None else f"{points:.{places}f}".rstrip("0").rstrip(".")


def whole(points: float) -> float:
    """Points as an int where they are a whole number."""
    return int(points) if points == int(points) else points
