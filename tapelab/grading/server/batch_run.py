"""What the server does for a teacher: it grades one batch, and publishes one column, at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tapelab.grading.batch import Batch, Ending, SubmissionReport
from tapelab.grading.collection import left_out
from tapelab.grading.gradebook.gradebook_errors import UnfitError
from tapelab.grading.runners import grade_in_processes
from tapelab.grading.server.background_run import BackgroundRun
from tapelab.grading.server.publish_run import PublishRun
from tapelab.locales import say

_NO_FORM: Final[Mapping[str, str]] = MappingProxyType({})


class BatchRun(BackgroundRun):
    """A batch in its thread, and what it has come to so far."""

    def __init__(self, batch: Batch, jobs: int, form: Mapping[str, str] = _NO_FORM) -> None:
        super().__init__("batch")
        self.assignment, self.total = batch.plan.assignment, len(batch.submissions)
        self.form = form
        """What was typed to start it, to start it again."""
        self.reports: list[SubmissionReport] = []
        self.left_out = left_out(Path(batch.plan.untrusted), batch.submissions)
        self._batch = batch
        self._runner = partial(grade_in_processes, jobs=jobs, stop=self._stop)

    def steps(self) -> Iterator[None]:
        """Grade; each report is a step."""
        for report in self._batch.run(self._runner):
            self.reports.append(report)
            yield

    @property
    def endings(self) -> Counter[str]:
        """How many submissions ended in each way."""
        return Counter(str(each.ending) for each in self.reports)

    @property
    def strangers(self) -> int:
        """How many submissions are of students whom the gradebook does not know."""
        return self.endings[Ending.STRANGER]


class BatchHost:
    """Grades folders within one folder, publishes grades, and keeps what the last runs came to."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder.resolve() if folder else None
        """Beyond it nothing is graded or imported; None: nothing at all is graded here."""
        self.run: BatchRun | None = None
        self.publishing: PublishRun | None = None

    def start(self, batch: BatchRun) -> None:
        """Start a batch; UnfitError while another one runs."""
        self.refuse_second()
        self.run = batch
        batch.start()

    def publish(self, publishing: PublishRun) -> None:
        """Start to publish; UnfitError while other scores are published."""
        if self.publishing is not None and not self.publishing.is_over:
            raise UnfitError(say("Scores are being sent. Wait until it is done, or stop it."))
        self.publishing = publishing
        publishing.start()

    def refuse_second(self) -> None:
        """UnfitError while a batch runs."""
        if self.run is not None and not self.run.is_over:
            raise UnfitError(say("A batch is being graded. Wait until it is done, or stop it."))

    def close(self) -> None:
        """Stop what runs."""
        for each in (self.run, self.publishing):
            if each is not None:
                each.close()

    def inside(self, text: str) -> Path:
        """The path that a person typed, within the folder; UnfitError for any other."""
        if self.folder is None:
            raise UnfitError(say("This server was started without a folder to grade in."))
        path = (self.folder / text).resolve()
        if not path.is_relative_to(self.folder) or not path.exists():
            folder = str(self.folder)
            raise UnfitError(say("`{text}` does not lie in {folder}.", text=text, folder=folder))
        return path

    def folders(self) -> list[str]:
        """The folders that may hold submissions, at most two levels down, for a list to choose."""
        if self.folder is None:
            return []
        below = (*self.folder.glob("*/"), *self.folder.glob("*/*/"))
        shown = (each.relative_to(self.folder).as_posix() for each in below)
        return sorted(each for each in shown if not each.startswith(".") and "/." not in each)[:200]
