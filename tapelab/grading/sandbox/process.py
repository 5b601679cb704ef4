"""A worker's process from outside: what it says, how long it may take, and its end.

The supervisor never waits for the worker's consent: it counts the seconds of the clock and the
memory of all descendants itself, and ends all of them.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tapelab.exercises.ungradable import Unreadable
from tapelab.grading.assignment import Limits

LOOK: Final = 0.1
"""Seconds between two looks at memory and disk."""
PATIENCE: Final = 5.0
"""Seconds in which all descendants have to be gone."""
PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Ended(Unreadable):
    """The worker was ended, or ended by itself; `ending` is the status of what it was asked."""

    def __init__(self, ending: str, text: str) -> None:
        super().__init__(text)
        self.ending = ending  # type: ignore[misc]  # of this one, where others have it by class


class SandboxedProcess:
    """A process in a sandbox with a pipe in and a pipe out."""

    def __init__(self, command: Callable[[Path], list[str]], limits: Limits) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="tapelab-grading-"))
        self._limits = limits
        self.memory = limits.memory
        """Bytes that all descendants may have together."""
        self._process = subprocess.Popen(  # noqa: S603 - our own Python, in a sandbox
            command(self.scratch), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, cwd="/", env=surroundings(self.scratch),
            start_new_session=True, bufsize=0,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._into, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._into, False)
        os.set_blocking(self._out, False)

    def send(self, content: bytes, until: float) -> None:
        """Write all of it, if the worker reads; Ended if it does not."""
        rest = memoryview(content)
        while rest:
            self._wait(self._into, selectors.EVENT_WRITE, until)
            try:
                rest = rest[os.write(self._into, rest[: 1 << 16]) :]
            except (BrokenPipeError, BlockingIOError) as error:
                if isinstance(error, BrokenPipeError):
                    raise self._gone() from None

    def read(self, size: int, until: float) -> bytes:
        """Exactly so many bytes; Ended if they do not come until then."""
        found = bytearray()
        while len(found) < size:
            self._wait(self._out, selectors.EVENT_READ, until)
            try:
                piece = os.read(self._out, min(size - len(found), 1 << 20))
            except BlockingIOError:
                continue
            if not piece:
                raise self._gone()
            found += piece
        return bytes(found)

    def _wait(self, number: int, event: int, until: float) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(number, event)
            while True:
                left = until - time.monotonic()
                if left <= 0:
                    raise Ended("timeout", "It took longer than the time limit.")
                if ready.select(min(left, LOOK)):
                    return
                self._look()

    def _look(self) -> None:
        used = sum(map(_memory, descendants(self._process.pid)))
        if used > self.memory:
            raise Ended("memory", "It needed more memory than the limit.")
        if _size(self.scratch) > self._limits.disk:
            raise Ended("memory", "It wrote more files than the limit.")

    def _gone(self) -> Ended:
        """The pipe was closed: how the process ended, as far as it can be seen from outside."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LOOK * 5)
        code = self._process.poll()
        number = -code if code is not None and code < 0 else (code or 0) - 128
        named = number in set(signal.Signals)
        told = f"by the signal {signal.Signals(number).name}" if named else "by itself"
        return Ended("crashed", f"Its process ended {told}.")

    def end(self) -> None:
        """End the process and all it started, then take its files away."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            below = descendants(self._process.pid)[1:]
            for number in below:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            if not any(map(_alive, below)):
                break
            time.sleep(0.002)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes
        shutil.rmtree(self.scratch, ignore_errors=True)


def surroundings(scratch: Path) -> dict[str, str]:
    """The environment of a worker: nothing of the grader's, every cache in its own folder."""
    folders = (
        *("HOME", "TMPDIR", "NUMBA_CACHE_DIR", "TAPELAB_CACHE_DIR", "MPLCONFIGDIR", "IPYTHONDIR"),
        *("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "XDG_CACHE_HOME"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    )
    return {
        **dict.fromkeys(folders, str(scratch)),
        "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }  # fmt: skip


def descendants(root: int) -> list[int]:
    """A process and all that came of it, as Linux lists them; itself alone elsewhere."""
    children: dict[int, list[int]] = {}
    for number, parent in _parents():
        children.setdefault(parent, []).append(number)
    found = [root]
    for each in found:
        found.extend(children.get(each, ()))
    return found


def _parents() -> Iterator[tuple[int, int]]:
    proc = Path("/proc")
    for path in proc.iterdir() if proc.is_dir() else ():
        if path.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                told = (path / "stat").read_text(errors="replace")
                yield int(path.name), int(told.rpartition(")")[2].split()[1])


def _alive(number: int) -> bool:
    try:
        told = Path(f"/proc/{number}/stat").read_text(errors="replace")
    except OSError:
        return False
    return told.rpartition(")")[2].split()[0] not in "ZX"


def _memory(number: int) -> int:
    """Bytes that a process has of its own."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{number}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return PAGE * (int(resident) - int(shared))


def _size(folder: Path) -> int:
    """Bytes of the files in a folder, as they lie on the disk."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                told = (Path(place) / name).lstat()
                size += max(told.st_size, 512 * told.st_blocks) + 4096
    return size
