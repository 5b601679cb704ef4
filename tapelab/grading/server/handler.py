"""What all pages share: checks before them, headers around them, error pages, and template helpers.

Every request is checked in `prepare`: the Host header, the session cookie, and for a form its
token. Pages carry no script; the gradebook is read in threads, so that pages do not wait for
each other.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from html import escape
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from tornado.template import Loader
from tornado.web import HTTPError, RequestHandler

from tapelab.grading.formats.csv_tables import number
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.gradebook_errors import (
    ConnectionLostError,
    GradebookError,
    LockedError,
    UnfitError,
    UnknownNameError,
)
from tapelab.grading.reports.report_page import sign, word
from tapelab.grading.server.access import Door
from tapelab.locales import language, preferred, say, say_many, sentence, speak_here, translated
from tapelab.views.card import direction, prose

LONGEST: Final = 120
"""Letters of a value in the history."""
_CODED: Final = re.compile(r"(?<!\\)\\u(?!00[0-9]|d[89a-f])([0-9a-f]{4})")
"""A letter as JSON codes it; control characters, and halves of letters, stay codes."""
LEFT_TO_RIGHT: Final = "\u200e"
"""Without it a minus would stand behind its number where one reads from the right."""


def points(value: float | None) -> str:
    """Points as people write them; a dash where there are none to tell."""
    if value is None:
        return "–"
    written = number(value, places=4)
    return f"{LEFT_TO_RIGHT}−{written[1:]}" if written.startswith("-") else written


def moment(value: datetime | None) -> str:
    """A time as the clock of this computer has it."""
    return value.astimezone().strftime("%Y-%m-%d %H:%M") if value else "–"


def link(page: str, **query: str) -> str:
    """The address of a page; names go into its query, where no browser shortens `..`."""
    given = {key: value for key, value in query.items() if value}
    return f"/{page}?{urlencode(given, quote_via=quote)}" if given else f"/{page}"


def share(points: float, of: float) -> str:
    """Whether that is all, a part or none of the points: a class of the style."""
    if points >= of or math.isclose(points, of):
        return "all"
    return "part" if points > 0 else "none"


def brief(text: str) -> str:
    """The beginning of what the history tells; a whole result is longer than a cell."""
    told = _CODED.sub(lambda coded: chr(int(coded[1], 16)), text)
    return told if len(told) <= LONGEST else f"{told[:LONGEST]}…"


def within(text: str, kind: str = "bdi", style: str = "") -> str:
    """A word of others within a sentence, as HTML: escaped, and read in its own direction."""
    named = f' class="{style}"' if style else ""
    return f"<{kind}{named}>{escape(text)}</{kind}>"


HELPERS: Final = {
    "points": points, "moment": moment, "link": link, "sign": sign, "share": share,
    "brief": brief, "word": word, "within": within, "prose": prose, "say": say,
    "say_many": say_many, "translated": translated,
}  # fmt: skip


T = TypeVar("T")
TEMPLATES: Final = Path(__file__).parent / "templates"
PAGE_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""No script at all: what a student handed in can become text on a page, and nothing else."""
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with no-referrer, our own forms would have no Origin
    "X-Content-Type-Options": "nosniff",
}
STATUS_OF: Final[tuple[tuple[type[Exception], HTTPStatus], ...]] = (
    (UnknownNameError, HTTPStatus.NOT_FOUND),
    (UnfitError, HTTPStatus.BAD_REQUEST),
    (LockedError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ConnectionLostError, HTTPStatus.SERVICE_UNAVAILABLE),
)
SAID: Final = {
    HTTPStatus.BAD_REQUEST: sentence("The browser asked for something that cannot be read."),
    HTTPStatus.NOT_FOUND: sentence("There is no such page. Begin at the assignments."),
    HTTPStatus.METHOD_NOT_ALLOWED: sentence("This page cannot be asked in this way."),
}
NOT_IN: Final = sentence(
    "Come in by the address that `tapelab gradebook serve` printed, with its token. "
    "A server that was started anew has a new one."
)
WRONG_HOST: Final = sentence(
    "This server does not go by the name `{host}`. Use the address it printed."
)
WRONG_FORM: Final = sentence(
    "The form does not come from a page of this session, so nothing was changed. "
    "Open the page again, and send it from there."
)
UNEXPECTED: Final = sentence(
    "Something failed that should not; the terminal of the server says what."
)


