"""An exercise: what to do, how it is checked, and the ladder of hints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from tapelab.exercises.check import Check


class Hint(str):
    """A hint with a price in points; a plain text among hints is free."""

    __slots__ = ("cost",)
    cost: float

    def __new__(cls, text: str, cost: float = 0) -> Self:
        """A text that costs so many points to read."""
        hint = super().__new__(cls, text)
        hint.cost = cost
        return hint


def cost_of(hint: str) -> float:
    """What a hint costs; a plain text is free."""
    return hint.cost if isinstance(hint, Hint) else 0


@dataclass(frozen=True)
class Exercise:
    """A task of a lesson; `id` is the lesson and a number, as in 03.1.

    `seconds` and `memory` (bytes) limit the learner's code where it is graded; by default the
    assignment's own limits hold. What hints cost is taken off only where `counts_hints` says so.
    """

    id: str
    title: str
    prompt: str
    checks: tuple[Check, ...]
    hints: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    seconds: float | None = None
    memory: int | None = None
    counts_hints: bool = False

    def __post_init__(self) -> None:
        """The first hint is free; ValueError otherwise."""
        if self.hints and cost_of(self.hints[0]):
            raise ValueError(f"The first hint of exercise {self.id} is free; it has a cost.")

    @cached_property
    def lesson(self) -> str:
        """The lesson it belongs to, as in 03."""
        return self.id.partition(".")[0]

    @cached_property
    def points(self) -> float:
        """What a full answer is worth."""
        return sum(check.points for check in self.checks)
