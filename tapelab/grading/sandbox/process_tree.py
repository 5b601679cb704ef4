"""A tree of processes as /proc shows it: what it uses, and how all of it is ended.

An honest notebook must not lose to what else runs on the host, so CPU time decides on a time
limit. The clock is the backstop, for code that sleeps: it counts a quarter, and stands still while
a process of the tree is ready to run and gets no CPU. Without /proc the clock alone counts.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

PROC: Final = Path("/proc")
KILL_SECONDS: Final = 5.0
"""Seconds in which all descendants have to be killed."""
IDLE_FACTOR: Final = 4.0
"""Seconds of idling that count as one second of CPU time."""
BACKSTOP_FACTOR: Final = 40.0
"""Times its limit after which a request is over on any host, however busy."""
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_NANOSECONDS: Final = 1e9


CONTENDED_SHARE: Final = 0.1
"""Part of the clock's time of a request that it waited for a CPU on a host that is busy."""


class ProcessTimes(NamedTuple):
    """Seconds that a tree of processes has run, and the longest that a thread waited for a CPU."""

    cpu: float
    starved: float


NO_TIME: Final = ProcessTimes(0.0, 0.0)


class TimeLimit:
    """Seconds that a tree of processes may use from now on, where it has used `before` already."""

    def __init__(self, seconds: float, before: ProcessTimes) -> None:
        self.seconds = seconds
        self._before = before
        self._started = time.monotonic()

    def used(self, now: ProcessTimes) -> float:
        """Seconds used so far: CPU time of all processes, or idle time as far as it counts."""
        clock = time.monotonic() - self._started
        idle = clock - self._starved(now)
        return max(now.cpu - self._before.cpu, idle / IDLE_FACTOR, clock / BACKSTOP_FACTOR)

    def is_contended(self, now: ProcessTimes) -> bool:
        """Whether other programs had the CPU for a good part of the time so far."""
        clock = time.monotonic() - self._started
        everything = (os.cpu_count() or 1) * clock
        has_others = now.cpu - self._before.cpu < (1.0 - CONTENDED_SHARE) * everything
        return has_others and self._starved(now) > CONTENDED_SHARE * clock

    def _starved(self, now: ProcessTimes) -> float:
        return max(now.starved - self._before.starved, 0.0)


def process_times(processes: Sequence[int]) -> ProcessTimes:
    """What some processes used, and their children that have ended."""
    cpu = sum(map(_cpu_ticks, processes)) / _TICKS
    return ProcessTimes(cpu, max(map(_starved, processes)))


def _cpu_ticks(number: int) -> int:
    """Clock ticks in user and system mode, of the process and of the children it waited for."""
    try:
        return sum(map(int, _stat(number)[11:15]))
    except (OSError, ValueError):
        return 0


def _starved(number: int) -> float:
    """Seconds for which a thread of a process was ready to run and had no CPU, at most."""
    longest = 0
    for thread in (PROC / str(number)).glob("task/*/schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            longest = max(longest, int(thread.read_text().split()[1]))
    return longest / _NANOSECONDS


def _stat(number: int) -> list[str]:
    """The fields of /proc/N/stat from the state on: what precedes it may hold any character."""
    # Not by pathlib: all processes of the host are read, several times for a submission.
    file = os.open(f"{PROC}/{number}/stat", os.O_RDONLY)
    try:
        return os.read(file, 1 << 12).rpartition(b")")[2].decode().split()
    finally:
        os.close(file)


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
    for name in os.listdir(PROC) if PROC.is_dir() else ():  # noqa: PTH208 - names alone, faster
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                yield int(name), int(_stat(int(name))[1])


def is_running(number: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return _stat(number)[0] not in "ZX"
    except (OSError, IndexError):
        return False


def kill_descendants(root: int) -> None:
    """Kill all processes below one, also those that they start meanwhile."""
    deadline = time.monotonic() + KILL_SECONDS
    while time.monotonic() < deadline:
        below = descendants(root)[1:]
        for number in below:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        if not any(map(is_running, below)):
            break
        time.sleep(0.002)


def used_memory(processes: Sequence[int], most: int) -> int:
    """Bytes that some processes have written to, in memory of their own or shared, each once.

    Shared pages are counted for each process first, and divided among them only where that would
    exceed `most`: it takes the kernel a walk through all pages.
    """
    used = sum(map(_resident_memory, processes))
    return used if used <= most else sum(map(_proportional_memory, processes))


def _resident_memory(number: int) -> int:
    return _kilobytes(PROC / str(number) / "status", ("RssAnon", "RssShmem", "VmSwap"))


def _proportional_memory(number: int) -> int:
    """A process's share of the pages; all of them where the kernel does not tell the shares."""
    shared = _kilobytes(PROC / str(number) / "smaps_rollup", ("Pss_Anon", "Pss_Shmem", "SwapPss"))
    return shared or _resident_memory(number)


def _kilobytes(file: Path, names: Iterable[str]) -> int:
    try:
        text = file.read_text(errors="replace")
    except OSError:
        return 0
    amounts = dict(re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE))
    return 1024 * sum(int(amounts.get(name, 0)) for name in names)


def disk_usage(folder: Path) -> int:
    """Bytes that the files in a folder take on the disk."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                stat = (Path(place) / name).lstat()
                size += max(stat.st_size, 512 * stat.st_blocks) + 4096
    return size
