"""The thread that tells the panels: it exists only while one of them is looked at."""

from __future__ import annotations

import atexit
import sys
import threading
import time
from typing import Any, Final

from tapelab.lab import preferences
from tapelab.lab.live.history import failures
from tapelab.lab.live.panel import Panel
from tapelab.lab.live.scene import Scene
from tapelab.lab.running import RUNNING

IDLE: Final = 0.1
"""Seconds between two looks while no cell runs."""
SHARE: Final = 7.0
"""A look that took a while is followed by a rest so many times as long."""

STUCK: Final = 1.0
"""A socket that has not said for so many seconds that it has sent is asked again."""
LATE: Final = 0.1
"""So many seconds are made up for that a look came too late."""


class Live:
    """The panels of a kernel, and the thread that tells them what there is to see."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.panels: list[Panel] = []
        self.hears_while_running = False
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._ending = threading.Event()
        self._behind = 0.0  # since when the socket has not sent what it was given; 0 if it has
        self._telling = threading.Lock()
        preferences.listeners.append(self._changed)
        atexit.register(self.end)

    def welcome(self, comm: Any, _: Any) -> None:
        """A front-end has opened a comm."""
        self.scene.use(sys.modules["IPython"].get_ipython().user_ns)
        panel = Panel(comm, self)
        with self._lock:
            self.panels.append(panel)

    def forget(self, panel: Panel) -> None:
        """A panel is gone."""
        with self._lock:
            if panel in self.panels:
                self.panels.remove(panel)
        self.settle()

    def show(self, panel: Panel, history: int) -> None:
        """Begin to tell a panel, and keep the tapes of so many steps."""
        with self._lock:
            if panel not in self.panels:
                self.panels.append(panel)
            rate = max(each.rate for each in self.panels if each.shown)
            self.scene.history.listen(history, rate)
            if self._thread is None:
                self._ending = threading.Event()
                work = threading.Thread(
                    target=self._work, args=(self._ending,), name="tapelab.live", daemon=True
                )
                self._thread = work
                work.start()

    def settle(self) -> None:
        """End where nobody looks any more."""
        with self._lock:
            if not any(panel.shown for panel in self.panels):
                self.end()

    def end(self) -> None:
        """Stop hearing and telling."""
        with self._lock:
            self._ending.set()
            self._thread = None
            self.scene.history.stop()

    def _changed(self) -> None:
        for panel in tuple(self.panels):
            panel.send({"is": "settings", "settings": preferences.told()})

    def _work(self, ending: threading.Event) -> None:
        """Look and tell, again and again, and rest in between."""
        due, rest = time.monotonic(), 0.0
        while not ending.wait(max(due - time.monotonic(), rest)):
            busy = time.thread_time()
            try:
                with self._telling:  # a thread that ends may still be at it
                    self._push(time.monotonic())
            except Exception as error:  # noqa: BLE001 a panel never stands in the learner's way
                failures[:] = [error]
            rest = SHARE * (time.thread_time() - busy)
            due = max(due + self._period(), time.monotonic() - LATE)

    def _period(self) -> float:
        rates = [panel.rate for panel in tuple(self.panels) if panel.shown]
        period = 1 / max(rates, default=1.0)
        return period if RUNNING.on else max(period, IDLE)

    def _push(self, now: float) -> None:
        """Tell every panel that is shown what is new to it; a frame is dropped when behind."""
        for panel in tuple(self.panels):
            if panel.shown and panel.is_gone(now):
                panel.leave()
        if self._behind and now - self._behind < STUCK:
            return
        frame = self.scene.frame()
        rows = tuple(self.scene.history.run.rows)
        for panel in tuple(self.panels):
            if panel.shown:
                panel.tell(frame, rows)
        self._wait_for_the_socket()

    def _wait_for_the_socket(self) -> None:
        """Notice when the kernel has sent all that was given to it so far."""
        kernel = getattr(sys.modules["IPython"].get_ipython(), "kernel", None)
        schedule = getattr(getattr(kernel, "iopub_thread", None), "schedule", None)
        if schedule is not None:
            self._behind = time.monotonic()
            schedule(self._is_sent)

    def _is_sent(self) -> None:
        self._behind = 0.0
