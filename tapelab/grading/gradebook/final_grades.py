"""What a student has for an assignment: attempts, marks by hand and lateness put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tapelab.grading.gradebook.entities import (
    DAY,
    Counts,
    Grade,
    Graded,
    Handed,
    Kind,
    Listed,
    Mark,
    Student,
)


@dataclass(frozen=True)
class StudentWork:
    """All that one student did for an assignment, in the order in which it arrived."""

    student: Student
    handed: Sequence[Handed]
    graded: Sequence[Graded]
    marks: Sequence[Mark]


def grade_of(work: StudentWork, assignment: Listed) -> Grade:
    """The grade for the attempt that counts; 0 points where nothing was handed in."""
    tried = [_attempt(each, work, assignment) for each in work.graded]
    if not tried:
        return _without_result(work, assignment)
    best = assignment.policy.counts is Counts.BEST
    # Of equal attempts the earliest counts: it is the least late.
    return max(tried, key=lambda grade: grade.final) if best else tried[-1]


def _attempt(graded: Graded, work: StudentWork, assignment: Listed) -> Grade:
    points = _points(graded, work.marks)
    received = graded.handed.received
    late = assignment.policy.late(received, assignment.due)
    return Grade(
        work.student.login,
        work.student.name,
        assignment.name,
        points=points,
        of=graded.result.of,
        penalty=max(points, 0.0) * assignment.policy.cost(received, assignment.due),
        extra=_extra(work.marks),
        attempts=len(work.handed),
        days_late=late / DAY,
        digest=graded.handed.digest,
        received=received,
        ungraded=len(work.handed) - len(work.graded),
        by_hand=bool(work.marks),
    )


def _without_result(work: StudentWork, assignment: Listed) -> Grade:
    """Nothing is graded; points by hand count all the same, such as for work on paper."""
    given = {mark.exercise: mark.points for mark in work.marks if mark.kind is Kind.POINTS}
    return Grade(
        work.student.login,
        work.student.name,
        assignment.name,
        points=given[""] if "" in given else sum(given.values()),
        of=assignment.of,
        penalty=0.0,
        extra=_extra(work.marks),
        attempts=len(work.handed),
        received=work.handed[-1].received if work.handed else None,
        ungraded=len(work.handed),
        by_hand=bool(work.marks),
    )


def _points(graded: Graded, marks: Sequence[Mark]) -> float:
    """What was graded, with the points by hand in the place of what they are for."""
    given = {mark.exercise: mark.points for mark in marks if mark.kind is Kind.POINTS}
    if "" in given:
        return given[""]
    points = {each.exercise: each.points for each in graded.result.exercises}
    return sum({**points, **given}.values())


def _extra(marks: Sequence[Mark]) -> float:
    return sum(mark.points for mark in marks if mark.kind is Kind.EXTRA)


@dataclass(frozen=True)
class Total:
    """What a student has for the course; the `dropped` assignments do not count."""

    student: str
    name: str
    final: float
    of: float
    dropped: tuple[str, ...]

    @property
    def share(self) -> float:
        """The part of all points, 0 to 1; extra credit may lead beyond."""
        return self.final / self.of if self.of else 0.0


def total_of(grades: Sequence[Grade], drop: int) -> Total:
    """The sum over assignments without the `drop` of them with the smallest share of points."""
    by_share = sorted(grades, key=lambda each: each.final / each.of if each.of else 0.0)
    dropped = by_share[: min(drop, len(by_share) - 1)]
    kept = [each for each in grades if each not in dropped]
    first = grades[0]
    names = tuple(each.assignment for each in dropped)
    final, of = sum(each.final for each in kept), sum(each.of for each in kept)
    return Total(first.student, first.name, final, of, names)
