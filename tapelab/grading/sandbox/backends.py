"""The sandboxes, strongest first, and what a worker may read in them.

A backend is a command that starts a Python which confines itself. Whether it works on a host is
tried, not assumed: a worker has to start and answer. `unsafe` isolates nothing and is never chosen
by itself. Readable are Python, its packages and the system's libraries, never the course: the
checkout around the package `tapelab` stays outside, and so do the exercises of the shipped lessons
within it, whose checks hold expected values.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import tapelab
from tapelab.errors import Complaint
from tapelab.grading.assignment import Limits
from tapelab.grading.protocol import Payload, encode_frame, read_frame
from tapelab.grading.sandbox.namespaces import SCRATCH_ROOT
from tapelab.grading.sandbox.process import Ended, SandboxedProcess

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
    command: Callable[[Limits, Path], list[str]]

    def why_not(self) -> str:
        """Why this sandbox does not work here; empty if a worker started in it and answered."""
        return self.lacks() or _why_not_started(self.name)


@cache
def _why_not_started(name: str) -> str:
    """Start a worker with an empty notebook: only a trial shows whether the host allows it."""
    backend = next(each for each in BACKENDS if each.name == name)
    limits = Limits()
    worker = SandboxedProcess(lambda scratch: backend.command(limits, scratch), limits)
    limit = worker.time_limit(_STARTING)
    task = {"kind": "begin", "cells": [], "skip": [], "files": [], "seed": 0}
    try:
        worker.send(encode_frame(task, Payload()), limit)
        read_frame(lambda size: worker.read(size, limit), limits.output)
    except (Ended, ValueError) as problem:
        return f"it did not start here. {problem}"
    finally:
        worker.end()
    return ""


def python_command(confine: str, limits: Limits, scratch: Path) -> list[str]:
    """The command of a Python that confines itself, isolated from the user's site-packages."""
    paths = readable_paths()
    settings: dict[str, Any] = {
        "confine": confine, "limits": asdict(limits), "scratch": str(scratch),
        "readable": list(map(str, paths)), "hidden": list(map(str, hidden_paths())),
        "number": secrets.randbelow(1 << 30),
        "closed": sorted({str(each) for each in map(private_folder_above, paths) if each}),
    }  # fmt: skip
    # This tapelab, not another that may be installed; afterwards nothing beside it comes first.
    start = (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); "
        "from tapelab.grading.sandbox.confinement import main; "
        "sys.path.append(sys.path.pop(0)); main()"
    )
    return [sys.executable, "-s", "-P", "-c", start, json.dumps(settings)]


def _unsafe(limits: Limits, scratch: Path) -> list[str]:
    return python_command("", limits, scratch)


def _lacks_landlock() -> str:
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    from tapelab.grading.sandbox.kernel_filters import landlock_version, why_no_seccomp

    if landlock_version() < 1:
        return "the kernel has no Landlock"
    return why_no_seccomp()


def _landlock(limits: Limits, scratch: Path) -> list[str]:
    return python_command("landlock", limits, scratch)


def _lacks_bubblewrap() -> str:
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    from tapelab.grading.sandbox.kernel_filters import why_no_seccomp

    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    return why_no_seccomp()


def _bubblewrap(limits: Limits, scratch: Path) -> list[str]:
    return [str(shutil.which("bwrap")), *bubblewrap_options(limits, scratch), "--",
            *python_command("bubblewrap", limits, scratch)]  # fmt: skip


def bubblewrap_options(limits: Limits, scratch: Path) -> Iterator[str]:
    """Options of bubblewrap: system and Python read-only, a small tmpfs, own namespaces."""
    # As process 1: the filter of system calls would not hold for bubblewrap's own, whose memory
    # the same user may write to.
    yield from ("--unshare-pid", "--as-pid-1", "--unshare-net", "--unshare-ipc", "--unshare-uts")
    yield from ("--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev")
    if os.geteuid() == 0:
        for capability in ("ALL", "-SETUID", "-SETGID", "-SETPCAP"):
            option = "--cap-add" if capability.startswith("-") else "--cap-drop"
            yield from (option, f"CAP_{capability[1:]}" if option == "--cap-add" else "ALL")
    else:
        yield from ("--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534")
    yield from ("--size", str(limits.disk), "--perms", "1777", "--tmpfs", str(SCRATCH_ROOT))
    paths = readable_paths()
    for folder in sorted({above for path in (*paths, scratch) for above in path.parents}):
        if folder not in (Path("/"), SCRATCH_ROOT):
            yield from ("--perms", "0755", "--dir", str(folder))
    for path in paths:
        yield from ("--ro-bind", str(path), str(path))
    for place in (str(scratch), "/dev/shm"):  # noqa: S108 - a small one of its own
        yield from ("--size", str(limits.disk), "--perms", "1777", "--tmpfs", place)
    for hidden in map(str, hidden_paths()):
        yield from ("--perms", "0755", "--tmpfs", hidden, "--remount-ro", hidden)
    for unlimited in ("/", "/dev"):
        yield from ("--remount-ro", unlimited)
    yield from ("--chdir", "/")


BACKENDS: Final[tuple[Backend, ...]] = (
    Backend("bubblewrap", _lacks_bubblewrap, _bubblewrap),
    Backend("landlock", _lacks_landlock, _landlock),
    Backend(UNSAFE, lambda: "", _unsafe),
)
NAMES: Final = (AUTO, *(each.name for each in BACKENDS))


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
