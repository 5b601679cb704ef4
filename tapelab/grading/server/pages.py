"""The pages of the gradebook server: overview, roster, assignment, submission, and downloads."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from tornado.web import HTTPError

from tapelab.errors import RecordingError
from tapelab.grading.formats.csv_tables import number, text_of
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.entities import Kind
from tapelab.grading.gradebook.gradebook_errors import UnfitError, UnknownNameError
from tapelab.grading.reports.feedback import feedback_page, file_name
from tapelab.grading.reports.statistics import statistics_of, statistics_page
from tapelab.grading.server.handler import NOT_IN, TEMPLATES, Handler, link
from tapelab.grading.server.page_data import Sheet, overview, roster, sheet, work
from tapelab.locales import paragraph, say, sentence, translated
from tapelab.recording import from_bytes
from tapelab.views import html

DONE: Final = {
    "marked": sentence("The points are noted."),
    "unmarked": sentence("The points by hand are taken back; what was graded counts again."),
    "there was none": sentence("There were no points by hand to take back."),
    "said": sentence("The comment is noted."),
}
"""By the word in the address, what a page says after a form."""


class Overview(Handler):
    """All assignments; with the token it is the way in."""

    private = False

    async def get(self) -> None:
        """Let those in who have the token; show the assignments to those who are in."""
        token = self.get_query_argument("token", "")
        if token:
            self._let_in(token)
            return
        if not self.session:
            raise HTTPError(HTTPStatus.FORBIDDEN, translated(NOT_IN))
        self.show("overview.html", summaries=await self.from_book(overview))

    def _let_in(self, token: str) -> None:
        if not self.desk.door.opens(token):
            wrong = paragraph(say("The token is wrong."), translated(NOT_IN))
            raise HTTPError(HTTPStatus.FORBIDDEN, wrong)
        session = self.session or self.desk.door.new_session()
        self.set_cookie(self.desk.cookie, session, httponly=True, samesite="Strict", path="/")
        # Not a redirect: a browser that came from elsewhere would leave a strict cookie out.
        self.show("welcome.html")


class Roster(Handler):
    """All students, and what each has."""

    async def get(self) -> None:
        """Show the roster."""
        assignments, members = await self.from_book(roster)
        self.show("roster.html", assignments=assignments, members=members)


class Assignment(Handler):
    """Each student's points check by check, and how the class did."""

    async def get(self) -> None:
        """Show the table, sorted as the address says."""
        name, sort, order = map(self._asked, ("name", "sort", "order"))
        table = await self.from_book(partial(sheet, assignment=name, sort=sort, order=order))
        self.show("assignment.html", sheet=table)

    def _asked(self, name: str) -> str:
        return self.get_query_argument(name, "")


class Submission(Handler):
    """What a student did in an assignment, and the forms to judge it by hand."""

    async def get(self) -> None:
        """Show the attempt that counts, or another one."""
        assignment, student = (self.get_query_argument(n, "") for n in ("assignment", "student"))
        digest = self.get_query_argument("attempt", "")
        told = await self.from_book(
            partial(work, assignment=assignment, student=student, digest=digest)
        )
        said = translated(DONE.get(self.get_query_argument("done", ""), ""))
        self.show("submission.html", work=told, said=said)

    async def _change(self) -> None:
        done = await self.from_book(self.changed)
        query = {name: self.get_body_argument(name) for name in ("assignment", "student")}
        self.redirect(link("submission", **query, done=done), status=HTTPStatus.SEE_OTHER)

    def changed(self, book: Gradebook) -> str:
        """Do what the form asks for; the word in DONE for it."""
        raise NotImplementedError

    def field(self, name: str) -> str:
        """What a field of the form holds; empty if it was not sent."""
        return str(self.get_body_argument(name, ""))

    @property
    def of_whom(self) -> tuple[str, str]:
        """The student and the assignment that a form is about."""
        return self.field("student"), self.field("assignment")


class Mark(Submission):
    """Points by hand, from a form."""

    async def get(self) -> None:
        """Only a form leads here."""
        raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED)

    async def post(self) -> None:
        """Note them, then show the submission."""
        await self._change()

    def changed(self, book: Gradebook) -> str:
        """Give the points, which the history tells of."""
        book.mark(
            *self.of_whom, typed_points(self.field("points")), exercise=self.field("exercise"),
            kind=kind(self.field("kind")), comment=self.field("comment").strip(),
        )  # fmt: skip
        return "marked"


class Unmark(Mark):
    """Points by hand, taken back."""

    def changed(self, book: Gradebook) -> str:
        """Take them back by another entry of the history."""
        exercise, of_kind = self.field("exercise"), kind(self.field("kind"))
        taken = book.unmark(*self.of_whom, exercise=exercise, kind=of_kind)
        return "unmarked" if taken else "there was none"


class Comment(Mark):
    """Something written for a student."""

    def changed(self, book: Gradebook) -> str:
        """Add the comment."""
        book.comment(*self.of_whom, self.field("text").strip(), exercise=self.field("exercise"))
        return "said"


class Style(Handler):
    """The one style of all pages; also of those that refuse."""

    private = False

    def get(self) -> None:
        """Send it."""
        self.set_header("Content-Type", "text/css; charset=utf-8")
        self.finish((TEMPLATES / "style.css").read_bytes())


class Nowhere(Handler):
    """Whatever else is asked for."""

    def prepare(self) -> None:
        """Say so, to those who came in."""
        super().prepare()
        raise HTTPError(HTTPStatus.NOT_FOUND)


def typed_points(text: str) -> float:
    """Points as a person types them, with a point or with a comma."""
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        wrong = say("`{text}` is no number of points; nothing was changed. Try 2.5.", text=text)
        raise UnfitError(wrong)
    return value


def kind(text: str) -> Kind:
    """What a mark does; UnfitError for what no form of ours says."""
    if text not in list(Kind):
        raise UnfitError(say("`{text}` is no kind of mark.", text=text))
    return Kind(text)


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
