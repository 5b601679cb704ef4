"""The gradebook as a whole: marks by hand and the grades that all of it comes to."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from tapelab.grading.gradebook.entities import Comment, Kind, Mark, Policy
from tapelab.grading.gradebook.grade_rows import update_grades
from tapelab.grading.gradebook.grade_tables import GradeTables
from tapelab.grading.gradebook.gradebook_errors import UnfitError, storable
from tapelab.grading.gradebook.rule_effect import RuleEffect, rule_effect
from tapelab.grading.gradebook.tables import CommentRow, MarkRow
from tapelab.grading.gradebook.transactions import assignment_row, by_student, now, student_row

T = TypeVar("T")


class Gradebook(GradeTables):
    """Students, assignments, submissions, results, marks by hand, and their history."""

    def mark(
        self,
        student: str,
        assignment: str,
        points: float,
        *,
        exercise: str = "",
        kind: Kind = Kind.POINTS,
        comment: str = "",
    ) -> None:
        """Give points by hand, which no regrade touches; the same mark again replaces the first.

        Exercise "" means the assignment as a whole; Kind.EXTRA adds instead of replacing.
        """
        if not math.isfinite(points):
            raise UnfitError(f"{points} are no points. Give a number.")
        self.fit_exercise(assignment, exercise)
        with self._writing() as session:
            known = assignment_row(session, assignment, locked=True)
            key = _row_key(session, student, assignment, exercise) | {"kind": kind.value}
            row = session.scalar(select(MarkRow).filter_by(**key).with_for_update())
            before = "" if row is None else {"points": row.points, "comment": row.comment}
            row = row or MarkRow(**key)
            row.points, row.comment, row.by = points, storable(comment), self._by
            session.add(row)
            after = {"points": points, "comment": row.comment}
            about = _about(student, assignment, exercise)
            self._note(session, f"mark: {kind.value}", about, before, after)
            update_grades(session, known, [key["student_id"]])

    def unmark(
        self, student: str, assignment: str, *, exercise: str = "", kind: Kind = Kind.POINTS
    ) -> bool:
        """Take a mark by hand away, so that what was graded counts again; whether there was one."""
        with self._writing() as session:
            known = assignment_row(session, assignment, locked=True)
            key = _row_key(session, student, assignment, exercise) | {"kind": kind.value}
            row = session.scalar(select(MarkRow).filter_by(**key).with_for_update())
            if row is not None:
                about = _about(student, assignment, exercise)
                before = {"points": row.points, "comment": row.comment}
                self._note(session, f"unmark: {kind.value}", about, before)
                session.delete(row)
                update_grades(session, known, [key["student_id"]])
            return row is not None

    def comment(self, student: str, assignment: str, text: str, *, exercise: str = "") -> None:
        """Write something for a student; comments are only ever added."""
        if not text.strip():
            raise UnfitError("The comment is empty.")
        self.fit_exercise(assignment, exercise)
        with self._writing() as session:
            key = _row_key(session, student, assignment, exercise)
            row = CommentRow(**key, text=storable(text), by=self._by, at=now())
            session.add(row)
            self._note(session, "comment", _about(student, assignment, exercise), "", row.text)

    def marks(self, assignment: str, student: str | None = None) -> tuple[Mark, ...]:
        """The points by hand for an assignment, by student and exercise."""
        with self._reading() as session:
            query = by_student(MarkRow, assignment, student)
            rows = session.execute(query.order_by(MarkRow.exercise, MarkRow.kind))
            return tuple(
                Mark(s, assignment, r.exercise, Kind(r.kind), r.points, r.comment, r.by)
                for r, s in rows
            )

    def comments(self, assignment: str, student: str | None = None) -> tuple[Comment, ...]:
        """What was written for students, by student and time."""
        with self._reading() as session:
            query = by_student(CommentRow, assignment, student)
            rows = session.execute(query.order_by(CommentRow.id))
            return tuple(
                Comment(student, assignment, r.exercise, r.text, r.by, r.at) for r, student in rows
            )

    def rule_effect(
        self, assignment: str, *, due: datetime | None = None, policy: Policy | None = None
    ) -> RuleEffect:
        """What `set_rules` with the same arguments would do to the grades; nothing is changed."""
        known = self.assignment(assignment)
        rules = known.with_rules(due, policy)
        return rule_effect(self.grades(assignment), self.grades_under(rules))


def _row_key(session: Session, student: str, assignment: str, exercise: str) -> dict[str, Any]:
    return {"assignment_id": assignment_row(session, assignment).id,
            "student_id": student_row(session, student).id, "exercise": exercise}  # fmt: skip


def _about(student: str, assignment: str, exercise: str) -> str:
    """What the history calls the work of a student, or an exercise of it."""
    return f"{assignment}/{student}/{exercise}".rstrip("/")
