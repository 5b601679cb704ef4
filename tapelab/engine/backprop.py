"""The way back: one loop over the log, last op first, no recursion.

On raw arrays it is fast; where another tape listens the same rules run on tensors, so that the
way back is itself recorded and can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy import ndarray

from tapelab.engine.indexed_slices import IndexedSlices, accumulated
from tapelab.engine.log import (
    BACK,
    OPS,
    PAIRED,
    RAN,
    Dropped,
    Log,
    Record,
    next_id,
    origin_here,
    small,
    thread,
    whole,
)
from tapelab.engine.op import REGISTERED, REGISTRY, Op
from tapelab.engine.tensor import Tensor, wrap
from tapelab.engine.variable import Variable

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape


class Flow(NamedTuple):
    """One step back, with its numbers where they are small; an op's serial of -1 is the start."""

    op: int
    position: int
    tensor: int
    upstream: Any
    contribution: Any
    sum: Any


class Flows:
    """The steps of the ways back that an answer took.

    Nobody may ever ask for them, so a way that can be walked once more is told only on demand.
    """

    def __init__(self) -> None:
        self._told: list[Flow] = []
        self._later: list[Callable[[], list[Flow]]] = []

    def told(self) -> list[Flow]:
        """All steps so far, in order."""
        later, self._later = self._later, []
        for walk in later:
            self._told.extend(walk())
        return self._told

    def tell_later(self, walk: Callable[[], list[Flow]]) -> None:
        """Have a way walked again when somebody wants to see it."""
        self._later.append(walk)


def sweep(
    tape: GradientTape, targets: Sequence[Tensor], upstream: Sequence[Any], sources: Sequence[Any],
    flows: Flows,
) -> list[Any]:  # fmt: skip
    """The gradients of the sources (raw arrays or tensors, None without a path)."""
    recorded = bool(thread.active)
    starts = [(each._id, seed) for each, seed in zip(targets, upstream, strict=True)]
    wanted, tracked, windows = _wanted(tape, sources), tape._tracked, _closed(tape)
    again = not (REGISTERED or any(log.heavy for log, _, _ in windows))
    told = None if again else flows.told()
    adjoints, begun = _begin(starts, recorded, told)
    with np.errstate(all="ignore"):
        _walk(_taped(windows, tape._serial), adjoints, wanted, tracked, recorded, told)
        if again:
            ends = {each: plain(adjoints[each]) for each in wanted if each in adjoints}
            walk = partial(_told, starts, windows, tape._serial, wanted, tracked, ends)
            flows.tell_later(walk)
        states = _states_by_variable(tape)
        return [
            _collected(source, begun if _walled(tape, source) else adjoints, states)
            for source in sources
        ]


def _begin(
    starts: Any, recorded: bool, flows: list[Flow] | None
) -> tuple[dict[int, Any], dict[int, Any]]:
    """The adjoints before the first step, twice."""
    adjoints: dict[int, Any] = {}
    for number, seed in starts:
        _add(adjoints, number, _lifted(seed, recorded))
        if flows is not None:
            flows.append(_flow(-1, 0, number, seed, seed, adjoints))
    return adjoints, dict(adjoints)


def _told(
    starts: Any, windows: Any, serial: int, wanted: set[int], tracked: set[int],
    ends: dict[int, Any],
) -> list[Flow]:  # fmt: skip
    """The steps of a way back, walked once more; its ends are the very numbers it came to."""
    flows: list[Flow] = []
    adjoints, _ = _begin(starts, False, flows)
    with np.errstate(all="ignore"):
        _walk(_taped(windows, serial), adjoints, wanted, tracked, False, flows)
    same = {id(plain(adjoints[each])): end for each, end in ends.items()}
    return [Flow(*each[:3], *(same.get(id(value), value) for value in each[3:])) for each in flows]


def _closed(tape: GradientTape) -> list[tuple[Log, int, int]]:
    """The stretches of the log that a tape has recorded up to now."""
    return [
        (log, start, len(log.records) if stop is None else stop)
        for log, start, stop in tape._windows
    ]


def forgotten(tape: GradientTape) -> bool:
    """Whether the tape has let go of a large value that the way back would take."""
    records = _taped(_closed(tape), tape._serial)
    return tape._consumed and any(_lightened(whole(record)) for record in records)


