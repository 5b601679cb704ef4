"""Landlock: a process gives away, for good, all files but those it names."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tapelab.grading.sandbox.kernel import check, syscall

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The numbers of the system calls, the same on every machine."""
_VERSION: Final = 1
_BENEATH: Final = 1
_EXECUTE, _WRITE, _READ, _READ_FOLDER = 1, 2, 4, 8
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
READ: Final = _EXECUTE | _READ | _READ_FOLDER
_OF_FILES: Final = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
"""Rights that a single file can have."""
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many kinds of access each version knows, the newest of the table for newer ones."""
_TCP: Final = 3
_SCOPES: Final = 3
"""No abstract sockets and no signals to processes outside; from version 6 on."""


def version() -> int:
    """The version that the kernel speaks; 0 or less if it has no Landlock."""
    return syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)


def restrict(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """From here on, only these files and folders can be opened; no TCP, no signals to others."""
    spoken = version()
    every = (1 << _FILE_RIGHTS.get(spoken, max(_FILE_RIGHTS.values()))) - 1
    rules = struct.pack("QQQ", every, _TCP if spoken >= 4 else 0, _SCOPES if spoken >= 6 else 0)
    size = 8 if spoken < 4 else 16 if spoken < 6 else 24
    ruleset = check(
        syscall(_CREATE, ctypes.create_string_buffer(rules, 24), ctypes.c_size_t(size), 0),
        "landlock_create_ruleset",
    )
    for paths, rights in ((readable, READ), (writable, every)):
        for path in paths:
            _allow(ruleset, path, rights & every)
    check(syscall(_RESTRICT, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        number = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there need not be allowed
    try:
        if not stat.S_ISDIR(os.fstat(number).st_mode):
            rights &= _OF_FILES
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, number), 12)
        check(syscall(_ADD, ruleset, _BENEATH, rule, 0), f"landlock_add_rule {path}")
    finally:
        os.close(number)
