"""Landlock and seccomp: files and system calls that the kernel refuses to this process for good.

Python has no functions for these calls, so they go through the C library. Landlock limits which
files can be opened, and from newer kernels on TCP and signals. The seccomp filter refuses calls
that no exercise needs and that lead out of a sandbox; another machine's call numbers are killed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import stat
import struct
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def check(returned: int, call: str) -> int:
    """What a call returned; OSError if it failed."""
    if returned < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return returned


def syscall(number: int, *arguments: object) -> int:
    """A system call by its number."""
    return int(libc().syscall(number, *arguments))


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


def landlock_version() -> int:
    """The version that the kernel speaks; 0 or less if it has no Landlock."""
    return syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)


def restrict_files(
    readable: Iterable[Path], writable: Iterable[Path], hidden: Collection[Path] = ()
) -> None:
    """From here on, only these files and folders can be opened; no TCP, no signals to others.

    Of folders that are hidden within readable ones, the names of files are known, and no content.
    """
    abi = landlock_version()
    every = (1 << _FILE_RIGHTS.get(abi, max(_FILE_RIGHTS.values()))) - 1
    rules = struct.pack("QQQ", every, _TCP if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = check(
        syscall(_CREATE, ctypes.create_string_buffer(rules, 24), ctypes.c_size_t(size), 0),
        "landlock_create_ruleset",
    )
    for path in readable:
        for part, rights in _rights_around(path, hidden):
            _allow(ruleset, part, rights & every)
    for path in writable:
        _allow(ruleset, path, every)
    check(syscall(_RESTRICT, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def _rights_around(path: Path, hidden: Collection[Path]) -> Iterator[tuple[Path, int]]:
    """The rights that let a path be read, except what is hidden in it: rules only ever add."""
    if path in hidden:
        return
    if not any(path in each.parents for each in hidden):
        yield path, READ
        return
    yield path, _READ_FOLDER
    for child in path.iterdir():
        if not child.is_symlink():  # whose target has rights of its own
            yield from _rights_around(child, hidden)


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


_LOAD, _JUMP_EQUAL, _JUMP_ANY_BIT, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
_NEW_NAMESPACES: Final = 0x7E020080
"""The flags of clone that make a namespace."""
_OTHER_ABI: Final = 0x40000000
"""Numbers from here on are those of x32, by which a filter could be passed."""
_PR_SET_SECCOMP, _FILTER = 22, 2
_PR_SET_NO_NEW_PRIVS: Final = 38

MACHINES: Final = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""How the kernel calls a machine, and which column of `REFUSED` is its."""
CLONE: Final = (56, 220)
SETSID: Final = (112, 157)
"""Linux divides the processor between sessions, so a submission has one; programs that ask for
another get the reply that they have it."""
CLONE3: Final = 435
"""Its flags lie in memory, where no filter sees them; C falls back on clone where it is missing."""

REFUSED: Final[dict[str, tuple[int, int]]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "unshare": (272, 97), "setns": (308, 268), "socket": (41, 198), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "quotactl": (179, 60), "syslog": (103, 116), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "sethostname": (170, 161), "setdomainname": (171, 162), "personality": (135, 92),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180), "fanotify_init": (300, 262),
    "vhangup": (153, 58), "lookup_dcookie": (212, 18), "setrlimit": (160, 164),
    "set_mempolicy": (238, 237), "mbind": (237, 235), "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}  # fmt: skip
"""By name the numbers on x86_64 and aarch64; limits are set by prlimit64, which only lowers."""


def why_no_seccomp() -> str:
    """Why calls cannot be filtered here; empty if they can."""
    if platform.machine() not in MACHINES:
        return f"no system calls are known for {platform.machine()}"
    return "" if libc().prctl(21, 0, 0, 0, 0) >= 0 else "the kernel has no seccomp"


def load_seccomp() -> None:
    """Refuse the calls in this process and all that comes of it, for good."""
    forgo_privileges()
    code = seccomp_program(*MACHINES[platform.machine()])
    filters = ctypes.create_string_buffer(code, len(code))
    length = struct.pack("H6xP", len(code) // 8, ctypes.addressof(filters))
    address = ctypes.create_string_buffer(length, len(length))
    check(libc().prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(address), 0, 0), "seccomp")


def forgo_privileges() -> None:
    """No program that is started from here gains anything, whatever bits its file has."""
    check(libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def seccomp_program(machine: int, column: int) -> bytes:
    """The filter as the kernel reads it: another machine is killed, a call in the table refused.

    A call that is refused with the error 0 returns 0 and does nothing.
    """
    lines = [
        (_LOAD, 0, 0, _MACHINE), (_JUMP_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER), (_JUMP_AT_LEAST, 0, 1, _OTHER_ABI), (_RETURN, 0, 0, _KILL),
        *_refusing(CLONE3, errno.ENOSYS),
        (_JUMP_EQUAL, 0, 4, CLONE[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_ANY_BIT, 0, 1, _NEW_NAMESPACES), (_RETURN, 0, 0, _REFUSE | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip
    lines += _refusing(SETSID[column], 0)
    for numbers in REFUSED.values():
        lines += _refusing(numbers[column], errno.EPERM)
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def _refusing(number: int, error: int) -> list[tuple[int, int, int, int]]:
    return [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE | error)]


def is_root() -> bool:
    """Whether this process may become another user."""
    return os.geteuid() == 0
