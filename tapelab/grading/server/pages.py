"""The pages: overview, roster, an assignment, what a student did in it, and the way in."""

from __future__ import annotations

import math
from functools import partial
from http import HTTPStatus
from typing import Final

from tornado.web import HTTPError

from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.errors import UnfitError
from tapelab.grading.gradebook.rows import Kind
from tapelab.grading.server.handler import NOT_IN, TEMPLATES, Handler
from tapelab.grading.server.sheet import sheet
from tapelab.grading.server.telling import overview, roster, work
from tapelab.grading.server.writing import link
from tapelab.locales import paragraph, say, sentence, translated

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
            *self.of_whom, number(self.field("points")), exercise=self.field("exercise"),
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


def number(text: str) -> float:
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
