"""The students and the assignments of a course."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import Session

from tapelab.grading.gradebook.entities import Listed, Part, Policy, Student
from tapelab.grading.gradebook.grade_rows import update_grades
from tapelab.grading.gradebook.gradebook_errors import DuplicateError, UnfitError, fit_name
from tapelab.grading.gradebook.tables import AssignmentRow, HistoryRow, StudentRow
from tapelab.grading.gradebook.transactions import Store, assignment_row, listed, student_row

if TYPE_CHECKING:
    from tapelab.grading.assignment import Assignment


class Roster(Store):
    """Who takes part, and what there is to do."""

    def students(self) -> tuple[Student, ...]:
        """All students, by login."""
        with self._reading() as session:
            rows = session.scalars(select(StudentRow).order_by(StudentRow.login))
            return tuple(map(_student, rows))

    def student(self, login: str) -> Student:
        """One of them; UnknownNameError if there is none."""
        with self._reading() as session:
            return _student(student_row(session, login))

    def add_student(self, student: Student) -> None:
        """Add somebody new; DuplicateError for a login that is there."""
        with self._writing() as session:
            self._add(session, student)

    def add_students(self, students: Iterable[Student], *, update: bool = False) -> int:
        """Add all or, where one of them cannot be added, none; how many are new.

        With `update`, what is given of those who are there replaces what was known of them.
        """
        added, seen = 0, set[str]()
        with self._writing() as session:
            for each in students:
                if each.login.strip() in seen:
                    raise DuplicateError(
                        f"{each.login.strip()} is listed twice. No student was added."
                    )
                seen.add(each.login.strip())
                if not (update and self._updated(session, each)):
                    self._add(session, each)
                    added += 1
        return added

    def enrol(self, students: Iterable[Student]) -> None:
        """Add those who are not there; another grader may be adding the same ones."""
        with self._writing() as session:
            for each in students:
                self._inserted(session, each)

    def assignments(self) -> tuple[Listed, ...]:
        """All assignments, by name."""
        with self._reading() as session:
            rows = session.scalars(select(AssignmentRow).order_by(AssignmentRow.name))
            return tuple(map(listed, rows))

    def assignment(self, name: str) -> Listed:
        """One of them; UnknownNameError if there is none."""
        with self._reading() as session:
            return listed(assignment_row(session, name))

    def versions(self, assignment: str) -> dict[str, datetime]:
        """By version of an assignment, when the gradebook first had it."""
        noted = select(HistoryRow).filter_by(about=assignment, what="assignment")
        with self._reading() as session:
            rows = session.scalars(noted.order_by(HistoryRow.id.desc()))
            return {row.after: row.at for row in rows}

    def put_assignment(self, assignment: Assignment | Listed) -> Listed:
        """Note an assignment as it is now; due date and policy of a known one stay."""
        given = assignment if isinstance(assignment, Listed) else facts(assignment)
        name = fit_name(given.name, "an assignment")

        def write(session: Session) -> Listed:
            values = {"title": given.title, "version": given.version, "parts": _parts(given.parts)}
            rules = {"policy": given.policy.to_json(), "due": given.due}
            if self._new(session, AssignmentRow, name=name, **values, **rules):
                self._note(session, "assignment", name, "", given.version)
            row = assignment_row(session, name, locked=True)
            if row.version != given.version:
                self._note(session, "assignment", name, row.version, given.version)
            changed = (row.version, row.parts) != (given.version, values["parts"])
            row.title, row.version, row.parts = values.values()
            if changed:
                update_grades(session, row)
            return listed(row)

        return self._lasting(write)

    def set_rules(
        self, assignment: str, *, due: datetime | None = None, policy: Policy | None = None
    ) -> Listed:
        """Set when an assignment is due and what lateness costs; what is not given stays.

        NEVER takes the due date away.
        """
        if due is not None and due.tzinfo is None:
            raise UnfitError(f"{due} says no time zone. Try: due.astimezone() or an offset, +00:00")
        with self._writing() as session:
            row = assignment_row(session, assignment, locked=True)
            before = {"due": row.due, "policy": row.policy}
            rules = listed(row).with_rules(due, policy)
            row.due, row.policy = rules.due, rules.policy.to_json()
            session.flush()
            after = {"due": row.due, "policy": row.policy}
            if after != before:
                self._note(session, "rules", assignment, before, after)
                update_grades(session, row)
            return listed(row)

    def _add(self, session: Session, student: Student) -> None:
        if not self._inserted(session, student):
            raise DuplicateError(
                f"{self.place} has a student {student.login.strip()} already. Nothing was changed. "
                "To change what is known of students, import them with --update."
            )

    def _inserted(self, session: Session, student: Student) -> bool:
        """Whether the student was not there, and now is."""
        login = fit_name(student.login, "a student")
        new = self._new(session, StudentRow, login=login, name=student.name,
                        email=student.email, ids=dict(student.ids))  # fmt: skip
        if new:
            self._note(session, "student", login, "", asdict(student))
        return new

    def _updated(self, session: Session, student: Student) -> bool:
        """Whether the student was there; what is given of them is then noted."""
        login = StudentRow.login == student.login.strip()
        row = session.scalar(select(StudentRow).where(login))
        if row is None:
            return False
        before = asdict(_student(row))
        row.name, row.email = student.name or row.name, student.email or row.email
        row.ids = {**row.ids, **student.ids}
        after = asdict(_student(row))
        if after != before:
            self._note(session, "student", row.login, before, after)
        return True


def facts(assignment: Assignment) -> Listed:
    """What the gradebook keeps of an assignment."""
    parts = tuple(Part(each.id, each.title, each.points) for each in assignment.exercises)
    return Listed(assignment.name, assignment.title, assignment.version, parts)


def _student(row: StudentRow) -> Student:
    return Student(row.login, row.name, row.email, dict(row.ids))


def _parts(parts: tuple[Part, ...]) -> str:
    return json.dumps([[part.exercise, part.title, part.of] for part in parts])
