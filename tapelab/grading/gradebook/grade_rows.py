"""Grades and verdicts of each student, kept in the transaction that changes what they follow from.

A page of a large class then reads the rows that it shows. What follows from results, marks and
rules is computed by `final_grades`, as for a single student; here it is only kept. Writers of one
assignment take turns: they hold its row, so none of them keeps what another is about to change.

The verdicts of a student are one value: for each check, in the order of the table of checks, its
points and the place of its status in Status.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from tapelab.grading.gradebook.entities import Grade, Graded, Handed, Kind, Listed, Mark, Student
from tapelab.grading.gradebook.final_grades import StudentWork, grade_of
from tapelab.grading.gradebook.gradebook_errors import storable
from tapelab.grading.gradebook.tables import (
    AssignmentRow,
    CheckRow,
    GradeRow,
    MarkRow,
    Numbered,
    ResultRow,
    StudentRow,
    SubmissionRow,
    VerdictsRow,
)
from tapelab.grading.gradebook.transactions import INSERTS, listed
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility

CHUNK: Final = 200
"""Students whose grades are computed at a time."""
STATUSES: Final = tuple(Status)
CELL: Final = np.dtype([("points", "<f8"), ("status", "u1")])
ABSENT: Final = 255
"""The status where a result has no such check."""


class _Attempt(NamedTuple):
    """A result without its checks."""

    version: str
    points: float
    of: float
    at: datetime


def update_grades(
    session: Session, assignment: AssignmentRow, students: Iterable[int] | None = None
) -> None:
    """Keep what these students have for an assignment, by default all who have anything."""
    ids = iter(_with_work(session, assignment) if students is None else sorted(set(students)))
    known = listed(assignment)
    while chunk := list(islice(ids, CHUNK)):
        _Chunk(session, assignment, known, chunk).update()


def compute_grades(session: Session, assignment: AssignmentRow, rules: Listed) -> list[Grade]:
    """What each student would have for an assignment with other rules, by login."""
    ids = iter(session.scalars(select(StudentRow.id).order_by(StudentRow.login)).all())
    grades: list[Grade] = []
    while chunk := list(islice(ids, CHUNK)):
        computed = _Chunk(session, assignment, rules, chunk).grades()
        grades += (computed[number][0] for number in chunk)
    return grades


def _with_work(session: Session, assignment: AssignmentRow) -> list[int]:
    handed = select(SubmissionRow.student_id).filter_by(assignment_id=assignment.id)
    marked = select(MarkRow.student_id).filter_by(assignment_id=assignment.id)
    return sorted(session.scalars(handed.union(marked)))


@dataclass(frozen=True)
class _Chunk:
    """Some students, whose grades are computed together."""

    session: Session
    row: AssignmentRow
    known: Listed
    students: Sequence[int]

    def update(self) -> None:
        """Compute the grades, and keep them with the verdicts of the attempts that count."""
        computed = self.grades()
        self._keep_verdicts(computed)
        keep_rows(self.session, GradeRow, [
            {**self._key(number), **_values(grade), "graded_at": at}
            for number, (grade, at) in computed.items()
        ])  # fmt: skip

    def grades(self) -> dict[int, tuple[Grade, datetime | None]]:
        """By number of a student the grade, and when the attempt was graded that counts."""
        handed = self._handed()
        attempts = self._attempts({each.digest for own in handed.values() for each in own})
        marks = self._marks()
        by_exercise = [each for each in self.students if _of_exercises(marks[each])]
        whole = self._results({each.digest for student in by_exercise for each in handed[student]})
        grades: dict[int, tuple[Grade, datetime | None]] = {}
        for number, student in self._people().items():
            graded = [
                Graded(each, whole.get(each.digest) or _total(each, attempt), attempt.at)
                for each in handed[number]
                if (attempt := attempts.get(each.digest))
            ]
            work = StudentWork(student, handed[number], graded, marks[number])
            grade = grade_of(work, self.known)
            grades[number] = grade, attempts[grade.digest].at if grade.digest else None
        return grades

    def _key(self, student: int) -> dict[str, Any]:
        return {"assignment_id": self.row.id, "student_id": student}

    def _people(self) -> dict[int, Student]:
        rows = self.session.scalars(select(StudentRow).where(StudentRow.id.in_(self.students)))
        return {row.id: Student(row.login, row.name) for row in rows}

    def _handed(self) -> defaultdict[int, list[Handed]]:
        handed = defaultdict[int, list[Handed]](list)
        query = self._of_students(SubmissionRow)
        for row in self.session.scalars(query.order_by(SubmissionRow.received, SubmissionRow.id)):
            handed[row.student_id].append(Handed("", "", row.digest, row.received))
        return handed

    def _marks(self) -> defaultdict[int, list[Mark]]:
        marks = defaultdict[int, list[Mark]](list)
        for row in self.session.scalars(self._of_students(MarkRow)):
            marks[row.student_id].append(Mark("", "", row.exercise, Kind(row.kind), row.points))
        return marks

    def _of_students(self, table: type[SubmissionRow | MarkRow | GradeRow]) -> Any:
        return (
            select(table)
            .where(table.assignment_id == self.row.id, table.student_id.in_(self.students))
            .execution_options(populate_existing=True)
        )

    def _attempts(self, digests: Collection[str]) -> dict[str, _Attempt]:
        """Of each submission the result that counts: the latest, or that of this version."""
        columns = (
            ResultRow.digest,
            ResultRow.version,
            ResultRow.points,
            ResultRow.of,
            ResultRow.at,
        )
        query = select(*columns).where(
            ResultRow.assignment_id == self.row.id, ResultRow.digest.in_(digests)
        )
        rows = self.session.execute(query.order_by(ResultRow.at))
        in_turn = sorted(rows, key=lambda row: row.version == self.row.version)
        return {row.digest: _Attempt(row.version, row.points, row.of, row.at) for row in in_turn}

    def _results(self, digests: Collection[str]) -> dict[str, Result]:
        """Of each submission the result that counts, with its checks."""
        columns = (ResultRow.digest, ResultRow.version, ResultRow.json)
        query = select(*columns).where(
            ResultRow.assignment_id == self.row.id, ResultRow.digest.in_(digests)
        )
        rows = self.session.execute(query.order_by(ResultRow.at))
        in_turn = sorted(rows, key=lambda row: row.version == self.row.version)
        texts = {row.digest: row.json for row in in_turn}
        return {digest: Result.from_json(text) for digest, text in texts.items()}

    def _keep_verdicts(self, grades: Mapping[int, tuple[Grade, datetime | None]]) -> None:
        """Keep the checks of results that were not those that counted before."""
        before = {row.student_id: (row.digest, row.graded_at)
                  for row in self.session.scalars(self._of_students(GradeRow))}  # fmt: skip
        new = {number: grade for number, (grade, at) in grades.items()
               if before.get(number, ("", None)) != (grade.digest, at)}  # fmt: skip
        results = self._results({grade.digest for grade in new.values() if grade.digest})
        columns = _Columns(self.session, self.row.id)
        columns.add(results.values())
        keep_rows(self.session, VerdictsRow, [
            {**self._key(number), **columns.verdicts(results[grade.digest])}
            for number, grade in new.items() if grade.digest
        ])  # fmt: skip
        gone = [number for number, grade in new.items() if not grade.digest]
        if gone:
            self.session.execute(delete(VerdictsRow).where(
                VerdictsRow.assignment_id == self.row.id, VerdictsRow.student_id.in_(gone)
            ))  # fmt: skip


def _of_exercises(marks: Iterable[Mark]) -> bool:
    """Whether points by hand stand in the place of those of an exercise."""
    return any(mark.exercise and mark.kind is Kind.POINTS for mark in marks)


def _total(handed: Handed, attempt: _Attempt) -> Result:
    """A result of which only the sum is known."""
    check = CheckResult("", "", "", Visibility.PUBLIC, attempt.points, attempt.of, Status.PASSED)
    exercises = (ExerciseResult("", "", (check,)),)
    return Result(handed.digest, "", "", attempt.version, 0, "", exercises)


def _values(grade: Grade) -> dict[str, Any]:
    names = ("points", "of", "penalty", "extra", "final", "attempts", "ungraded", "days_late",
             "digest", "received", "by_hand")  # fmt: skip
    return {name: getattr(grade, name) for name in names}


def keep_rows(session: Session, table: type[Numbered], rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows of students; those that are there take the new values."""
    if not rows:
        return
    key = ("assignment_id", "student_id")
    insert = INSERTS[session.get_bind().dialect.name](table).values(rows)
    values = {name: insert.excluded[name] for name in rows[0] if name not in key}
    session.execute(insert.on_conflict_do_update(index_elements=key, set_=values))


