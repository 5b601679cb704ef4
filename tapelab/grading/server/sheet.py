"""A table of an assignment: each student's points check by check, in the order asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.rows import Failure, Grade, Listed
from tapelab.grading.reports.statistics import Statistics, statistics_of
from tapelab.grading.result import CheckResult, Result

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
    results = {(g.handed.student, g.handed.digest): g.result for g in book.results(assignment)}
    failures = {each.handed.student: each for each in book.failures(assignment)}
    grades = book.grades(assignment)
    counting = [results[key] for g in grades if (key := (g.student, g.digest)) in results]
    columns = _columns(counting)
    lines = [
        Line(g, _cells(results.get((g.student, g.digest)), columns), failures.get(g.student))
        for g in grades
    ]
    keys = _keys(columns)
    sort = sort if sort in keys else "student"
    lines.sort(key=keys[sort], reverse=order == DOWN)
    told = statistics_of(book, assignment)
    return Sheet(book.assignment(assignment), told, columns, tuple(lines), sort, order == DOWN)


def _columns(results: list[Result]) -> tuple[Column, ...]:
    """The checks in the order in which the statistics have them."""
    found: dict[tuple[str, str], str] = {}
    for result in results:
        for exercise in result.exercises:
            for check in exercise.checks:
                found[exercise.exercise, check.key] = check.title
    numbers: dict[str, int] = {}
    columns = []
    for (name, key), title in found.items():
        numbers[name] = numbers.get(name, 0) + 1
        columns.append(Column(f"{name}:{numbers[name]}", title, name, key))
    return tuple(columns)


def _cells(result: Result | None, columns: tuple[Column, ...]) -> tuple[CheckResult | None, ...]:
    exercises = result.exercises if result else ()
    found = {(e.exercise, check.key): check for e in exercises for check in e.checks}
    return tuple(found.get((each.exercise, each.key)) for each in columns)


def _keys(columns: tuple[Column, ...]) -> dict[str, Callable[[Line], Any]]:
    """By name of a column, what a line is sorted by; students break ties."""

    def of_check(number: int) -> Callable[[Line], Any]:
        def key(line: Line) -> Any:
            cell = line.cells[number]
            return (-1.0 if cell is None else cell.points, line.grade.student)

        return key

    keys: dict[str, Callable[[Line], Any]] = {
        "student": lambda line: line.grade.student.casefold(),
        "points": lambda line: (line.grade.final, line.grade.student),
        "attempts": lambda line: (line.grade.attempts, line.grade.student),
    }
    return keys | {each.label: of_check(number) for number, each in enumerate(columns)}
