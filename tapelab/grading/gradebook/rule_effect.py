"""What a late rule would do to the grades of a class, computed before it is applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tapelab.grading.gradebook.entities import Grade
from tapelab.locales import paragraph, say, say_many


@dataclass(frozen=True)
class RuleEffect:
    """How many submissions a rule touches; each student's submission that counts is one."""

    submissions: int
    """Those that have a result."""
    late: int
    zeroed: int
    """Those that earned points, and lose all of them."""
    changed: int
    """Grades that differ from those under the present rule."""

    @property
    def warning(self) -> str:
        """What is likely a mistake, in words; empty if nothing is."""
        if not self.zeroed:
            return ""
        return say_many(
            "This rule takes all points from {part} of {count} submission: check the due date.",
            "This rule takes all points from {part} of {count} submissions: check the due date.",
            self.submissions, part=self.zeroed,
        )  # fmt: skip

    @property
    def summary(self) -> str:
        """How many are late, and how many grades change, in words."""
        late = say("{part} of {all} are late.", part=self.late, all=self.submissions)
        changes = say_many("{count} grade changes.", "{count} grades change.", self.changed)
        return paragraph(late, changes)


def rule_effect(before: Sequence[Grade], after: Sequence[Grade]) -> RuleEffect:
    """The effect of a rule, from a class's grades under the present rule and under the new one."""
    present = {each.student: each.final for each in before}
    graded = [each for each in after if each.digest]
    return RuleEffect(
        submissions=len(graded),
        late=sum(each.days_late > 0 for each in graded),
        zeroed=sum(0 < each.points <= each.penalty for each in graded),
        changed=sum(each.final != present.get(each.student) for each in after),
    )
