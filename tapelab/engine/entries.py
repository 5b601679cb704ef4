"""From a record of the log to an event of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.engine import records as kinds
from tapelab.engine.inventory import Inventory, Place
from tapelab.engine.log import Body, Origin, within
from tapelab.engine.records import Record
from tapelab.recording import events as e
from tapelab.recording.recording import Role

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape

Pauses = list[tuple[int, float]]
"""The stretches of time, in serial numbers, in which the tape was paused."""

ARRAY: Final = "__array__"
"""How numbers leave for a function of NumPy that does not ask tensors to do its work."""
MODULES: Final = ("np", "numpy")


def event_of(inventory: Inventory, record: Record, span: int) -> e.Event | None:
    """The event that a record tells of; None where it concerns another tape."""
    event: e.Event | None = _ENTRIES[record[0]](inventory, record, span)
    return event


def pauses_of(tape: GradientTape) -> Pauses:
    """When the tape was paused."""
    pauses: Pauses = []
    for log in {id(window[0]): window[0] for window in tape._windows}.values():
        for record in log.records:
            if record[0] == kinds.PAUSED and record[4] == tape._serial:
                pauses.append((record[1], float("inf")))
            elif record[0] == kinds.RESUMED and record[4] == tape._serial:
                pauses[-1] = (pauses[-1][0], record[1])
    return pauses


def ran(inventory: Inventory, record: Record, place: Place, pauses: Pauses) -> list[int]:
    """What is written of an op that ran, in the order of a packed `Ran`: there are many of them."""
    _, _, _, origin, ids, values, result_ids, results, _, _ = record
    if type(result_ids) is not tuple:
        outputs: tuple[int, ...] = (inventory.result(result_ids, results, place),)
    else:
        made = zip(result_ids, results, strict=True)
        outputs = tuple([inventory.result(i, value, place) for i, value in made])
    group = -1 if origin.scope is None else group_of(inventory, origin, outputs)
    known = inventory.tensors.by_id
    inputs = [
        known[number]
        if number in known and type(value) is not np.ndarray
        else inventory.tensor(number, value, Role.CONSTANT)
        for number, value in zip(ids, values, strict=True)
    ]
    cause = cause_of(inventory, record, pauses)
    return [place.op, group, cause, len(inputs), *inputs, *outputs]


def group_of(inventory: Inventory, origin: Origin, outputs: tuple[int, ...]) -> int:
    """The composite in which an op ran, whose results are called after it."""
    assert origin.op is not None
    inventory.within(origin.scope, origin.op, outputs)
    return inventory.groups.of(origin.scope)


def cause_of(inventory: Inventory, record: Record, pauses: Pauses) -> e.Cause:
    """Why an op is on the tape, or is not."""
    tape, serial = inventory.tape, record[1]
    if tape._serial in record[9] and serial >= tape._opened:
        scope = record[3].scope
        inside = None if scope is None else within(scope, Body)
        replaced = inside is not None and serial not in inventory.reached
        return e.Cause.REPLACED if replaced else e.Cause.TAPED
    if record[2] != tape._thread:
        return e.Cause.OTHER_THREAD
    if serial < tape._opened:
        return e.Cause.BEFORE
    if tape._closed and serial > tape._closed:
        return e.Cause.AFTER
    if any(start < serial < stop for start, stop in pauses):
        return e.Cause.PAUSED
    results = record[7] if type(record[7]) is tuple else (record[7],)
    if any(each in tape._tracked for each in record[4]) and results[0].dtype.kind not in "fcV":
        return e.Cause.INTEGER
    return e.Cause.UNWATCHED


def _watched(inventory: Inventory, record: Record, _: int) -> e.Event | None:
    number, value, owner, how, tape = record[4:]
    if tape != inventory.tape._serial:
        return None
    if owner is None:
        return e.Watched(inventory.tensor(number, value, Role.CONSTANT), -1, how)
    return e.Watched(inventory.state(number, value, owner), inventory.variable(owner), how)


def _read(inventory: Inventory, record: Record, _: int) -> e.Event:
    owner, number, value = record[4:]
    return e.Read(inventory.variable(owner), inventory.state(number, value, owner))


def _assigned(inventory: Inventory, record: Record, _: int) -> e.Event:
    owner, how, source, number, value = record[4:]
    state = inventory.state(number, value, owner)
    return e.Assigned(inventory.variable(owner), how, inventory.known(source), state)


def _left(inventory: Inventory, record: Record, span: int) -> e.Event:
    number, how, held = record[4:]
    result = held() if callable(held) else held
    outside = -1
    if isinstance(result, (np.ndarray, np.generic, float, complex)):
        outside = inventory.outside_value(record[1], result, span)
    name = _ufunc(inventory.spans.text(span)) if how == ARRAY else ""
    return e.Left(inventory.known(number), inventory.strings.index(name or how), outside)


def _ufunc(text: str) -> str:
    """The function of NumPy that took the numbers, as the code calls it: they do not say so."""
    module, _, rest = text.partition(".")
    name = rest.partition("(")[0]
    known = module in MODULES and isinstance(getattr(np, name, None), np.ufunc)
    return f"np.{name}" if known else ""


def _returned(inventory: Inventory, record: Record, span: int) -> e.Event:
    left, number, value = record[4:]
    tensor = inventory.tensor(number, value, Role.CONSTANT, span)
    return e.Returned(inventory.outside.get(left, -1), tensor)


def _made(inventory: Inventory, record: Record, span: int) -> e.Event:
    number, value, how, owner, source = record[4:]
    if owner is None:
        tensor = inventory.tensor(number, value, Role.CONSTANT, span)
        if _inside_call(record[3]):
            inventory.tensors.rename(tensor, inventory.strings.index(how))
    else:
        tensor = inventory.state(number, value, owner)
    return e.Made(tensor, inventory.strings.index(how), inventory.known(source))


def _inside_call(origin: Origin) -> bool:
    """Whether something was made inside a call, say of a layer: the name is that of its result."""
    scope = origin.scope
    place = origin.code, origin.instruction
    return scope is not None and (scope.code, scope.instruction) == place


def _mark(event: e.Event) -> Callable[[Inventory, Record, int], e.Event | None]:
    def entry(inventory: Inventory, record: Record, _: int) -> e.Event | None:
        return event if record[4] == inventory.tape._serial else None

    return entry


_ENTRIES: Final[dict[type, Any]] = {
    kinds.READ: _read,
    kinds.ASSIGNED: _assigned,
    kinds.LEFT: _left,
    kinds.RETURNED: _returned,
    kinds.MADE: _made,
    kinds.WATCHED: _watched,
    kinds.PAUSED: _mark(e.Paused()),
    kinds.RESUMED: _mark(e.Resumed()),
    kinds.OPENED: _mark(e.Opened()),
    kinds.CLOSED: _mark(e.Closed()),
    kinds.RESET: _mark(e.Reset()),
}
