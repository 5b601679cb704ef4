"""The pages that grade a folder: a form, the progress of the batch, and its outcome."""

from __future__ import annotations

import os
from http import HTTPStatus
from pathlib import Path
from typing import Final

from tornado.web import HTTPError

from tapelab.exercises.registry import LESSONS
from tapelab.grading.assignment import SCRIPT
from tapelab.grading.batch import Batch, Ending, Regrade
from tapelab.grading.batch_setup import prepare_batch
from tapelab.grading.collection import ANY_LAYOUT
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.gradebook_errors import UnfitError
from tapelab.grading.sandbox import choose_sandbox
from tapelab.grading.server.batch_run import BatchRun
from tapelab.grading.server.handler import Handler, link
from tapelab.locales import say, sentence, translated

MOST_SHOWN: Final = 40
"""Rows of a table in which a large course could have thousands."""
MOST_JOBS: Final = 64
FIELDS: Final = ("folder", "source", "pattern", "received", "regrade", "jobs")
ENDINGS: Final[dict[str, str]] = {
    Ending.GRADED: sentence("graded"),
    Ending.KNOWN: sentence("had a result"),
    Ending.FAILED: sentence("not graded"),
    Ending.UNREADABLE: sentence("not readable"),
    Ending.STRANGER: sentence("not in the roster"),
}


class Grading(Handler):
    """The form that starts a batch."""

    async def get(self) -> None:
        """Show it."""
        host = self.context.host
        self.show(
            "grading.html", host=host, assignment=self.query("assignment"),
            folders=host.folders(), sources=sources(host.folder), processors=os.cpu_count() or 1,
        )  # fmt: skip

    async def post(self) -> None:
        """Start a batch, then go to its progress."""
        host = self.context.host
        host.refuse_second()
        jobs, form = _jobs(self.field("jobs")), {name: self.field(name) for name in FIELDS}
        host.start(BatchRun(await self.from_book(self._batch), jobs, form))
        self.redirect(link("progress"), status=HTTPStatus.SEE_OTHER)

    def _batch(self, book: Gradebook) -> Batch:
        host, regrade = self.context.host, self.field("regrade") or Regrade.NOTHING
        folder, source = host.inside(self.field("folder")), self.field("source")
        if source not in sources(host.folder):
            raise UnfitError(say("`{text}` is no assignment of those listed.", text=source))
        if regrade not in list(Regrade) or not folder.is_dir():
            raise UnfitError(say("`{text}` is no folder.", text=self.field("folder")))
        if source not in LESSONS:
            source = str(_outside(host.inside(source), folder))
        choose_sandbox()
        received = self.field("received")
        batch = prepare_batch(
            book, folder, source, pattern=self.field("pattern") or ANY_LAYOUT,
            received=host.inside(received) if received else None,
        )  # fmt: skip
        batch.regrade = Regrade(regrade)
        batch.add_students = bool(self.field("add_students"))
        return batch

    def field(self, name: str) -> str:
        """The value of a form field; empty if it was not sent."""
        return str(self.get_body_argument(name, ""))


def sources(folder: Path | None) -> dict[str, str]:
    """By what the form sends, the assignments of which one can be graded: lessons, and folders.

    Only folders directly below count: deeper there may be what students handed in.
    """
    lessons = {number: say("Lesson {number}", number=number) for number in LESSONS}
    scripts = sorted(folder.glob(f"*/{SCRIPT}")) if folder else []
    return {each.parent.name: each.parent.name for each in scripts} | lessons


def _outside(assignment: Path, submissions: Path) -> Path:
    """The folder of an assignment; UnfitError where students may have written it."""
    if assignment.is_relative_to(submissions):
        raise UnfitError(
            say("`{text}` lies among the submissions, so nothing of it runs.", text=assignment.name)
        )
    return assignment


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:4]) <= MOST_JOBS:
        raise UnfitError(say("`{text}` is no number of processes. Try 2.", text=text))
    return int(text)


class Stop(Handler):
    """The button that stops a batch."""

    async def get(self) -> None:
        """Refuse: this address takes forms only."""
        raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED)

    async def post(self) -> None:
        """Stop the batch, then go to its progress."""
        if self.context.host.run is not None:
            self.context.host.run.stop()
        self.redirect(link("progress"), status=HTTPStatus.SEE_OTHER)


class Progress(Handler):
    """The batch that runs or ran last, sent as it goes on."""

    async def get(self) -> None:
        """Send the page up to its end, which is that of the batch."""
        run = self.context.host.run
        if run is None:
            self.redirect(link("grading"))
            return
        await self.send_live(
            "progress.html", run,
            lambda: self.rendered("progress_now.html", run=run, number=len(run.reports)),
            lambda: self.rendered(
                "progress_end.html", run=run, most=MOST_SHOWN, ending_word=ending_word,
                without=[each for each in run.reports if each.why],
                changes=[each for each in run.reports if each.changes],
            ),
        )  # fmt: skip


def ending_word(ending: str) -> str:
    """How a submission ended in a batch, in words."""
    return translated(ENDINGS[ending])
