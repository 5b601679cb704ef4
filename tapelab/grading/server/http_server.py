"""Listening at a port, and serving until somebody says stop."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tornado.httpserver import HTTPServer
from tornado.web import Application

from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.gradebook_errors import GradebookError
from tapelab.grading.server import pages
from tapelab.grading.server.access import Door
from tapelab.grading.server.handler import Desk, Handler

LARGEST_FORM: Final = 1 << 18
"""Bytes; a comment has room, and nobody fills the memory."""
ROUTES: Final[dict[str, type[Handler]]] = {
    "/": pages.Overview,
    "/roster": pages.Roster,
    "/assignment": pages.Assignment,
    "/submission": pages.Submission,
    "/mark": pages.Mark,
    "/unmark": pages.Unmark,
    "/comment": pages.Comment,
    "/style.css": pages.Style,
    "/feedback": pages.Feedback,
    "/report": pages.Report,
    "/explorer": pages.Explorer,
    "/grades": pages.Grades,
}
_OPENER: Final = '<!doctype html><meta http-equiv="refresh" content="0;url={address}">'


class PortError(GradebookError, OSError):
    """The server cannot listen where it was told to."""


@dataclass(frozen=True)
class Listening:
    """A socket that is bound, and the door behind it."""

    host: str
    socket: socket.socket
    door: Door

    @property
    def port(self) -> int:
        """The port it took."""
        return int(self.socket.getsockname()[1])

    @property
    def address(self) -> str:
        """Where a browser comes in, with the token."""
        everywhere = {"0.0.0.0", "::"}  # noqa: S104 - only where the teacher asked for it
        host = socket.gethostname() if self.host in everywhere else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/?token={self.door.token}"

    def close(self) -> None:
        """Give the port back."""
        self.socket.close()


def listen(host: str, port: int) -> Listening:
    """Take a port; 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except OSError as error:
        raise PortError(_refused(host, port, error)) from error
    bound.setblocking(False)
    return Listening(host, bound, _door(host))


def _door(host: str) -> Door:
    door = Door.at(host)
    if not door.addresses:
        return door
    return Door(door.names | {socket.gethostname().lower()}, addresses=True)


def _refused(host: str, port: int, error: OSError) -> str:
    taken = error.errno == errno.EADDRINUSE
    why = "is taken by another program" if taken else f"cannot be used: {error.strerror}"
    return f"Port {port} of {host} {why}. Try --port 0, which takes any that is free."


def application(book: Gradebook, listening: Listening, language: str = "") -> Application:
    """The pages on a gradebook; a path of a request is looked up here, never in the files."""
    desk = {"desk": Desk.of(book, listening.door, listening.port, language)}
    return Application(
        [(path, handler, desk) for path, handler in ROUTES.items()],
        default_handler_class=pages.Nowhere,
        default_handler_args=desk,
        log_function=lambda _: None,  # addresses hold the token and names of students
    )


async def serve(
    book: Gradebook, listening: Listening, *, language: str = "",
    ready: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Answer until an interrupt or a request to end; what is being written then is written.

    Without a language each browser is answered in its own.
    """
    server = HTTPServer(application(book, listening, language), max_body_size=LARGEST_FORM)
    server.add_socket(listening.socket)
    stop = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):  # elsewhere, or in a thread
            asyncio.get_running_loop().add_signal_handler(each, stop.set)
    ready()
    try:
        await stop.wait()
    finally:
        server.stop()
        await server.close_all_connections()


def open_browser(address: str, folder: Path) -> None:
    """Open the page by a file that only we may read: a command line would show the token."""
    file = folder / "gradebook.html"
    file.touch(mode=0o600)
    file.write_text(_OPENER.format(address=address), encoding="utf-8")
    webbrowser.open(file.as_uri())
