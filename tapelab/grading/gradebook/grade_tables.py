"""What the grades of a class come to, read from the rows that are kept of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Self

from sqlalchemy import ColumnElement, Row, Select, and_, case, func, or_, select
from sqlalchemy.orm import Session

from tapelab.grading.gradebook.entities import Grade, Listed, Student
from tapelab.grading.gradebook.final_grades import StudentWork, Total, grade_of, total_of
from tapelab.grading.gradebook.grade_rows import (
    Verdicts,
    compute_grades,
    decode_verdicts,
    update_grades,
)
from tapelab.grading.gradebook.results import Results
from tapelab.grading.gradebook.tables import (
    AssignmentRow,
    CheckRow,
    FailureRow,
    GradeRow,
    OutdatedRow,
    ResultRow,
    StudentRow,
    SubmissionRow,
    VerdictsRow,
)
from tapelab.grading.gradebook.transactions import assignment_row, listed, student_row
from tapelab.grading.result import Result

BY_STUDENT: Final = "student"
STUDENTS_AT_ONCE: Final = 200
"""Students whose whole results are in memory at once."""


@dataclass(frozen=True)
class GradedCheck:
    """A check that results of an assignment have; `position` is its column among verdicts."""

    position: int
    exercise: str
    key: str
    title: str
    visibility: str
    of: float


@dataclass(frozen=True)
class AssignmentCounts:
    """How far an assignment is; `mean` is that of those who have a grade."""

    listed: Listed
    submissions: int
    handed_in: int
    waiting: int
    mean: float | None


@dataclass(frozen=True)
class ClassVerdicts:
    """The students who have a result, with their final points and a row of verdicts each."""

    students: tuple[str, ...]
    finals: tuple[float, ...]
    verdicts: Verdicts


class GradeTables(Results):
    """Grades of a whole class, or of the part of it that a page shows."""

    @classmethod
    def open(
        cls, place: str | Path, *, create: bool = True, by: str = "", patience: float = 10.0
    ) -> Self:
        """As Store.open; grades of an older gradebook are computed once."""
        book = super().open(place, create=create, by=by, patience=patience)
        try:
            book._compute_outdated()
        except BaseException:
            book.close()
            raise
        return book

    def _compute_outdated(self) -> None:
        with self._reading() as session:
            if session.scalar(select(OutdatedRow.id).limit(1)) is None:
                return
        with self._writing() as session:
            for row in session.scalars(select(OutdatedRow).with_for_update()).all():
                known = session.get_one(AssignmentRow, row.assignment_id)
                update_grades(session, assignment_row(session, known.name, locked=True))
                session.delete(row)

    def grades(self, assignment: str) -> tuple[Grade, ...]:
        """What each student has for an assignment, by login; also those without a submission."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            query, as_listed = _grades_of(known).order_by(StudentRow.login), listed(known)
            return tuple(_grade(row, as_listed) for row in session.execute(query))

    def counted_results(self, assignment: str) -> Iterator[tuple[Grade, Result]]:
        """The grade of each student who has a result, with that result, by login."""
        for grade, kept in self.counted_json(assignment):
            yield grade, replace(Result.from_json(kept), student=grade.student)

    def counted_json(self, assignment: str) -> Iterator[tuple[Grade, str]]:
        """The grade of each student who has a result, with that result as JSON, by login.

        A part of the class is read at a time: all results of a large one may not fit into memory.
        """
        after = ""
        while part := self._counted_part(assignment, after):
            yield from part
            after = part[-1][0].student

    def _counted_part(self, assignment: str, after: str) -> list[tuple[Grade, str]]:
        """The next students after a login."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            part = (
                select(StudentRow.id)
                .join(GradeRow, GradeRow.student_id == StudentRow.id)
                .where(GradeRow.assignment_id == known.id, GradeRow.digest != "")
                .where(StudentRow.login > after)
                .order_by(StudentRow.login)
                .limit(STUDENTS_AT_ONCE)
            )
            of_grade = and_(
                ResultRow.assignment_id == GradeRow.assignment_id,
                ResultRow.digest == GradeRow.digest,
            )
            query = (
                _grades_of(known)
                .add_columns(ResultRow.json, ResultRow.version, ResultRow.at)
                .join(ResultRow, of_grade)
                .where(StudentRow.id.in_(part))
                .order_by(StudentRow.login)
            )
            as_listed = listed(known)
            # Of several versions the present one counts, else the latest.
            rows = (
                max(versions, key=lambda row: (row.version == known.version, row.at))
                for _, versions in groupby(session.execute(query), lambda row: row.login)
            )
            return [(_grade(row, as_listed), row.json) for row in rows]

    def grades_under(self, known: Listed) -> tuple[Grade, ...]:
        """What each student would have for an assignment with these rules, by login."""
        with self._reading() as session:
            return tuple(compute_grades(session, assignment_row(session, known.name), known))

    def grade(self, assignment: str, student: str) -> Grade:
        """What one student has for an assignment."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            query = _grades_of(known).where(StudentRow.id == student_row(session, student).id)
            return _grade(session.execute(query).one(), listed(known))

    def grade_page(
        self, assignment: str, *, sort: str = BY_STUDENT, descending: bool = False,
        first: int = 0, count: int | None = None,
    ) -> tuple[Grade, ...]:  # fmt: skip
        """The grades of some students, sorted by what they have; students break ties."""
        keys = [_SORTS[sort], StudentRow.login]
        with self._reading() as session:
            known = assignment_row(session, assignment)
            query = _grades_of(known).offset(first).limit(count)
            query = query.order_by(*(key.desc() if descending else key for key in keys))
            as_listed = listed(known)
            return tuple(_grade(row, as_listed) for row in session.execute(query))

    def grades_of(self, assignment: str, students: Sequence[str]) -> tuple[Grade, ...]:
        """The grades of these students, in their order."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            query = _grades_of(known).where(StudentRow.login.in_(students))
            as_listed = listed(known)
            grades = {row.login: _grade(row, as_listed) for row in session.execute(query)}
            return tuple(grades[each] for each in students)

    def failed_students(self, assignment: str, students: Sequence[str]) -> frozenset[str]:
        """Which of these students handed in something that could not be graded."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            failed = and_(
                FailureRow.assignment_id == SubmissionRow.assignment_id,
                FailureRow.digest == SubmissionRow.digest,
            )
            query = (
                select(StudentRow.login)
                .join(SubmissionRow, SubmissionRow.student_id == StudentRow.id)
                .join(FailureRow, failed)
                .where(SubmissionRow.assignment_id == known.id, StudentRow.login.in_(students))
            )
            return frozenset(session.scalars(query))

    def logins(self) -> tuple[str, ...]:
        """The logins of all students, sorted."""
        with self._reading() as session:
            return tuple(session.scalars(select(StudentRow.login).order_by(StudentRow.login)))

    def student_count(self) -> int:
        """How many students there are."""
        with self._reading() as session:
            return _count_students(session)

    def checks(self, assignment: str) -> tuple[GradedCheck, ...]:
        """The checks that results of an assignment have, in the order of its exercises."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            order = {part.exercise: place for place, part in enumerate(listed(known).parts)}
            rows = session.scalars(select(CheckRow).filter_by(assignment_id=known.id))
            checks = [GradedCheck(r.position, r.exercise, r.key, r.title, r.visibility, r.of)
                      for r in rows]  # fmt: skip
        return tuple(sorted(checks, key=lambda c: (order.get(c.exercise, len(order)), c.position)))

    def verdicts(self, assignment: str) -> ClassVerdicts:
        """The verdicts of those who have a result, by login."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            graded = (
                select(StudentRow.id, StudentRow.login, GradeRow.final)
                .join(GradeRow, GradeRow.student_id == StudentRow.id)
                .where(GradeRow.assignment_id == known.id, GradeRow.digest != "")
                .order_by(StudentRow.login)
            )
            students = session.execute(graded).all()
            # By itself: a database would sort by login with all that it reads.
            verdicts = select(VerdictsRow.student_id, VerdictsRow.cells, VerdictsRow.codes)
            verdicts = verdicts.where(VerdictsRow.assignment_id == known.id)
            kept = {row.student_id: row for row in session.execute(verdicts)}
            width = session.scalar(
                select(func.count()).select_from(CheckRow).filter_by(assignment_id=known.id)
            )
        rows = [kept[each.id] for each in students]
        cells = decode_verdicts([r.cells for r in rows], [r.codes for r in rows], width or 0)
        return ClassVerdicts(
            tuple(each.login for each in students), tuple(each.final for each in students), cells
        )

    def all_counts(self) -> tuple[AssignmentCounts, ...]:
        """How far each assignment is, by name."""
        with self._reading() as session:
            return tuple(map(_counts, session.execute(_COUNTS.order_by(AssignmentRow.name))))

    def counts(self, assignment: str) -> AssignmentCounts:
        """How far an assignment is."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            return _counts(session.execute(_COUNTS.where(AssignmentRow.id == known.id)).one())

    def roster_page(
        self, first: int = 0, count: int | None = None
    ) -> tuple[tuple[Student, tuple[Grade, ...]], ...]:
        """Some students, by login, with their grades in the order of the assignments."""
        with self._reading() as session:
            query = select(StudentRow).order_by(StudentRow.login).offset(first).limit(count)
            students = session.scalars(query).all()
            assignments = session.scalars(select(AssignmentRow).order_by(AssignmentRow.name)).all()
            rows = select(GradeRow)
            if count is not None:
                rows = rows.where(GradeRow.student_id.in_([each.id for each in students]))
            kept = {(row.student_id, row.assignment_id): row for row in session.scalars(rows)}
            known = [(each.id, listed(each)) for each in assignments]
            return tuple(
                (person, tuple(_grade_from(kept.get((s.id, number)), person, each)
                               for number, each in known))
                for s in students
                for person in (Student(s.login, s.name, s.email, dict(s.ids)),)
            )  # fmt: skip

    def totals(self, *, drop: int = 0) -> tuple[Total, ...]:
        """What each student has for the course; `drop` weakest assignments of each do not count."""
        return tuple(total_of(grades, drop) for _, grades in self.roster_page() if grades)


_has_grade: ColumnElement[bool] = or_(GradeRow.digest != "", GradeRow.by_hand)
_COUNTS: Select[Any] = (
    select(
        AssignmentRow,
        func.sum(GradeRow.attempts).label("submissions"),
        func.sum(case((GradeRow.attempts > 0, 1), else_=0)).label("handed_in"),
        func.sum(GradeRow.ungraded).label("waiting"),
        func.avg(case((_has_grade, GradeRow.final))).label("mean"),
    )
    .outerjoin(GradeRow, GradeRow.assignment_id == AssignmentRow.id)
    .group_by(AssignmentRow.id)
)


def _counts(row: Row[Any]) -> AssignmentCounts:
    return AssignmentCounts(
        listed(row.AssignmentRow), row.submissions or 0, row.handed_in or 0, row.waiting or 0,
        row.mean,
    )  # fmt: skip


_SORTS: dict[str, Any] = {
    "student": func.lower(StudentRow.login),
    "name": func.lower(StudentRow.name),
    "points": func.coalesce(GradeRow.final, 0),
    "late": func.coalesce(GradeRow.days_late, 0),
    "attempts": func.coalesce(GradeRow.attempts, 0),
}
SORTS: Final = frozenset(_SORTS)
"""What a table of grades can be sorted by."""


def _count_students(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(StudentRow)) or 0


def _grades_of(assignment: AssignmentRow) -> Select[str, str, GradeRow]:
    """All students, each with the row of their grade where there is one."""
    own = and_(GradeRow.student_id == StudentRow.id, GradeRow.assignment_id == assignment.id)
    return select(StudentRow.login, StudentRow.name, GradeRow).outerjoin(GradeRow, own)


def _grade(row: Row[str, str, GradeRow], assignment: Listed) -> Grade:
    return _grade_from(row.GradeRow, Student(row.login, row.name), assignment)


def _grade_from(row: GradeRow | None, student: Student, assignment: Listed) -> Grade:
    """The grade of a row; that of somebody who has done nothing where there is none."""
    if row is None:
        return grade_of(StudentWork(student, (), (), ()), assignment)
    return Grade(
        student.login, student.name, assignment.name, row.points, row.of, row.penalty, row.extra,
        row.attempts, row.days_late, row.digest, row.received, row.ungraded, row.by_hand,
    )  # fmt: skip
