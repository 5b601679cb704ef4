"""What a record of the log holds, and what is left of one that holds too much.

A record is a plain tuple, because one is written for every op: its kind, its serial number, the
number of the thread, its origin, then what the kind needs. The serial of an op is the id of its
first result: ids only ever grow, so they tell the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numpy import ndarray

from tapelab.recording.facts import KEPT_ELEMENTS

if TYPE_CHECKING:
    from tapelab.recording.measures import Measure

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
BACK: Final = "back"
"""The setting that holds the way back of a step whose gradient is a learner's function."""


class Dropped(NamedTuple):
    """What is left of a large value whose numbers were not kept.

    Where somebody looks at the way back, what they come to is measured first.
    """

    shape: tuple[int, ...]
    dtype: Any
    measure: Measure | None = None


def is_large(value: Any) -> bool:
    """Whether a raw value is too large for a log that no way back needs."""
    return type(value) is ndarray and value.size > KEPT_ELEMENTS


def small(value: Any) -> Any:
    """The value itself if it is small enough to keep, else its shape and dtype."""
    if type(value) is not ndarray and getattr(value, "size", 1) <= KEPT_ELEMENTS:
        return value
    if value.size <= KEPT_ELEMENTS:
        return value
    return bare(value.shape, value.dtype)


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
        return RAN, serial, number, origin, (one, other), (x, y), serial, z, {}, tapes
    if record[0] == SINGLE:
        _, serial, number, origin, one, x, y, tapes = record
        return RAN, serial, number, origin, (one,), (x,), serial, y, {}, tapes
    return record


def lightened(record: Record) -> Record:
    """A record without its large values and without a learner's function."""
    kind = record[0]
    if kind == RAN:
        return _lightened(record)
    if kind == PAIRED:
        return (*record[:6], small(record[6]), small(record[7]), small(record[8]), record[9])
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
