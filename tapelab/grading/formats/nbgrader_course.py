"""A course folder of nbgrader: what teachers wrote, what students received, handed in and got back.

source/ASSIGNMENT, release/ASSIGNMENT, and for each student submitted/, autograded/ and feedback/
STUDENT/ASSIGNMENT; grades in gradebook.db. Nothing of it is run, and the database is only read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from tapelab.grading.formats.csv_tables import Grade, Learner, UnreadableFormat
from tapelab.grading.formats.imported_assignment import Imported, plain_name
from tapelab.grading.formats.nbgrader_assignment import (
    Pairs,
    in_place_of_test,
    last_tests,
    read_notebook,
    without_solution,
)
from tapelab.grading.formats.nbgrader_cells import Role, role_of, roles_of, with_role
from tapelab.grading.formats.notebook_format import CODE, Cell, load, save
from tapelab.grading.reports.feedback import feedback_page
from tapelab.grading.submission import LARGEST, Submission, UnreadableSubmission, is_inside
from tapelab.grading.submission import Cell as CodeCell
from tapelab.recording.atomic_write import write

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook


@dataclass(frozen=True)
class HandedIn:
    """A notebook that a student sent."""

    student: str
    path: Path


@dataclass(frozen=True)
class Course:
    """A folder with the layout of nbgrader."""

    root: Path

    def assignments(self) -> tuple[str, ...]:
        """The names of the assignments under source/."""
        return tuple(_folders(self.root / "source"))

    def notebooks(self, assignment: str) -> tuple[str, ...]:
        """The names of an assignment's notebooks; UnreadableFormat where it has none."""
        names = sorted(each.stem for each in self._source(assignment).glob("*.ipynb"))
        if not names:
            there = ", ".join(self.assignments()) or "none"
            raise UnreadableFormat(
                f"{self._source(assignment)} has no notebooks. Assignments there are: {there}."
            )
        return tuple(names)

    def read(self, assignment: str, notebook: str = "") -> Imported:
        """A notebook of an assignment as exercises; it may go unnamed where it is the only one."""
        name = self._notebook(assignment, notebook)
        return read_notebook(self._source(assignment) / f"{name}.ipynb",
                             name=self.name_of(assignment, name))  # fmt: skip

    def name_of(self, assignment: str, notebook: str) -> str:
        """What we call a notebook: as the assignment, with its own name where it has siblings."""
        alone = len(self.notebooks(assignment)) == 1
        return plain_name(assignment if alone else f"{assignment}-{notebook}")

    def release(self, assignment: str) -> tuple[Path, ...]:
        """Write what students get under release/, as nbgrader's generate_assignment does."""
        place = self.root / "release" / assignment
        return tuple(
            save(place / f"{name}.ipynb", starmap(_release_cell, self._pairs(assignment, name)))
            for name in self.notebooks(assignment)
        )

    def handed_in(self, assignment: str, notebook: str = "") -> Iterator[HandedIn]:
        """The notebooks under submitted/, by student; links are not followed."""
        name = self._notebook(assignment, notebook)
        for student in _folders(self.root / "submitted"):
            place = self.root / "submitted" / student / assignment
            path = place / f"{name}.ipynb"
            if path.is_file() and not path.is_symlink() and not place.is_symlink():
                yield HandedIn(student, path)

    def submission(self, sent: HandedIn, assignment: str) -> Submission:
        """What a student sent, ready to be graded: locked cells as they were, tests by us."""
        pairs = self._pairs(assignment, sent.path.stem)
        name = self.name_of(assignment, sent.path.stem)
        read = Submission.read(sent.path, sent.student)
        cells = [cell for cell in adapted(load_sent(sent.path), pairs, name) if cell.kind == CODE]
        code_cells = tuple(CodeCell(f"cell-{at}", cell.source, cell.metadata)
                      for at, cell in enumerate(cells))  # fmt: skip
        return replace(read, cells=code_cells)

    def collect(self, sent: HandedIn, assignment: str, folder: Path) -> Path:
        """Write what a student sent as a notebook that can be graded: STUDENT.ipynb."""
        pairs = self._pairs(assignment, sent.path.stem)
        name = self.name_of(assignment, sent.path.stem)
        cells = (Cell(each.kind, each.source) for each in
                 adapted(load_sent(sent.path), pairs, name))  # fmt: skip
        return save(folder / f"{sent.student}.ipynb", cells)

    def write_autograded(self, sent: HandedIn, assignment: str) -> Path:
        """Write the notebook as it was graded, with locked cells and tests put right."""
        pairs = self._pairs(assignment, sent.path.stem)
        place = self.root / "autograded" / sent.student / assignment
        return save(place / sent.path.name, restored(load_sent(sent.path), pairs))

    def write_feedback(self, sent: HandedIn, assignment: str, page: str) -> Path:
        """Write the page for a student where nbgrader looks for it."""
        place = self.root / "feedback" / sent.student / assignment
        place.mkdir(parents=True, exist_ok=True)
        return write(place / f"{sent.path.stem}.html", page.encode("utf-8"))

    def _source(self, assignment: str) -> Path:
        if not is_inside(assignment):
            raise UnreadableFormat(f"{assignment!r} is no name of an assignment.")
        return self.root / "source" / assignment

    def _notebook(self, assignment: str, notebook: str) -> str:
        there = self.notebooks(assignment)
        if notebook in there or (not notebook and len(there) == 1):
            return notebook or there[0]
        what = f"no notebook {notebook!r}" if notebook else f"{len(there)} notebooks"
        raise UnreadableFormat(f"{assignment} has {what}. Name one of: {', '.join(there)}.")

    def _pairs(self, assignment: str, notebook: str) -> Pairs:
        return roles_of(load(self._source(assignment) / f"{notebook}.ipynb"))


