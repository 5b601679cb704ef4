"""What a worker may read: Python, its packages and the system's libraries, and nothing of a course.

The checkout or the folder that tapelab stands in is not among it, only the package itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import tapelab

PACKAGE: Final = Path(tapelab.__file__).resolve().parent
ROOM: Final = Path("/tmp")  # noqa: S108 - a worker's own, in which learners' code likes to write
_SYSTEM: Final = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
_SETTINGS: Final = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/fonts", "/etc/alternatives", "/etc/mime.types"),
)
_PACKAGES: Final = {"site-packages", "dist-packages"}
_TOO_WIDE: Final = {Path("/"), Path.home(), Path("/root"), Path("/home"), ROOM}


def readable() -> tuple[Path, ...]:
    """Folders and files that the worker needs, each once, none within another."""
    found = {path for path in map(Path, _all()) if path.exists()} - _TOO_WIDE
    return tuple(sorted(each for each in found if not found & set(each.parents)))


def _all() -> Iterator[str]:
    yield from _SYSTEM
    yield from _SETTINGS
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    yield str(PACKAGE)
    for entry in sys.path:
        if _PACKAGES & set(Path(entry).parts):
            yield entry
    if not _PACKAGES & set(Path(sys.executable).parts):
        yield str(Path(sys.executable).resolve())


def closed_to_others(path: Path) -> Path | None:
    """The outermost folder above a path that only its owner may enter, such as a private home."""
    for above in reversed(path.parents):
        if not above.stat().st_mode & 0o001:
            return above
    return None
