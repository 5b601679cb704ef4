"""Which records of the log belong to the account of one tape.

All that happened in its block, and of what came before and after only that from which something in
the block, or something that was asked for, was made. How a variable came to its value counts only
as far as it tells of a source: after a hundred steps of training nobody wants to read them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from tapelab.engine.log import recent
from tapelab.engine.records import ASSIGNED, DERIVED, MADE, RAN, READ, Record, one_by_one

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape


LINKS: Final = 2
"""So many derivatives of derivatives are followed to what they were derived from."""
AFTERMATH: Final = 64
"""So many records after a question may tell what became of its answer."""


def relevant(tape: GradientTape, *, derived: bool = False) -> list[Record]:
    """The records of a tape's account, in no particular order.

    `derived` adds what a picture can do without: which tensors are gradients that some tape gave,
    of what, and what became of this tape's own answers.
    """
    inside, around = _sorted_out(tape, derived)
    makers = _makers(around)
    from_sources = _made_from(_sources(tape), around)
    wanted = chain.from_iterable(map(_needs, inside if makers else ()))
    pending = [(number, 0) for number in sorted({*filter(makers.__contains__, wanted)})]
    for answer in tape._answers:
        pending.extend((each.id, 0) for each in (*answer.targets, *answer.sources))
    chosen: dict[int, Record] = {}
    if derived:
        chosen = {record[1]: record for record in _aftermath(tape, around)}
        pending.extend((number, 0) for record in chosen.values() for number in _needs(record))
    while pending:
        number, links = pending.pop()
        for record in makers.get(number, ()):
            if record[1] not in chosen and (record[0] != DERIVED or links < LINKS):
                chosen[record[1]] = record
                needs = _needs(record)
                told = needs if record[0] != ASSIGNED else from_sources & {*needs}
                pending.extend((each, links + (record[0] == DERIVED)) for each in told)
    return [*inside, *chosen.values()]


def _sorted_out(tape: GradientTape, derived: bool) -> tuple[list[Record], list[Record]]:
    seen: dict[int, Record] = {record[1]: record for record in one_by_one(recent)}
    inside: list[Record] = []
    for log, start, stop in tape._windows:
        seen.update((record[1], record) for record in one_by_one(log.before.records()))
        inside += one_by_one(log.records[start:stop])
        rest = [] if stop is None else log.records[stop:]
        seen.update((each[1], each) for each in one_by_one(chain(log.records[:start], rest)))
    within = {record[1] for record in inside} if seen else set()
    around = [record for serial, record in seen.items() if serial not in within]
    return _told(inside, derived), _told(around, derived)


def _told(records: Iterable[Record], derived: bool) -> list[Record]:
    return [record for record in records if derived or record[0] != DERIVED]


def _aftermath(tape: GradientTape, around: list[Record]) -> list[Record]:
    """The first ops and assignments after a tape's last answers that take something of them."""
    reached = {number for answer in tape._answers for number in answer.made if number >= 0}
    first = min((answer.serial for answer in tape._answers), default=0)
    found: list[Record] = []
    for record in sorted(around, key=itemgetter(1)):
        takes = record[0] in (RAN, ASSIGNED) and not reached.isdisjoint(_needs(record))
        if record[1] > first and takes and len(found) < AFTERMATH:
            found.append(record)
            reached.update(_made_by(record) if record[0] == RAN else ())
    return found


def _sources(tape: GradientTape) -> set[int]:
    """The ids of what was asked about or watched."""
    asked = {each.id for answer in tape._answers for each in answer.sources}
    return asked | set(tape._followed)


def _made_from(sources: set[int], records: list[Record]) -> set[int]:
    """The ids of all that was made from the sources, themselves included."""
    made = set(sources)
    for record in sorted(records, key=itemgetter(1)):
        if record[0] != DERIVED and not made.isdisjoint(_needs(record)):
            made.update(_made_by(record))
    return made


def _makers(records: list[Record]) -> dict[int, list[Record]]:
    """For each tensor id, the records that tell where it came from."""
    makers: dict[int, list[Record]] = {}
    for record in records:
        for number in _made_by(record):
            makers.setdefault(number, []).append(record)
    return makers


def _made_by(record: Record) -> tuple[int, ...]:
    kind = record[0]
    if kind == RAN:
        return record[6] if type(record[6]) is tuple else (record[6],)
    if kind == MADE:
        return (record[4],)
    if kind == ASSIGNED:
        return (record[7],)
    if kind == DERIVED:
        return tuple([number for number in record[5] if number >= 0])
    return ()


def _needs(record: Record) -> tuple[int, ...]:
    """The ids that a record speaks of and whose making is worth telling."""
    kind = record[0]
    if kind == RAN:
        return tuple(record[4])
    if kind == READ:
        return (record[5],)
    if kind == ASSIGNED:
        return (record[6],)
    if kind == MADE:
        return (record[8],)
    if kind == DERIVED:
        return tuple(record[4])
    return ()
