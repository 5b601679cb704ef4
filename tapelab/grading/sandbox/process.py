"""A worker's process as its supervisor sees it: pipes, limits on time, memory and disk, its end.

The supervisor does not depend on the worker: it measures wall-clock time and the
memory of all descendant processes itself, and kills all of them.
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

from tapelab.exercises.values import Unreadable
from tapelab.grading.assignment import Limits

CHECK_SECONDS: Final = 0.1
"""Seconds between two checks of memory and disk."""
KILL_SECONDS: Final = 5.0
"""Seconds in which all descendants have to be killed."""
PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Ended(Unreadable):
    """The worker was ended, or ended by itself; `ending` is the status of its request."""

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
            stderr=subprocess.DEVNULL, cwd="/", env=worker_environment(self.scratch),
            start_new_session=True, bufsize=0,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._into, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._into, False)
        os.set_blocking(self._out, False)

    def send(self, content: bytes, deadline: float) -> None:
        """Write all of the content; Ended if the worker does not read it before the deadline."""
        rest = memoryview(content)
        while rest:
            self._wait(self._into, selectors.EVENT_WRITE, deadline)
            try:
                rest = rest[os.write(self._into, rest[: 1 << 16]) :]
            except (BrokenPipeError, BlockingIOError) as error:
                if isinstance(error, BrokenPipeError):
                    raise self._crash() from None

    def read(self, size: int, deadline: float) -> bytes:
        """Read exactly so many bytes; Ended if they do not arrive before the deadline."""
        content = bytearray()
        while len(content) < size:
            self._wait(self._out, selectors.EVENT_READ, deadline)
            try:
                piece = os.read(self._out, min(size - len(content), 1 << 20))
            except BlockingIOError:
                continue
            if not piece:
                raise self._crash()
            content += piece
        return bytes(content)

    def _wait(self, number: int, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(number, event)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Ended("timeout", "It took longer than the time limit.")
                if ready.select(min(left, CHECK_SECONDS)):
                    return
                self._check_limits()

    def _check_limits(self) -> None:
        used = sum(map(private_memory, descendants(self._process.pid)))
        if used > self.memory:
            raise Ended("memory", "It needed more memory than the limit.")
        if disk_usage(self.scratch) > self._limits.disk:
            raise Ended("memory", "It wrote more files than the limit.")

    def _crash(self) -> Ended:
        """How the process ended whose pipe was closed, as far as its exit code shows."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(CHECK_SECONDS * 5)
        code = self._process.poll()
        number = -code if code is not None and code < 0 else (code or 0) - 128
        named = number in set(signal.Signals)
        stat = f"by the signal {signal.Signals(number).name}" if named else "by itself"
        return Ended("crashed", f"Its process ended {stat}.")

    def end(self) -> None:
        """Kill the process and all its descendants, then delete its files."""
        deadline = time.monotonic() + KILL_SECONDS
        while time.monotonic() < deadline:
            below = descendants(self._process.pid)[1:]
            for number in below:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            if not any(map(_is_alive, below)):
                break
            time.sleep(0.002)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes
        shutil.rmtree(self.scratch, ignore_errors=True)


def worker_environment(scratch: Path) -> dict[str, str]:
    """The environment variables of a worker: none of the grader's, caches in its own folder."""
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
    """A process and all its descendants, as /proc lists them; itself alone elsewhere."""
    children: dict[int, list[int]] = {}
    for number, parent in _parents():
        children.setdefault(parent, []).append(number)
    processes = [root]
    for each in processes:
        processes.extend(children.get(each, ()))
    return processes


def _parents() -> Iterator[tuple[int, int]]:
    proc = Path("/proc")
    for path in proc.iterdir() if proc.is_dir() else ():
        if path.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                stat = (path / "stat").read_text(errors="replace")
                yield int(path.name), int(stat.rpartition(")")[2].split()[1])


def _is_alive(number: int) -> bool:
    try:
        stat = Path(f"/proc/{number}/stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def private_memory(number: int) -> int:
    """Bytes of memory that a process does not share."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{number}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return PAGE * (int(resident) - int(shared))


def disk_usage(folder: Path) -> int:
    """Bytes that the files in a folder take on the disk."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                stat = (Path(place) / name).lstat()
                size += max(stat.st_size, 512 * stat.st_blocks) + 4096
    return size
