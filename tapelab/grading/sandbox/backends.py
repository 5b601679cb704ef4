"""The sandboxes, strongest first, and what a worker may read in them.

A backend is a command that starts a Python: a fork server, whose workers confine themselves and are
ready at once, or a worker by itself. Whether it works on a host is tried, not assumed: a worker has
to start and answer. `unsafe` isolates nothing and is never chosen by itself. Readable are Python,
its packages and the system's libraries, never the course: the checkout around the package `tapelab`
stays outside, and so do the exercises of the shipped lessons within it, whose checks hold expected
values.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import tapelab
from tapelab.errors import Complaint
from tapelab.grading.assignment import Limits
from tapelab.grading.protocol import Payload, encode_frame, read_frame
from tapelab.grading.sandbox.forked_process import ForkServer
from tapelab.grading.sandbox.namespaces import SCRATCH_ROOT, SHARED
from tapelab.grading.sandbox.process import (
    Ended,
    ExecutedProcess,
    SandboxedProcess,
    StartedProcess,
    worker_environment,
)

PACKAGE: Final = Path(tapelab.__file__).resolve().parent
_SYSTEM: Final = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
_SETTINGS: Final = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/fonts", "/etc/alternatives", "/etc/mime.types"),
)
_PACKAGES: Final = {"site-packages", "dist-packages"}
_TOO_WIDE: Final = {Path("/"), Path.home(), Path("/root"), Path("/home"), SCRATCH_ROOT}


def readable_paths() -> tuple[Path, ...]:
    """Folders and files that the worker needs, each once, none within another."""
    paths = {path for path in map(Path, _candidate_paths()) if path.exists()} - _TOO_WIDE
    return tuple(sorted(each for each in paths if not paths & set(each.parents)))


def _candidate_paths() -> Iterator[str]:
    yield from _SYSTEM
    yield from _SETTINGS
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    yield str(PACKAGE)
    for entry in sys.path:
        if _PACKAGES & set(Path(entry).parts):
            yield entry
    if not _PACKAGES & set(Path(sys.executable).parts):
        yield str(Path(sys.executable).resolve())


LESSONS: Final = Path("tapelab", "exercises", "lessons")
"""The checks of the shipped lessons, in a folder with Python packages."""
CATALOGUES: Final = Path("tapelab", "locales")
"""Translated sentences in folders of languages, among them those of the lessons' hints."""


def hidden_paths() -> tuple[Path, ...]:
    """Folders within readable ones that no worker may read, of every tapelab that is installed."""
    readable = set(readable_paths())
    packages = {PACKAGE.parent, *(Path(each).resolve() for each in sys.path if each)}
    folders = [each / LESSONS for each in packages]
    folders += [path for each in packages for path in (each / CATALOGUES).glob("[a-z]*/")]
    return tuple(sorted(each for each in folders if each.is_dir() and readable & {*each.parents}))


def private_folder_above(path: Path) -> Path | None:
    """The outermost folder above a path that only its owner may enter, such as a private home."""
    for above in reversed(path.parents):
        if not above.stat().st_mode & 0o001:
            return above
    return None


AUTO: Final = "auto"
UNSAFE: Final = "unsafe"
_STARTING: Final = 60.0


class NoSandboxError(Complaint, RuntimeError):
    """No sandbox works on this host."""


@dataclass(frozen=True)
class Backend:
    """A kind of sandbox; `lacks` says what it needs and this host does not have."""

    name: str
    lacks: Callable[[], str]
    server_command: Callable[[], list[str]] | None
    """The command of its fork server; None where each worker is executed by itself."""

    def why_not(self) -> str:
        """Why this sandbox does not work here; empty if a worker started in it and answered."""
        return self.lacks() or _why_not_started(self.name)

    def prepare(self) -> None:
        """Start its fork server, unless it runs: also for the forks of this process."""
        if self.server_command is not None:
            _fork_server(self.name, self.server_command())

    def start(self, limits: Limits, scratch: Path) -> StartedProcess:
        """Start a worker; Ended where it cannot."""
        if self.server_command is None:
            return ExecutedProcess(_executed_command(limits, scratch), scratch)
        # In a sandbox with files of its own, whatever the host's folder is called.
        place = SCRATCH_ROOT / scratch.name if self.name == BUBBLEWRAP else scratch
        request = _worker_settings(limits, place)
        return _fork_server(self.name, self.server_command()).start(
            request | {"environment": worker_environment(place)}
        )


_SERVERS: Final = threading.local()
"""The fork servers of each thread, by the name of their sandbox."""


def _fork_server(name: str, command: list[str]) -> ForkServer:
    """The server of this thread; a new one where it has ended or another command is needed."""
    servers: dict[str, ForkServer] = _SERVERS.__dict__
    server = servers.get(name)
    if server is None or server.command != command or not server.is_running:
        if server is not None:
            server.end()
        server = servers[name] = ForkServer(command)
    return server


@cache
def _why_not_started(name: str) -> str:
    """Start a worker with an empty notebook: only a trial shows whether the host allows it."""
    backend = next(each for each in BACKENDS if each.name == name)
    limits = Limits()
    task = {"kind": "begin", "cells": [], "skip": [], "files": [], "seed": 0}
    try:
        worker = SandboxedProcess(lambda scratch: backend.start(limits, scratch), limits)
        limit = worker.time_limit(_STARTING)
        try:
            worker.send(encode_frame(task, Payload()), limit)
            read_frame(lambda size: worker.read(size, limit), limits.output)
        finally:
            worker.end()
    except (Ended, ValueError) as problem:
        return f"it did not start here. {problem}"
    return ""