def _lightened(record: Record) -> bool:
    results = record[7] if type(record[7]) is tuple else (record[7],)
    gone = any(type(value) is Dropped for value in (*record[5], *results))
    return gone or record[8].get(BACK, True) is None


def _taped(windows: list[tuple[Log, int, int]], serial: int) -> Iterator[Record]:
    """The ops on the tape with a serial, last first."""
    for log, start, stop in reversed(windows):
        records = log.records
        for at in range(stop - 1, start - 1, -1):
            record = records[at]
            if record[0] in OPS and serial in record[-1]:
                yield record


def _walk(
    records: Iterator[Record], adjoints: dict[int, Any], wanted: set[int], tracked: set[int],
    recorded: bool, flows: list[Flow] | None,
) -> None:  # fmt: skip
    """Hand the adjoints back through all ops; most are on raw numbers and need no flow."""
    in_full = recorded or flows is not None
    for record in records:
        kind = record[0]
        if kind == RAN or in_full:
            _step_back(whole(record), adjoints, wanted, tracked, recorded, flows)
        elif kind == PAIRED:
            _pair_back(record, adjoints, wanted, tracked)
        else:
            _single_back(record, adjoints, wanted, tracked)


def _pair_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], tracked: set[int]
) -> None:
    """What `_step_back` does, for an op of two inputs that was laid flat."""
    _, serial, _, origin, one, other, x, y, z, _ = record
    dz = adjoints.get(serial)
    if dz is None:
        return
    if type(dz) is IndexedSlices:
        _step_back(whole(record), adjoints, wanted, tracked, False, None)
        return
    if serial not in wanted:
        del adjoints[serial]
    slope_x, slope_y = origin[0].slopes
    if one in tracked:
        _hand(adjoints, one, slope_x(dz, z, x, y), x)
    if other in tracked:
        _hand(adjoints, other, slope_y(dz, z, x, y), y)


def _single_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], tracked: set[int]
) -> None:
    """What `_step_back` does, for an op of one input that was laid flat."""
    _, serial, _, origin, number, x, y, _ = record
    dy = adjoints.get(serial)
    if dy is None:
        return
    if type(dy) is IndexedSlices:
        _step_back(whole(record), adjoints, wanted, tracked, False, None)
        return
    if serial not in wanted:
        del adjoints[serial]
    (slope,) = origin[0].slopes
    if number in tracked:
        _hand(adjoints, number, slope(dy, y, x), x)


def _hand(adjoints: dict[int, Any], number: int, more: Any, value: Any) -> None:
    """Add a raw contribution to an adjoint, in the shape of the value it flows to."""
    fits = type(more) is ndarray and type(value) is ndarray and more.shape == value.shape
    if not fits and (type(value) is ndarray or type(more) is ndarray):
        more = undo_broadcast(more, value)
    held = adjoints.get(number)
    if held is None:
        adjoints[number] = more
    elif type(held) is IndexedSlices:
        adjoints[number] = accumulated(held, more)
    else:
        adjoints[number] = held + more


def _step_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], tracked: set[int], recorded: bool,
    flows: list[Flow] | None,
) -> None:  # fmt: skip
    _, serial, _, origin, ids, values, result_ids, results, settings, _ = record
    op: Op = origin.op
    dy = _upstream(op, result_ids, results, adjoints, recorded)
    if dy is None:
        return
    if isinstance(dy, IndexedSlices) and not _hands_on(op, ids, values, tracked):
        dy = dy.dense()
    if not op.multi and result_ids not in wanted:
        del adjoints[result_ids]
    inputs = _lifted_all(values, ids, recorded, origin)
    result = _lifted_results(results, result_ids, recorded, origin, op)
    contribution_of = contributions(op, dy, result, inputs, settings)
    for position, each in enumerate(ids):
        if each in tracked:
            contribution = contribution_of(position)
            if contribution is not None:
                if op.broadcasts:
                    contribution = undo_broadcast(contribution, values[position])
                _add(adjoints, each, contribution)
            if flows is not None:
                flows.append(_flow(serial, position, each, dy, contribution, adjoints))


