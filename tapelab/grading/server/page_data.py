"""What the pages show, read from a gradebook as plain values; templates only lay it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.entities import (
    Comment,
    Event,
    Failure,
    Grade,
    Graded,
    Handed,
    Listed,
    Mark,
    Student,
)
from tapelab.grading.gradebook.final_grades import Total, total_of
from tapelab.grading.gradebook.grade_rows import ABSENT, STATUSES, Verdicts
from tapelab.grading.gradebook.grade_tables import (
    BY_STUDENT,
    SORTS,
    ClassVerdicts,
    GradedCheck,
)
from tapelab.grading.gradebook.gradebook_errors import UnknownNameError
from tapelab.grading.reports.attempt_history import attempt_history
from tapelab.grading.reports.statistics import Statistics, class_statistics
from tapelab.grading.result import Status
from tapelab.grading.server.code_cells import CodeListing, Stop, code_listing, stops_in
from tapelab.locales import say, say_many


@dataclass(frozen=True)
class Summary:
    """An assignment as one line of the overview."""

    listed: Listed
    submissions: int
    handed_in: int
    students: int
    mean: float | None
    waiting: int
    """Submissions without a result."""

    @property
    def status(self) -> str:
        """How far it is, in words."""
        if not self.submissions:
            return say("nothing handed in")
        if not self.waiting:
            return say("all graded")
        return say_many("{count} without a result", "{count} without a result", self.waiting)


def overview(book: Gradebook) -> list[Summary]:
    """All assignments, by name."""
    students = book.student_count()
    return [
        Summary(each.listed, each.submissions, each.handed_in, students, each.mean, each.waiting)
        for each in book.all_counts()
    ]


PER_PAGE: Final = 50
"""Students on a page of a table."""


@dataclass(frozen=True)
class Paging:
    """Which page of a table is shown, from 1 on, and how many there are."""

    number: int
    count: int
    rows: int
    """Students on all pages."""

    @classmethod
    def of(cls, rows: int, wanted: str) -> Paging:
        """The page that an address names, or the one nearest to it."""
        count = max(-(-rows // PER_PAGE), 1)
        number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 else 1
        return cls(min(max(number, 1), count), count, rows)

    @property
    def first(self) -> int:
        """The place of the first student of the page among all."""
        return (self.number - 1) * PER_PAGE

    @property
    def others(self) -> list[tuple[str, int]]:
        """The pages to go to, with what they are called."""
        pages = {say("First page"): 1, say("Previous page"): self.number - 1,
                 say("Next page"): self.number + 1, say("Last page"): self.count}  # fmt: skip
        there = range(1, self.count + 1)
        return [(name, at) for name, at in pages.items() if at != self.number and at in there]


@dataclass(frozen=True)
class Member:
    """A student as one line of the roster."""

    student: Student
    grades: tuple[Grade, ...]
    total: Total | None


def roster(
    book: Gradebook, page: str | None = None
) -> tuple[tuple[Listed, ...], list[Member], Paging]:
    """The assignments, and what students have: those of a page, or everybody."""
    paging = Paging.of(book.student_count(), page or "")
    first, count = (0, None) if page is None else (paging.first, PER_PAGE)
    members = [
        Member(student, grades, total_of(grades, 0) if grades else None)
        for student, grades in book.roster_page(first, count)
    ]
    return book.assignments(), members, paging


@dataclass(frozen=True)
class Attempt:
    """Something a student handed in, with its result or with the reason why there is none."""

    handed: Handed
    graded: Graded | None
    failure: Failure | None
    counts: bool
    history: tuple[str, ...]
    """What happened to it, in sentences."""


@dataclass(frozen=True)
class Work:
    """All that a student has in an assignment; `shown` is the attempt the page is about."""

    student: Student
    listed: Listed
    grade: Grade
    attempts: tuple[Attempt, ...]
    shown: Attempt | None
    marks: tuple[Mark, ...]
    comments: tuple[Comment, ...]
    events: tuple[Event, ...]
    tapes: tuple[str, ...]
    code: CodeListing
    stops: tuple[Stop, ...]
    """The cells of the shown attempt that stopped."""

    @property
    def other_notes(self) -> tuple[str, ...]:
        """What the notes of its result say beside the cells that stopped."""
        graded = self.shown.graded if self.shown else None
        return tuple(note for note in graded.result.notes if not stops_in([note])) if graded else ()

    @property
    def has_code(self) -> bool:
        """Whether the gradebook has the code of the shown attempt."""
        return bool(self.code.others or any(self.code.of_exercise.values()))


def work(book: Gradebook, assignment: str, student: str, digest: str = "") -> Work:
    """What a student did; of several attempts the one that counts, or the one asked for."""
    known, listed = book.student(student), book.assignment(assignment)
    grade = book.grade(assignment, student)
    attempts = _attempts(book, listed, student, grade.digest)
    shown = _chosen(attempts, digest)
    tapes = book.tapes(assignment, shown.handed.digest) if shown else {}
    cells = book.code(assignment, shown.handed.digest) if shown else ()
    result = shown.graded.result if shown and shown.graded else None
    notes, exercises = (result.notes, result.exercises) if result else ((), ())
    return Work(
        known, listed, grade, attempts, shown,
        book.marks(assignment, student), book.comments(assignment, student),
        _history(book, f"{assignment}/{student}"), tuple(tapes),
        code_listing(cells, notes, exercises), stops_in(notes),
    )  # fmt: skip


def _attempts(book: Gradebook, listed: Listed, student: str, counts: str) -> tuple[Attempt, ...]:
    failed = {each.handed.digest: each for each in book.failures(listed.name, student)}
    versions = book.versions(listed.name)
    attempts = []
    for handed in book.submissions(listed.name, student):
        graded = book.results_of(handed)
        late = listed.policy.late(handed.received, listed.due)
        history = attempt_history(handed, late, graded, versions)
        latest = graded[-1] if graded else None
        failure, is_counted = failed.get(handed.digest), handed.digest == counts
        attempts.append(Attempt(handed, latest, failure, is_counted, history))
    return tuple(attempts)


def _chosen(attempts: Sequence[Attempt], digest: str) -> Attempt | None:
    if digest:
        chosen = next((each for each in attempts if each.handed.digest == digest), None)
        if chosen is None:
            raise UnknownNameError(say("There is no such attempt. Choose one of those listed."))
        return chosen
    last = attempts[-1] if attempts else None
    return next((each for each in attempts if each.counts), last)


def _history(book: Gradebook, about: str) -> tuple[Event, ...]:
    """The newest first; of this student alone, whose name may begin that of another."""
    return tuple(reversed(book.history_of(about)))


DOWN: Final = "down"


@dataclass(frozen=True)
class Column:
    """A check; `label` is short enough to stand above many narrow columns."""

    label: str
    check: GradedCheck


@dataclass(frozen=True)
class Cell:
    """What a check came to for a student."""

    points: float
    of: float
    status: Status


@dataclass(frozen=True)
class Line:
    """A student; `row` is their place among those who have a result, if they have one."""

    grade: Grade
    failed: bool
    row: int | None
    columns: tuple[Column, ...]
    verdicts: Verdicts

    @property
    def cells(self) -> tuple[Cell | None, ...]:
        """What each check came to; None for one that the result has not."""
        if self.row is None:
            return (None,) * len(self.columns)
        points = self.verdicts.points[self.row].tolist()
        status = self.verdicts.status[self.row].tolist()
        places = [(each.check.position, each.check.of) for each in self.columns]
        return tuple(
            None if status[at] == ABSENT else Cell(points[at], of, STATUSES[status[at]])
            for at, of in places
        )


@dataclass(frozen=True)
class Sheet:
    """The table, and how it is sorted."""

    listed: Listed
    statistics: Statistics
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    sort: str
    down: bool
    paging: Paging

    def sorting(self, by: str) -> str:
        """How a column is sorted, as assistive technology names it."""
        if by != self.sort:
            return "none"
        return "descending" if self.down else "ascending"

    def turned(self, by: str) -> str:
        """The order that a click on a column's head asks for."""
        return "" if by != self.sort or self.down else DOWN


