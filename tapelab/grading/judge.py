"""The judge: a process for each submission, in which all that a student handed in is parsed.

The worker in the sandbox runs the student's code; the judge parses what the worker sends, and holds
checks and references. Parsing has limits everywhere, but a limit that somebody forgot must not end
a class. So the judge itself has limits: processor time, memory, time of the clock, and how much it
may reply. The process that starts it, which writes the gradebook, reads nothing of a submission.

Importing takes longer than most submissions do, so a template imports, loads the assignment and
starts the sandbox once. Each request is read and answered by a fork of it, which then ends: no
memory, module, file or state of a check outlives the submission, and the limits are those of a
process, not of what it has used before. The template itself reads nothing. A fork that does not
reply ends with its template, and all that these started; JudgeEnded says why.

No judge imports from a folder of students. It starts isolated (`-I`), in the root folder, and with
the starter's path less what is relative or lies in the folder of submissions.
"""

from __future__ import annotations

import contextlib
import gc
import json
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from mmap import PAGESIZE
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final, Never

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


def _prepare_nothing() -> None:
    """What a template does where requests need nothing that takes time."""


class Judge:
    """Judges that follow one another, as the process sees them that asks; one for each request.

    `prepare` is called in the template before each fork: what it loads, all of them have.
    """

    def __init__(
        self, limits: JudgeLimits = DEFAULT_LIMITS, untrusted: str = "",
        prepare: Callable[[], None] = _prepare_nothing,
    ) -> None:  # fmt: skip
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
        self._send(prepare)

    def send(self, request: Request) -> None:
        """Ask for something; a judge that has ended says so when it is asked for the reply."""
        self.deadline = time.monotonic() + self._limits.wall
        self._send(request)

    def _send(self, message: Callable[..., Any]) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send(message)

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
    """Be the template: fork a judge for each request, until one does not reply or the starter ends.

    It ends as that judge did, so that the starter sees why.
    """
    import resource  # which Windows lacks, where nothing is graded

    # The starter ends this process when it is time. Not SIG_IGN: sandboxes would inherit it.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    limits, pipe = JudgeLimits(**settings["limits"]), Connection(settings["pipe"])
    _limit(resource.RLIMIT_FSIZE, limits.output)
    _limit(resource.RLIMIT_CORE, 0)
    prepare: Callable[[], None] = pipe.recv()
    prepare()
    gc.collect()
    gc.freeze()  # forks then share these pages for longer: no collection writes to them
    while not (code := _judge_one(pipe, limits, settings["alive"])):
        prepare()
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no other action
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _judge_one(pipe: Connection[Any, Any], limits: JudgeLimits, alive: int) -> int:
    """The exit code of a fork that answers the next request; its temporary files are deleted."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    its_end, own_end = multiprocessing.Pipe()
    child = os.fork()
    if child == 0:
        own_end.close()
        _judge(pipe, limits, folder, its_end)
    its_end.close()
    if alive in wait([alive, own_end]):
        os._exit(1)
    own_end.close()
    _, status = os.waitpid(child, 0)
    shutil.rmtree(folder, ignore_errors=True)
    return os.waitstatus_to_exitcode(status)


def _judge(
    pipe: Connection[Any, Any], limits: JudgeLimits, folder: Path, template: Connection[Any, Any]
) -> Never:
    """Answer one request within the limits, and end."""
    import resource

    code = 1
    try:
        threading.Thread(target=_end_with, args=(template,), daemon=True).start()
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        _limit(resource.RLIMIT_AS, _address_space() + limits.memory)
        _limit(resource.RLIMIT_CPU, limits.cpu)
        request: Request = pipe.recv()
        pipe.send(request(pipe.send))
        code = 0
    except MemoryError:
        code = _OUT_OF_MEMORY
    except BaseException:  # noqa: BLE001 - its last line says why it ended
        traceback.print_exc()
    finally:
        os._exit(code)


def _end_with(template: Connection[Any, Any]) -> None:
    """End this process when the other end of a pipe is closed."""
    template.poll(None)
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
