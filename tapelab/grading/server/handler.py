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
from datetime import timedelta
from functools import lru_cache
from html import escape
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from tornado.iostream import StreamClosedError
from tornado.template import Loader
from tornado.web import HTTPError, RequestHandler

from tapelab.errors import Complaint
from tapelab.grading.formats.csv_tables import format_points
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.gradebook_errors import (
    ConnectionLostError,
    GradebookError,
    LockedError,
    UnfitError,
    UnknownNameError,
)
from tapelab.grading.reports.attempt_history import lateness, local_time
from tapelab.grading.reports.report_page import sign, status_word
from tapelab.grading.server.access import AccessControl
from tapelab.grading.server.background_run import BackgroundRun
from tapelab.grading.server.batch_run import BatchHost
from tapelab.grading.server.page_data import Cell
from tapelab.locales import (
    language,
    paragraph,
    preferred,
    say,
    say_many,
    sentence,
    speak_here,
    translated,
)
from tapelab.views.card import direction, prose

LIVE: Final = b"<!--live-->"
"""Where the pieces of a page come that is sent while something goes on."""
LONGEST: Final = 120
"""Letters of a value in the history."""
_CODED: Final = re.compile(r"(?<!\\)\\u(?!00[0-9]|d[89a-f])([0-9a-f]{4})")
"""A letter as JSON codes it; control characters, and halves of letters, stay codes."""
LEFT_TO_RIGHT: Final = "\u200e"
"""Without it a minus would stand behind its number where one reads from the right."""


def points(value: float | None) -> str:
    """Points as people write them; a dash for None."""
    if value is None:
        return "–"
    written = format_points(value, places=4)
    return f"{LEFT_TO_RIGHT}−{written[1:]}" if written.startswith("-") else written


def link(page: str, **query: str) -> str:
    """The address of a page; names go into the query, where browsers do not resolve `..`."""
    given = {key: value for key, value in query.items() if value}
    return f"/{page}?{urlencode(given, quote_via=quote)}" if given else f"/{page}"


def earned_share(points: float, of: float) -> str:
    """The CSS class for all, a part or none of the points."""
    if points >= of or math.isclose(points, of):
        return "all"
    return "part" if points > 0 else "none"


def days_late(days: float) -> str:
    """How late something is, in words; empty for in time."""
    return lateness(timedelta(days=days))


def truncated(text: str) -> str:
    """The beginning of a history entry; a whole result is longer than a cell."""
    data = _CODED.sub(lambda coded: chr(int(coded[1], 16)), text)
    return data if len(data) <= LONGEST else f"{data[:LONGEST]}…"


def isolated(text: str, kind: str = "bdi", style: str = "") -> str:
    """Text of users within a sentence as HTML: escaped, with its own text direction."""
    named = f' class="{style}"' if style else ""
    return f"<{kind}{named}>{escape(text)}</{kind}>"


@lru_cache(maxsize=1 << 12)
def verdict_html(cell: Cell | None, language: str) -> str:
    """What a check came to as a cell of a table, of which a page has thousands, few of a kind."""
    if cell is None:
        return '<td class="number">–</td>'
    return (
        f'<td class="number {earned_share(cell.points, cell.of)}"><span aria-hidden="true">'
        f"{escape(sign(cell.status))}</span> {escape(points(cell.points))}"
        f'<span class="unseen"> {escape(status_word(cell.status))}</span></td>'
    )