class _Columns:
    """The checks of an assignment, each with its place in the verdicts of a student."""

    def __init__(self, session: Session, assignment: int) -> None:
        self._session, self._assignment = session, assignment
        query = select(CheckRow).filter_by(assignment_id=assignment)
        rows = session.scalars(query.execution_options(populate_existing=True))
        self._rows = {(row.exercise, row.key): row for row in rows}

    def add(self, results: Iterable[Result]) -> None:
        """Add the checks that are new, and note the latest titles of all."""
        for result in results:
            for exercise in result.exercises:
                for check in exercise.checks:
                    self._put(exercise.exercise, check)

    def _put(self, exercise: str, check: CheckResult) -> None:
        name = storable(exercise), storable(check.key)
        row = self._rows.get(name)
        if row is None:
            row = CheckRow(assignment_id=self._assignment, position=len(self._rows),
                           exercise=name[0], key=name[1])  # fmt: skip
            self._rows[name] = row
            self._session.add(row)
        row.title, row.visibility, row.of = storable(check.title), check.visibility.value, check.of

    def verdicts(self, result: Result) -> dict[str, Any]:
        """The verdicts of a result as they are kept."""
        cells = np.zeros(len(self._rows), CELL)
        cells["status"] = ABSENT
        codes: set[str] = set()
        for exercise in result.exercises:
            for check in exercise.checks:
                place = self._rows[storable(exercise.exercise), storable(check.key)].position
                cells[place] = check.points, STATUSES.index(check.status)
                if check.code:
                    codes |= {_token(place, check.code), _token("", check.code)}
        return {"cells": cells.tobytes(), "codes": "\n".join(sorted(codes))}


