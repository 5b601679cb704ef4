"""The lock that the workers of one user share on a host: many compute at once, or one alone.

A request that exceeded its time limit while other programs used the CPU is made again alone, and
that time counts. There are two files. `work` is locked by all that compute, together or by one
alone. `gate` is locked for a moment by each that begins, and by one that waits to be alone, so that
no other begins meanwhile. The kernel unlocks both when a process ends, however it was killed.
No request waits for ever: after LONGEST_WAIT it goes on beside the others.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tapelab.grading.sandbox.namespaces import SCRATCH_ROOT

LONGEST_WAIT: Final = 120.0
"""Seconds after which a process that holds the lock is taken to hang."""
POLL_SECONDS: Final = 0.02


@contextmanager
def beside_others(folder: Path) -> Iterator[None]:
    """Compute at the same time as others, once none computes alone."""
    with _opened(folder / "work") as work:
        with _opened(folder / "gate") as gate:
            _lock(gate, fcntl.LOCK_SH)
            _lock(work, fcntl.LOCK_SH)
        yield


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Compute while no other does; False where others still do after a long wait."""
    with _opened(folder / "gate") as gate, _opened(folder / "work") as work:
        yield _lock(gate, fcntl.LOCK_EX) and _lock(work, fcntl.LOCK_EX)


def lock_folder() -> Path:
    """The folder of the lock, which belongs to this user alone."""
    return SCRATCH_ROOT / f"tapelab-locks-{os.getuid()}"


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """The descriptor of a file of our own; -1 where another user took its place."""
    number = -1
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if path.parent.lstat().st_uid == os.getuid():
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            number = os.open(path, flags, 0o600)
    try:
        yield number
    finally:
        if number >= 0:
            os.close(number)


def _lock(number: int, kind: int) -> bool:
    """Lock a file, which is unlocked when it is closed; False if that took too long."""
    deadline = time.monotonic() + LONGEST_WAIT
    while number >= 0:
        try:
            fcntl.flock(number, kind | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_SECONDS)
        else:
            return True
    return False
