"""The pages of the gradebook server: overview, roster, assignment, submission, and downloads."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from functools import partial
from http import HTTPStatus
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tornado.web import HTTPError

from tapelab.errors import RecordingError
from tapelab.grading.formats.csv_tables import csv_text, format_points
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.entities import Kind
from tapelab.grading.gradebook.grade_rows import ABSENT, Verdicts
from tapelab.grading.gradebook.gradebook_errors import UnfitError, UnknownNameError
from tapelab.grading.reports.feedback import feedback_page, file_name
from tapelab.grading.reports.statistics import statistics_of, statistics_page
from tapelab.grading.server.exports import EXPORTS
from tapelab.grading.server.handler import NOT_IN, TEMPLATES, Handler, link
from tapelab.grading.server.page_data import columns_of, overview, roster, sheet, work
from tapelab.grading.stored_tapes import from_stored
from tapelab.locales import paragraph, say, sentence, translated
from tapelab.views import html

DONE: Final = {
    "marked": sentence("The points are noted."),
    "unmarked": sentence("The points by hand are taken back; what was graded counts again."),
    "there was none": sentence("There were no points by hand to take back."),
    "ruled": sentence("The rules hold, and every grade is counted by them."),
    "said": sentence("The comment is noted."),
}
"""The sentence after a form, by the word in the redirect."""


class Overview(Handler):
    """All assignments; with the token, the start of a session."""

    private = False

    async def get(self) -> None:
        """Start a session if the address has the token; else show the assignments."""
        token = self.query("token")
        if token:
            self._start_session(token)
            return
        if not self.session:
            raise HTTPError(HTTPStatus.FORBIDDEN, translated(NOT_IN))
        self.show("overview.html", summaries=await self.from_book(overview))

    def _start_session(self, token: str) -> None:
        if not self.context.access.is_token(token):
            wrong = paragraph(say("The token is wrong."), translated(NOT_IN))
            raise HTTPError(HTTPStatus.FORBIDDEN, wrong)
        session = self.session or self.context.access.new_session()
        self.set_cookie(self.context.cookie, session, httponly=True, samesite="Strict", path="/")
        # Not a redirect: a browser that came from elsewhere would leave a strict cookie out.
        self.show("welcome.html")


class Roster(Handler):
    """All students, and what each has."""

    async def get(self) -> None:
        """Show the roster."""
        read = partial(roster, page=self.query("number"))
        assignments, members, paging = await self.from_book(read)
        self.show("roster.html", assignments=assignments, members=members, paging=paging)


class Assignment(Handler):
    """Each student's points check by check, and how the class did."""

    async def get(self) -> None:
        """Show the table, sorted as the address says."""
        name, sort, order, page = map(self.query, ("name", "sort", "order", "number"))
        read = partial(sheet, assignment=name, sort=sort, order=order, page=page)
        table = await self.from_book(read)
        message = translated(DONE.get(self.query("done"), ""))
        self.show("assignment.html", sheet=table, message=message, exports=EXPORTS)


class Submission(Handler):
    """What a student did in an assignment, and the forms to judge it by hand."""

    async def get(self) -> None:
        """Show the attempt that counts, or another one."""
        assignment, student, digest = map(self.query, ("assignment", "student", "attempt"))
        data = await self.from_book(lambda book: work(book, assignment, student, digest))
        message = translated(DONE.get(self.query("done"), ""))
        self.show("submission.html", work=data, message=message)

    async def _change(self) -> None:
        done = await self.from_book(self.apply_form)
        query = {name: self.get_body_argument(name) for name in ("assignment", "student")}
        self.redirect(link("submission", **query, done=done), status=HTTPStatus.SEE_OTHER)

    def apply_form(self, book: Gradebook) -> str:
        """Apply the form to the gradebook; return the key of the sentence in DONE."""
        raise NotImplementedError

    def field(self, name: str) -> str:
        """The value of a form field; empty if it was not sent."""
        return str(self.get_body_argument(name, ""))

    @property
    def student_and_assignment(self) -> tuple[str, str]:
        """The student and the assignment of a form."""
        return self.field("student"), self.field("assignment")


class Mark(Submission):
    """Points by hand, from a form."""

    async def get(self) -> None:
        """Refuse: this address takes forms only."""
        raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED)

    async def post(self) -> None:
        """Apply the form, then redirect to the submission."""
        await self._change()

    def apply_form(self, book: Gradebook) -> str:
        """Record the points."""
        book.mark(
            *self.student_and_assignment, typed_points(self.field("points")),
            exercise=self.field("exercise"), kind=kind(self.field("kind")),
            comment=self.field("comment").strip(),
        )  # fmt: skip
        return "marked"


class Unmark(Mark):
    """Points by hand, taken back."""

    def apply_form(self, book: Gradebook) -> str:
        """Remove the points; the history keeps both entries."""
        exercise, of_kind = self.field("exercise"), kind(self.field("kind"))
        taken = book.unmark(*self.student_and_assignment, exercise=exercise, kind=of_kind)
        return "unmarked" if taken else "there was none"


class Comment(Mark):
    """A comment for a student."""

    def apply_form(self, book: Gradebook) -> str:
        """Add the comment."""
        book.comment(
            *self.student_and_assignment,
            self.field("text").strip(),
            exercise=self.field("exercise"),
        )
        return "said"


class Style(Handler):
    """The stylesheet of all pages, error pages included."""

    private = False

    def get(self) -> None:
        """Send it."""
        self.set_header("Content-Type", "text/css; charset=utf-8")
        self.finish((TEMPLATES / "style.css").read_bytes())