def _token(place: int | str, code: str) -> str:
    """A pitfall at the place of a check, or without a place: in any of them."""
    return f"{place}:{' '.join(storable(code).split())}"


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of several students: a row for each, a column for each check."""

    points: NDArray[np.float64]
    status: NDArray[np.uint8]
    pitfalls: Mapping[int | None, Counter[str]]
    """By column, and for any column (None), how many students fell into which pitfall."""


def decode_verdicts(cells: Sequence[bytes], codes: Sequence[str], width: int) -> Verdicts:
    """Verdicts as they were kept; a student's may lack the checks that came later."""
    missing = np.zeros(1, CELL)
    missing["status"] = ABSENT
    filler = missing.tobytes()
    full = b"".join(each + filler * (width - len(each) // CELL.itemsize) for each in cells)
    table = np.zeros((0, width), CELL)
    if full:
        table = np.frombuffer(full, CELL).reshape(len(cells), width)
    pitfalls: defaultdict[int | None, Counter[str]] = defaultdict(Counter)
    for token, count in Counter("\n".join(filter(None, codes)).split("\n")).items():
        place, _, code = token.partition(":")
        if code:
            pitfalls[int(place) if place else None][code] = count
    return Verdicts(
        np.ascontiguousarray(table["points"]), np.ascontiguousarray(table["status"]), pitfalls
    )
