"""Giving away, from within a worker's process, all that it will not need."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tapelab.grading.sandbox import landlock, namespaces, seccomp

FACTS: Final = tuple(map(Path, (
    "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu",
)))  # fmt: skip
"""What libraries ask about the machine before they choose how to compute."""
DEVICES: Final = tuple(map(Path, ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom")))
SHARED: Final = Path("/dev/shm")  # noqa: S108 - where Python keeps the locks of its processes


def confine(settings: dict[str, Any]) -> None:
    """Do what the backend has left to do, in the order in which it can be done."""
    _CONFINE[settings["confine"]](settings)


def _in_bubblewrap(settings: dict[str, Any]) -> None:
    """Files, network and processes are out of sight already; what is left is who we are."""
    namespaces.become_nobody(settings["number"])
    _limit_processes(settings, own_count=True)
    seccomp.load()


def _by_landlock(settings: dict[str, Any]) -> None:
    scratch, reading = Path(settings["scratch"]), list(map(Path, settings["readable"]))
    writing = [scratch, *DEVICES]
    root = seccomp.is_root()
    if separate := namespaces.separate():
        namespaces.split()
        closed = set(map(Path, settings["closed"]))
        room = namespaces.furnish(scratch, settings["limits"]["disk"], reading, closed)
        writing.append(room)
        with suppress(OSError):
            namespaces.mount_processes()
            reading.append(Path("/proc"))
        with suppress(OSError):
            namespaces.mount_memory(SHARED, settings["limits"]["disk"], 0o1777)
            writing.append(SHARED)
    else:
        namespaces.split()
    namespaces.become_nobody(settings["number"])
    _limit_processes(settings, own_count=root or separate)
    seccomp.load()
    landlock.restrict([*reading, *FACTS], writing)


def _limit_processes(settings: dict[str, Any], *, own_count: bool) -> None:
    """The kernel counts by user; one that others share has theirs in the count already."""
    most = settings["limits"]["processes"]
    if not own_count:
        most += _tasks_of(os.getuid())
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def _tasks_of(user: int) -> int:
    count = 0
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if path.stat().st_uid == user:
                count += len(list((path / "task").iterdir()))
    return count


_CONFINE: Final = {"bubblewrap": _in_bubblewrap, "landlock": _by_landlock}
