"""Long stretches of ops and of steps back, entered into a recording as columns, not one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.engine.entries import Pauses, cause_of, group_of
from tapelab.engine.records import RAN
from tapelab.recording import events as e
from tapelab.recording.facts import KEPT_ELEMENTS
from tapelab.recording.recording import Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.engine.flows import Flow
    from tapelab.engine.inventory import Inventory
    from tapelab.engine.records import Record

LONG: Final = 64
"""From so many ops in a row on, columns are worth their trouble."""
Columns = tuple[Any, "NDArray[np.intc]", "NDArray[np.intc]"]
"""Of some events their spans (or the one of all), where the fields of each end, and the fields."""


def stretches(happened: Sequence[Any]) -> Iterator[tuple[bool, Sequence[Any]]]:
    """What happened, in its order: long stretches of ops with one result each, and all else."""
    ops = [type(x) is tuple and x[0] == RAN and type(x[6]) is not tuple for x in happened]
    changes = np.flatnonzero(np.diff(ops)) + 1
    rest = 0
    for start, stop in pairwise([0, *changes.tolist(), len(happened)]):
        if stop - start >= LONG and ops[start]:
            yield False, happened[rest:start]
            yield True, happened[start:stop]
            rest = stop
    yield False, happened[rest:]


def ops_entered(inventory: Inventory, records: Sequence[Record], pauses: Pauses) -> Columns:
    """The columns of ops with one result each, their fields in the order of a packed `Ran`."""
    _, _, _, origins, ids, values, made, results, _, _ = zip(*records, strict=True)
    places = list(map(inventory.place, origins))
    spans = [place.span for place in places]
    outputs = inventory.results(made, results, places)
    groups = [
        -1 if origin[3] is None else group_of(inventory, origin, (at,))
        for origin, at in zip(origins, outputs, strict=True)
    ]
    taken = np.fromiter(map(len, ids), np.intc, len(ids))
    ends = np.cumsum(taken + 5)
    starts = ends - taken - 5
    fields = np.empty(ends[-1], np.intc)
    fields[starts] = [place.op for place in places]
    fields[starts + 1] = groups
    fields[starts + 2] = _causes(inventory, records, pauses)
    fields[starts + 3] = taken
    fields[_all_within(starts + 4, taken)] = _inputs(inventory, ids, values)
    fields[ends - 1] = outputs
    return spans, ends, fields


def _inputs(inventory: Inventory, ids: Sequence[Any], values: Sequence[Any]) -> list[int]:
    """The indices of all that ops were given, most of which is known already."""
    known, array = inventory.tensors.by_id, np.ndarray
    numbers, flat = list(chain.from_iterable(ids)), list(chain.from_iterable(values))
    found = [known.get(number, -1) for number in numbers]
    large = array in {*map(type, flat)}
    if -1 in found or large:
        for at, index in enumerate(found):
            if index < 0 or (large and type(flat[at]) is array and flat[at].size > KEPT_ELEMENTS):
                found[at] = inventory.tensor(numbers[at], flat[at], Role.CONSTANT)
    return found


def _causes(inventory: Inventory, records: Sequence[Record], pauses: Pauses) -> list[e.Cause]:
    """Why each op is on the tape, or is not."""
    tape, first, taped = inventory.tape._serial, inventory.tape._opened, e.Cause.TAPED
    return [
        taped
        if tape in record[9] and record[1] >= first and record[3][3] is None
        else cause_of(inventory, record, pauses)
        for record in records
    ]


def _all_within(starts: NDArray[np.intc], lengths: NDArray[np.intc]) -> NDArray[np.intc]:
    """All positions in stretches that start somewhere and have some length."""
    before = np.cumsum(lengths) - lengths
    positions: NDArray[np.intc] = np.repeat(starts - before, lengths)
    return positions + np.arange(len(positions))


def steps_entered(
    inventory: Inventory, call: int, flows: Sequence[Flow], event_of: dict[int, int]
) -> NDArray[np.intc]:
    """The fields of steps back without their local slopes, one row each, as of packed `Flowed`."""
    ops, positions, tensors, *values = zip(*flows, strict=True)
    known = inventory.tensors.by_id
    rows = np.full((len(flows), 8), -1, np.intc)
    rows[:, 0] = call
    rows[:, 1] = [event_of.get(op, -1) for op in ops]
    rows[:, 2] = positions
    rows[:, 3] = [known.get(tensor, -1) for tensor in tensors]
    inventory.enter_gradients(chain(*values))
    for column, each in zip((4, 6, 7), values, strict=True):
        found = map(inventory.gradients.__getitem__, map(id, each))
        rows[:, column] = np.fromiter(found, np.intc, len(each))
    told: NDArray[np.intc] = rows[(rows[:, 1] >= 0) | (np.array(ops) == -1)]
    return told
