"""System calls that no exercise needs and that lead out of a sandbox: the kernel refuses them."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import Final

from tapelab.grading.sandbox.kernel import check, libc

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


def why_not() -> str:
    """Why calls cannot be filtered here; empty if they can."""
    if platform.machine() not in MACHINES:
        return f"no system calls are known for {platform.machine()}"
    return "" if libc().prctl(21, 0, 0, 0, 0) >= 0 else "the kernel has no seccomp"


def load() -> None:
    """Refuse the calls in this process and all that comes of it, for good."""
    forgo_privileges()
    code = program(*MACHINES[platform.machine()])
    filters = ctypes.create_string_buffer(code, len(code))
    length = struct.pack("H6xP", len(code) // 8, ctypes.addressof(filters))
    told = ctypes.create_string_buffer(length, len(length))
    check(libc().prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(told), 0, 0), "seccomp")


def forgo_privileges() -> None:
    """No program that is started from here gains anything, whatever bits its file has."""
    check(libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def program(machine: int, column: int) -> bytes:
    """The filter as the kernel reads it: another machine is killed, a call in the table refused."""
    lines = [
        (_LOAD, 0, 0, _MACHINE), (_JUMP_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER), (_JUMP_AT_LEAST, 0, 1, _OTHER_ABI), (_RETURN, 0, 0, _KILL),
        *_refusing(CLONE3, errno.ENOSYS),
        (_JUMP_EQUAL, 0, 4, CLONE[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_ANY_BIT, 0, 1, _NEW_NAMESPACES), (_RETURN, 0, 0, _REFUSE | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip
    for numbers in REFUSED.values():
        lines += _refusing(numbers[column], errno.EPERM)
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def _refusing(number: int, error: int) -> list[tuple[int, int, int, int]]:
    return [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE | error)]


def is_root() -> bool:
    """Whether this process may become another user."""
    return os.geteuid() == 0
