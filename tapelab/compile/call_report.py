"""Reports of compiled calls: the records that a replay would have written, made on demand.

A program writes one record for a whole call (`records.ProgramCall`). From that record and from the
records of the captured replay, the ops inside come out again, between the tensors that went in and
those that came out. Values inside are gone, as large values are; inputs and results are known if
they are small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import CodeType
from typing import Any, Final

from tapelab.core.custom_op import off_the_log
from tapelab.core.large_values import Dropped, is_large
from tapelab.core.op_declaration import Op
from tapelab.core.origin import Origin, Scope
from tapelab.core.records import (
    CUSTOM_VJP,
    OP_RUNS,
    Assignment,
    GradientResult,
    OpRun,
    ProgramCall,
    Record,
    State,
    TapedCall,
    kind_of,
    named,
    view,
    write_assignment,
    write_gradient_result,
    write_op_run,
)

_STEP: Final = 2.0**-20
"""How far the serials inside a call are apart: so many of them stand before the next whole one."""


_PLACES: Final = 64
"""So many places of calls are remembered with what stands there."""
CALL: Final = Op("call", off_the_log, (), ())
"""The op in the origin of a compiled call; it has no VJP rule."""
Inner = OpRun | Assignment | GradientResult
"""What is kept of a captured replay."""
_KEPT: Final = frozenset({Assignment, GradientResult, *OP_RUNS})
Here = Callable[[int], Any]
Value = Callable[[int, Any], Any]


@dataclass(frozen=True)
class CallReport:
    """The records of a captured replay without their numbers, and the ids at its two ends.

    It ran within the scope `outside`. `small` are the places at the ends of values that a call
    keeps.
    """

    records: tuple[Inner, ...]
    taken: tuple[int, ...]
    given: tuple[int, ...]
    outside: Scope | None
    small: tuple[list[int], list[int]] = ([], [])

    def op_runs(self, record: Record) -> list[Record]:
        """The records of one call: as they were captured, with the ids of this call."""
        call = view(ProgramCall, record)
        ends = zip((self.taken, self.given), self.small, (call.inputs, call.results), strict=True)
        numbers = {
            end[at]: number
            for end, places, known in ends
            for at, number in zip(places, known, strict=True)
        }
        tapes = repeat(())
        return self.records_with(call, (*call.input_ids, *call.result_ids), numbers.get, tapes)

    def records_with(
        self, call: ProgramCall | TapedCall, ids: Sequence[int], value: Value,
        tapes: Iterable[tuple[int, ...]],
    ) -> list[Record]:  # fmt: skip
        """The records with the ids of one call at both ends, and the tapes that took each.

        `value` tells the value behind a captured id, or gives back what is known of it.
        """
        known: dict[int, Any] = dict(zip((*self.taken, *self.given), ids, strict=True))
        scopes, serial = Scopes(self.outside, call.origin), call.serial

        def here(number: int) -> Any:
            if number < 0:
                return number
            return known.setdefault(number, serial + len(known) * _STEP)

        records: list[Record] = []
        state = {"records": records, "number": call.thread}
        for at, (each, taken) in enumerate(zip(self.records, tapes, strict=False), 1):
            _rewrite(
                each, state, serial + at * _STEP, scopes.moved(each.origin), here, value, taken
            )
        return records


def report(
    records: list[Record], taken: tuple[int, ...], given: tuple[int, ...], constants: set[int],
    outside: Scope | None,
) -> CallReport:  # fmt: skip
    """The account of a captured replay; only the numbers of small constants are kept."""

    def kept(number: int, value: Any) -> Any:
        small = number in constants and not is_large(value)
        return value if small or type(value) is Dropped else Dropped(value.shape, value.dtype)

    inner = (named(each) for each in records if kind_of(each) in _KEPT)
    return CallReport(
        tuple([_without_numbers(each, kept) for each in inner]), taken, given, outside
    )


def _without_numbers(record: Inner, kept: Callable[[int, Any], Any]) -> Inner:
    """A record with the numbers only that are kept, and without the user's functions."""
    match record:
        case Assignment():
            return record._replace(value=kept(record.tensor, record.value))
        case GradientResult():
            return record._replace(values=tuple(map(_shape_alone, record.values)))
    settings = record.settings
    return record._replace(
        inputs=tuple(map(kept, record.input_ids, record.inputs)),
        results=_on_results(record, kept),
        settings=settings | {CUSTOM_VJP: None} if CUSTOM_VJP in settings else settings,
        tapes=(),
    )


def _shape_alone(value: Any) -> Any:
    return Dropped(value.shape, value.dtype) if hasattr(value, "dtype") else None


def _on_results(run: OpRun, function: Callable[[int, Any], Any]) -> Any:
    """What a function makes of the id and the value of each result."""
    values = tuple([function(number, value) for number, value in run.result_pairs])
    return values if type(run.result_ids) is tuple else values[0]


def _rewrite(
    record: Inner, state: State, serial: Any, origin: Origin, here: Here, value: Value,
    tapes: tuple[int, ...],
) -> None:  # fmt: skip
    """Write a record with other ids, and with what is known of the values behind captured ones."""
    if isinstance(record, OpRun):
        settings, ids, result_ids = record.settings, record.input_ids, record.result_ids
        is_one = type(result_ids) is not tuple
        if "body" in settings:
            settings = settings | {"body": tuple(map(here, settings["body"]))}
        write_op_run(
            state, serial, origin, input_ids=tuple(map(here, ids)),
            inputs=tuple(map(value, ids, record.inputs)),
            result_ids=here(result_ids) if is_one else tuple(map(here, result_ids)),
            results=value(result_ids, record.results)
            if is_one
            else tuple(map(value, result_ids, record.results)),
            settings=settings, tapes=tapes,
        )  # fmt: skip
    elif isinstance(record, Assignment):
        write_assignment(
            state, serial, origin, variable=record.variable, how=record.how,
            source=here(record.source), tensor=here(record.tensor),
            value=value(record.tensor, record.value),
        )  # fmt: skip
    else:
        targets, results = tuple(map(here, record.targets)), tuple(map(here, record.results))
        write_gradient_result(
            state, serial, origin, targets=targets, results=results, values=record.values
        )


class Scopes:
    """The composites of the captured call, moved to where another call stands."""

    def __init__(self, outside: Scope | None, origin: Origin) -> None:
        self._outside = outside
        self._origin = origin
        self._moved: dict[int, Scope] = {}

    def moved(self, origin: Origin) -> Origin:
        """The origin of what ran inside the captured call, for the other call."""
        scope = self._scope(origin.scope)
        return Origin(origin.op, origin.code, origin.instruction, scope)

    def _scope(self, scope: Scope | None) -> Scope | None:
        if scope is self._outside or scope is None:
            return self._origin.scope
        moved = self._moved.get(id(scope))
        if moved is None:
            place = self._origin if scope.outer is self._outside else scope
            outer = self._scope(scope.outer)
            moved = type(scope)(scope.name, outer, place.code, place.instruction)
            self._moved[id(scope)] = moved
        return moved


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
        origins = self._known.get(key)
        if origins is None:
            if len(self._known) >= _PLACES:
                self._known.clear()
            here = Origin(CALL, code, instruction, scope)
            scopes = Scopes(self._outside, here)
            origins = self._known[key] = here, list(map(scopes.moved, self._captured))
        return origins
