"""Rooms of their own in the kernel: processes, network and files that nobody else sees."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tapelab.grading.sandbox.kernel import check, libc
from tapelab.grading.sandbox.paths import ROOM

_FILES, _NAMES, _TALK, _USERS, _PROCESSES, _NETWORK = (
    0x20000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
_ALL: Final = _FILES | _NAMES | _TALK | _PROCESSES | _NETWORK
_READ_ONLY, _NO_SUID, _NO_DEVICES, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = (
    1, 2, 4, 32, 4096, 16384, 1 << 18,
)  # fmt: skip
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PR_CAPBSET_DROP, _LAST_CAPABILITY = 24, 63
NOBODY: Final = 65534
FIRST_USER: Final = 2_000_000_000
"""Workers get users of their own from here on, so that none counts the processes of another."""


def separate() -> bool:
    """Leave the rooms of this host; False where the kernel does not let us."""
    user, group = os.getuid(), os.getgid()
    if libc().unshare(_ALL) == 0:
        return True
    if user == 0 or libc().unshare(_ALL | _USERS) != 0:
        return False
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1")
    return True


def split() -> None:
    """Go on as a child that dies with its parent; the parent waits, and ends as the child does."""
    check(libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper")
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        die_with_parent()
        if os.getppid() not in (0, parent):
            os._exit(1)
        return
    for number in (0, 1, 2):
        os.close(number)
    code = 0
    with suppress(ChildProcessError):
        while True:
            number, status = os.wait()
            if number == child:
                code = status
                break
    ended = os.waitstatus_to_exitcode(code)
    os._exit(ended if ended >= 0 else 128 - ended)


def furnish(scratch: Path, disk: int, reachable: Iterable[Path], closed: Iterable[Path]) -> Path:
    """A small disk in memory to write to, which is returned, and private homes emptied.

    In a closed folder only what is `reachable` is left, as it may hold the very Python that runs.
    """
    _mount(None, Path("/"), _PRIVATE | _RECURSIVE)
    room, reachable = ROOM if ROOM in scratch.parents else scratch, list(reachable)
    _empty(room, reachable, disk, 0o1777)
    scratch.mkdir(parents=True, exist_ok=True)
    scratch.chmod(0o1777)
    for folder in closed:
        _empty(folder, reachable, 1 << 20, 0o755)
        _mount(folder, folder, _REMOUNT | _READ_ONLY | _NO_SUID | _NO_DEVICES)
    return room


def _empty(folder: Path, reachable: Iterable[Path], size: int, mode: int) -> None:
    """Put a small disk in memory over a folder, and on it again what is to be reached."""
    within = [
        (os.open(path, os.O_PATH | os.O_CLOEXEC), path)
        for path in reachable
        if folder in path.parents
    ]
    mount_memory(folder, size, mode)
    for number, path in within:
        path.mkdir(parents=True, mode=0o755)
        _mount(Path(f"/proc/self/fd/{number}"), path, _BIND | _RECURSIVE)
        os.close(number)


def mount_processes() -> None:
    """A list of processes with those of this room alone."""
    flags = _NO_SUID | _NO_DEVICES
    check(libc().mount(b"proc", b"/proc", b"proc", ctypes.c_ulong(flags), None), "mount /proc")


def mount_memory(place: Path, size: int, mode: int) -> None:
    """A small disk in memory."""
    options = f"size={size},nr_inodes=20000,mode={mode:o}".encode()
    flags = _NO_SUID | _NO_DEVICES
    returned = libc().mount(b"tmpfs", os.fsencode(place), b"tmpfs", ctypes.c_ulong(flags), options)
    check(returned, f"mount tmpfs on {place}")


def _mount(source: Path | None, target: Path, flags: int) -> None:
    told = None if source is None else os.fsencode(source)
    returned = libc().mount(told, os.fsencode(target), None, ctypes.c_ulong(flags), None)
    check(returned, f"mount {target}")


def become_nobody(number: int) -> None:
    """Give root away: a user that owns nothing, no groups, no capabilities."""
    if os.geteuid() == 0:
        for capability in range(_LAST_CAPABILITY + 1):
            libc().prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
        user = _possible(FIRST_USER + number)
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    _drop_capabilities()
    die_with_parent()  # which the kernel forgot when the user changed


def die_with_parent() -> None:
    """End as soon as the process does that started this one."""
    check(libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "parent death signal")


def _possible(user: int) -> int:
    """The user, or nobody where a host maps only the first few."""
    highest = 0
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, length = map(int, line.split())
        highest = max(highest, first + length - 1)
    return user if user <= highest else NOBODY


def _drop_capabilities() -> None:
    """What a user namespace gave, which becoming another user would have taken."""
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    none = (ctypes.c_uint32 * 6)()
    check(libc().capset(head, none), "capset")
