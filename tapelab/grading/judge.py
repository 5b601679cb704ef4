"""The judge: a process of its own in which all that a student handed in is read and graded.

The worker in the sandbox runs the student's code; the judge parses what the worker sends, and holds
checks and references. Parsing has limits everywhere, but a limit that somebody forgot must not end
a class. So the judge itself has limits, for each submission: processor time, memory, time of
the clock, and how much it may reply. The process that starts it, which writes the gradebook, reads
nothing of a submission. A judge that ends is replaced, and JudgeEnded says why it ended.

No judge imports from a folder of students. It starts isolated (`-I`), in the root folder, and with
the starter's path less what is relative or lies in the folder of submissions.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import ceil
from mmap import PAGESIZE
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import tapelab
from tapelab.grading.sandbox.process_tree import descendants
from tapelab.grading.scratch_folder import ScratchFolder


@dataclass(frozen=True)
class JudgeLimits:
    """What a judge may use for one submission."""

    cpu: int = 120
    """Seconds of processor time, without those of the sandbox."""
    wall: float = 1800.0
    """Seconds of the clock: far beyond what a sandbox may take."""
    memory: int = 2 << 30
    """Bytes beside what Python and its packages take."""
    output: int = 256 << 20
    """Bytes of a reply, and of a file that it writes."""


DEFAULT_LIMITS: Final = JudgeLimits()
_CAUSED: Final = {"SIGXCPU", "SIGXFSZ", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE"}
"""Signals that a process gets for what it does; others come from outside."""
_START: Final = (
    "import json, sys; settings = json.loads(sys.argv[-1]); sys.path[:] = settings['path']; "
    "from tapelab.grading.judge import serve; serve(settings)"
)
_LONGEST_LOG: Final = 300
_OUT_OF_MEMORY: Final = 71
"""The exit code of a judge that reached its limit of memory."""


class JudgeEnded(Exception):  # noqa: N818 - an outcome, in the words of the sandbox's Ended
    """A judge ended before it replied; `caused` says whether what it read made it end."""

    def __init__(self, why: str, *, caused: bool) -> None:
        super().__init__(why)
        self.caused = caused


Request = Callable[[Callable[[Any], None]], Any]
"""What the judge calls, with a function that sends messages before the reply, which it returns."""


class Judge:
    """A judge as the process sees it that started it."""

    def __init__(self, limits: JudgeLimits = DEFAULT_LIMITS, untrusted: str = "") -> None:
        self._limits = limits
        self._scratch = ScratchFolder("tapelab-judge-")
        self._folder = self._scratch.path
        self._folder.chmod(0o711)  # users of sandboxes pass through it, and see nothing of it
        self.pipe, its_end = multiprocessing.Pipe()
        alive, self._lifeline = os.pipe()
        settings = {
            "path": trusted_path(untrusted), "pipe": its_end.fileno(), "alive": alive,
            "limits": asdict(limits),
        }  # fmt: skip
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own Python
                [sys.executable, "-I", "-c", _START, json.dumps(settings)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
                env=_environment(self._folder), pass_fds=(its_end.fileno(), alive),
            )  # fmt: skip
        its_end.close()
        os.close(alive)
        self.deadline = 0.0

    def send(self, request: Request) -> None:
        """Ask for something; a judge that has ended says so when it is asked for the reply."""
        self.deadline = time.monotonic() + self._limits.wall
        with contextlib.suppress(OSError):
            self.pipe.send(request)

    def receive(self) -> Any:
        """The next message; JudgeEnded where there is none, after which this judge is over."""
        if not self.pipe.poll(max(0.0, self.deadline - time.monotonic())):
            self.end()
            raise JudgeEnded(f"it took longer than {self._limits.wall:g} s", caused=True)
        try:
            return pickle.loads(self.pipe.recv_bytes(self._limits.output))  # noqa: S301 - ours
        except (EOFError, ConnectionError):
            raise self._ended() from None
        except OSError:
            self.end()
            raise JudgeEnded(
                f"its reply has over {self._limits.output} bytes", caused=True
            ) from None

    def _ended(self) -> JudgeEnded:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:  # it closed its pipe and goes on
            code = -signal.SIGKILL
        log = (self._folder / "log").read_bytes()[-_LONGEST_LOG:].decode("utf-8", "replace")
        self.end()
        if code == _OUT_OF_MEMORY:
            return JudgeEnded(f"it needed more than {self._limits.memory >> 20} MiB", caused=True)
        if code >= 0:
            return JudgeEnded(
                ": ".join([f"ended with {code}", *log.splitlines()[-1:]]), caused=False
            )
        name = signal.Signals(-code).name
        if name == "SIGXCPU":
            return JudgeEnded(f"it needed more than {self._limits.cpu} s of computing", caused=True)
        return JudgeEnded(f"was ended by {name}", caused=name in _CAUSED)

    def end(self) -> None:
        """Kill the judge and the sandboxes that it started, and delete its files."""
        self.pipe.close()
        if self._process.returncode is None:
            for number in reversed(descendants(self._process.pid)):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            self._process.wait()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        self._scratch.remove()


def trusted_path(untrusted: str) -> list[str]:
    """Where a judge imports from: never relative to where we are, never from students' work."""
    outside = Path(untrusted).resolve() if untrusted else None
    path = [
        entry
        for entry in sys.path
        if Path(entry).is_absolute()
        and not (outside and Path(entry).resolve().is_relative_to(outside))
    ]
    return [*path, str(Path(tapelab.__file__).resolve().parents[1])]


def _environment(folder: Path) -> dict[str, str]:
    """Our environment; scratch files go to a folder of the judge's own, one thread computes."""
    return {**os.environ, "TMPDIR": str(folder), "OPENBLAS_NUM_THREADS": "1"}


def serve(settings: dict[str, Any]) -> None:
    """Reply to requests until the pipe is closed or the starter ends, however it was killed."""
    import resource  # which Windows lacks, where nothing is graded

    # The starter ends this process when it is time. Not SIG_IGN: sandboxes would inherit it.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    threading.Thread(target=_end_with, args=(settings["alive"],), daemon=True).start()
    limits = JudgeLimits(**settings["limits"])
    _limit(resource.RLIMIT_AS, _address_space() + limits.memory)
    _limit(resource.RLIMIT_FSIZE, limits.output)
    _limit(resource.RLIMIT_CORE, 0)
    pipe: Connection[Any, Any] = Connection(settings["pipe"])
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        _limit(resource.RLIMIT_CPU, ceil(time.process_time()) + limits.cpu)
        try:
            pipe.send(request(pipe.send))
        except MemoryError:
            os._exit(_OUT_OF_MEMORY)


def _end_with(alive: int) -> None:
    """End this process when the other end of a pipe is closed."""
    os.read(alive, 1)
    os._exit(1)


def _limit(kind: int, most: int) -> None:
    """Set the limit of this process alone: a sandbox sets its own, up to the hard one."""
    import resource

    _, hard = resource.getrlimit(kind)
    with contextlib.suppress(OSError, ValueError):  # a system that lacks it, or has a lower one
        resource.setrlimit(kind, (most, hard))


def _address_space() -> int:
    """The bytes that this process has mapped."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * PAGESIZE
    except OSError:
        return 4 << 30
