"""Calls to the kernel that Python has no function for."""

from __future__ import annotations

import ctypes
import os
from functools import cache


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def check(returned: int, what: str) -> int:
    """What a call returned; OSError if it failed."""
    if returned < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return returned


def syscall(number: int, *arguments: object) -> int:
    """A system call by its number."""
    return int(libc().syscall(number, *arguments))
