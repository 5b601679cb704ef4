"""How the submissions of a folder are graded, for the command, the page and autograders."""

from __future__ import annotations

from pathlib import Path

from tapelab.grading.assignment import Assignment
from tapelab.grading.grader import grade
from tapelab.grading.runners import GradingPlan, judge_limits
from tapelab.grading.sandbox.backends import AUTO, start_sandbox


def plan_for(
    assignment: Assignment, source: str, folder: Path, seed: int | None = None,
    sandbox: str = AUTO,
) -> GradingPlan:  # fmt: skip
    """How submissions of a folder are graded with an assignment that was loaded from a source."""
    return GradingPlan(
        grade, Assignment.load, source, assignment.name, assignment.version, seed, sandbox,
        judge_limits(assignment), str(folder.resolve()), start_sandbox,
    )  # fmt: skip
