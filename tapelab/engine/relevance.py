"""Which records of the log belong to the account of one tape.

All that happened in its block, and of what came before and after only that from which something in
the block, or something that was asked for, was made. How a variable came to its value counts only
as far as it tells of a source: after a hundred steps of training nobody wants to read them all.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from tapelab.engine.log import ASSIGNED, MADE, RAN, READ, Record, recent, whole

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape


def relevant(tape: GradientTape) -> list[Record]:
    """The records of a tape's account, in no particular order."""
    inside, around = _sorted_out(tape)
    makers = _makers(around)
    from_sources = _made_from(_sources(tape), around)
    pending = [number for record in inside for number in _needs(record)]
    for answer in tape._answers:
        pending.extend(each.id for each in (*answer.targets, *answer.sources))
    chosen: dict[int, Record] = {}
    while pending:
        for record in makers.get(pending.pop(), ()):
            if record[1] not in chosen:
                chosen[record[1]] = record
                needs = _needs(record)
                pending.extend(needs if record[0] != ASSIGNED else from_sources & {*needs})
    return [*inside, *chosen.values()]


def _sorted_out(tape: GradientTape) -> tuple[list[Record], list[Record]]:
    seen: dict[int, Record] = {record[1]: whole(record) for record in recent}
    inside: dict[int, Record] = {}
    for log, start, stop in tape._windows:
        seen.update((record[1], whole(record)) for record in log.before.records())
        seen.update((record[1], whole(record)) for record in log.records)
        inside.update((record[1], seen[record[1]]) for record in log.records[start:stop])
    around = [record for serial, record in seen.items() if serial not in inside]
    return list(inside.values()), around


def _sources(tape: GradientTape) -> set[int]:
    """The ids of what was asked about or watched."""
    asked = {each.id for answer in tape._answers for each in answer.sources}
    return asked | set(tape._followed)


def _made_from(sources: set[int], records: list[Record]) -> set[int]:
    """The ids of all that was made from the sources, themselves included."""
    made = set(sources)
    for record in sorted(records, key=itemgetter(1)):
        if not made.isdisjoint(_needs(record)):
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
    return ()
