"""What the pages show, read from a gradebook as plain values; templates only lay it out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

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
from tapelab.grading.gradebook.final_grades import Total, counting
from tapelab.grading.gradebook.gradebook_errors import UnknownNameError
from tapelab.grading.reports.attempt_history import attempt_history
from tapelab.grading.reports.statistics import Statistics, statistics_of
from tapelab.grading.result import CheckResult, Result
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
    return [_summary(each, book.grades(each.name)) for each in book.assignments()]


def _summary(listed: Listed, grades: Sequence[Grade]) -> Summary:
    counted = [each.final for each in grades if has_grade(each)]
    return Summary(
        listed,
        submissions=sum(each.attempts for each in grades),
        handed_in=sum(each.attempts > 0 for each in grades),
        students=len(grades),
        mean=fmean(counted) if counted else None,
        waiting=sum(each.ungraded for each in grades),
    )


def has_grade(grade: Grade) -> bool:
    """Whether there is a result, or a mark by hand in its place."""
    return bool(grade.digest) or grade.by_hand


@dataclass(frozen=True)
class Member:
    """A student as one line of the roster."""

    student: Student
    grades: tuple[Grade, ...]
    total: Total | None


def roster(book: Gradebook) -> tuple[tuple[Listed, ...], list[Member]]:
    """The assignments, and what each student has for each of them and in all."""
    assignments = book.assignments()
    columns = [{g.student: g for g in book.grades(each.name)} for each in assignments]
    totals = {each.student: each for each in book.totals()}
    members = [
        Member(s, tuple(column[s.login] for column in columns), totals.get(s.login))
        for s in book.students()
    ]
    return assignments, members


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
    grade = next(each for each in book.grades(assignment) if each.student == student)
    attempts = _attempts(book, listed, student, grade.digest)
    shown = _chosen(attempts, digest)
    tapes = book.tapes(assignment, shown.handed.digest) if shown else {}
    cells = book.code(assignment, shown.handed.digest) if shown else ()
    result = shown.graded.result if shown and shown.graded else None
    notes, exercises = (result.notes, result.exercises) if result else ((), ())
    return Work(
        known, listed, grade, attempts, shown,
        tuple(each for each in book.marks(assignment) if each.student == student),
        tuple(each for each in book.comments(assignment) if each.student == student),
        _history(book, f"{assignment}/{student}"), tuple(tapes),
        code_listing(cells, notes, exercises), stops_in(notes),
    )  # fmt: skip


def _attempts(book: Gradebook, listed: Listed, student: str, counts: str) -> tuple[Attempt, ...]:
    failures = book.failures(listed.name)
    failed = {each.handed.digest: each for each in failures if each.handed.student == student}
    versions = book.versions(listed.name)
    attempts = []
    for handed in book.submissions(listed.name):
        if handed.student == student:
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
    events = book.history(about)
    own = [e for e in events if e.about == about or e.about.startswith(f"{about}/")]
    return tuple(reversed(own))


DOWN: Final = "down"


@dataclass(frozen=True)
class Column:
    """A check; `label` is short enough to stand above many narrow columns."""

    label: str
    title: str
    exercise: str
    key: str


@dataclass(frozen=True)
class Line:
    """A student; None for a check that their result has not."""

    grade: Grade
    cells: tuple[CheckResult | None, ...]
    failure: Failure | None


@dataclass(frozen=True)
class Sheet:
    """The table, and how it is sorted."""

    listed: Listed
    statistics: Statistics
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    sort: str
    down: bool

    def sorting(self, by: str) -> str:
        """How a column is sorted, as assistive technology names it."""
        if by != self.sort:
            return "none"
        return "descending" if self.down else "ascending"

    def turned(self, by: str) -> str:
        """The order that a click on a column's head asks for."""
        return "" if by != self.sort or self.down else DOWN


def sheet(book: Gradebook, assignment: str, sort: str = "", order: str = "") -> Sheet:
    """The table of an assignment; a column that is not there sorts by student."""
    grades = book.grades(assignment)
    pairs = counting(grades, book.results(assignment))
    results = {grade.student: graded.result for grade, graded in pairs}
    failures = {each.handed.student: each for each in book.failures(assignment)}
    columns = _columns(results.values())
    lines = [
        Line(g, _cells(results.get(g.student), columns), failures.get(g.student)) for g in grades
    ]
    keys = _keys(columns)
    sort = sort if sort in keys else "student"
    lines.sort(key=keys[sort], reverse=order == DOWN)
    data = statistics_of(book, assignment)
    return Sheet(book.assignment(assignment), data, columns, tuple(lines), sort, order == DOWN)


def _columns(results: Iterable[Result]) -> tuple[Column, ...]:
    """The checks in the order in which the statistics have them."""
    titles: dict[tuple[str, str], str] = {}
    for result in results:
        for exercise in result.exercises:
            for check in exercise.checks:
                titles[exercise.exercise, check.key] = check.title
    numbers: dict[str, int] = {}
    columns = []
    for (name, key), title in titles.items():
        numbers[name] = numbers.get(name, 0) + 1
        columns.append(Column(f"{name}:{numbers[name]}", title, name, key))
    return tuple(columns)


def _cells(result: Result | None, columns: tuple[Column, ...]) -> tuple[CheckResult | None, ...]:
    exercises = result.exercises if result else ()
    checks = {(e.exercise, check.key): check for e in exercises for check in e.checks}
    return tuple(checks.get((each.exercise, each.key)) for each in columns)


def _keys(columns: tuple[Column, ...]) -> dict[str, Callable[[Line], Any]]:
    """By name of a column, what a line is sorted by; students break ties."""

    def of_check(number: int) -> Callable[[Line], Any]:
        def key(line: Line) -> Any:
            cell = line.cells[number]
            return (-1.0 if cell is None else cell.points, line.grade.student)

        return key

    keys: dict[str, Callable[[Line], Any]] = {
        "student": lambda line: line.grade.student.casefold(),
        "name": lambda line: (line.grade.name.casefold(), line.grade.student),
        "late": lambda line: (line.grade.days_late, line.grade.student),
        "points": lambda line: (line.grade.final, line.grade.student),
        "attempts": lambda line: (line.grade.attempts, line.grade.student),
    }
    return keys | {each.label: of_check(number) for number, each in enumerate(columns)}
