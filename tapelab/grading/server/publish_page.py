"""The pages that publish the scores of an assignment to a learning platform by LTI 1.3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tornado.web import HTTPError

from tapelab.grading.formats.lti_grades import Score, platform_service, scores
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.entities import Listed
from tapelab.grading.gradebook.gradebook_errors import UnfitError
from tapelab.grading.server.handler import Handler, link
from tapelab.grading.server.publish_run import PublishRun
from tapelab.locales import say

FIELDS: Final = ("name", "platform", "key", "column")
MOST_SHOWN: Final = 500
"""Rows of the table of what arrived; what did not comes first."""
_LARGEST: Final = 1 << 16


def platforms(folder: Path | None) -> dict[str, str]:
    """The files of a folder that describe a platform, with its host, which the teacher knows.

    What lies deeper may be a student's.
    """
    files = sorted(folder.glob("*.json")) if folder else []
    return {each.name: host for each in files if (host := _host(each))}


def _host(file: Path) -> str:
    """The host of the platform that a file describes; empty if it describes none."""
    with suppress(OSError, ValueError):
        if file.is_file() and file.stat().st_size <= _LARGEST:
            content = json.loads(file.read_text("utf-8"))
            if isinstance(content, dict) and isinstance(content.get("client_id"), str):
                return urlsplit(str(content.get("token_url", ""))).netloc
    return ""


def keys(folder: Path | None) -> list[str]:
    """The files of a folder that may hold our private key."""
    return sorted(each.name for each in folder.glob("*.pem")) if folder else []


class Publish(Handler):
    """What would be sent, and the form that sends it."""

    async def get(self) -> None:
        """Show it."""
        name, folder = self.query("name"), self.context.host.folder
        listed, to_send, unknown = await self.from_book(lambda book: _to_send(book, name))
        self.show(
            "publish.html", listed=listed, scores=to_send, unknown=unknown, folder=folder,
            platforms=platforms(folder), keys=keys(folder), publishing=self.context.host.publishing,
        )  # fmt: skip

    async def post(self) -> None:
        """Begin to send, then go to the progress."""
        form = {name: self.get_body_argument(name, "").strip() for name in FIELDS}
        self.context.host.publish(await self.from_book(lambda book: self._run(book, form)))
        self.redirect(link("published"), status=HTTPStatus.SEE_OTHER)

    def _run(self, book: Gradebook, form: dict[str, str]) -> PublishRun:
        folder = self.context.host.folder
        for name, listed in (("platform", platforms(folder)), ("key", keys(folder))):
            if form[name] not in listed:
                raise UnfitError(say("`{text}` is no file of those listed.", text=form[name]))
        assert folder is not None  # else nothing is listed
        service, lineitems = platform_service(folder / form["platform"], folder / form["key"])
        assignment, to_send, _ = _to_send(book, form["name"])
        return PublishRun(assignment, to_send, service, lineitems, form)


def _to_send(book: Gradebook, name: str) -> tuple[Listed, list[Score], int]:
    """An assignment, its scores, and how many are of students without an id of the platform."""
    to_send = scores(book, name)
    known = {each.login for each in book.students() if "lti" in each.ids}
    return book.assignment(name), to_send, sum(each.student not in known for each in to_send)


class StopPublishing(Handler):
    """The button that stops it."""

    async def get(self) -> None:
        """Refuse: this address takes forms only."""
        raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED)

    async def post(self) -> None:
        """Stop it, then go to its progress."""
        if self.context.host.publishing is not None:
            self.context.host.publishing.stop()
        self.redirect(link("published"), status=HTTPStatus.SEE_OTHER)


class Published(Handler):
    """The scores on their way, or those that were sent last, sent as it goes on."""

    async def get(self) -> None:
        """Send the page up to its end, which is that of the run."""
        run = self.context.host.publishing
        if run is None:
            self.redirect(link(""))
            return
        await self.send_live(
            "published.html", run,
            lambda: self.rendered("published_now.html", run=run),
            lambda: self.rendered(
                "published_end.html", run=run, most=MOST_SHOWN, outcomes=list(_refused_first(run))
            ),
        )  # fmt: skip


def _refused_first(run: PublishRun) -> Iterator[tuple[Score, str]]:
    yield from (each for each in run.outcomes if each[1])
    yield from (each for each in run.outcomes if not each[1])
