"""The fork server: a Python that has imported what every worker needs, and forks into workers.

Importing takes longer than most submissions do. The server imports once, runs no code of a student,
and reads only what the grader asks for; each worker is a fork of it that confines itself before it
sees a submission. So every worker begins in the same state, whatever the ones before it did, and
what it changes is gone when it ends: modules, files and processes are its own.

A request is one message on the socket that is this process's stdin: the settings of the worker as
JSON, its two pipes, and a socket. On that socket the worker sends one message, to which the kernel
adds its process number as the grader counts, and the server sends its exit code.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, Never

from tapelab.grading.sandbox.confinement import confine, lift_cpu_limit
from tapelab.grading.sandbox.namespaces import STARTED, die_with_parent

LONGEST_REQUEST: Final = 1 << 16
_REFUSED: Final = 1
_MODULES: Final = (
    *("tapelab.grading.worker", "tapelab.grading.notebook_runner", "numpy.random"),
    *("IPython.core.completer", "IPython.core.magics"),
    *("tapelab.widgets.cell_output", "tapelab.widgets.show"),
)
"""What workers would import themselves; some of it only when a cell shows something."""


def main() -> None:
    """Import what workers need, then fork one for each request until the grader ends."""
    settings: dict[str, Any] = json.loads(sys.argv[-1])
    die_with_parent()
    lift_cpu_limit()
    _import_for_workers()
    gc.collect()
    gc.freeze()  # forks then share these pages for longer: no collection writes to them
    _Forks(socket.socket(fileno=0), settings).serve()


def _import_for_workers() -> None:
    """Import what most notebooks need, and all ops for the replay verifier."""
    for name in _MODULES:
        import_module(name)
    import_module("tapelab.grading.replay_verifier").our_ops()


class _Forks:
    """The workers that run, each with the socket that its exit code is sent to."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self._control, self._settings = control, settings
        self._sockets: dict[int, socket.socket] = {}
        self._ended, ending = os.pipe()
        for pipe in (self._ended, ending):
            os.set_blocking(pipe, False)
        signal.set_wakeup_fd(ending)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)

    def serve(self) -> None:
        """Fork on each request, and report what ended; return when the grader closes the socket."""
        with selectors.DefaultSelector() as ready:
            ready.register(self._control, selectors.EVENT_READ)
            ready.register(self._ended, selectors.EVENT_READ)
            while True:
                events = [key.fileobj for key, _ in ready.select()]
                if self._ended in events:
                    os.read(self._ended, 1 << 12)
                    self._report_ended()
                if self._control in events:
                    content, pipes, _, _ = socket.recv_fds(self._control, LONGEST_REQUEST, 3)
                    if not content:
                        return
                    self._fork(json.loads(content), *pipes)

    def _fork(self, request: dict[str, Any], source: int, sink: int, reports: int) -> None:
        server, child = os.getpid(), os.fork()
        if child == 0:
            try:
                _work(self._settings | request, server, source, sink, reports)
            finally:
                os._exit(_REFUSED)
        os.close(source)
        os.close(sink)
        self._sockets[child] = socket.socket(fileno=reports)

    def _report_ended(self) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                number, status = ended
                if number in self._sockets:  # else an orphan of a worker
                    with self._sockets.pop(number) as reports, suppress(OSError):
                        reports.send(str(os.waitstatus_to_exitcode(status)).encode())


def _work(settings: dict[str, Any], server: int, source: int, sink: int, reports: int) -> Never:
    """Leave everything of the server behind, confine this process, and be a worker."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    die_with_parent()
    if os.getppid() != server:
        os._exit(_REFUSED)
    os.write(reports, STARTED)
    for place, number in enumerate((source, sink, os.open(os.devnull, os.O_RDWR))):
        os.dup2(number, place)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.update(settings["environment"])
    tempfile.tempdir = None  # as the environment says now
    confine(settings)
    from tapelab.grading.worker import main as work

    work()
    os._exit(_REFUSED)
