"""The log beside the tape, and the state of a thread.

The log holds what happened, in order, whether or not a tape took it.

While a tape is open in a thread, records go into the `Log` of its outermost tape, with the values
that a backward pass needs. Otherwise they go into `recent`, a short history shared by all threads
that keeps small values only; from it the diagnosis says where a tensor from before the tape came
from.

`thread` is the state of the current thread. `active_tapes` are the tapes and accumulators that
record now; their `token` is the tuple of their serials. It is one object as long as the tuple of
tapes is: a tensor that bears this very object is tracked by all of them, which is all that the fast
path of an op has to test. `BATCHED` and `TRACED` are tokens that no tensor bears, so that every op
takes its slow path while a batch trace or the trace of a function is open.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from _thread import _local, allocate_lock  # `threading` without the rest of it
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

from tapelab.core.helper_calls import OURS, OWN, HelperCall, are_ours, enter, is_entry
from tapelab.core.origin import EntryOrigin, Origin, Scope
from tapelab.core.records import Record, summarised

if TYPE_CHECKING:
    from tapelab.core.observer import Cell, Observer
    from tapelab.core.op_declaration import Op

RECENT: Final = 4096
PACKED: Final = 64
"""So many records at once are packed when they have become the last but so many."""
RECENT_CALLS: Final = 8
"""So many of the last gradient calls of a thread are remembered: tapes weakly, serials, origins."""
_threads: Final = itertools.count()
BATCHED: Final = (0, 0)
"""The token while a VJP is run for many rows at once: each op goes to `ThreadState.batch_trace`.
"""
TRACED: Final = (-1, -1)
"""The token while a function is traced: each op goes to `ThreadState.trace`."""


class ActiveTape(Protocol):
    """A tape, or an accumulator of forward mode, as ops that run under it see it."""

    _serial: int
    _serials: tuple[int, ...]
    _token: tuple[Any, Any]
    _stopped_ids: set[int]
    _recording: bool

    @property
    def _follows_all(self) -> bool:
        """Whether it follows the results of every op on what it follows."""

    @property
    def _tracked(self) -> set[int]:
        """The ids of all tensors that it follows."""

    def _on_read(self, cell: Cell, origin: Origin | None = None) -> None:
        """A variable is read."""


@dataclass(eq=False, repr=False, slots=True)
class Log:
    """Everything that happened in a thread while tapes were open in it."""

    before: Before
    records: list[Record] = field(default_factory=list)
    read_states: set[int] = field(default_factory=set)
    exits: dict[int, tuple[int, Any]] = field(default_factory=dict)
    holders: set[weakref.ref[ActiveTape]] = field(default_factory=set)
    # The positions of records that hold a large value or a user's function, with their summaries.
    large_records: dict[int, Record | None] = field(default_factory=dict)
    holds_calls: bool = False  # whether some of the records are `TapedCall`s
    base: CodeType | None = None  # the code that opened the outermost tape
    calls: list[HelperCall] = field(default_factory=list)
    key: object = field(default_factory=object)  # is that of its calls, too
    # The frames that a debugger traces, and their calls, outermost first.
    traced: list[tuple[FrameType, HelperCall]] = field(default_factory=list)

    def add_holder(self, tape: ActiveTape) -> None:
        """Keep large values as long as a tape lives that may need them for a backward pass."""
        self.holders.add(weakref.ref(tape))

    def remove_holder(self, tape: ActiveTape) -> None:
        """Keep no large values for a tape any more."""
        self.holders.discard(weakref.ref(tape))

    def expect_large_values(self) -> None:
        """Note that the next record will hold large values, which are released later."""
        self.large_records[len(self.records)] = None

    def latest(self) -> list[Record]:
        """The last records for the history of all threads, summarised."""
        records, large_records = self.records, self.large_records
        start = max(0, len(records) - RECENT)
        last = records[start:]
        for at in large_records:
            if at >= start:
                large_records[at] = last[at - start] = large_records[at] or summarised(records[at])
        return last

    def release(self, tape: ActiveTape) -> None:
        """Release the large values once no tape needs them for a backward pass."""
        self.holders.discard(weakref.ref(tape))
        if self.large_records and not any(each() is not None for each in self.holders):
            for at in self.large_records:
                self.records[at] = self.summary_of(at)

    def summary_of(self, at: int) -> Record:
        """The record at a position without its large values, made once."""
        summary = self.large_records[at]
        if summary is None:
            summary = self.large_records[at] = summarised(self.records[at])
        return summary


class Before(NamedTuple):
    """What had happened before a log was begun: lists that only grow, the newer ones up to here."""

    older: list[Any]
    newer: list[Any]
    packed: int
    last: list[Record]
    length: int

    def records(self) -> Iterator[Record]:
        """The records, oldest first."""
        older, newer, packed, last, length = self
        packs = _unpacked(older, len(older)), _unpacked(newer, packed)
        return chain(*packs, islice(last, length))


class Recent:
    """The last records of all threads: RECENT or more, at most twice as many.

    All but the last are packed, the fields of one after those of another in one list: Python's
    search for garbage would walk through thousands of tuples again and again. Full lists are
    replaced and never emptied, so that a log can begin without a copy.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self.clear()

    def clear(self) -> None:
        """Forget all; logs that were begun remember."""
        self._older: list[Any] = []
        self._newer: list[Any] = []
        self._last: list[Record] = []
        self._count = 0

    def append(self, record: Record) -> None:
        """Add a record as the newest."""
        last = self._last
        last.append(record)
        if len(last) >= PACKED:
            self._pack()

    def extend(self, records: list[Record]) -> None:
        """Add up to RECENT records, the newest last."""
        self._last.extend(records)
        if len(self._last) >= PACKED:
            self._pack()

    def _pack(self) -> None:
        with self._lock:
            last, self._last = self._last, []
            if self._count + len(last) > RECENT:
                self._older, self._newer, self._count = self._newer, [], 0
            pack = self._newer
            fields: Any
            for fields in last:
                pack.append(len(fields))
                pack += fields
            self._count += len(last)

    def so_far(self) -> Before:
        """The records up to now."""
        newer, last = self._newer, self._last
        return Before(self._older, newer, len(newer), last, len(last))

    def __iter__(self) -> Iterator[Record]:
        return self.so_far().records()

    def __reversed__(self) -> Iterator[Record]:
        return reversed(tuple(self))

    def __getitem__(self, at: int) -> Record:
        return tuple(self)[at]


