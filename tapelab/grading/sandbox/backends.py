"""The ways to hold a worker, the strongest first; `unsafe` holds nothing and is never chosen."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tapelab.grading.assignment import Limits
from tapelab.grading.sandbox.paths import PACKAGE, ROOM, closed_to_others, readable
from tapelab.grading.sandbox.process import Confined, Ended
from tapelab.grading.wire import Parcel, pack, receive

AUTO: Final = "auto"
UNSAFE: Final = "unsafe"
_STARTING: Final = 60.0


class NoSandboxError(RuntimeError):
    """This host has nothing that could hold a learner's code."""


@dataclass(frozen=True)
class Backend:
    """A way to hold a worker; `lacks` names what it needs and this host does not have."""

    name: str
    lacks: Callable[[], str]
    command: Callable[[Limits, Path], list[str]]

    def why_not(self) -> str:
        """Why a worker cannot be held here in this way; empty where one started and answered."""
        return self.lacks() or _why_not_started(self.name)


@cache
def _why_not_started(name: str) -> str:
    """Start a worker with an empty notebook: only that shows whether a host plays its part."""
    backend = next(each for each in BACKENDS if each.name == name)
    limits = Limits()
    worker = Confined(lambda scratch: backend.command(limits, scratch), limits)
    until = time.monotonic() + _STARTING
    task = {"kind": "begin", "cells": [], "skip": [], "files": [], "seed": 0}
    try:
        worker.send(pack(task, Parcel()), until)
        receive(lambda size: worker.read(size, until), limits.output)
    except (Ended, ValueError) as problem:
        return f"it did not start here. {problem}"
    finally:
        worker.end()
    return ""


def python(confine: str, limits: Limits, scratch: Path) -> list[str]:
    """The Python that confines itself and then works; nothing of the user's own takes part."""
    paths = readable()
    settings: dict[str, Any] = {
        "confine": confine, "limits": asdict(limits), "scratch": str(scratch),
        "readable": list(map(str, paths)), "number": secrets.randbelow(1 << 30),
        "closed": sorted({str(each) for each in map(closed_to_others, paths) if each}),
    }  # fmt: skip
    start = f"import sys; sys.path.append({str(PACKAGE.parent)!r})"
    work = "from tapelab.grading.sandbox.inside import main; main()"
    return [sys.executable, "-s", "-P", "-c", f"{start}; {work}", json.dumps(settings)]


def _unsafe(limits: Limits, scratch: Path) -> list[str]:
    return python("", limits, scratch)


def _lacks_landlock() -> str:
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    from tapelab.grading.sandbox import landlock, seccomp  # which other systems cannot load

    if landlock.version() < 1:
        return "the kernel has no Landlock"
    return seccomp.why_not()


def _landlock(limits: Limits, scratch: Path) -> list[str]:
    return python("landlock", limits, scratch)


def _lacks_bubblewrap() -> str:
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    from tapelab.grading.sandbox import seccomp  # which other systems cannot load

    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    return seccomp.why_not()


def _bubblewrap(limits: Limits, scratch: Path) -> list[str]:
    return [str(shutil.which("bwrap")), *_room(limits, scratch), "--",
            *python("bubblewrap", limits, scratch)]  # fmt: skip


def _room(limits: Limits, scratch: Path) -> Iterator[str]:
    """What bubblewrap builds: system and Python to read, a small disk to write, nobody else."""
    yield from ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
    yield from ("--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev")
    if os.geteuid() == 0:
        for capability in ("ALL", "-SETUID", "-SETGID", "-SETPCAP"):
            option = "--cap-add" if capability.startswith("-") else "--cap-drop"
            yield from (option, f"CAP_{capability[1:]}" if option == "--cap-add" else "ALL")
    else:
        yield from ("--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534")
    yield from ("--size", str(limits.disk), "--perms", "1777", "--tmpfs", str(ROOM))
    for folder in sorted({above for path in (*readable(), scratch) for above in path.parents}):
        if folder not in (Path("/"), ROOM):
            yield from ("--perms", "0755", "--dir", str(folder))
    for path in readable():
        yield from ("--ro-bind", str(path), str(path))
    for place in (str(scratch), "/dev/shm"):  # noqa: S108 - a small one of its own
        yield from ("--size", str(limits.disk), "--perms", "1777", "--tmpfs", place)
    yield from ("--chdir", "/")


BACKENDS: Final[tuple[Backend, ...]] = (
    Backend("bubblewrap", _lacks_bubblewrap, _bubblewrap),
    Backend("landlock", _lacks_landlock, _landlock),
    Backend(UNSAFE, lambda: "", _unsafe),
)
NAMES: Final = (AUTO, *(each.name for each in BACKENDS))


@cache
def choose(name: str = AUTO) -> Backend:
    """The backend of a name, by default the strongest that holds; NoSandboxError if none does."""
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
        f"Nothing here can hold a learner's code ({'; '.join(reasons)}). Try: apt-get install "
        "bubblewrap, or grade in a virtual machine of its own with sandbox='unsafe'."
    )
