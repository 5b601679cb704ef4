"""Linux namespaces for a worker: its own processes, network and files, and an unprivileged user."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tapelab.grading.sandbox.kernel_filters import check, libc
from tapelab.grading.sandbox.process_tree import kill_descendants

_FILES, _NAMES, _TALK, _USERS, _PROCESSES, _NETWORK = (
    0x20000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
_ALL: Final = _FILES | _NAMES | _TALK | _PROCESSES | _NETWORK
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18,
)  # fmt: skip
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PR_CAPBSET_DROP, _LAST_CAPABILITY = 24, 63
SCRATCH_ROOT: Final = Path("/tmp")  # noqa: S108 - a private one, where user code likes to write
SHARED: Final = Path("/dev/shm")  # noqa: S108 - where Python keeps the locks of its processes
STARTED: Final = b"started"
"""What a forked worker sends first, so that the kernel tells its process number."""
NOBODY: Final = 65534
FIRST_USER: Final = 2_000_000_000
"""Workers get user ids of their own from here on, so none counts another's processes."""


def unshare_namespaces() -> bool:
    """Leave the namespaces of this host; False where the kernel does not allow it."""
    user, group = os.getuid(), os.getgid()
    if libc().unshare(_ALL) == 0:
        return True
    if user == 0 or libc().unshare(_ALL | _USERS) != 0:
        return False
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1")
    return True


def fork_into_namespace() -> None:
    """Continue as a child that dies with its parent; the parent exits with the child's status.

    The parent ends with the grader, however that was killed, and before it ends it kills whatever
    the child started: without a namespace of processes the kernel would let orphans live on.
    """
    check(libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper")
    grader, parent = os.getppid(), os.getpid()
    child = os.fork()
    if child == 0:
        die_with_parent()
        if os.getppid() not in (0, parent):
            os._exit(1)
        return
    for number in (0, 1, 2):
        os.close(number)
    signal.signal(signal.SIGTERM, lambda *_: _kill(child))
    die_with_parent(signal.SIGTERM)
    if os.getppid() != grader:
        _kill(child)
    code = 0
    with suppress(ChildProcessError):
        while True:
            number, status = os.wait()
            if number == child:
                code = status
                break
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is ending already
    kill_descendants(os.getpid())
    ended = os.waitstatus_to_exitcode(code)
    os._exit(ended if ended >= 0 else 128 - ended)


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def mount_private_files(
    scratch: Path, disk: int, reachable: Iterable[Path], private: Iterable[Path],
    hidden: Iterable[Path] = (),
) -> Path:  # fmt: skip
    """Mount a small tmpfs to write to, whose path is returned, and hide private homes.

    In a private folder only `reachable` paths stay visible: it may hold the Python that runs. What
    is `hidden` in such paths below the tmpfs is empty: Landlock allows all that lies below it.
    """
    _mount(None, Path("/"), _PRIVATE | _RECURSIVE)
    writable = SCRATCH_ROOT if SCRATCH_ROOT in scratch.parents else scratch
    reachable = list(reachable)
    _mount_over(writable, reachable, disk, 0o1777)
    scratch.mkdir(parents=True, exist_ok=True)
    scratch.chmod(0o1777)
    for folder in private:
        _mount_over(folder, reachable, 1 << 20, 0o755)
        _mount(folder, folder, _REMOUNT | _READ_ONLY | _NO_SUID | _NO_DEVICES)
    for folder in hidden:
        if writable in folder.parents:
            mount_memory(folder, 1 << 20, 0o755)
            _mount(folder, folder, _REMOUNT | _READ_ONLY | _NO_SUID | _NO_DEVICES)
    return writable


def _mount_over(folder: Path, reachable: Iterable[Path], size: int, mode: int) -> None:
    """Mount a small tmpfs over a folder, and bind the reachable paths in it again."""
    within = [
        (os.open(path, os.O_PATH | os.O_CLOEXEC), path)
        for path in reachable
        if folder in path.parents
    ]
    mount_memory(folder, size, mode)
    for number, path in within:
        path.mkdir(parents=True, mode=0o755)
        _mount(Path(f"/proc/self/fd/{number}"), path, _BIND | _RECURSIVE)
        kept = os.statvfs(path).f_flag & (_NO_SUID | _NO_DEVICES | _NO_PROGRAMS)
        _mount(path, path, _REMOUNT | _BIND | _READ_ONLY | kept)
        os.close(number)


def mount_processes() -> None:
    """Mount a /proc that lists the processes of this namespace only."""
    flags = _NO_SUID | _NO_DEVICES
    check(libc().mount(b"proc", b"/proc", b"proc", ctypes.c_ulong(flags), None), "mount /proc")


def mount_memory(place: Path, size: int, mode: int) -> None:
    """Mount a tmpfs of so many bytes."""
    options = f"size={size},nr_inodes=20000,mode={mode:o}".encode()
    flags = _NO_SUID | _NO_DEVICES
    returned = libc().mount(b"tmpfs", os.fsencode(place), b"tmpfs", ctypes.c_ulong(flags), options)
    check(returned, f"mount tmpfs on {place}")


def _mount(source: Path | None, target: Path, flags: int) -> None:
    source_bytes = None if source is None else os.fsencode(source)
    returned = libc().mount(source_bytes, os.fsencode(target), None, ctypes.c_ulong(flags), None)
    check(returned, f"mount {target}")


def become_nobody(number: int) -> None:
    """Drop root: become a user that owns nothing, without groups and capabilities."""
    if os.geteuid() == 0:
        for capability in range(_LAST_CAPABILITY + 1):
            libc().prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
        user = user_of_worker(number)
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    _drop_capabilities()
    die_with_parent()  # which the kernel forgot when the user changed


def die_with_parent(by: int = signal.SIGKILL) -> None:
    """Ask the kernel for a signal to this process when its parent ends."""
    check(libc().prctl(_PR_SET_PDEATHSIG, by, 0, 0, 0), "parent death signal")


def user_of_worker(number: int) -> int:
    """The user that a worker of this number becomes, which owns nothing and nobody else is."""
    return mappable_user(FIRST_USER + number)


def mappable_user(user: int) -> int:
    """The user, or nobody where the user namespace maps only the first few."""
    highest = 0
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, length = map(int, line.split())
        highest = max(highest, first + length - 1)
    return user if user <= highest else NOBODY


def _drop_capabilities() -> None:
    """Drop the capabilities that a user namespace grants."""
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    none = (ctypes.c_uint32 * 6)()
    check(libc().capset(head, none), "capset")