def load_sent(path: Path) -> tuple[Cell, ...]:
    """The cells of what a student sent; UnreadableSubmission where it is damaged or too large."""
    if path.is_symlink() or path.stat().st_size > LARGEST:
        raise UnreadableSubmission(f"{path.name} is a link, or too large. Hand in the notebook.")
    try:
        return load(path)
    except UnreadableFormat as error:
        raise UnreadableSubmission(str(error)) from None


def restored(sent: Sequence[Cell], pairs: Pairs) -> tuple[Cell, ...]:
    """A student's cells with everything put right that was not theirs to change.

    A test that the student deleted comes back at the end; a cell with a role that no cell of the
    teacher's has is the student's own.
    """
    teachers_cells = {role.grade_id: (cell, role) for cell, role in pairs if role}
    restored_cells: dict[str, Cell] = {}
    cells: list[Cell] = []
    for cell in sent:
        name = _grade_id(cell)
        if name not in teachers_cells or name in restored_cells:
            cells.append(Cell(cell.kind, cell.source))
            continue
        original, role = teachers_cells[name]
        kept = original if role.is_restored else Cell(original.kind, cell.source)
        restored_cells[name] = with_role(kept, role)
        cells.append(restored_cells[name])
    deleted = (with_role(cell, role) for name, (cell, role) in teachers_cells.items()
            if role.is_test and name not in restored_cells)  # fmt: skip
    return (*cells, *deleted)


def adapted(sent: Sequence[Cell], pairs: Pairs, name: str) -> tuple[Cell, ...]:
    """A student's cells, with an answer taken where the tests of it stand."""
    last = last_tests(pairs)
    cells: list[Cell] = []
    for cell in restored(sent, pairs):
        role = role_of(cell)
        cells += in_place_of_test(cell, role, last, name) if role and role.is_test else [cell]
    return tuple(cells)


def _grade_id(cell: Cell) -> str:
    """What a student's cell says it is; nothing where that is damaged."""
    try:
        role = role_of(cell)
    except UnreadableFormat:
        return ""
    return role.grade_id if role else ""


def _release_cell(cell: Cell, role: Role | None) -> Cell:
    """A cell as nbgrader releases it: without what is the teacher's, locked, with a checksum."""
    shown = without_solution(cell, role)
    if role is None:
        return shown
    locks: dict[str, Any] = {"deletable": False} if role.solution or role.is_restored else {}
    locks |= {"editable": False} if role.is_restored else {}
    return with_role(shown.with_metadata(**locks), role, released=True)


def _folders(place: Path) -> Iterator[str]:
    if place.is_dir():
        for each in sorted(place.iterdir()):
            if each.is_dir() and not each.is_symlink() and not each.name.startswith("."):
                yield each.name


def give_back(book: Gradebook, course: Course, assignments: Sequence[str]) -> int:
    """Write autograded/ and feedback/ for each student who has a result; how many there are.

    Assignments are named as the course names them; without any, it is all that the gradebook knows.
    """
    known = {each.name for each in book.assignments()}
    written = 0
    for name in assignments or course.assignments():
        for notebook in course.notebooks(name):
            ours = course.name_of(name, notebook)
            if assignments or ours in known:
                written += _notebook(book, course, name, notebook)
    return written


def _notebook(book: Gradebook, course: Course, assignment: str, notebook: str) -> int:
    ours = course.name_of(assignment, notebook)
    counts = {grade.student: (grade, result) for grade, result in book.counted_results(ours)}
    comments = book.comments(ours)
    written = 0
    for sent in course.handed_in(assignment, notebook):
        if sent.student in counts:
            grade, result = counts[sent.student]
            own = [c for c in comments if c.student == sent.student]
            tapes = book.tapes(ours, result.submission)
            page = feedback_page(result, tapes, own, grade, name=grade.name)
            course.write_autograded(sent, assignment)
            course.write_feedback(sent, assignment, page)
            written += 1
    return written


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
