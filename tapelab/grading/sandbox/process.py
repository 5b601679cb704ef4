"""A worker's process as its supervisor sees it: pipes, limits on time, memory and disk, its end.

The supervisor does not depend on the worker: it looks at all descendant processes at least every
CHECK_SECONDS, whatever they send meanwhile, measures itself what they use, and kills all of them.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from tapelab.exercises.values import Unreadable
from tapelab.grading.assignment import Limits
from tapelab.grading.sandbox.process_tree import (
    NO_TIME,
    TimeLimit,
    descendants,
    disk_usage,
    kill_descendants,
    process_times,
    used_memory,
)

CHECK_SECONDS: Final = 0.1
"""Seconds between two checks of time, memory and disk."""
_SUPERVISORS: Final = 4
"""Processes that a sandbox itself may have beside those of the user code."""


class Ended(Unreadable):
    """The worker was ended, or ended by itself; `ending` is the status of its request."""

    def __init__(self, ending: str, text: str, *, contended: bool = False) -> None:
        super().__init__(text)
        self.ending = ending  # type: ignore[misc]  # of this one, where others have it by class
        self.contended = contended
        """Whether it may have ended so because other programs used the CPU."""


class StartedProcess(Protocol):
    """A process with a pipe in and a pipe out, which is executed or forked."""

    pid: int
    into: int
    out: int

    def exit_code(self, seconds: float) -> int | None:
        """The exit code, minus the signal that ended it; None if it still runs after so long."""
        ...

    def end(self) -> None:
        """Kill it and all its descendants, and close the pipes."""
        ...


class ExecutedProcess:
    """A process that a command starts."""

    def __init__(self, command: list[str], scratch: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own Python
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd="/", env=worker_environment(scratch), start_new_session=True, bufsize=0,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.pid = self._process.pid
        self.into, self.out = self._process.stdin.fileno(), self._process.stdout.fileno()

    def exit_code(self, seconds: float) -> int | None:
        """As StartedProcess has it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.poll()

    def end(self) -> None:
        """As StartedProcess has it."""
        kill_descendants(self.pid)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes


class SandboxedProcess:
    """A process in a sandbox with a pipe in and a pipe out."""

    def __init__(self, start: Callable[[Path], StartedProcess], limits: Limits) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="tapelab-grading-"))
        self._limits = limits
        self.memory = limits.memory
        """Bytes that all descendants may have together."""
        self._next_check = time.monotonic()
        self._times = NO_TIME
        try:
            self._process = start(self.scratch)
        except BaseException:
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise
        self._into, self._out = self._process.into, self._process.out
        os.set_blocking(self._into, False)
        os.set_blocking(self._out, False)

    def time_limit(self, seconds: float) -> TimeLimit:
        """A limit of so many seconds that begins now."""
        return TimeLimit(seconds, self._times)

    def used(self, limit: TimeLimit) -> float:
        """Seconds of a limit that are used up, as far as was last measured."""
        return limit.used(self._times)

    def send(self, content: bytes, limit: TimeLimit) -> None:
        """Write all of the content; Ended if the worker does not read it within the limit."""
        rest = memoryview(content)
        while rest:
            self._wait(self._into, selectors.EVENT_WRITE, limit)
            try:
                rest = rest[os.write(self._into, rest[: 1 << 16]) :]
            except (BrokenPipeError, BlockingIOError) as error:
                if isinstance(error, BrokenPipeError):
                    raise self._crash() from None

    def read(self, size: int, limit: TimeLimit) -> bytes:
        """Read exactly so many bytes; Ended if they do not arrive within the limit."""
        content = bytearray()
        while len(content) < size:
            self._wait(self._out, selectors.EVENT_READ, limit)
            try:
                piece = os.read(self._out, min(size - len(content), 1 << 20))
            except BlockingIOError:
                continue
            if not piece:
                raise self._crash()
            content += piece
        return bytes(content)

    def _wait(self, number: int, event: int, limit: TimeLimit) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(number, event)
            while True:
                if time.monotonic() >= self._next_check:
                    self._check_limits(limit)
                    self._next_check = time.monotonic() + CHECK_SECONDS
                if ready.select(CHECK_SECONDS):
                    return

    def _check_limits(self, limit: TimeLimit) -> None:
        processes = descendants(self._process.pid)
        self._times = process_times(processes)
        if self.used(limit) > limit.seconds:
            text = f"It took longer than the time limit of {round(limit.seconds, 2):g} s."
            raise Ended("timeout", text, contended=limit.is_contended(self._times))
        if len(processes) > self._limits.processes + _SUPERVISORS:
            raise Ended("crashed", "It started more processes than the limit.")
        if used_memory(processes, self.memory) > self.memory:
            raise Ended("memory", "It needed more memory than the limit.")
        if disk_usage(self.scratch) > self._limits.disk:
            raise Ended("memory", "It wrote more files than the limit.")

    def _crash(self) -> Ended:
        """How the process ended whose pipe was closed, as far as its exit code shows."""
        code = self._process.exit_code(CHECK_SECONDS * 5)
        number = -code if code is not None and code < 0 else (code or 0) - 128
        named = number in set(signal.Signals)
        stat = f"by the signal {signal.Signals(number).name}" if named else "by itself"
        return Ended("crashed", f"Its process ended {stat}.")

    def end(self) -> None:
        """Kill the process and all its descendants, then delete its files."""
        self._process.end()
        shutil.rmtree(self.scratch, ignore_errors=True)


def worker_environment(scratch: Path) -> dict[str, str]:
    """The environment variables of a worker: none of the grader's, caches in its own folder."""
    folders = (
        *("HOME", "TMPDIR", "NUMBA_CACHE_DIR", "TAPELAB_CACHE_DIR", "MPLCONFIGDIR", "IPYTHONDIR"),
        *("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "XDG_CACHE_HOME"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    )
    programs = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    return {
        **dict.fromkeys(folders, str(scratch)),
        "PATH": programs, "LANG": "C.UTF-8", "MPLBACKEND": "Agg",
        "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }  # fmt: skip
