"""Files are written whole or not at all: after a crash or on a full disk the old one is there."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

SUFFIX: Final = ".tape"
"""The end of the name of a file that holds a recording."""


def write(file: Path, data: bytes) -> Path:
    """Put bytes into a file in one step, beside which no half-written one ever stays."""
    return write_parts(file, (data,))


def write_parts(file: Path, parts: Iterable[bytes]) -> Path:
    """Put parts into a file one after the other, which has all of them or is as it was.

    A link is followed, what must not be written is kept, and so is who may read what is replaced.
    """
    target = file.resolve()
    if target.exists() and not target.is_file():  # a folder, which refuses, or a device
        with target.open("wb") as opened:
            opened.writelines(parts)
        return file
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with open_new(draft) as opened:
            opened.writelines(parts)
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    return file


def open_new(file: Path) -> BinaryIO:
    """A new file, to be written."""
    return file.open("xb")
