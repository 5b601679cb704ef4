"""An exercise: what to do, how it is checked, and the ladder of hints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapelab.exercises.check import Check


@dataclass(frozen=True)
class Exercise:
    """A task of a lesson; `id` is the lesson and a number, as in 03.1."""

    id: str
    title: str
    prompt: str
    checks: tuple[Check, ...]
    hints: tuple[str, ...]

    @cached_property
    def lesson(self) -> str:
        """The lesson it belongs to, as in 03."""
        return self.id.partition(".")[0]

    @cached_property
    def points(self) -> float:
        """What a full answer is worth."""
        return sum(check.points for check in self.checks)