def contributions(op: Op, dy: Any, y: Any, inputs: Any, settings: Any) -> Callable[[int], Any]:
    """What flows to the input at a position; a joint rule is run once for all inputs."""
    joint = op.together()
    if joint is not None:
        together = joint(dy, y, *inputs, **settings)
        return lambda position: together[position]

    def alone(position: int) -> Any:
        rule = op.rule(position)
        if rule is None:
            raise LookupError(f"gradient registry has no entry for: {op.raw}")
        return None if rule.function is None else rule.function(dy, y, *inputs, **settings)

    return alone


def _upstream(
    op: Op, result_ids: Any, results: Any, adjoints: dict[int, Any], recorded: bool
) -> Any:
    if not op.multi:
        return adjoints.get(result_ids)
    found = [adjoints.get(each) for each in result_ids]
    if all(each is None for each in found):
        return None
    return tuple(
        _lifted(np.zeros(np.shape(value), value.dtype), recorded)
        if dy is None
        else dy.dense()
        if isinstance(dy, IndexedSlices)
        else dy
        for dy, value in zip(found, results, strict=True)
    )


def _hands_on(op: Op, ids: Any, values: Any, tracked: set[int]) -> bool:
    """Whether sparse rows go on through an op as rows."""
    if op.hands_on != "beside a number":
        return bool(op.hands_on)
    return ids[1] not in tracked and not np.shape(values[1])


def undo_broadcast(contribution: Any, value: Any) -> Any:
    """The contribution in the shape of the value, summed along the axes it was stretched on."""
    if isinstance(contribution, IndexedSlices):
        return contribution
    shape = np.shape(value) if not isinstance(value, Dropped) else value.shape
    there = contribution._value.shape if type(contribution) is Tensor else np.shape(contribution)
    return contribution if there == shape else REGISTRY["sum_to"](contribution, shape=shape)


def _add(adjoints: dict[int, Any], number: int, more: Any) -> None:
    held = adjoints.get(number)
    adjoints[number] = more if held is None else accumulated(held, more)


def _wanted(tape: GradientTape, sources: Sequence[Any]) -> set[int]:
    wanted = {source._id for source in sources if isinstance(source, Tensor)}
    cells = {source._cell.identity.id for source in sources if isinstance(source, Variable)}
    return wanted | {state for state, owner in tape._states.items() if owner.id in cells}


def _states_by_variable(tape: GradientTape) -> dict[int, list[int]]:
    grouped: dict[int, list[int]] = {}
    for state, owner in tape._states.items():
        grouped.setdefault(owner.id, []).append(state)
    return grouped


def _walled(tape: GradientTape, source: Any) -> bool:
    return isinstance(source, Tensor) and source._id in tape._walled


def _collected(source: Any, adjoints: dict[int, Any], states: dict[int, list[int]]) -> Any:
    """The gradient of a tensor, or the sum over all the states in which a variable was read."""
    if isinstance(source, Tensor):
        return adjoints.get(source._id)
    cell, total = source._cell, None
    for state in dict.fromkeys((*states.get(cell.identity.id, ()), cell.state._id)):
        found = adjoints.get(state)
        if found is not None:
            total = found if total is None else accumulated(total, found)
    return total


def _lifted(value: Any, recorded: bool) -> Any:
    if not recorded:
        return value._value if type(value) is Tensor else value
    return value if type(value) is Tensor else wrap(value, next_id(), origin_here())


def _lifted_all(values: Any, ids: Any, recorded: bool, origin: Any) -> Any:
    if not recorded:
        return values
    return [wrap(value, each, origin) for value, each in zip(values, ids, strict=True)]


def _lifted_results(results: Any, ids: Any, recorded: bool, origin: Any, op: Op) -> Any:
    if not recorded:
        return results
    if op.multi:
        return tuple(_lifted_all(results, ids, recorded, origin))
    return wrap(results, ids, origin)


def plain(value: Any) -> Any:
    """What a picture shows of a gradient: the numbers of a small one; None stays None."""
    if type(value) is Tensor:
        return small(value._value)
    if type(value) is tuple:
        return plain(value[0])
    if isinstance(value, IndexedSlices):
        return value.preview()
    return None if value is None else small(value)


def _flow(
    op: int, position: int, tensor: int, upstream: Any, contribution: Any, adjoints: dict[int, Any]
) -> Flow:
    total = adjoints.get(tensor)
    return Flow(op, position, tensor, plain(upstream), plain(contribution), plain(total))
