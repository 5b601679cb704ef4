"""The grades in a gradebook.db of nbgrader; it is opened for reading alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tapelab.grading.formats.grades import Grade, Learner, UnreadableFormat

_POSSIBLE: Final = """
SELECT assignment.id, assignment.name, assignment.duedate,
       COALESCE(SUM(COALESCE(grade_cells.max_score, task_cells.max_score, 0)), 0)
FROM assignment
LEFT JOIN notebook ON notebook.assignment_id = assignment.id
LEFT JOIN base_cell ON base_cell.notebook_id = notebook.id
LEFT JOIN grade_cells ON grade_cells.id = base_cell.id
LEFT JOIN task_cells ON task_cells.id = base_cell.id
GROUP BY assignment.id ORDER BY assignment.name
"""
_STUDENTS: Final = "SELECT id, first_name, last_name, email FROM student ORDER BY id"
_SUBMITTED: Final = """
SELECT submitted_assignment.assignment_id, submitted_assignment.student_id,
       submitted_assignment.timestamp,
       COALESCE(SUM(COALESCE(grade.manual_score, grade.auto_score, 0)
                    + COALESCE(grade.extra_credit, 0)), 0)
FROM submitted_assignment
LEFT JOIN submitted_notebook ON submitted_notebook.assignment_id = submitted_assignment.id
LEFT JOIN grade ON grade.notebook_id = submitted_notebook.id
GROUP BY submitted_assignment.id
"""
_PENALTIES: Final = """
SELECT submitted_assignment.assignment_id, submitted_assignment.student_id,
       COALESCE(SUM(submitted_notebook.late_submission_penalty), 0)
FROM submitted_assignment
JOIN submitted_notebook ON submitted_notebook.assignment_id = submitted_assignment.id
GROUP BY submitted_assignment.id
"""


def grades(path: Path) -> tuple[Grade, ...]:
    """Every student's grade in every assignment, as `nbgrader export` would list them."""
    if not path.is_file():
        raise UnreadableFormat(f"There is no gradebook {path}. nbgrader calls it gradebook.db.")
    try:
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as book:
            return tuple(_grades(book))
    except sqlite3.Error as error:
        raise UnreadableFormat(
            f"{path.name} is no gradebook of nbgrader: {error}. If an older nbgrader wrote it, "
            "run nbgrader db upgrade."
        ) from None


def _grades(book: sqlite3.Connection) -> Iterator[Grade]:
    students = [
        Learner(name, first or "", last or "", email or "")
        for name, first, last, email in book.execute(_STUDENTS)
    ]
    sent = {(key, who): (when, points) for key, who, when, points in book.execute(_SUBMITTED)}
    late = {(key, who): penalty for key, who, penalty in book.execute(_PENALTIES)}
    for key, title, due, of in book.execute(_POSSIBLE).fetchall():
        for one in students:
            when, points = sent.get((key, one.id), ("", None))
            penalty = late.get((key, one.id), 0.0)
            yield Grade(one, title, points, of, penalty, _time(due), _time(when))


def _time(text: str | None) -> datetime | None:
    """A time, which is in UTC there."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
