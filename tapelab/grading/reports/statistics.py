"""How a class did, check by check, and into which pitfalls it fell; pure functions of results."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from tapelab.grading.result import CheckResult, Result, Status

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook


@dataclass(frozen=True)
class CheckStatistics:
    """How one check ended for all students, and what the diagnosis found in their recordings."""

    exercise: str
    check: str
    visibility: str
    of: float
    students: int
    mean: float
    statuses: dict[str, int]
    pitfalls: dict[str, int]
    """By code, how many students fell into it."""

    @property
    def passed(self) -> float:
        """The part of the students with all points, 0 to 1."""
        return self.statuses.get(Status.PASSED, 0) / self.students if self.students else 0.0


@dataclass(frozen=True)
class Statistics:
    """An assignment in numbers; `points` are those of each student, in the order of the roster."""

    assignment: str
    title: str
    of: float
    students: int
    handed_in: int
    graded: int
    points: tuple[float, ...]
    checks: tuple[CheckStatistics, ...]
    pitfalls: dict[str, int]

    @property
    def mean(self) -> float:
        """Of those who have a result."""
        return fmean(self.points) if self.points else 0.0

    @property
    def median(self) -> float:
        """Of those who have a result."""
        return median(self.points) if self.points else 0.0

    def to_json(self) -> str:
        """Everything, for programs."""
        more = {"mean": self.mean, "median": self.median}
        return json.dumps(asdict(self) | more, ensure_ascii=False, indent=2)

    def to_csv(self) -> str:
        """A line for each check, for spreadsheets."""
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        statuses = [status.value for status in Status]
        table.writerow(["exercise", "check", "visibility", "of", "students", "mean", *statuses,
                        "pitfalls"])  # fmt: skip
        for each in self.checks:
            counts = [each.statuses.get(status, 0) for status in statuses]
            fallen = "; ".join(f"{code} {count}" for code, count in each.pitfalls.items())
            table.writerow([each.exercise, each.check, each.visibility, f"{each.of:g}",
                            each.students, f"{each.mean:.4g}", *counts, fallen])  # fmt: skip
        return out.getvalue()


def statistics_of(book: Gradebook, assignment: str) -> Statistics:
    """The statistics over the attempt that counts of each student."""
    known = book.assignment(assignment)
    grades = book.grades(assignment)
    counting = {(grade.student, grade.digest): grade.final for grade in grades if grade.digest}
    results = [
        each.result
        for each in book.results(assignment)
        if (each.handed.student, each.handed.digest) in counting
    ]
    return Statistics(
        known.name, known.title, known.of, len(grades),
        sum(grade.attempts > 0 for grade in grades), len(results),
        tuple(counting.values()), checks_of(results), _fallen(_all_checks(results)),
    )  # fmt: skip


def checks_of(results: Sequence[Result]) -> tuple[CheckStatistics, ...]:
    """The statistics of each check, in the order of the assignment."""
    found: dict[tuple[str, str], list[CheckResult]] = {}
    for result in results:
        for exercise in result.exercises:
            for check in exercise.checks:
                found.setdefault((exercise.exercise, check.key), []).append(check)
    return tuple(_statistics(exercise, checks) for (exercise, _), checks in found.items())


def _statistics(exercise: str, checks: Sequence[CheckResult]) -> CheckStatistics:
    last = checks[-1]
    statuses = Counter(check.status.value for check in checks)
    fallen = Counter(check.code for check in checks if check.code)
    return CheckStatistics(
        exercise, last.title, last.visibility.value, last.of, len(checks),
        fmean(check.points for check in checks), dict(statuses), dict(fallen.most_common()),
    )  # fmt: skip


def _all_checks(results: Iterable[Result]) -> list[list[CheckResult]]:
    return [[c for exercise in result.exercises for c in exercise.checks] for result in results]


def _fallen(students: Iterable[Iterable[CheckResult]]) -> dict[str, int]:
    """By code, how many students fell into a pitfall; several checks may find it in one of them."""
    codes = Counter(code for checks in students for code in {c.code for c in checks if c.code})
    return dict(codes.most_common())