@dataclass(frozen=True)
class Desk:
    """What the pages work with; `cookie` differs from port to port, which share their cookies."""

    book: Gradebook
    door: Door
    cookie: str
    loader: Loader
    language: str
    """The one that all pages speak; empty where each browser chooses."""

    @classmethod
    def of(cls, book: Gradebook, door: Door, port: int, language: str) -> Desk:
        """The desk of a server at a port."""
        loader = Loader(str(TEMPLATES), autoescape="xhtml_escape", namespace=HELPERS)
        return cls(book, door, f"tapelab-gradebook-{port}", loader, language)


class Handler(RequestHandler):
    """A page; subclasses draw it from the gradebook, in a thread of its own."""

    policy = PAGE_POLICY
    private = True
    """Whether only those may see it who came in."""

    def initialize(self, desk: Desk) -> None:
        """Take the desk that the routes hand over."""
        self.desk = desk

    def set_default_headers(self) -> None:
        """Every answer has them, also one that refuses."""
        self.clear_header("Server")
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Content-Security-Policy", self.policy)

    def prepare(self) -> None:
        """Refuse a foreign name, a browser that did not come in, a form from elsewhere."""
        asked_for = self.request.headers.get("Accept-Language", "")
        speak_here(self.desk.language or preferred(asked_for))
        host = self.request.headers.get("Host", "")
        if not self.desk.door.answers_to(host):
            raise HTTPError(HTTPStatus.FORBIDDEN, say(WRONG_HOST, host=host))
        if self.private and not self.session:
            raise HTTPError(HTTPStatus.FORBIDDEN, translated(NOT_IN))
        if self.request.method == "POST" and not self._is_own_form():
            raise HTTPError(HTTPStatus.FORBIDDEN, translated(WRONG_FORM))

    @property
    def session(self) -> str:
        """The session of the browser; empty if it has none that we gave out."""
        told = self.get_cookie(self.desk.cookie) or ""
        return told if self.desk.door.knows(told) else ""

    def _is_own_form(self) -> bool:
        origin = self.request.headers.get("Origin")
        here = origin is None or urlsplit(origin).netloc == self.request.headers.get("Host")
        return here and self.desk.door.accepts(self.get_body_argument("form", ""), self.session)

    async def from_book(self, read: Callable[[Gradebook], T]) -> T:
        """Ask the gradebook, which may have to wait, without keeping other pages waiting."""
        return await asyncio.to_thread(read, self.desk.book)

    def show(self, template: str, **told: Any) -> None:
        """Answer with a page."""
        form_token = self.desk.door.form_token(self.session) if self.session else ""
        place = self.desk.book.place
        drawn = self.desk.loader.load(template).generate(
            form_token=form_token,
            place=place,
            language=language(),
            direction=direction(),
            **({"again": {}} | told),
        )
        self.finish(drawn)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say what is wrong on a page; keep what was typed, so that it can be sent again."""
        error = (kwargs.get("exc_info") or (None, None))[1]
        why = _why(status_code, error)
        status = next((s for kind, s in STATUS_OF if isinstance(error, kind)), status_code)
        self.set_status(status)
        typed = isinstance(error, GradebookError) and self.request.method == "POST"
        again = {name: self.get_body_argument(name) for name in self._typed()} if typed else {}
        self.show("error.html", why=why, path=self.request.path, again=again)

    def _typed(self) -> list[str]:
        return [name for name in self.request.body_arguments if name != "form"]

    def log_exception(self, *error: Any) -> None:
        """What the gradebook says stands on the page; a traceback of it would help nobody."""
        if not isinstance(error[1], GradebookError | HTTPError):
            super().log_exception(*error)

    def compute_etag(self) -> None:
        """Nothing of this is kept by a browser."""


def _why(status: int, error: BaseException | None) -> str:
    if isinstance(error, GradebookError):
        return str(error)
    if isinstance(error, HTTPError) and status == HTTPStatus.FORBIDDEN:
        return str(error.log_message).replace("%%", "%")  # Tornado doubles them
    return translated(SAID.get(HTTPStatus(status), UNEXPECTED))
