"""Whether code that reads the value of a tensor looks at its numbers, or asks for its shape."""

from __future__ import annotations

import opcode
import sys
from types import CodeType, FrameType
from typing import Any, Final

FACTS: Final = frozenset({"shape", "dtype", "ndim", "size"})
"""What may be asked of an array without looking at its numbers."""


def asks(frame: FrameType) -> bool:
    """Whether the read is of the form `tensor._value.shape`."""
    key = frame.f_code, frame.f_lasti
    found = _asked.get(key)
    if found is None:
        found = _asked[key] = _next_attribute(*key) in FACTS
    return found


_asked: Final[dict[tuple[CodeType, int], bool]] = {}


def _next_attribute(code: CodeType, at: int) -> str:
    """The attribute that the instruction after the one at an offset takes, if it takes one."""
    caches: Any = vars(opcode)["_inline_cache_entries"]  # whose types are published nowhere
    raw = code.co_code
    after = at + 2 + 2 * _entries(caches, raw[at])
    high = 0
    while raw[after] == opcode.EXTENDED_ARG:
        high, after = (high | raw[after + 1]) << 8, after + 2
    if opcode.opname[raw[after]] != "LOAD_ATTR":
        return ""
    number = high | raw[after + 1]
    return code.co_names[number >> 1 if sys.version_info >= (3, 12) else number]


def _entries(caches: Any, code: int) -> int:
    return int(caches.get(opcode.opname[code], 0) if isinstance(caches, dict) else caches[code])
