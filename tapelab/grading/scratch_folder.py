"""Folders for temporary files that outlive no process: what a killed one leaves, the next removes.

A process that SIGKILL ends cannot delete its files. So each folder is locked for as long as its
process lives, and the kernel unlocks it at the end, however that came. Before the first folder of a
process is created, those of ended processes are deleted. A lock, other than a process id, is never
taken over by another process, and holds between containers that share a folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Final

_NEW: Final = "new-"
"""What begins the name of a folder until it is locked."""


class ScratchFolder:
    """A folder of this process in the system's folder for temporary files."""

    def __init__(self, prefix: str) -> None:
        root = Path(tempfile.gettempdir())
        _remove_abandoned(root, prefix)
        new = Path(tempfile.mkdtemp(prefix=_NEW + prefix, dir=root))
        self._lock = _Lock(new)
        self.path = new.rename(new.with_name(new.name.removeprefix(_NEW)))

    def remove(self) -> None:
        """Delete the folder with all that it contains."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


class _Lock:
    """The lock of a folder; BlockingIOError where a process that lives has it."""

    def __init__(self, folder: Path) -> None:
        import fcntl  # which Windows lacks, where nothing is graded

        self._descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


@cache
def _remove_abandoned(root: Path, prefix: str) -> None:
    """Delete the folders of this user whose process has ended, once in a process."""
    for folder in root.glob(f"{prefix}*/"):
        with suppress(OSError):  # of another user, or of a process that lives
            if folder.lstat().st_uid == os.getuid():
                with closing(_Lock(folder)):
                    shutil.rmtree(folder, ignore_errors=True)