def _unpacked(pack: list[Any], length: int) -> Iterator[Record]:
    """The records in the first part of a list of their lengths and fields."""
    at = 0
    while at < length:
        start, at = at + 1, at + 1 + pack[at]
        yield cast("Record", tuple(pack[start:at]))


recent: Final = Recent()


class ThreadState(_local):
    """The state of one thread; hot paths read its `__dict__`, which saves a descriptor call."""

    def __init__(self) -> None:
        self.number = next(_threads)
        self.tapes: list[ActiveTape] = []
        self.token: tuple[int, ...] = ()
        self.log: Log | None = None
        self.records: Any = recent
        self.scope: Scope | None = None
        self.__dict__["active_tapes"] = ()
        self.__dict__["trace"] = None
        self.read_callbacks: tuple[Callable[[Cell], None], ...] = ()
        # Reads variables in another dtype: in the call of a Keras layer with mixed precision.
        self.autocast: Any = None
        # How much memory previews may take, while a backward pass is run for a figure.
        self.preview_budget: Any = None
        # Where the ops of the VJP rules are recorded during a backward pass, and their origins.
        self.fixed_origin: Origin | None = None
        self.fixed_origins: dict[Op, Origin] | None = None
        self.observers: tuple[Observer, ...] = ()
        self.batch_trace: Any = None  # runs the ops of this thread while the token is BATCHED
        self.recent_calls: deque[tuple[weakref.ref[Any], int, Origin]] = deque(maxlen=RECENT_CALLS)

    @property
    def active_tapes(self) -> tuple[ActiveTape, ...]:
        """The tapes and accumulators that record, the outermost first."""
        tapes: tuple[ActiveTape, ...] = self.__dict__["active_tapes"]
        return tapes

    @active_tapes.setter
    def active_tapes(self, tapes: tuple[ActiveTape, ...]) -> None:
        state = self.__dict__
        state["active_tapes"] = tapes
        state["token"] = _token_of(tapes) if state["trace"] is None else TRACED

    @property
    def trace(self) -> Any:
        """The trace of the function that is being traced, which carries out public functions."""
        return self.__dict__["trace"]

    @trace.setter
    def trace(self, trace: Any) -> None:
        state = self.__dict__
        state["trace"] = trace
        state["token"] = _token_of(state["active_tapes"]) if trace is None else TRACED


def _token_of(tapes: tuple[ActiveTape, ...]) -> tuple[int, ...]:
    """The serials of active tapes: the same object as long as the tuple of tapes is the same.

    Where a tape tracks not all results (`_follows_all`), each op has to search the tapes' sets, and
    the token is a tuple that no tensor bears.
    """
    if not tapes:
        return ()
    last = tapes[-1]
    if last._token[0] is not tapes:
        simple = False not in [each._follows_all for each in tapes]
        last._token = tapes, tuple([each._serial if simple else 0 for each in tapes])
    token: tuple[int, ...] = last._token[1]
    return token


thread: Final = ThreadState()
ORIGINS: Final = 4096
"""So many call sites are remembered, because ops run at the same ones again and again."""
_frame: Final = sys._getframe
_origins: Final[dict[tuple[Op | None, int, int], Origin]] = {}


def origin_here(op: Op | None = None, up: int = 1) -> Origin:
    """The place in the user's code that led to this call: the first frame not ours or NumPy's.

    The frames below `up` are known to be ours: to look at a frame costs more than to skip it.
    """
    state = thread.__dict__
    here = state["fixed_origin"]
    if here is not None:
        return tuple.__new__(Origin, (op, here[1], here[2], state["scope"]))
    frame = _frame(up)
    while id(names := frame.f_globals) in OURS or (
        names.get("__name__", "")[:8] in OWN and are_ours(names)
    ):  # `user_frame`, written out because this runs often
        if frame.f_back is None:
            break
        frame = frame.f_back
    code, instruction, scope = frame.f_code, frame.f_lasti, state["scope"]
    if scope is not None and scope[3] == instruction and scope[2] is code:
        return tuple.__new__(Origin, (op, code, instruction, scope))
    place = op, id(code), instruction
    known = _origins.get(place)
    if known is None:
        if len(_origins) >= ORIGINS:
            _origins.clear()
        log = state["log"]
        opens_tape = log is not None and log.base is code
        kind = EntryOrigin if not opens_tape and is_entry(code, instruction) else Origin
        known = _origins[place] = kind(op, code, instruction, None)
    kind = type(known)
    if kind is EntryOrigin and (log := state["log"]) is not None:
        token = state["token"]
        if token is not BATCHED and token is not TRACED:
            enter(log, frame)
    if scope is None:
        return known
    return tuple.__new__(kind, (op, code, instruction, scope))


def scope_origin() -> Origin:
    """The origin of the innermost scope: where the composite that is running was called."""
    scope = thread.scope
    if scope is None:
        return origin_here()
    return tuple.__new__(Origin, (None, scope[2], scope[3], scope))
