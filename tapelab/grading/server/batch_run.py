"""Batches that the server grades: one at a time, in a thread, watched by any number of pages."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Final

from tapelab.errors import Complaint
from tapelab.grading.batch import Batch, SubmissionReport
from tapelab.grading.collection import left_out
from tapelab.grading.gradebook.gradebook_errors import UnfitError
from tapelab.grading.runners import grade_in_processes
from tapelab.locales import say

PACE: Final = 0.2
"""Seconds between two updates of a page: a class of thousands does not fill it."""


class BatchRun:
    """A batch in its thread, and what it has come to so far."""

    def __init__(self, batch: Batch, jobs: int) -> None:
        self.assignment, self.total = batch.plan.assignment, len(batch.submissions)
        self.reports: list[SubmissionReport] = []
        self.left_out = left_out(Path(batch.plan.untrusted), batch.submissions)
        self.error = ""
        self.is_over = False
        self._batch = batch
        self._stop = threading.Event()
        self._runner = partial(grade_in_processes, jobs=jobs, stop=self._stop)
        self._watchers: set[Callable[[], object]] = set()
        self._thread = threading.Thread(target=self._run, name="batch")
        self._thread.start()

    @property
    def was_stopped(self) -> bool:
        """Whether somebody stopped it before its end."""
        return self._stop.is_set()

    @property
    def endings(self) -> Counter[str]:
        """How many submissions ended in each way."""
        return Counter(str(each.ending) for each in self.reports)

    def stop(self) -> None:
        """Let it end soon; what was graded is kept."""
        self._stop.set()

    def close(self) -> None:
        """Stop it, and wait for its end."""
        self.stop()
        self._thread.join()

    async def changes(self) -> AsyncIterator[None]:
        """Yield at once, then after each change but not faster than PACE, last when it is over."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        watcher = partial(loop.call_soon_threadsafe, changed.set)
        self._watchers.add(watcher)
        try:
            is_over = False
            while not is_over:
                changed.clear()
                is_over = self.is_over
                yield
                if not is_over:
                    await changed.wait()
                    await asyncio.sleep(PACE)
        finally:
            self._watchers.discard(watcher)

    def _run(self) -> None:
        try:
            for report in self._batch.run(self._runner):
                self.reports.append(report)
                self._notify()
        except Complaint as error:
            self.error = str(error)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
            raise  # the terminal of the server shows where
        finally:
            self.is_over = True
            self._notify()

    def _notify(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()


class BatchHost:
    """Grades folders within one folder, and keeps what the last batch came to."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder.resolve() if folder else None
        """Beyond it nothing is graded or imported; None: nothing at all is graded here."""
        self.run: BatchRun | None = None

    def start(self, batch: Batch, jobs: int) -> None:
        """Start a batch; UnfitError while another one runs."""
        self.refuse_second()
        self.run = BatchRun(batch, jobs)

    def refuse_second(self) -> None:
        """UnfitError while a batch runs."""
        if self.run is not None and not self.run.is_over:
            raise UnfitError(say("A batch is being graded. Wait until it is done, or stop it."))

    def close(self) -> None:
        """Stop the batch that runs."""
        if self.run is not None:
            self.run.close()

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