HELPERS: Final = {
    "points": points, "moment": local_time, "link": link, "sign": sign, "share": earned_share,
    "brief": truncated, "word": status_word, "within": isolated, "prose": prose, "say": say,
    "say_many": say_many, "translated": translated, "late": days_late,
    "paragraph": paragraph, "verdict": verdict_html,
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
    (GradebookError, HTTPStatus.INTERNAL_SERVER_ERROR),
    (Complaint, HTTPStatus.BAD_REQUEST),
)
SAID: Final = {
    HTTPStatus.BAD_REQUEST: sentence("The browser asked for something that cannot be read."),
    HTTPStatus.NOT_FOUND: sentence("There is no such page. Begin at the assignments."),
    HTTPStatus.METHOD_NOT_ALLOWED: sentence("This page cannot be asked in this way."),
}
NOT_IN: Final = sentence(
    "Open the address that `tapelab gradebook serve` printed, with its token. "
    "A restarted server has a new one."
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
class ServerContext:
    """What all handlers use; `cookie` names the port, because ports of a host share cookies."""

    book: Gradebook
    access: AccessControl
    cookie: str
    loader: Loader
    language: str
    """The language of all pages; empty where each browser gets its own."""
    host: BatchHost

    @classmethod
    def of(
        cls, book: Gradebook, access: AccessControl, port: int, language: str, host: BatchHost
    ) -> ServerContext:
        """The context of a server on a port."""
        loader = Loader(str(TEMPLATES), autoescape="xhtml_escape", namespace=HELPERS)
        return cls(book, access, f"tapelab-gradebook-{port}", loader, language, host)


class Handler(RequestHandler):
    """A page; subclasses render it from the gradebook, read in a thread."""

    policy = PAGE_POLICY
    private = True
    """Whether the page needs a session."""

    def initialize(self, context: ServerContext) -> None:
        """Keep the context that the routes pass."""
        self.context = context

    def set_default_headers(self) -> None:
        """Set the security headers of every response, errors included."""
        self.clear_header("Server")
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Content-Security-Policy", self.policy)

    def prepare(self) -> None:
        """Refuse another Host, a browser without a session, and a form of another page."""
        accepted_languages = self.request.headers.get("Accept-Language", "")
        speak_here(self.context.language or preferred(accepted_languages))
        host = self.request.headers.get("Host", "")
        if not self.context.access.is_accepted_host(host):
            raise HTTPError(HTTPStatus.FORBIDDEN, say(WRONG_HOST, host=host))
        if self.private and not self.session:
            raise HTTPError(HTTPStatus.FORBIDDEN, translated(NOT_IN))
        if self.request.method == "POST" and not self._is_own_form():
            raise HTTPError(HTTPStatus.FORBIDDEN, translated(WRONG_FORM))

    @property
    def session(self) -> str:
        """The session of the browser; empty if it has none that this run signed."""
        cookie = self.get_cookie(self.context.cookie) or ""
        return cookie if self.context.access.is_session(cookie) else ""

    def query(self, name: str) -> str:
        """A value of the query string; empty if it is missing."""
        return str(self.get_query_argument(name, ""))

    def _is_own_form(self) -> bool:
        origin = self.request.headers.get("Origin")
        here = origin is None or urlsplit(origin).netloc == self.request.headers.get("Host")
        return here and self.context.access.is_form_token(
            self.get_body_argument("form", ""), self.session
        )

    async def from_book(self, read: Callable[[Gradebook], T]) -> T:
        """Read the gradebook in a thread, so that other requests do not wait."""
        return await asyncio.to_thread(read, self.context.book)

    def show(self, template: str, **data: Any) -> None:
        """Respond with a rendered template."""
        self.finish(self.rendered(template, **data))

    async def send_live(
        self, page: str, run: BackgroundRun, now: Callable[[], bytes], end: Callable[[], bytes]
    ) -> None:
        """Send a page piece by piece while a run goes on, so that it needs no script.

        Each piece that `now` gives hides the one before it; `end` gives the last.
        """
        before, _, after = self.rendered(page, run=run).partition(LIVE)
        self.write(before)
        try:
            async for _ in run.changes():
                self.write(now())
                await self.flush()
        except StreamClosedError:
            return  # the browser left the page
        self.write(end())
        self.finish(after)

    def rendered(self, template: str, **data: Any) -> bytes:
        """A template with data, and what all templates use."""
        form_token = self.context.access.form_token(self.session) if self.session else ""
        place = self.context.book.place
        return self.context.loader.load(template).generate(
            form_token=form_token,
            place=place,
            language=language(),
            direction=direction(),
            **({"again": {}} | data),
        )

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Show the error on a page, with what was typed, so that it can be sent again."""
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
        """Log other errors only: the page shows what a GradebookError says."""
        if not isinstance(error[1], Complaint | HTTPError):
            super().log_exception(*error)

    def compute_etag(self) -> None:
        """Send no ETag: browsers keep nothing."""


def _why(status: int, error: BaseException | None) -> str:
    if isinstance(error, Complaint):
        return str(error)
    if isinstance(error, HTTPError) and status == HTTPStatus.FORBIDDEN:
        return str(error.log_message).replace("%%", "%")  # Tornado doubles them
    return translated(SAID.get(HTTPStatus(status), UNEXPECTED))
