"""The worker's first steps: it gives up files, network, user and privileges, then runs user code.

The order matters. Namespaces need privileges, so they come first; then the process becomes another
user and counts its processes; the seccomp filter is loaded before Landlock, which comes last, when
all folders that it names are in place.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tapelab.grading.sandbox import namespaces
from tapelab.grading.sandbox.kernel_filters import is_root, load_seccomp, restrict_files
from tapelab.grading.sandbox.namespaces import SHARED

FACTS: Final = tuple(map(Path, (
    "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu",
)))  # fmt: skip
"""Files that numerical libraries read to choose their threads and kernels."""
DEVICES: Final = tuple(map(Path, ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom")))


def _confine_in_bubblewrap(settings: dict[str, Any]) -> None:
    """Take namespaces of its own within those of bubblewrap, and become an unprivileged user.

    What bubblewrap made read-only or left out stays so; files to write to are this worker's alone.
    """
    if not namespaces.unshare_namespaces():
        raise OSError("no namespaces within those of bubblewrap")
    namespaces.fork_into_namespace()
    disk, reading = settings["limits"]["disk"], map(Path, settings["readable"])
    namespaces.mount_private_files(Path(settings["scratch"]), disk, reading, ())
    namespaces.mount_processes()
    namespaces.mount_memory(SHARED, disk, 0o1777)
    namespaces.become_nobody(settings["number"])
    _limit_processes(settings, own_count=True)
    load_seccomp()


def _confine_by_landlock(settings: dict[str, Any]) -> None:
    scratch, reading = Path(settings["scratch"]), list(map(Path, settings["readable"]))
    writing = [scratch, *DEVICES]
    hidden, root = set(map(Path, settings["hidden"])), is_root()
    if isolated := namespaces.unshare_namespaces():
        namespaces.fork_into_namespace()
        private = set(map(Path, settings["closed"]))
        disk = settings["limits"]["disk"]
        writing.append(namespaces.mount_private_files(scratch, disk, reading, private, hidden))
        with suppress(OSError):
            namespaces.mount_processes()
            reading.append(Path("/proc"))
        with suppress(OSError):
            namespaces.mount_memory(SHARED, disk, 0o1777)
            writing.append(SHARED)
    else:
        namespaces.fork_into_namespace()
        if root:
            os.chown(scratch, namespaces.user_of_worker(settings["number"]), -1)
    namespaces.become_nobody(settings["number"])
    _limit_processes(settings, own_count=root or isolated)
    load_seccomp()
    restrict_files([*reading, *FACTS], writing, hidden)


def _limit_processes(settings: dict[str, Any], *, own_count: bool) -> None:
    """Limit the number of processes, which the kernel counts per user, not per process."""
    most = settings["limits"]["processes"]
    if not own_count:
        most += count_tasks(os.getuid())
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def count_tasks(user: int) -> int:
    count = 0
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if path.stat().st_uid == user:
                count += len(list((path / "task").iterdir()))
    return count


def _keep_together(_: dict[str, Any]) -> None:
    """Confine nothing, but let none of its processes leave the tree that the supervisor watches."""
    if sys.platform.startswith("linux"):
        namespaces.fork_into_namespace()


_CONFINE: Final = {
    "bubblewrap": _confine_in_bubblewrap, "landlock": _confine_by_landlock, "": _keep_together,
}  # fmt: skip


def main() -> None:
    """Confine this process as the last argument says, then answer the grader's requests."""
    confine(json.loads(sys.argv[-1]))
    from tapelab.grading.worker import main as work

    work()


def confine(settings: dict[str, Any]) -> None:
    """Give up what a worker must not have, for good; its files go to the scratch folder."""
    _CONFINE[settings["confine"]](settings)
    set_limits(settings["limits"])
    os.chdir(settings["scratch"])


def set_limits(limits: dict[str, Any]) -> None:
    """Set the resource limits that the kernel counts per process."""
    for kind, most in (
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, limits["disk"]),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    lift_cpu_limit()


def lift_cpu_limit() -> None:
    """Set the limit of CPU time as high as it may be: the one that is inherited is the judge's."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