def sheet(
    book: Gradebook, assignment: str, sort: str = "", order: str = "", page: str | None = None
) -> Sheet:
    """The table of an assignment, or a page of it; an unknown column sorts by student."""
    graded = book.verdicts(assignment)
    columns = columns_of(book.checks(assignment), graded.verdicts)
    paging = Paging.of(book.student_count(), page or "")
    first, count = (0, None) if page is None else (paging.first, PER_PAGE)
    down = order == DOWN
    by_check = next((each.check for each in columns if each.label == sort), None)
    if by_check is not None:
        logins = _by_check(book.logins(), graded, by_check, down=down)
        last = None if count is None else first + count
        grades = book.grades_of(assignment, logins[first:last])
    else:
        sort = sort if sort in SORTS else BY_STUDENT
        grades = book.grade_page(assignment, sort=sort, descending=down, first=first, count=count)
    data = class_statistics(book, assignment, graded)
    failed = book.failed_students(assignment, [each.student for each in grades])
    rows = {login: row for row, login in enumerate(graded.students)}
    lines = tuple(
        Line(each, each.student in failed, rows.get(each.student), columns, graded.verdicts)
        for each in grades
    )
    return Sheet(book.assignment(assignment), data, columns, lines, sort, down, paging)


def columns_of(checks: Iterable[GradedCheck], verdicts: Verdicts) -> tuple[Column, ...]:
    """The checks that somebody's result has, as the statistics have them."""
    present = (verdicts.status != ABSENT).any(axis=0)
    numbers: dict[str, int] = {}
    columns = []
    for each in checks:
        if present[each.position]:
            numbers[each.exercise] = numbers.get(each.exercise, 0) + 1
            columns.append(Column(f"{each.exercise}:{numbers[each.exercise]}", each))
    return tuple(columns)


def _by_check(
    logins: Sequence[str], graded: ClassVerdicts, check: GradedCheck, *, down: bool
) -> list[str]:
    """All students by what a check gave them; below all others those whom it gave nothing."""
    there = graded.verdicts.status[:, check.position] != ABSENT
    points = np.where(there, graded.verdicts.points[:, check.position], -1.0)
    of = dict(zip(graded.students, points.tolist(), strict=True))
    return sorted(logins, key=lambda login: (of.get(login, -1.0), login), reverse=down)
