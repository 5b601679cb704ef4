"""Which calls of the user's functions ops ran in, found without a cost for each op.

Call sites of ops are known by code and instruction alone, so that the origin of an op that ran
before is one look into a table (`log.origin_here`). Such a table does not tell one call of a
function from the next. Therefore the sites that may be the first in a call, its entries, are kept
out of the tables of the fast path: at an entry the frames up to the tape are compared with those of
the entry before. What is new is a new call.

Invariants: an op that ran after a call of `Log.calls` was entered and before the next one belongs
to it, or to a call around it: its code says which (`recorder.groups`). No frame is kept
alive, nor anything that its variables hold.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple, Protocol

from tapelab.core.origin import next_id


class Mark:
    """Stands at the frame of a call, so that the frame is known again and need not be kept alive.

    `f_trace` is the one attribute of a frame that may be set, and means nothing unless the thread
    is traced. Where a debugger has set it, it stays, and the frame is known by its id.
    """

    __slots__ = ("call", "frame_id")

    def __init__(self, call: int, frame: FrameType) -> None:
        self.call = call
        traced = frame.f_trace is not None and type(frame.f_trace) is not Mark
        self.frame_id = id(frame) if traced else 0
        if not traced:
            frame.f_trace = self

    def __call__(self, frame: FrameType, event: str, arg: object) -> Mark:
        """Do nothing where a debugger is switched on while the call runs."""
        return self

    def is_on(self, frame: FrameType) -> bool:
        """Whether a frame is the one of this call."""
        return frame.f_trace is self or self.frame_id == id(frame)


class CallLog(Protocol):
    """The part of a `Log` that is about calls."""

    base: CodeType | None
    calls: list[HelperCall]
    marks: list[Mark]


_OPTIMIZED: Final = 0x01
"""The flag of the code of functions, which that of modules, cells and classes has not."""
DEEPEST: Final = 64
"""So many frames are compared at most, for instance in a recursion."""
OURS: Final[dict[int, dict[str, Any]]] = {}
"""The globals of modules of ours that were met, which live as long as Python does, by their ids."""
OWN: Final = frozenset({
    *("tapelab", "tapelab.", "contextl"),
    *("numpy", "numpy.co", "numpy._c", "numpy.li", "numpy.ma", "numpy.ff", "numpy.ra", "numpy.po"),
})  # fmt: skip
"""How the names begin of our modules, and of those that call us for user code: NumPy's, and
contextlib, which enters `stop_recording`.
"""


class HelperCall(NamedTuple):
    """A call of a function of the user's, in the order of ids, within another call or none (-1).

    It is direct unless ours or NumPy's code called the function, as `tf.map_fn` does.
    """

    serial: int
    code: CodeType
    caller: int
    site: CodeType
    instruction: int
    direct: bool


def user_frame(frame: FrameType) -> FrameType:
    """The first frame from here outwards that is neither ours nor NumPy's; else the outermost."""
    while id(names := frame.f_globals) in OURS or (
        names.get("__name__", "")[:8] in OWN and are_ours(names)
    ):
        if frame.f_back is None:
            break
        frame = frame.f_back
    return frame


def are_ours(names: dict[str, Any]) -> bool:
    """Whether these are the globals of a module of ours; the answer is remembered."""
    name = names.get("__name__", "")
    if name[:8] not in OWN:
        return False
    if getattr(sys.modules.get(name), "__dict__", None) is names:
        OURS[id(names)] = names
    return True


_entries: Final[dict[tuple[int, int], bool]] = {}
"""Whether an instruction of some code is an entry, by the id of the code."""
_functions: Final[dict[int, tuple[CodeType, list[int], list[tuple[int, int]]]]] = {}
"""Of functions, by the id of their code: the code, its entries, and its jumps forward."""


def is_entry(code: CodeType, instruction: int) -> bool:
    """Whether the op at an instruction may be the first that a call of its function runs."""
    if not is_function(code):
        return False
    place = id(code), instruction
    known = _entries.get(place)
    if known is None:
        known = _entries[place] = _add_entry(code, instruction)
    return known


def _add_entry(code: CodeType, instruction: int) -> bool:
    """Add an entry, unless one that is known always runs before it."""
    known = _functions.get(id(code))
    if known is None:
        known = _functions[id(code)] = code, [], _jumps_forward(code)
    _, entries, jumps = known
    for entry in entries:
        skipped = any(start < entry < end <= instruction for start, end in jumps)
        if entry <= instruction and not skipped:
            return entry == instruction
    entries.append(instruction)
    return True


def is_function(code: CodeType) -> bool:
    """Whether some code is that of a function, and not of a module, a cell or a class."""
    return bool(code.co_flags & _OPTIMIZED)


def _jumps_forward(code: CodeType) -> list[tuple[int, int]]:
    import dis  # once for each function, and not before one is called

    jumps = frozenset([*dis.hasjrel, *dis.hasjabs])
    steps = dis.get_instructions(code)
    return [(at.offset, at.argval) for at in steps if at.opcode in jumps and at.argval > at.offset]


def enter(log: CallLog, frame: FrameType) -> None:
    """Note the calls that are new in the log, from a frame outwards to the code of its tape."""
    marks = log.marks
    if marks and marks[-1].is_on(frame):
        return
    new: list[FrameType] = []
    known = -1
    while len(new) < DEEPEST and is_function(frame.f_code) and frame.f_code is not log.base:
        known = next((at for at, mark in enumerate(marks) if mark.is_on(frame)), -1)
        if known >= 0 or frame.f_back is None:
            break
        new.append(frame)
        frame = user_frame(frame.f_back)
    del marks[known + 1 :]
    site = frame
    for callee in reversed(new):
        if not is_comprehension(callee.f_code):
            caller = marks[-1].call if marks else -1
            place = site.f_code, site.f_lasti, callee.f_back is site
            marks.append(Mark(len(log.calls), callee))
            log.calls.append(HelperCall(next_id(), callee.f_code, caller, *place))
        site = callee


def is_comprehension(code: CodeType) -> bool:
    """Whether some code is that of a comprehension, which is part of the function around it."""
    return code.co_name.startswith("<") and code.co_name != "<lambda>"
