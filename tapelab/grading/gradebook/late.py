"""What being late costs, and which of several attempts counts; pure functions of times."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from typing import Final, Self

from tapelab.grading.gradebook.errors import UnfitError

DAY: Final = timedelta(days=1)


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
