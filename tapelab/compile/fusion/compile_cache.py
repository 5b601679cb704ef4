"""The compile cache: machine code on the disk, so that each function is compiled once.

An entry is named by a hash of everything that its code depends on: what it computes, the sources of
this package, the processor, and the versions of LLVM and Python. It is written to a temporary file
that is then renamed, so that processes do not collide. It begins with a checksum; an entry whose
checksum is wrong counts as missing. Errors of the disk cost time, and are not raised.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import threading
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from tapelab.compile.fusion import jit

MARK: Final = b"tapelab machine code 1\n"
MOST: Final = 2**25
"""Bytes of all entries together; the oldest go first."""
_CHECKSUM: Final = sha256().digest_size


def entry(what: str) -> Path | None:
    """The file of a piece of code; None where there is no place for it."""
    folder = place()
    if folder is None:
        return None
    return folder / sha256(f"{_circumstances()} {what}".encode()).hexdigest()[:40]


def read(file: Path) -> bytes | None:
    """The code in a file; None if there is none, or it is not as it was written."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    head, code = content[: len(MARK) + _CHECKSUM], content[len(MARK) + _CHECKSUM :]
    return code if head == MARK + sha256(code).digest() else None


def write(file: Path, code: bytes) -> None:
    """Keep code under its name, for this process and others."""
    temporary = file.with_name(f"new-{file.name}-{os.getpid()}-{threading.get_ident()}")
    with contextlib.suppress(OSError):
        try:
            temporary.write_bytes(MARK + sha256(code).digest() + code)
            temporary.replace(file)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        _bound(file.parent)


def place() -> Path | None:
    """The folder for machine code, which belongs to this user alone; None if there cannot be one.

    It is in the user's folder for caches, or the one that TAPELAB_CACHE_DIR names.
    """
    try:
        folder = _caches() / "code"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_ours(folder) else None
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        return None


def _caches() -> Path:
    named = os.environ.get("TAPELAB_CACHE_DIR")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "tapelab"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/tapelab"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tapelab"


def _is_ours(folder: Path) -> bool:
    """Code that others could have put there is not run."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid == os.getuid() and not shared


@cache
def _circumstances() -> str:
    """What all code depends on."""
    sources = sha256()
    for file in sorted(Path(__file__).parent.iterdir()):
        if file.suffix in {".py", ".ll"}:
            sources.update(file.read_bytes())
    versions = jit.version(), sys.implementation.cache_tag, sys.platform
    return f"{sources.hexdigest()} {versions} {jit.processor()}"


def _bound(folder: Path) -> None:
    """Take the oldest entries away until the others fit."""
    known = sorted(((each.stat().st_mtime, each.stat().st_size, each)
                    for each in folder.iterdir()), reverse=True)  # fmt: skip
    total = 0
    for _, size, file in known:
        total += size
        if total > MOST:
            file.unlink(missing_ok=True)
