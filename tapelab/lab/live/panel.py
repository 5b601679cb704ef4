"""One Tape panel: what it asks of the kernel, and what it was told so far."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from tapelab.lab import preferences
from tapelab.lab.live.comm_target import VERSION
from tapelab.lab.live.runs import thinned
from tapelab.lab.running import RUNNING
from tapelab.locales import language, say
from tapelab.version import __version__

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape
    from tapelab.lab.live.scene import Scene

TRIES: Final = 3
"""So many messages may fail one after the other."""
MOST_ROWS: Final = 300
"""So many steps fit into a message."""
PATIENCE: Final = 30.0
"""A panel that was not heard of for so many seconds is not there any more."""


class RequestError(ValueError):
    """A panel asked for something that it cannot have."""


class PanelServer(Protocol):
    """What a panel asks of the kernel's side, which serves all panels: see `pushing.Live`."""

    scene: Scene
    hears_while_running: bool

    def forget(self, panel: Panel) -> None:
        """A panel is gone."""

    def show(self, panel: Panel, history: int) -> None:
        """Begin to tell a panel, and keep the tapes of so many steps."""

    def settle(self) -> None:
        """End where nobody looks any more."""


class Panel:
    """A panel in one page of a front-end, at the other end of a comm."""

    def __init__(self, comm: Any, live: PanelServer) -> None:
        self.shown = False
        self.rate = preferences.settings().rate
        self._failed = 0
        self._comm, self._live = comm, live
        self._lock = threading.RLock()
        self._heard = time.monotonic()
        self._anew()
        comm.on_msg(self._on_message)
        comm.on_close(lambda _: self.leave())
        self.send(
            {
                "is": "hello",
                "version": VERSION,
                "tapelab": __version__,
                "language": language(),
                "settings": preferences.told(),
            }
        )

    def _anew(self) -> None:
        """Begin to tell from the start."""
        self._seq = 0
        self._frame: dict[str, Any] = {}
        self._run = self._step = -1

    def send(self, data: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        """Send a message; a panel that cannot be told anything, again and again, is forgotten."""
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
        """Whether the page has vanished; while it cannot be heard, nobody knows."""
        since = max(self._heard, RUNNING.ended)
        deaf = RUNNING.on and not self._live.hears_while_running
        return not deaf and now - since > PATIENCE

    def tell(self, frame: dict[str, Any], rows: Any) -> None:
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

    def _on_message(self, message: Any) -> None:
        """Do what the panel asks for; what cannot be done is answered with an error."""
        self._heard = time.monotonic()
        self._live.hears_while_running |= RUNNING.on
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
        from tapelab.lab.live import opening  # not before somebody opens one

        self._answer(data, opening.recording)

    def _explain(self, data: dict[str, Any]) -> None:
        from tapelab.lab.live import opening  # as above

        self._answer(data, opening.explanation)

    def _answer(self, data: dict[str, Any], make: Callable[[Any], Any]) -> None:
        """Send what is made of the tape of a step or of a cell, or that it is gone."""
        step, cell, run = data.get("step"), data.get("cell"), self._live.scene.history.run
        about = {"step": step, "cell": cell, "run": data.get("run", run.number)}
        tape = run.shelf.tape(step) if step is not None else self._newest(cell)
        if tape is None or about["run"] != run.number:
            self.send({"is": "gone", **about})
            return
        told, buffers = make(tape)
        self.send({**told, **about}, buffers)

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
    "set": Panel._set,
}
"""What a panel may ask for."""


def _request(name: Any) -> Callable[[Panel, dict[str, Any]], None]:
    """What to do for a request; RequestError for one that is not known."""
    found = _DO.get(name) if isinstance(name, str) else None
    if found is None:
        raise RequestError(f"A Tape panel cannot ask for {name!r}. Try one of {', '.join(_DO)}.")
    return found
