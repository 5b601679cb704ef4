"""What tapelab should reach, and whether it does."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from benchmarks.names import TITLES

Measured = dict[str, dict[str, list[float]]]
"""For each work and contender, one number for each round."""


@dataclass(frozen=True)
class Goal:
    """At most so many times what another takes, and so much more; without another, so much."""

    ours: str
    times: float = 0.0
    of: str = ""
    work: str = ""
    plus: float = 0.0

    def describe(self, unit: str, per_second: float) -> str:
        """The goal in words."""
        how = "eager" if self.ours == "tapelab" else "function"
        who = ("a copy" if self.work else TITLES[self.of]) if self.of else ""
        factor = f"{self.times:.3g} × " if self.times != 1 else ""
        much = f"{self.plus * per_second:g} {unit}" if self.plus else ""
        return f"{how} ≤ " + " + ".join(part for part in (factor * bool(who) + who, much) if part)


@dataclass(frozen=True)
class Verdict:
    """What was measured as a share of what is allowed, one number for each round."""

    goal: Goal
    shares: tuple[float, ...]

    @property
    def share(self) -> float | None:
        """The middle one; None if somebody was not measured."""
        return statistics.median(self.shares) if self.shares else None

    @property
    def met(self) -> bool:
        """Whether the middle one is within what is allowed."""
        return self.share is not None and self.share <= 1

    def describe(self) -> str:
        """Whether the goal is met, and by how much."""
        if self.share is None:
            return "not measured"
        spread = f"{min(self.shares):.2f}–{max(self.shares):.2f}"
        word = "met" if self.met else "**missed**"
        return f"{word}: {self.share:.2f} of it ({spread})"


def verdict(goal: Goal, work: str, measured: Measured) -> Verdict:
    """Hold what a work took against its goal, round by round."""
    ours = measured.get(work, {}).get(goal.ours, [])
    if not goal.of:
        return Verdict(goal, tuple(took / goal.plus for took in ours))
    theirs = measured.get(goal.work or work, {}).get(goal.of, [])
    return Verdict(goal, tuple(a / (goal.times * b + goal.plus) for a, b in pairs(ours, theirs)))


def pairs(ours: list[float], theirs: list[float]) -> list[tuple[float, float]]:
    """The numbers round by round; one that was measured less often stands for each round."""
    if not ours or not theirs:
        return []
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    if len(ours) > len(theirs):
        return [(each, statistics.median(theirs)) for each in ours]
    return [(statistics.median(ours), each) for each in theirs]
