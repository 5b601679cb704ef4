"""What a call by a program did, told as its replay would have told it, when somebody asks.

A program writes one record for a whole call (`log.CALLED`). From that and from the records of the
captured replay the ops come out again, between the tensors that went in and those that came out.
The numbers inside are gone, as those of large values are; what goes in and out is known if small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from tapelab.engine import records as kinds
from tapelab.engine.custom import off_the_log
from tapelab.engine.log import Origin, Scope
from tapelab.engine.op import Op
from tapelab.engine.records import Dropped, Record, whole

_STEP: Final = 2.0**-20
"""How far the serials inside a call are apart: so many of them stand before the next whole one."""


_PLACES: Final = 64
"""So many places of calls are remembered with what stands there."""
CALL: Final = Op("call", off_the_log, (), ())
"""What stands in the origin of a call by a program; no rule of an op goes back through it."""
Here = Callable[[int], Any]
Value = Callable[[int, Any], Any]


@dataclass(frozen=True)
class Account:
    """The records of a captured replay without their numbers, and the ids at its two ends.

    It ran within the scope `outside`. `small` are the places at the ends of values that a call
    keeps.
    """

    records: tuple[Record, ...]
    taken: tuple[int, ...]
    given: tuple[int, ...]
    outside: Scope | None
    small: tuple[list[int], list[int]] = ([], [])

    def told(self, record: Record) -> Iterator[Record]:
        """The records of one call: as they were captured, with the ids of this call."""
        _, serial, thread, origin, _, taken, given, *values = record
        ends = zip((self.taken, self.given), self.small, values, strict=True)
        numbers = {
            end[at]: number
            for end, places, known in ends
            for at, number in zip(places, known, strict=True)
        }
        scopes = Scopes(self.outside, origin)
        for each in self.spread(serial, thread, taken, given, numbers.get):
            yield (*each[:3], scopes.moved(each[3]), *each[4:])

    def spread(
        self, serial: int, thread: int, taken: Sequence[int], given: Sequence[int], value: Value
    ) -> Iterator[Record]:
        """The records with the ids of one call; `value` tells the numbers behind captured ids."""
        ids: dict[int, Any] = dict(zip(self.taken, taken, strict=True))
        ids |= zip(self.given, given, strict=True)

        def here(number: int) -> Any:
            if number < 0:
                return number
            return ids.setdefault(number, serial + len(ids) * _STEP)

        for at, each in enumerate(self.records, 1):
            kind, _, *rest = _FORMS[each[0]](each, thread, here, value)
            yield (kind, serial + at * _STEP, *rest)


def account(
    records: list[Record], taken: tuple[int, ...], given: tuple[int, ...], constants: set[int],
    outside: Scope | None,
) -> Account:  # fmt: skip
    """The account of a captured replay; only the numbers of small constants are kept."""

    def kept(number: int, value: Any) -> Any:
        small = number in constants and not kinds.is_large(value)
        return value if small or type(value) is Dropped else Dropped(value.shape, value.dtype)

    told = (_without_numbers(whole(each), kept) for each in records if whole(each)[0] in _FORMS)
    return Account(tuple(told), taken, given, outside)


def _without_numbers(record: Record, kept: Callable[[int, Any], Any]) -> Record:
    if record[0] == kinds.ASSIGNED:
        return (*record[:8], kept(record[7], record[8]))
    if record[0] == kinds.DERIVED:
        return (*record[:6], tuple(map(_shape_alone, record[6])))
    kind, serial, thread, origin, ids, values, result_ids, results, settings, _ = record
    values = tuple(map(kept, ids, values))
    many = type(result_ids) is tuple
    results = tuple(map(kept, result_ids, results)) if many else kept(result_ids, results)
    settings = settings | {kinds.BACK: None} if kinds.BACK in settings else settings
    return kind, serial, thread, origin, ids, values, result_ids, results, settings, ()


def _shape_alone(value: Any) -> Any:
    return Dropped(value.shape, value.dtype) if hasattr(value, "dtype") else None


def _ran(record: Record, thread: int, here: Here, value: Value) -> Record:
    kind, _, _, origin, ids, values, result_ids, results, settings, tapes = record
    many = type(result_ids) is tuple
    values = tuple(map(value, ids, values))
    results = tuple(map(value, result_ids, results)) if many else value(result_ids, results)
    made = tuple(map(here, result_ids)) if many else here(result_ids)
    if "body" in settings:
        settings = settings | {"body": tuple(map(here, settings["body"]))}
    ends = tuple(map(here, ids)), values, made, results
    return (kind, 0, thread, origin, *ends, settings, tapes)


def _assigned(record: Record, thread: int, here: Here, value: Value) -> Record:
    kind, _, _, origin, identity, how, source, state, known = record
    ends = here(source), here(state), value(state, known)
    return (kind, 0, thread, origin, identity, how, *ends)


def _derived(record: Record, thread: int, here: Here, _: Value) -> Record:
    kind, _, _, origin, targets, results, values = record
    ends = tuple(map(here, targets)), tuple(map(here, results)), values
    return (kind, 0, thread, origin, *ends)


_FORMS: Final[dict[type, Callable[[Record, int, Here, Value], Record]]] = {
    kinds.RAN: _ran, kinds.ASSIGNED: _assigned, kinds.DERIVED: _derived,
}  # fmt: skip


class Scopes:
    """The composites of the captured call, moved to where another call stands."""

    def __init__(self, outside: Scope | None, origin: Origin) -> None:
        self._outside = outside
        self._origin = origin
        self._moved: dict[int, Scope] = {}

    def moved(self, origin: Origin) -> Origin:
        """The origin of what ran inside the captured call, for the other call."""
        return origin._replace(scope=self._scope(origin.scope))

    def _scope(self, scope: Scope | None) -> Scope | None:
        if scope is self._outside or scope is None:
            return self._origin.scope
        found = self._moved.get(id(scope))
        if found is None:
            place = self._origin if scope.outer is self._outside else scope
            outer = self._scope(scope.outer)
            found = type(scope)(scope.name, outer, place.code, place.instruction)
            self._moved[id(scope)] = found
        return found


class Origins:
    """Where results come from: the lines inside, and around them the line of the call."""

    def __init__(self, captured: list[Origin], outside: Scope | None) -> None:
        self._captured = captured
        self._outside = outside
        self._known: dict[tuple[int, int, int], tuple[Origin, list[Origin]]] = {}

    def at(
        self, code: CodeType, instruction: int, scope: Scope | None
    ) -> tuple[Origin, list[Origin]]:
        """The origin of a call from a place, and those of its results."""
        key = id(code), instruction, id(scope)  # which live as long as they are kept here
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _PLACES:
                self._known.clear()
            here = Origin(CALL, code, instruction, scope)
            scopes = Scopes(self._outside, here)
            found = self._known[key] = here, list(map(scopes.moved, self._captured))
        return found
