"""Submissions and their results: each result once, however often it is recorded."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Select, delete, select
from sqlalchemy.orm import Session

from tapelab.grading.gradebook.claims import Claims, end_claim
from tapelab.grading.gradebook.entities import Change, Failure, Graded, Handed, changed
from tapelab.grading.gradebook.grade_rows import update_grades
from tapelab.grading.gradebook.gradebook_errors import storable
from tapelab.grading.gradebook.submitted_code import decode_cells, encode_cells
from tapelab.grading.gradebook.tables import (
    AssignmentRow,
    CodeRow,
    FailureRow,
    ResultRow,
    SubmissionRow,
    TapeRow,
)
from tapelab.grading.gradebook.transactions import (
    assignment_row,
    by_student,
    now,
    student_row,
    unknown,
)
from tapelab.grading.result import Result

NO_TAPES: Final[Mapping[str, bytes]] = MappingProxyType({})


class Results(Claims):
    """What was handed in, and what grading it came to."""

    def hand_in(
        self,
        student: str,
        assignment: str,
        digest: str,
        received: datetime,
        path: str = "",
        cells: Iterable[str] = (),
    ) -> None:
        """Note a submission and its code; the same files of the same student change nothing."""
        code = encode_cells(cells) if cells else b""

        def write(session: Session) -> None:
            known = assignment_row(session, assignment, locked=True)
            keys = {"student_id": student_row(session, student).id, "assignment_id": known.id}
            values = {"received": received, "path": storable(path)}
            if self._new(session, SubmissionRow, **keys, digest=digest, **values):
                self._note(session, "submission", f"{assignment}/{student}", "", digest)
                update_grades(session, known, [keys["student_id"]])
            if code:
                of = {"assignment_id": keys["assignment_id"], "digest": digest}
                self._new(session, CodeRow, **of, content=code)

        self._lasting(write)

    def record(self, result: Result, tapes: Mapping[str, bytes] = NO_TAPES) -> bool:
        """Keep a result under its submission and version; whether anything changed.

        `tapes` are what its exercises recorded, as `tapelab.recording.to_bytes` writes it.

        The same result again changes nothing, another one under the same key replaces the first.
        """
        text = storable(result.to_json())

        def write(session: Session) -> bool:
            assignment = assignment_row(session, result.assignment, locked=True)
            key = {"assignment_id": assignment.id, "digest": result.submission,
                   "version": result.version}  # fmt: skip
            session.execute(delete(FailureRow).filter_by(**key))
            end_claim(session, key)
            values = {"points": result.points, "of": result.of, "json": text, "at": now()}
            about = f"{result.assignment}/{result.student}"
            _replace_tapes(session, key, tapes)
            if self._new(session, ResultRow, **key, **values):
                self._note(session, "result", about, "", _summary(result))
                update_grades(session, assignment, _students_of(session, key))
                return True
            row = session.scalars(select(ResultRow).filter_by(**key).with_for_update()).one()
            if row.json == text:
                return False
            self._note(session, "result", about, row.json, text)
            row.points, row.of, row.json, row.at = result.points, result.of, text, now()
            update_grades(session, assignment, _students_of(session, key))
            return True

        return self._lasting(write)

    def fail(self, assignment: str, digest: str, version: str, why: str) -> None:
        """Note that a submission has no result, and why; it is tried again next time."""

        def write(session: Session) -> None:
            key = {"assignment_id": assignment_row(session, assignment).id, "digest": digest,
                   "version": version}  # fmt: skip
            session.execute(delete(FailureRow).filter_by(**key))
            end_claim(session, key)
            session.add(FailureRow(**key, why=storable(why), at=now()))

        self._lasting(write)

    def why_failed(self, assignment: str, digest: str, version: str) -> str:
        """Why there is no result under this key; empty where no failure is noted."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            key = {"assignment_id": known.id, "digest": digest, "version": version}
            return session.scalar(select(FailureRow.why).filter_by(**key)) or ""

    def latest(self, assignment: str, digest: str) -> Result | None:
        """The latest result of these files, under any version."""
        with self._reading() as session:
            row = session.scalar(_of(assignment, digest).order_by(ResultRow.at.desc()).limit(1))
            return Result.from_json(row.json) if row is not None else None

    def tapes(self, assignment: str, digest: str) -> dict[str, bytes]:
        """By exercise, what the tape of a submission recorded when it was last graded."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            rows = select(TapeRow).filter_by(assignment_id=known.id, digest=digest)
            tape_rows = session.scalars(rows.order_by(TapeRow.id))
            return {row.exercise: zlib.decompress(row.content) for row in tape_rows}

    def code(self, assignment: str, digest: str) -> tuple[str, ...]:
        """The cells of a submission; none where an earlier version of tapelab collected it."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            rows = select(CodeRow.content).filter_by(assignment_id=known.id, digest=digest)
            content = session.scalar(rows)
            return decode_cells(content) if content is not None else ()

    def submissions(self, assignment: str, student: str | None = None) -> tuple[Handed, ...]:
        """What was handed in, by student and time; by one student where one is given."""
        with self._reading() as session:
            assignment_row(session, assignment)
            return tuple(_handed(session, assignment, student))

    def results(self, assignment: str, student: str | None = None) -> tuple[Graded, ...]:
        """Of each submission the result that counts, by student and time."""
        return tuple(history[-1] for history in self.all_results(assignment, student))

    def all_results(
        self, assignment: str, student: str | None = None
    ) -> tuple[tuple[Graded, ...], ...]:
        """Of each submission all its results in their order, that of the present version last."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            handed = _handed(session, assignment, student)
            query = select(ResultRow).filter_by(assignment_id=known.id).order_by(ResultRow.at)
            if student is not None:
                query = query.where(ResultRow.digest.in_([each.digest for each in handed]))
            rows = session.scalars(query)
            results: dict[str, list[tuple[Result, datetime]]] = {}
            # Not always the latest: a teacher may return to an earlier version.
            for row in sorted(rows, key=lambda row: row.version == known.version):
                results.setdefault(row.digest, []).append((Result.from_json(row.json), row.at))
        return tuple(
            tuple(Graded(h, replace(r, student=h.student), at) for r, at in results[h.digest])
            for h in handed
            if h.digest in results
        )

    def results_of(self, handed: Handed) -> tuple[Graded, ...]:
        """All results of a submission in their order, that of the present version last."""
        with self._reading() as session:
            known = assignment_row(session, handed.assignment)
            query = select(ResultRow).filter_by(assignment_id=known.id, digest=handed.digest)
            rows = session.scalars(query.order_by(ResultRow.at)).all()
            rows = sorted(rows, key=lambda row: row.version == known.version)
            return tuple(
                Graded(handed, replace(Result.from_json(r.json), student=handed.student), r.at)
                for r in rows
            )

    def failures(self, assignment: str, student: str | None = None) -> tuple[Failure, ...]:
        """What could not be graded, and why."""
        with self._reading() as session:
            known = assignment_row(session, assignment)
            handed = _handed(session, assignment, student)
            query = select(FailureRow).filter_by(assignment_id=known.id)
            if student is not None:
                query = query.where(FailureRow.digest.in_([each.digest for each in handed]))
            failures = {row.digest: (row.version, row.why, row.at)
                        for row in session.scalars(query)}  # fmt: skip
        return tuple(Failure(h, *failures[h.digest]) for h in handed if h.digest in failures)

    def changes(self, assignment: str) -> tuple[Change, ...]:
        """What regrading changed, from the version before the latest to the latest."""
        pairs = (each[-2:] for each in self.all_results(assignment) if len(each) > 1)
        return tuple(c for before, after in pairs for c in changed(before.result, after.result))

    def fit_exercise(self, assignment: str, exercise: str) -> None:
        """Refuse an exercise that the assignment has not; "" means all of it."""
        parts = [part.exercise for part in self.assignment(assignment).parts]
        if exercise and exercise not in parts:
            raise unknown("exercise", exercise, parts)


def _students_of(session: Session, key: Mapping[str, Any]) -> list[int]:
    """Who handed in the files of a result."""
    query = select(SubmissionRow.student_id).where(
        SubmissionRow.assignment_id == key["assignment_id"], SubmissionRow.digest == key["digest"]
    )
    return list(session.scalars(query))


def _replace_tapes(session: Session, key: dict[str, Any], tapes: Mapping[str, bytes]) -> None:
    for exercise, content in tapes.items():
        session.execute(delete(TapeRow).filter_by(**key, exercise=exercise))
        session.add(TapeRow(**key, exercise=exercise, content=zlib.compress(content)))


def _summary(result: Result) -> dict[str, object]:
    return {"version": result.version, "points": result.points, "of": result.of}


def _of(assignment: str, digest: str) -> Select[Any]:
    of_it = ResultRow.assignment_id == AssignmentRow.id
    return (
        select(ResultRow)
        .join(AssignmentRow, of_it)
        .where(AssignmentRow.name == assignment, ResultRow.digest == digest)
    )


def _handed(session: Session, assignment: str, student: str | None = None) -> list[Handed]:
    rows = by_student(SubmissionRow, assignment, student)
    rows = rows.order_by(SubmissionRow.received, SubmissionRow.id)
    return [
        Handed(student, assignment, row.digest, row.received, row.path)
        for row, student in session.execute(rows)
    ]
