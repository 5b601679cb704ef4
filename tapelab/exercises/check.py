"""A check looks at one thing in an answer and says what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapelab.exercises.answer import Answer


@dataclass(frozen=True)
class Outcome:
    """What a check found: points, one sentence, and the two values side by side."""

    points: int
    text: str = ""
    expected: str = ""
    got: str = ""


@dataclass(frozen=True)
class Check:
    """One thing to look at, worth some points; `judge` never sees the learner's source text."""

    title: str
    points: int
    judge: Callable[[Answer], Outcome]

    def full(self) -> Outcome:
        """All points, and nothing to say."""
        return Outcome(self.points)
