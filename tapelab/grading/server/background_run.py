"""Work of the server that takes a while: done in a thread, watched by any number of pages."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Final

from tapelab.errors import Complaint

PACE: Final = 0.2
"""Seconds between two updates of a page: a class of thousands does not fill it."""


class BackgroundRun(ABC):
    """Steps in a thread, and whether they failed; each step changes what pages show."""

    def __init__(self, name: str) -> None:
        self.error = ""
        self.is_over = False
        self._stop = threading.Event()
        self._watchers: set[Callable[[], object]] = set()
        self._thread = threading.Thread(target=self._run, name=name)

    @abstractmethod
    def steps(self) -> Iterator[object]:
        """Do the work, piece by piece, until it is done or to be stopped."""

    @property
    def was_stopped(self) -> bool:
        """Whether somebody stopped it before its end."""
        return self._stop.is_set()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Let it end soon; what was done stays."""
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
            for _ in self.steps():
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