class Nowhere(Handler):
    """Any other address."""

    def prepare(self) -> None:
        """Respond with 404, after the checks of every page."""
        super().prepare()
        raise HTTPError(HTTPStatus.NOT_FOUND)


def typed_points(text: str) -> float:
    """The number that a person typed, with a decimal point or comma; UnfitError for other text."""
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        wrong = say("`{text}` is no number of points; nothing was changed. Try 2.5.", text=text)
        raise UnfitError(wrong)
    return value


def kind(text: str) -> Kind:
    """The kind of a mark; UnfitError for text that no form of ours sends."""
    if text not in list(Kind):
        raise UnfitError(say("`{text}` is no kind of mark.", text=text))
    return Kind(text)


Lines = tuple[list[str], list[list[str]]]
"""The head of a table, and its rows."""


class Document(Handler):
    """A document with its own style sheet, in a sandbox that allows nothing else."""

    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; sandbox"
    )

    async def get(self) -> None:
        """Send it."""
        self.finish(await self.from_book(self.document_html))

    def document_html(self, book: Gradebook) -> str:
        """The document as HTML."""
        raise NotImplementedError


class Feedback(Document):
    """The feedback page of a student."""

    def document_html(self, book: Gradebook) -> str:
        """The page of the attempt that counts, or of another one."""
        data = work(book, self.query("assignment"), self.query("student"), self.query("attempt"))
        if data.shown is None or data.shown.graded is None:
            raise UnknownNameError(say("There is no result yet, so no feedback."))
        tapes = book.tapes(data.listed.name, data.shown.handed.digest)
        grade = data.grade if data.shown.counts else None
        name = data.grade.name
        return feedback_page(data.shown.graded.result, tapes, data.comments, grade, name=name)


class Report(Document):
    """The statistics page of an assignment."""

    def document_html(self, book: Gradebook) -> str:
        """The page of an assignment."""
        return statistics_page(statistics_of(book, self.query("name")))


class Explorer(Document):
    """The interactive figure of a recording, in a frame without access to pages and cookies."""

    policy = (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
        "sandbox allow-scripts"
    )

    def document_html(self, book: Gradebook) -> str:
        """The Explorer as a page of its own."""
        exercise = self.query("exercise")
        tape = book.tapes(self.query("assignment"), self.query("attempt")).get(exercise)
        if tape is None:
            raise UnknownNameError(say("No recording was kept with this submission."))
        try:
            return html.page(from_stored(tape))
        except RecordingError as error:
            raise UnknownNameError(
                say("The recording cannot be drawn: {error}", error=error)
            ) from error


class Grades(Handler):
    """The grades of an assignment, or of the course, as a file."""

    async def get(self) -> None:
        """Send it as CSV or as JSON."""
        name = self.query("name")
        form = "json" if self.query("as") == "json" else "csv"
        text = await self.from_book(partial(_grades_table, name=name, form=form))
        kind = "application/json" if form == "json" else "text/csv"
        stem = file_name(name) if name else "roster"
        self.set_header("Content-Type", f"{kind}; charset=utf-8")
        safe = stem.encode("ascii", "replace").decode().replace("?", "_")
        self.set_header("Content-Disposition", f'attachment; filename="{safe}.{form}"')
        self.finish(text)


def _grades_table(book: Gradebook, *, name: str, form: str) -> str:
    if name and form == "json":
        data = [asdict(grade) | {"final": grade.final} for grade in book.grades(name)]
        return json.dumps(data, ensure_ascii=False, indent=2, default=str)
    header, rows = _assignment_table(book, name) if name else _course_table(book)
    if form == "csv":
        return csv_text(header, rows, bom=True)
    lines = [dict(zip(header, row, strict=True)) for row in rows]
    return json.dumps(lines, ensure_ascii=False, indent=2)


def _assignment_table(book: Gradebook, name: str) -> Lines:
    header = ["student", "name", "points", "penalty", "extra", "final", "of", "attempts",
              "days_late"]  # fmt: skip
    graded = book.verdicts(name)
    columns = columns_of(book.checks(name), graded.verdicts)
    header += [f"{each.check.exercise} {each.check.title}" for each in columns]
    cells = _cells_as_text(graded.verdicts)[:, [each.check.position for each in columns]]
    verdicts = dict(zip(graded.students, cells, strict=True))
    none = [""] * len(columns)
    rows = []
    for g in book.grades(name):
        sums = (g.points, g.penalty, g.extra, g.final, g.of, g.attempts, g.days_late)
        rows.append([g.student, g.name, *map(format_points, sums), *verdicts.get(g.student, none)])
    return header, rows


def _cells_as_text(verdicts: Verdicts) -> NDArray[np.object_]:
    """The points of all checks as text; a class has millions, and few that differ."""
    points, places = np.unique(verdicts.points, return_inverse=True)
    texts = np.array(list(map(format_points, points.tolist())), object)
    cells: NDArray[np.object_] = texts[places.reshape(verdicts.points.shape)]
    cells[verdicts.status == ABSENT] = ""
    return cells


def _course_table(book: Gradebook) -> Lines:
    assignments, members, _ = roster(book)
    header = ["student", "name", "email", *(each.name for each in assignments), "total", "of"]
    rows = []
    for each in members:
        total = (each.total.final, each.total.of) if each.total else (None, None)
        sums = [*(grade.final for grade in each.grades), *total]
        rows.append(
            [each.student.login, each.student.name, each.student.email, *map(format_points, sums)]
        )
    return header, rows
