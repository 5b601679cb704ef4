"""The kernel side of the Tape panels: one `Panel` per page, and the server of all of them.

A `Panel` is one end of a comm: it answers requests, and keeps what its page has already received,
so that every frame holds only new steps. The `PanelServer` runs one thread while a panel is
visible: it measures what was recorded, sends each panel a frame, and rests several times as long
as it worked, so that the user's code keeps its speed. A frame is dropped while the socket is
behind. Nothing runs and nothing is sent while no panel is visible.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from tapelab.lab import preferences
from tapelab.lab.live.comm_target import VERSION
from tapelab.lab.live.history import failures
from tapelab.lab.live.panel_state import Scene
from tapelab.lab.live.runs import Row, thinned
from tapelab.lab.notebook_cells import RUNNING
from tapelab.locales import language, say
from tapelab.version import __version__

if TYPE_CHECKING:
    from comm.base_comm import BaseComm

    from tapelab.core.tape import GradientTape

TRIES: Final = 3
"""A panel is dropped after this many failed messages in a row."""
MOST_ROWS: Final = 300
"""At most this many steps are sent in one message."""
PATIENCE: Final = 30.0
"""A panel that sent nothing for so many seconds is gone."""


class RequestError(ValueError):
    """A panel requested something that it cannot have."""


class Panel:
    """A panel in one page of a front-end, at the other end of a comm."""

    def __init__(self, comm: BaseComm, live: PanelServer) -> None:
        self.shown = False
        self.rate = preferences.settings().rate
        self._failed = 0
        self._comm, self._live = comm, live
        self._lock = threading.RLock()
        self._last_message = time.monotonic()
        self._opened = b""  # the recording that the page shows
        self._anew()
        comm.on_msg(self._on_message)
        comm.on_close(lambda _: self.leave())
        self.send(
            {
                "is": "hello",
                "version": VERSION,
                "tapelab": __version__,
                "language": language(),
                "settings": preferences.settings_json(),
            }
        )

    def _anew(self) -> None:
        """Forget what was sent: the next frame holds everything."""
        self._seq = 0
        self._frame: dict[str, Any] = {}
        self._run = self._step = -1

    def send(self, data: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        """Send a message; a panel to which several in a row could not be sent is dropped."""
        try:
            self._comm.send(data, buffers=buffers)
        except Exception:
            self._failed += 1
            if self._failed >= TRIES:
                self.leave()
            raise
        self._failed = 0

    def leave(self) -> None:
        """Be shown no more, and be forgotten."""
        self.shown = False
        self._live.forget(self)

    def is_gone(self, now: float) -> bool:
        """Whether the page has vanished; unknown while a running cell blocks its messages."""
        since = max(self._last_message, RUNNING.ended)
        deaf = RUNNING.on and not self._live.receives_while_running
        return not deaf and now - since > PATIENCE

    def send_frame(self, frame: dict[str, Any], rows: Sequence[Row]) -> None:
        """Send a frame with the steps that are new to this panel, if anything changed."""
        with self._lock:
            if frame["run"] != self._run:
                self._run, self._step = frame["run"], 0
            new = thinned((row for row in rows if row[0] > self._step), MOST_ROWS)
            if not self.shown or (frame == self._frame and not new):
                return
            self.send({"is": "live", "seq": self._seq + 1, **frame, "history": new})
            self._frame, self._seq = frame, self._seq + 1
            self._step = new[-1][0] if new else self._step

    def _on_message(self, message: dict[str, Any]) -> None:
        """Answer a request of the panel; reply with an error to what cannot be done."""
        self._last_message = time.monotonic()
        self._live.receives_while_running |= RUNNING.on
        data = message["content"]["data"]
        about = data.get("do") if isinstance(data, dict) else None
        try:
            _request(about)(self, data)
        except Exception as error:  # noqa: BLE001 the panel shows it; the kernel goes on
            self.send({"is": "error", "about": about, "message": f"{error}"})

    def _show(self, data: dict[str, Any]) -> None:
        settings = preferences.settings()
        self.rate = preferences.checked("rate", data.get("rate", settings.rate))
        most = preferences.checked("history", data.get("history", settings.history))
        with self._lock:
            if not self.shown:
                self._anew()
            self.shown = True
        self._live.show(self, most)

    def _hide(self, _: dict[str, Any]) -> None:
        with self._lock:
            self.shown = False
        self._live.settle()

    def _open(self, data: dict[str, Any]) -> None:
        from tapelab.lab.live import replies  # not before somebody opens one

        self._answer(data, replies.recording)

    def _replay(self, data: dict[str, Any]) -> None:
        from tapelab.lab.live import replies  # as above

        message, buffers = replies.replay(self._opened, data.get("values"))
        self.send(message, buffers)

    def _explain(self, data: dict[str, Any]) -> None:
        from tapelab.lab.live import replies  # as above

        self._answer(data, replies.explanation)

    def _answer(self, data: dict[str, Any], make: Callable[[Any], Any]) -> None:
        """Reply with the tape of a step or of a cell, or that it is gone."""
        step, cell, run = data.get("step"), data.get("cell"), self._live.scene.history.run
        about = {"step": step, "cell": cell, "run": data.get("run", run.number)}
        tape = run.tapes.tape(step) if step is not None else self._newest(cell)
        if tape is None or about["run"] != run.number:
            self.send({"is": "gone", **about})
            return
        message, buffers = make(tape)
        if message["is"] == "recording" and buffers:
            self._opened = buffers[0]
        self.send({**message, **about}, buffers)

    def _newest(self, cell: str | None) -> GradientTape:
        """The newest tape of a cell, or of all; RequestError where there is none."""
        scene = self._live.scene
        tape = scene.newest() if cell is None else scene.of_cell(cell)
        if tape is not None:
            return tape
        if cell is None:
            raise RequestError(say("There is no tape yet."))
        raise RequestError(
            say("No tape of this cell is kept. Run the cell again, and it is kept for you.")
        )

    def _set(self, data: dict[str, Any]) -> None:
        changes = data.get("settings")
        if not isinstance(changes, dict):
            raise RequestError(f"settings are an object of names and values, not {changes!r}.")
        preferences.settings(**changes)


_DO: Final[dict[str, Callable[[Panel, dict[str, Any]], None]]] = {
    "show": Panel._show,
    "hide": Panel._hide,
    "open": Panel._open,
    "explain": Panel._explain,
    "replay": Panel._replay,
    "set": Panel._set,
}
"""The requests of a panel."""


def _request(name: object) -> Callable[[Panel, dict[str, Any]], None]:
    """The handler of a request; RequestError for an unknown one."""
    handler = _DO.get(name) if isinstance(name, str) else None
    if handler is None:
        raise RequestError(f"A Tape panel cannot ask for {name!r}. Try one of {', '.join(_DO)}.")
    return handler


IDLE: Final = 0.1
"""Seconds between two frames while no cell runs."""
SHARE: Final = 7.0
"""The thread rests so many times as long as a frame took."""

STUCK: Final = 1.0
"""After so many seconds without confirmation the socket is taken to be free again."""
LATE: Final = 0.1
"""A delay of up to so many seconds is caught up."""


class PanelServer:
    """The panels of a kernel, and the thread that sends them frames."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.panels: list[Panel] = []
        self.receives_while_running = False
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._ending = threading.Event()
        self._behind = 0.0  # since when the socket has not sent what it was given; 0 if it has
        self._sending = threading.Lock()
        preferences.observers.append(self._changed)
        atexit.register(self.end)

    def welcome(self, comm: BaseComm, _: object) -> None:
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
        """Begin to send frames to a panel, and keep the tapes of so many steps."""
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
        """Stop if no panel is visible any more."""
        with self._lock:
            if not any(panel.shown for panel in self.panels):
                self.end()

    def end(self) -> None:
        """Stop the thread and the recording of calls."""
        with self._lock:
            self._ending.set()
            self._thread = None
            self.scene.history.stop()

    def _changed(self) -> None:
        for panel in tuple(self.panels):
            panel.send({"is": "settings", "settings": preferences.settings_json()})

    def _work(self, ending: threading.Event) -> None:
        """Send frames until `ending` is set, with rests in between."""
        due, rest = time.monotonic(), 0.0
        while not ending.wait(max(due - time.monotonic(), rest)):
            busy = time.thread_time()
            try:
                with self._sending:  # a thread that ends may still be at it
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
        """Send every visible panel its new steps; drop the frame while the socket is behind."""
        for panel in tuple(self.panels):
            if panel.shown and panel.is_gone(now):
                panel.leave()
        if self._behind and now - self._behind < STUCK:
            return
        frame = self.scene.frame()
        rows = tuple(self.scene.history.run.rows)
        for panel in tuple(self.panels):
            if panel.shown:
                panel.send_frame(frame, rows)
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
