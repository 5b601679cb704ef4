"""Workers that a fork server forks, as the grader sees them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import weakref
from multiprocessing.connection import wait
from typing import Any, Final

from tapelab.grading.sandbox.namespaces import SCRATCH_ROOT, STARTED
from tapelab.grading.sandbox.process import Ended, worker_environment
from tapelab.grading.sandbox.process_tree import kill_descendants

START_SECONDS: Final = 240.0
"""Seconds in which a server has to import its packages and fork, on a host however busy."""
_CREDENTIALS: Final = struct.Struct("3i")


class ForkServer:
    """A fork server, which ends with this object and with the thread that started it.

    The kernel ends a server with the thread of its parent, so each thread has servers of its own.
    """

    def __init__(self, command: list[str]) -> None:
        self.command = command
        self._control, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its_end:
            self._process = subprocess.Popen(  # noqa: S603 - our own Python
                command, stdin=its_end.fileno(), stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/", env=worker_environment(SCRATCH_ROOT), start_new_session=True,
            )  # fmt: skip
        # Not by Popen.poll, which knows nothing in forks of this process.
        self._descriptor = os.pidfd_open(self._process.pid)
        self.end = weakref.finalize(
            self, _end_server, self._process, self._control, self._descriptor
        )

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return not wait([self._descriptor], 0)

    def start(self, request: dict[str, Any]) -> ForkedProcess:
        """Fork a worker; Ended if the server cannot."""
        return ForkedProcess(self._control, request)


def _end_server(process: subprocess.Popen[bytes], control: socket.socket, descriptor: int) -> None:
    control.close()
    os.close(descriptor)
    kill_descendants(process.pid)
    process.kill()
    process.wait()


class ForkedProcess:
    """A worker that a server forked."""

    def __init__(self, control: socket.socket, request: dict[str, Any]) -> None:
        source, self.into = os.pipe()
        self.out, sink = os.pipe()
        self._reports, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._reports.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._code: int | None = None
        try:
            with its_end:
                content = json.dumps(request).encode()
                socket.send_fds(control, [content], [source, sink, its_end.fileno()])
            self.pid = self._receive_pid()
            self._descriptor = os.pidfd_open(self.pid)
        except OSError as error:
            self._close()
            raise Ended("crashed", "Its fork server ended.") from error
        finally:
            os.close(source)
            os.close(sink)

    def _receive_pid(self) -> int:
        """The process number as this process counts, which the kernel adds to the message."""
        self._reports.settimeout(START_SECONDS)
        space = socket.CMSG_SPACE(_CREDENTIALS.size)
        content, extra, _, _ = self._reports.recvmsg(1 << 8, space)
        if content != STARTED:
            raise ConnectionError("no worker started")
        ((_, _, credentials),) = extra
        pid, _, _ = _CREDENTIALS.unpack(credentials)
        return int(pid)

    def exit_code(self, seconds: float) -> int | None:
        """As StartedProcess has it."""
        if self._code is None:
            self._reports.settimeout(seconds)
            with contextlib.suppress(TimeoutError, BlockingIOError):
                # Without a message the server has ended, and with it all that it forked.
                self._code = int(self._reports.recv(1 << 8) or -signal.SIGKILL)
        return self._code

    def end(self) -> None:
        """As StartedProcess has it."""
        if self.exit_code(0.0) is None:
            kill_descendants(self.pid)
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
            self.exit_code(START_SECONDS)
        os.close(self._descriptor)
        self._close()

    def _close(self) -> None:
        self._reports.close()
        os.close(self.into)
        os.close(self.out)
