"""Which calls of the user's functions ops ran in, at a small cost for the first op of each call.

Call sites of ops are known by code and instruction alone, so that the origin of an op that ran
before is one look into a table (`log.origin_here`). Such a table does not tell one call of a
function from the next. Therefore the sites that may be the first in a call, its entries, are
marked in the tables: at an entry the frame is asked for its call. A frame without one is that of a
new call, and the frame below it mostly has one, or is that of the tape's own code.

Invariants: an op that ran after a call of `Log.calls` was entered and before the next one belongs
to it, or to a call around it: its code says which (`recorder.groups`). No frame is kept
alive, nor anything that its variables hold, unless a debugger traces it.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, Final, Protocol

from tapelab.core.origin import next_id


class HelperCall:
    """A call of a function of the user's, or of a comprehension, within another call or None.

    It is direct unless ours or NumPy's code called the function, as `tf.map_fn` does. It stands at
    its frame as `f_trace`, so that the frame is known again and need not be kept alive: that is the
    one attribute of a frame that may be set, and means nothing unless the thread is traced. Where a
    debugger has set it, it stays, and the log holds the frame (`Log.traced`): the frame of the next
    call often has the same id.
    """

    __slots__ = ("caller", "code", "direct", "instruction", "key", "serial", "site")

    serial: int
    key: object
    code: CodeType
    caller: HelperCall | None
    site: CodeType
    instruction: int
    direct: bool

    def __call__(self, frame: FrameType, event: str, arg: object) -> HelperCall:
        """Do nothing where a debugger is switched on while the call runs."""
        return self


class ResumedCall(HelperCall):
    """A call of a generator or a coroutine, whose frame may go on below another frame."""

    __slots__ = ()


class CallLog(Protocol):
    """The part of a `Log` that is about calls."""

    key: object
    base: CodeType | None
    calls: list[HelperCall]
    traced: list[tuple[FrameType, HelperCall]]


_OPTIMIZED: Final = 0x01
"""The flag of the code of functions, which that of modules, cells and classes has not."""
RESUMED: Final = 0x20 | 0x80 | 0x200
"""The flags of the code of generators, of coroutines and of both in one."""
DEEPEST: Final = 64
"""So many frames are compared at most, for instance in a recursion."""
_new: Final = object.__new__
OURS: Final[dict[int, dict[str, Any]]] = {}
"""The globals of modules of ours that were met, which live as long as Python does, by their ids."""
OWN: Final = frozenset({
    *("tapelab", "tapelab.", "contextl"),
    *("numpy", "numpy.co", "numpy._c", "numpy.li", "numpy.ma", "numpy.ff", "numpy.ra", "numpy.po"),
})  # fmt: skip
"""How the names begin of our modules, and of those that call us for user code: NumPy's, and
contextlib, which enters `stop_recording`.
"""


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


_functions: Final[dict[int, tuple[CodeType, list[int], list[tuple[int, int]]]]] = {}
"""Of functions, by the id of their code: the code, its entries, and its jumps forward."""


def is_entry(code: CodeType, instruction: int) -> bool:
    """Whether the op at an instruction may be the first that a call of its function runs.

    It is one from now on, unless one that is known always runs before it.
    """
    if not is_function(code):
        return False
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


def enter(log: CallLog, frame: FrameType, depth: int = 0) -> HelperCall | None:
    """The call that a frame is of, noted in the log if it is new; None for the tape's own code.

    Most calls are new, and come from one that is known or from the code of the tape. Operators do
    this without a call (`fast_path`).
    """
    call, outer, code, key = frame.f_trace, frame.f_back, frame.f_code, log.key
    if type(call) is HelperCall and call.key is key:
        return call
    if code is log.base or outer is None or depth == DEEPEST:
        return None
    kind: type[HelperCall] = HelperCall
    flags = code.co_flags & (_OPTIMIZED | RESUMED)
    if call is not None or flags != _OPTIMIZED:
        if not flags & _OPTIMIZED:
            return None
        known = _known_call(log, frame)
        if known is not None:
            return known
        kind = ResumedCall if flags & RESUMED else HelperCall
    site, around = outer.f_code, outer.f_trace
    caller, direct = None, True
    if type(around) is HelperCall and around.key is key:
        caller = around
    elif site is not log.base:
        if type(around) is ResumedCall and _is_running(log, outer, around):
            caller = around
        else:
            if outer.f_globals is not frame.f_globals:
                outer = user_frame(outer)
                site, direct = outer.f_code, outer is frame.f_back
            caller = enter(log, outer, depth + 1)
    new = _new(kind)
    new.serial = next_id()
    new.key = key
    new.code = code
    new.caller = caller
    new.site = site
    new.instruction = outer.f_lasti
    new.direct = direct
    log.calls.append(new)
    if call is None or isinstance(call, HelperCall):
        frame.f_trace = new
    else:
        _add_traced(log, frame, new)
    return new


def _known_call(log: CallLog, frame: FrameType) -> HelperCall | None:
    """The call of a frame in the log, unless it is new."""
    call = frame.f_trace
    if isinstance(call, HelperCall):
        return call if _is_running(log, frame, call) else None
    for at, (traced, known) in enumerate(log.traced if call is not None else ()):
        if traced is frame:
            del log.traced[at + 1 :]
            return known
    return None


def _add_traced(log: CallLog, frame: FrameType, call: HelperCall) -> None:
    """Note the frame of a call that a debugger traces, as the innermost of such frames."""
    traced = log.traced
    while traced and traced[-1][1] is not call.caller:
        traced.pop()
    traced.append((frame, call))


def _is_running(log: CallLog, frame: FrameType, call: HelperCall) -> bool:
    """Whether a frame that may have been left and resumed is still in the call that stands there.

    It is if it has the caller that it had, and is the latest call or around the latest.
    """
    if call.key is not log.key or frame.f_back is None:
        return False
    outer, caller, running = frame.f_back, call.caller, log.calls[-1]
    if outer.f_globals is not frame.f_globals:
        outer = user_frame(outer)
    if outer.f_trace is not caller if caller is not None else outer.f_code is not log.base:
        return False
    if type(caller) is ResumedCall and not _is_running(log, outer, caller):
        return False
    while running is not call and running.caller is not None:
        running = running.caller
    return running is call


def is_comprehension(code: CodeType) -> bool:
    """Whether some code is that of a comprehension, which is part of the function around it."""
    return code.co_name.startswith("<") and code.co_name != "<lambda>"
