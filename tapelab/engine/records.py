"""What a record of the log holds, and what is left of one that holds too much.

A record is a plain tuple, because one is written for every op: its kind, its serial number, the
number of the thread, its origin, then what the kind needs. The serial of an op is the id of its
first result: ids only ever grow, so they tell the time.
"""

from __future__ import annotations

from _thread import allocate_lock  # `threading.Lock` without the rest of `threading`
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numpy import ndarray

from tapelab.recording.facts import KEPT_ELEMENTS

if TYPE_CHECKING:
    from tapelab.engine.buffers import Buffer
    from tapelab.recording.measures import Measure
    from tapelab.recording.previews import Preview

Record = tuple[Any, ...]

# kind · serial · thread · origin · …
RAN: Final = 0  # input ids · input values · result id(s) · result value(s) · settings · tapes
READ: Final = 1  # variable · id of its state · value
ASSIGNED: Final = 2  # variable · how · id of the source · id of the new state · value
LEFT: Final = 3  # id of the tensor · how · result (an object, a weak reference or None)
RETURNED: Final = 4  # serial of the Left · id of the new constant · its value
MADE: Final = 5  # id · value · how · variable or None · id of the source
WATCHED: Final = 6  # id · value · variable or None · how · tape
PAUSED: Final = 7  # tape
RESUMED: Final = 8  # tape
OPENED: Final = 9  # tape
CLOSED: Final = 10  # tape
RESET: Final = 11  # tape
PAIRED: Final = 12  # input id · input id · value · value · result value · tapes
SINGLE: Final = 13  # input id · value · result value · tapes
"""These two are RAN laid flat (`whole`), for ops that run often: an entry of one tuple takes
half the memory of three, and its serial is the id of its one result.
"""

FLAT: Final = frozenset({PAIRED, SINGLE})
DERIVED: Final = 14  # ids of the targets · ids of the results · values of the results
CALLED: Final = 15  # account of what ran · ids it took · ids it gave · small values of either
HEARD: Final = 16  # input ids · input values · result ids · result values · call · tapes
"""A call by a program that a tape took. `call.told(record)` are the ops inside, in the form of RAN,
and `call.story(record)` is all that happened there.
"""

OPS: Final = (PAIRED, SINGLE, RAN)
"""The kinds of records that tell of an op; their last field are the tapes that took it."""
RECENT: Final = 4096
PACKED: Final = 64
"""So many records at once are packed when they have become the last but so many."""
BACK: Final = "back"
"""The setting that holds the way back of a step whose gradient is a learner's function."""


class Dropped(NamedTuple):
    """What is left of a large value whose numbers were not kept.

    Where somebody looks at the way back, what they come to and look like is noted first, and in
    which buffer they lay.
    """

    shape: tuple[int, ...]
    dtype: Any
    measure: Measure | None = None
    preview: Preview | None = None
    buffer: Buffer | None = None


def is_large(value: Any) -> bool:
    """Whether a raw value is too large for a log that no way back needs."""
    return type(value) is ndarray and value.size > KEPT_ELEMENTS


def small(value: Any) -> Any:
    """The value itself if it is small enough to keep, else its shape and dtype."""
    if type(value) is ndarray:  # at a glance, for most are
        return value if value.size <= KEPT_ELEMENTS else bare(value.shape, value.dtype)
    is_small = getattr(value, "size", 1) <= KEPT_ELEMENTS
    return value if is_small else bare(value.shape, value.dtype)


@lru_cache(maxsize=1024)
def bare(shape: tuple[int, ...], dtype: Any) -> Dropped:
    """What is left of a value of which only its form is known; one object per form."""
    return Dropped(shape, dtype)


def one_by_one(records: Iterable[Record]) -> Iterator[Record]:
    """Records in the form of RAN, those of calls spread out into what ran inside."""
    for record in records:
        if record[0] == CALLED:
            yield from record[4].told(record)
        elif record[0] == HEARD:
            yield from record[8].story(record)
        else:
            yield whole(record)


def whole(record: Record) -> Record:
    """A record of an op in the form of RAN, also where it was laid flat."""
    if record[0] == PAIRED:
        _, serial, number, origin, one, other, x, y, z, tapes = record
        settings = origin[0].defaults
        return RAN, serial, number, origin, (one, other), (x, y), serial, z, settings, tapes
    if record[0] == SINGLE:
        _, serial, number, origin, one, x, y, tapes = record
        return RAN, serial, number, origin, (one,), (x,), serial, y, origin[0].defaults, tapes
    return record


def lightened(record: Record) -> Record:
    """A record without its large values and without a learner's function."""
    kind = record[0]
    if kind == PAIRED:
        _, serial, number, origin, one, other, x, y, z, tapes = record
        x, y, z = small(x), small(y), small(z)
        return PAIRED, serial, number, origin, one, other, x, y, z, tapes
    if kind == RAN:
        return _lightened(record)
    if kind == SINGLE:
        return (*record[:5], small(record[5]), small(record[6]), record[7])
    if kind == HEARD:
        values, results = tuple(map(small, record[5])), tuple(map(small, record[7]))
        return (*record[:5], values, record[6], results, record[8].light(), record[9])
    return record


def _lightened(record: Record) -> Record:
    kind, serial, number, origin, ids, values, result_ids, results, settings, tapes = record
    values = tuple([small(value) for value in values])
    results = tuple(map(small, results)) if type(results) is tuple else small(results)
    if BACK in settings:  # a learner's function may hold on to anything
        settings = {**settings, BACK: None}
    return kind, serial, number, origin, ids, values, result_ids, results, settings, tapes


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
            for record in last:
                pack.append(len(record))
                pack += record
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
        yield tuple(pack[start:at])