def python_command(module: str, settings: dict[str, Any]) -> list[str]:
    """The command of a Python that runs the `main` of a module with settings as its argument.

    It is isolated from the user's site-packages and from the folder where it starts.
    """
    # This tapelab, not another that may be installed; afterwards nothing beside it comes first.
    start = (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); "
        f"from tapelab.grading.sandbox.{module} import main; "
        "sys.path.append(sys.path.pop(0)); main()"
    )
    return [sys.executable, "-s", "-P", "-c", start, json.dumps(settings)]


def _worker_settings(limits: Limits, scratch: Path) -> dict[str, Any]:
    """What differs from worker to worker."""
    number = secrets.randbelow(1 << 30)
    return {"limits": asdict(limits), "scratch": str(scratch), "number": number}


def _executed_command(limits: Limits, scratch: Path) -> list[str]:
    return python_command("confinement", {"confine": "", **_worker_settings(limits, scratch)})


def _server_command(confine: str) -> list[str]:
    """The command of a fork server, whose workers confine themselves in this way."""
    paths = readable_paths()
    closed = sorted({str(each) for each in map(private_folder_above, paths) if each})
    settings = {
        "confine": confine, "readable": list(map(str, paths)), "closed": closed,
        "hidden": list(map(str, hidden_paths())),
    }  # fmt: skip
    return python_command("fork_server", settings)


def _lacks_landlock() -> str:
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    from tapelab.grading.sandbox.kernel_filters import landlock_version, why_no_seccomp

    if landlock_version() < 1:
        return "the kernel has no Landlock"
    return why_no_seccomp()


def _landlock() -> list[str]:
    return _server_command(LANDLOCK)


def _lacks_bubblewrap() -> str:
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    from tapelab.grading.sandbox.kernel_filters import why_no_seccomp

    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    return why_no_seccomp()


def _bubblewrap() -> list[str]:
    return [str(shutil.which("bwrap")), *bubblewrap_options(), "--", *_server_command(BUBBLEWRAP)]


_SERVER_CAPABILITIES: Final = ("SYS_ADMIN", "SETUID", "SETGID", "SETPCAP")
"""What the fork server keeps: its workers take namespaces of their own, then lose everything."""
_SERVER_DISK: Final = str(1 << 20)
"""Bytes of the folder that the server has; workers mount larger ones of their own."""


def bubblewrap_options() -> Iterator[str]:
    """Options of bubblewrap: system and Python read-only, a small tmpfs, own namespaces."""
    # As process 1: the filter of system calls would not hold for bubblewrap's own, whose memory
    # the same user may write to.
    yield from ("--unshare-pid", "--as-pid-1", "--unshare-net", "--unshare-ipc", "--unshare-uts")
    yield from ("--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev")
    yield from ("--cap-drop", "ALL")
    for capability in _SERVER_CAPABILITIES if os.geteuid() == 0 else _SERVER_CAPABILITIES[:1]:
        yield from ("--cap-add", f"CAP_{capability}")
    if os.geteuid() != 0:
        yield from ("--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534")
    yield from ("--size", _SERVER_DISK, "--perms", "1777", "--tmpfs", str(SCRATCH_ROOT))
    paths = readable_paths()
    for folder in sorted({above for path in paths for above in path.parents}):
        if folder not in (Path("/"), SCRATCH_ROOT):
            yield from ("--perms", "0755", "--dir", str(folder))
    for path in paths:
        yield from ("--ro-bind", str(path), str(path))
    yield from ("--size", _SERVER_DISK, "--perms", "1777", "--tmpfs", str(SHARED))
    for hidden in map(str, hidden_paths()):
        yield from ("--perms", "0755", "--tmpfs", hidden, "--remount-ro", hidden)
    for unlimited in ("/", "/dev"):
        yield from ("--remount-ro", unlimited)
    yield from ("--chdir", "/")


BUBBLEWRAP: Final = "bubblewrap"
LANDLOCK: Final = "landlock"
BACKENDS: Final[tuple[Backend, ...]] = (
    Backend(BUBBLEWRAP, _lacks_bubblewrap, _bubblewrap),
    Backend(LANDLOCK, _lacks_landlock, _landlock),
    Backend(UNSAFE, lambda: "", None),
)
NAMES: Final = (AUTO, *(each.name for each in BACKENDS))


def start_sandbox(name: str = AUTO) -> None:
    """Choose a sandbox and start what its workers share."""
    choose_sandbox(name).prepare()


@cache
def choose_sandbox(name: str = AUTO) -> Backend:
    """The backend of this name, by default the strongest that works; else NoSandboxError."""
    if name not in NAMES:
        raise ValueError(f"There is no sandbox {name!r}. Try one of {', '.join(NAMES)}.")
    reasons = []
    for each in BACKENDS:
        if name == each.name or (name == AUTO and each.name != UNSAFE):
            why_not = each.why_not()
            if not why_not:
                return each
            reasons.append(f"{each.name}: {why_not}")
    raise NoSandboxError(
        f"No sandbox for students' code works here ({'; '.join(reasons)}). Try: apt-get install "
        "bubblewrap, or grade in a separate virtual machine with sandbox='unsafe'."
    )
