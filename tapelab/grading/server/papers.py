"""What is handed out whole: the Explorer, feedback and report pages, and files to keep."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from typing import Any

from tapelab.errors import RecordingError
from tapelab.grading.formats.grades import number
from tapelab.grading.formats.tables import text_of
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.errors import UnknownNameError
from tapelab.grading.reports.feedback import feedback_page, file_name
from tapelab.grading.reports.statistics import statistics_of
from tapelab.grading.reports.statistics_page import statistics_page
from tapelab.grading.server.handler import Handler
from tapelab.grading.server.sheet import Sheet, sheet
from tapelab.grading.server.telling import roster, work
from tapelab.locales import say
from tapelab.recording import from_bytes
from tapelab.views import html

Lines = tuple[list[str], list[list[str]]]
"""The head of a table, and its rows."""


class Paper(Handler):
    """A page that brings its own style, and may do nothing else."""

    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; sandbox"
    )

    async def get(self) -> None:
        """Send it."""
        self.finish(await self.from_book(self.drawn))

    def drawn(self, book: Gradebook) -> str:
        """The page as HTML."""
        raise NotImplementedError

    def asked(self, name: str) -> str:
        """What the address says of it."""
        return str(self.get_query_argument(name, ""))


class Feedback(Paper):
    """What the student reads."""

    def drawn(self, book: Gradebook) -> str:
        """The page of the attempt that counts, or of another one."""
        told = work(book, self.asked("assignment"), self.asked("student"), self.asked("attempt"))
        if told.shown is None or told.shown.graded is None:
            raise UnknownNameError(say("There is no result yet, so no feedback."))
        tapes = book.tapes(told.listed.name, told.shown.handed.digest)
        grade = told.grade if told.shown.counts else None
        return feedback_page(told.shown.graded.result, tapes, told.comments, grade)


class Report(Paper):
    """How the class did, with plots."""

    def drawn(self, book: Gradebook) -> str:
        """The page of an assignment."""
        return statistics_page(statistics_of(book, self.asked("name")))


class Explorer(Paper):
    """The recording of an exercise, alive in a frame that reaches neither pages nor cookies."""

    policy = (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
        "sandbox allow-scripts"
    )

    def drawn(self, book: Gradebook) -> str:
        """The Explorer as a page of its own."""
        exercise = self.asked("exercise")
        tape = book.tapes(self.asked("assignment"), self.asked("attempt")).get(exercise)
        if tape is None:
            raise UnknownNameError(say("No recording was kept with this submission."))
        try:
            return html.page(from_bytes(tape))
        except RecordingError as error:
            raise UnknownNameError(
                say("The recording cannot be drawn: {error}", error=error)
            ) from error


class Grades(Handler):
    """The table of an assignment, or of the course, as a file."""

    async def get(self) -> None:
        """Send it as CSV or as JSON."""
        name = self.get_query_argument("name", "")
        form = "json" if self.get_query_argument("as", "") == "json" else "csv"
        text = await self.from_book(partial(_table, name=name, form=form))
        kind = "application/json" if form == "json" else "text/csv"
        stem = file_name(name) if name else "roster"
        self.set_header("Content-Type", f"{kind}; charset=utf-8")
        safe = stem.encode("ascii", "replace").decode().replace("?", "_")
        self.set_header("Content-Disposition", f'attachment; filename="{safe}.{form}"')
        self.finish(text)


def _table(book: Gradebook, *, name: str, form: str) -> str:
    header, rows = _of_assignment(sheet(book, name)) if name else _of_course(book)
    if form == "csv":
        return text_of(header, rows, bom=True)
    told: list[dict[str, Any]] = [dict(zip(header, row, strict=True)) for row in rows]
    if name:
        told = [asdict(grade) | {"final": grade.final} for grade in book.grades(name)]
    return json.dumps(told, ensure_ascii=False, indent=2, default=str)


def _of_assignment(table: Sheet) -> Lines:
    header = ["student", "name", "points", "penalty", "extra", "final", "of", "attempts"]
    header += [f"{each.exercise} {each.title}" for each in table.columns]
    rows = []
    for line in table.lines:
        g = line.grade
        sums = (g.points, g.penalty, g.extra, g.final, g.of, g.attempts)
        cells = [number(cell.points) if cell else "" for cell in line.cells]
        rows.append([g.student, g.name, *map(number, sums), *cells])
    return header, rows


def _of_course(book: Gradebook) -> Lines:
    assignments, members = roster(book)
    header = ["student", "name", "email", *(each.name for each in assignments), "total", "of"]
    rows = []
    for each in members:
        total = (each.total.final, each.total.of) if each.total else (None, None)
        sums = [*(grade.final for grade in each.grades), *total]
        rows.append([each.student.login, each.student.name, each.student.email, *map(number, sums)])
    return header, rows
