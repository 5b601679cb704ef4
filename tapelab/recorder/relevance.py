"""Which records of the log belong to the account of one tape.

All that happened in its block, and of what came before and after only that from which something in
the block, or something that was asked for, was made. How a variable came to its value counts only
as far as it tells of a source: after a hundred steps of training they are too many to read.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from tapelab.core.log import recent
from tapelab.core.records import (
    Assignment,
    Creation,
    GradientResult,
    NamedRecord,
    OpRun,
    VariableRead,
    expanded,
)

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape


LINKS: Final = 2
"""So many derivatives of derivatives are followed to what they were derived from."""
AFTERMATH: Final = 64
"""So many records after a gradient call may tell what became of its results."""
_by_serial: Final = attrgetter("serial")


def relevant(tape: GradientTape, *, derived: bool = False) -> list[NamedRecord]:
    """The records of a tape's account, in no particular order.

    `derived` adds what a figure can do without: which tensors are gradients that some tape gave,
    of what, and what became of this tape's own results.
    """
    inside, around = _inside_and_around(tape, derived)
    makers = _makers(around)
    from_sources = _made_from(_sources(tape), around)
    wanted = chain.from_iterable(map(_needs, inside if makers else ()))
    pending = [(number, 0) for number in sorted({*filter(makers.__contains__, wanted)})]
    for answer in tape._gradient_calls:
        pending.extend((each.id, 0) for each in (*answer.targets, *answer.sources))
    chosen: dict[int, NamedRecord] = {}
    if derived:
        chosen = {record.serial: record for record in _aftermath(tape, around)}
        pending.extend((number, 0) for record in chosen.values() for number in _needs(record))
    while pending:
        number, links = pending.pop()
        for record in makers.get(number, ()):
            is_derived = record.kind is GradientResult
            if record.serial not in chosen and (not is_derived or links < LINKS):
                chosen[record.serial] = record
                needs = _needs(record)
                followed = needs if record.kind is not Assignment else from_sources & {*needs}
                pending.extend((each, links + is_derived) for each in followed)
    return [*inside, *chosen.values()]


def _inside_and_around(
    tape: GradientTape, derived: bool
) -> tuple[list[NamedRecord], list[NamedRecord]]:
    """The records of the tape's own windows, and those before, between and after them."""
    seen: dict[int, NamedRecord] = {record.serial: record for record in expanded(recent)}
    inside: list[NamedRecord] = []
    for log, start, stop in tape._windows:
        seen.update((record.serial, record) for record in expanded(log.before.records()))
        inside += expanded(log.records[start:stop])
        rest = [] if stop is None else log.records[stop:]
        outside = expanded(chain(log.records[:start], rest))
        seen.update((record.serial, record) for record in outside)
    within = {record.serial for record in inside} if seen else set()
    around = [record for serial, record in seen.items() if serial not in within]
    return _shown(inside, derived), _shown(around, derived)


def _shown(records: Iterable[NamedRecord], derived: bool) -> list[NamedRecord]:
    return [record for record in records if derived or record.kind is not GradientResult]


def _aftermath(tape: GradientTape, around: list[NamedRecord]) -> list[NamedRecord]:
    """The first ops and assignments after a tape's last results that take something of them."""
    calls = tape._gradient_calls
    reached = {number for call in calls for number in call.result_ids if number >= 0}
    first = min((call.serial for call in calls), default=0)
    after: list[NamedRecord] = []
    for record in sorted(around, key=_by_serial):
        is_use = isinstance(record, (OpRun, Assignment)) and not reached.isdisjoint(_needs(record))
        if record.serial > first and is_use and len(after) < AFTERMATH:
            after.append(record)
            reached.update(_made_by(record) if isinstance(record, OpRun) else ())
    return after


def _sources(tape: GradientTape) -> set[int]:
    """The ids of what was asked about or watched."""
    source_ids = {each.id for answer in tape._gradient_calls for each in answer.sources}
    return source_ids | set(tape._followed)


def _made_from(sources: set[int], records: list[NamedRecord]) -> set[int]:
    """The ids of all that was made from the sources, themselves included."""
    derived = set(sources)
    for record in sorted(records, key=_by_serial):
        if record.kind is not GradientResult and not derived.isdisjoint(_needs(record)):
            derived.update(_made_by(record))
    return derived


def _makers(records: list[NamedRecord]) -> dict[int, list[NamedRecord]]:
    """For each tensor id, the records that tell where it came from."""
    makers: dict[int, list[NamedRecord]] = {}
    for record in records:
        for number in _made_by(record):
            makers.setdefault(number, []).append(record)
    return makers


def _made_by(record: NamedRecord) -> tuple[int, ...]:
    """The ids of the tensors that a record tells the origin of."""
    match record:
        case OpRun(result_ids=ids):
            return ids if type(ids) is tuple else (ids,)
        case Creation(tensor=number) | Assignment(tensor=number):
            return (number,)
        case GradientResult(results=numbers):
            return tuple([number for number in numbers if number >= 0])
    return ()


def _needs(record: NamedRecord) -> tuple[int, ...]:
    """The ids of the tensors whose origin belongs to the account as well."""
    match record:
        case OpRun(input_ids=ids):
            return tuple(ids)
        case VariableRead(tensor=number):
            return (number,)
        case Assignment(source=number) | Creation(source=number):
            return (number,)
        case GradientResult(targets=ids):
            return tuple(ids)
    return ()
