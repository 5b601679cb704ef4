"""The HTTP server of the gradebook: binding a port, and serving until it is stopped."""

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
from tapelab.grading.server import exports, grading_page, pages, publish_page, rules_page
from tapelab.grading.server.access import AccessControl
from tapelab.grading.server.batch_run import BatchHost
from tapelab.grading.server.handler import Handler, ServerContext

LARGEST_FORM: Final = 1 << 18
"""Bytes; a comment fits, and no request can fill the memory."""
ROUTES: Final[dict[str, type[Handler]]] = {
    "/": pages.Overview,
    "/roster": pages.Roster,
    "/rules": rules_page.Rules,
    "/grading": grading_page.Grading,
    "/progress": grading_page.Progress,
    "/stop": grading_page.Stop,
    "/export": exports.Export,
    "/publish": publish_page.Publish,
    "/published": publish_page.Published,
    "/stop-publishing": publish_page.StopPublishing,
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
    """The server cannot listen on this host and port."""


@dataclass(frozen=True)
class BoundServer:
    """A bound socket, and the access control of the server behind it."""

    host: str
    socket: socket.socket
    access: AccessControl

    @property
    def port(self) -> int:
        """The port it took."""
        return int(self.socket.getsockname()[1])

    @property
    def address(self) -> str:
        """The address to open in a browser, with the token."""
        everywhere = {"0.0.0.0", "::"}  # noqa: S104 - only where the teacher asked for it
        host = socket.gethostname() if self.host in everywhere else self.host
        return (
            f"http://{f'[{host}]' if ':' in host else host}:{self.port}/?token={self.access.token}"
        )

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()


def listen(host: str, port: int) -> BoundServer:
    """Bind a port; 0 chooses a free one. PortError where that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except OSError as error:
        raise PortError(_port_message(host, port, error)) from error
    bound.setblocking(False)
    return BoundServer(host, bound, _access_control(host))


def _access_control(host: str) -> AccessControl:
    access = AccessControl.for_host(host)
    if not access.addresses:
        return access
    return AccessControl(access.names | {socket.gethostname().lower()}, addresses=True)


def _port_message(host: str, port: int, error: OSError) -> str:
    taken = error.errno == errno.EADDRINUSE
    why = "is taken by another program" if taken else f"cannot be used: {error.strerror}"
    return f"Port {port} of {host} {why}. Try --port 0, which takes any that is free."


def application(
    book: Gradebook, server_socket: BoundServer, host: BatchHost, language: str = ""
) -> Application:
    """The routes of the server; a request path is looked up here, never in the file system."""
    own = ServerContext.of(book, server_socket.access, server_socket.port, language, host)
    context = {"context": own}
    return Application(
        [(path, handler, context) for path, handler in ROUTES.items()],
        default_handler_class=pages.Nowhere,
        default_handler_args=context,
        log_function=lambda _: None,  # addresses hold the token and names of students
    )


async def serve(
    book: Gradebook, server_socket: BoundServer, *, language: str = "", folder: Path | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Serve until SIGINT or SIGTERM; requests that are being answered are finished.

    Without a language each browser gets pages in its own. Submissions within `folder` can be
    graded from the pages; a batch that still runs at the end is stopped.
    """
    host = BatchHost(folder)
    pages_of_it = application(book, server_socket, host, language)
    server = HTTPServer(pages_of_it, max_body_size=LARGEST_FORM)
    server.add_socket(server_socket.socket)
    stop = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):  # elsewhere, or in a thread
            asyncio.get_running_loop().add_signal_handler(each, stop.set)
    ready()
    try:
        await stop.wait()
    finally:
        server.stop()
        await asyncio.to_thread(host.close)
        await server.close_all_connections()


def open_browser(address: str, folder: Path) -> None:
    """Open the page through a private file: a command line would show the token."""
    file = folder / "gradebook.html"
    file.touch(mode=0o600)
    file.write_text(_OPENER.format(address=address), encoding="utf-8")
    webbrowser.open(file.as_uri())
