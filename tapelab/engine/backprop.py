"""The way back: one loop over the log, last op first, no recursion.

On raw arrays it is fast; where another tape listens the same rules run on tensors, so that the
way back is itself recorded and can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapelab.engine.indexed_slices import IndexedSlices, accumulated
from tapelab.engine.log import BACK, RAN, Dropped, Record, next_id, origin_here, small, thread
from tapelab.engine.op import REGISTRY, Op
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


def sweep(
    tape: GradientTape, targets: Sequence[Tensor], upstream: Sequence[Any], sources: Sequence[Any],
    flows: list[Flow],
) -> list[Any]:  # fmt: skip
    """The gradients of the sources (raw arrays or tensors, None without a path)."""
    recorded = bool(thread.active)
    adjoints: dict[int, Any] = {}
    for target, seed in zip(targets, upstream, strict=True):
        _add(adjoints, target._id, _lifted(seed, recorded))
        flows.append(_flow(-1, 0, target._id, seed, seed, adjoints))
    starts, wanted = dict(adjoints), _wanted(tape, sources)
    with np.errstate(all="ignore"):
        for record in _taped(tape):
            _step_back(record, adjoints, wanted, tape._tracked, recorded, flows)
        states = _states_by_variable(tape)
        return [
            _collected(source, starts if _walled(tape, source) else adjoints, states)
            for source in sources
        ]


def forgotten(tape: GradientTape) -> bool:
    """Whether the tape has let go of a large value that the way back would take."""
    return tape._consumed and any(map(_lightened, _taped(tape)))


def _lightened(record: Record) -> bool:
    results = record[7] if type(record[7]) is tuple else (record[7],)
    gone = any(type(value) is Dropped for value in (*record[5], *results))
    return gone or record[8].get(BACK, True) is None


def _taped(tape: GradientTape) -> Iterator[Record]:
    """The ops on the tape, last first."""
    serial = tape._serial
    for log, start, stop in reversed(tape._windows):
        records = log.records
        for at in range((len(records) if stop is None else stop) - 1, start - 1, -1):
            record = records[at]
            if record[0] == RAN and serial in record[9]:
                yield record


def _step_back(
    record: Record, adjoints: dict[int, Any], wanted: set[int], tracked: set[int], recorded: bool,
    flows: list[Flow],
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
