"""One way back for many upstream gradients at once: all rows of a Jacobian in a single sweep.

Each adjoint bears one more axis in front, with a place for every row. The rule of an op that works
entry by entry takes such adjoints as they are, by broadcasting. Any other rule is shown a lane, a
tensor of one row that stands for all: what the rule does with it is done to all rows at once, op by
op. Only a learner's own function is asked row by row, for it may do anything with its gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.engine.backprop import contributions, lifted, lifted_all, lifted_results, told_again
from tapelab.engine.batching_lanes import Lanes
from tapelab.engine.batching_rows import Call, Operand, shape_of, spread_over
from tapelab.engine.batching_rules import is_diagonal, on_all_rows
from tapelab.engine.flows import Flows, RowsTold
from tapelab.engine.handing import undo_broadcast
from tapelab.engine.indexed_slices import IndexedSlices, accumulated
from tapelab.engine.log import BACK, Record, thread, whole
from tapelab.engine.op import REGISTERED, REGISTRY, Op
from tapelab.engine.reaching import Seeds, closed, collected, taped, wanted_by
from tapelab.engine.tensor import Tensor

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape

AT_ONCE: Final = 2**22
"""How many numbers the largest adjoint may hold; more rows are swept in several parts."""


def sweep_rows(
    tape: GradientTape, target: Tensor, seeds: Seeds, sources: Sequence[Any], flows: Flows
) -> list[Any]:
    """For each source the gradients from all seeds, one row each; None without a path."""
    windows = closed(tape)
    heavy = any(log.heavy for log, _, _ in windows)
    records = [whole(record) for record in taped(windows, tape._serial)]
    if REGISTERED or heavy:
        told = RowsTold(target._id)
        flows.tell_later(told.flows)
    else:
        told = None
        flows.tell_later(told_again(tape, target, seeds, sources))
    step = max(1, AT_ONCE // (_largest(records) if heavy else 1))
    parts = [
        _sweep(tape, records, target, seeds.rows(start, start + step), sources, told)
        for start in range(0, len(seeds), step)
    ]
    return parts[0] if len(parts) == 1 else [_joined(each) for each in zip(*parts, strict=True)]


def _largest(records: Sequence[Record]) -> int:
    """How many numbers the largest value on the tape has."""
    return max((np.size(value) for record in records for value in record[5]), default=1)


def _joined(parts: Sequence[Any]) -> Any:
    return None if parts[0] is None else REGISTRY["concat"](*parts, axis=0)


def _sweep(
    tape: GradientTape, records: Sequence[Record], target: Tensor, seeds: Any,
    sources: Sequence[Any], told: RowsTold | None,
) -> list[Any]:  # fmt: skip
    wanted, tracked, recorded = wanted_by(tape, sources), tape._tracked, bool(thread.active)
    begun = {target._id: lifted(seeds, recorded)}
    adjoints = dict(begun)
    if told is not None:
        told.begin(begun[target._id])
    with np.errstate(all="ignore"):
        for record in records:
            dy = _upstream(record, adjoints, len(seeds), recorded)
            if dy is None:
                continue
            serial, op, ids, result = record[1], record[3][0], record[4], record[6]
            if not op.multi and result not in wanted:
                del adjoints[result]
            moving = [position for position, each in enumerate(ids) if each in tracked]
            found = _Step(record, len(seeds), recorded).back(dy, moving)
            for position, rows in zip(moving, found, strict=True):
                number = ids[position]
                if rows is not None:
                    held = adjoints.get(number)
                    adjoints[number] = rows if held is None else accumulated(held, rows)
                if told is not None:
                    told.hear(serial, position, number, dy, rows, adjoints.get(number))
        return collected(tape, sources, begun, adjoints)


def _upstream(record: Record, adjoints: dict[int, Any], count: int, recorded: bool) -> Any:
    result_ids, results = record[6], record[7]
    if not record[3][0].multi:
        return adjoints.get(result_ids)
    found = [adjoints.get(each) for each in result_ids]
    if all(each is None for each in found):
        return None
    return tuple(
        lifted(np.zeros((count, *np.shape(value)), value.dtype), recorded) if dy is None else dy
        for dy, value in zip(found, results, strict=True)
    )


class _Step:
    """One op on the way back, with as many rows as there are upstream gradients."""

    def __init__(self, record: Record, count: int, recorded: bool) -> None:
        _, _, _, origin, ids, values, result_ids, results, settings, _ = record
        op: Op = origin.op
        learners = BACK in settings or REGISTRY.get(op.name) is not op or op.raw in REGISTERED
        self.back = self._by_lane
        if learners:
            self.back = self._by_row
        elif is_diagonal(op):
            self.back = self._direct
        tensors = recorded or self.back == self._by_lane
        self.op, self.values, self.settings, self.origin = op, values, settings, origin
        self.count, self.recorded = count, recorded
        self.inputs = lifted_all(values, ids, tensors, origin)
        self.result = lifted_results(results, result_ids, tensors, origin, op)

    def _direct(self, dy: Any, moving: Sequence[int]) -> list[Any]:
        """The rule as it is: what it multiplies the rows by is broadcast over them."""
        flows = contributions(self.op, dy, self.result, self.inputs, self.settings)
        return [self._fitting(flows(position), dy, self.values[position]) for position in moving]

    def _fitting(self, rows: Any, dy: Any, value: Any) -> Any:
        """Rows summed down to the shape of the value that they flow to."""
        if rows is None:
            return None
        if shape_of(rows) != shape_of(dy):  # a slope of 0 has no rows
            rows = spread_over(rows, shape_of(rows), self.count)
        shape, there = np.shape(value), shape_of(rows)[1:]
        if there == shape:
            return rows
        operand = Operand(rows, there, batched=True)
        return on_all_rows(Call(REGISTRY["sum_to"], self.count, (operand,), {"shape": shape}))

    def _by_lane(self, dy: Any, moving: Sequence[int]) -> list[Any]:
        lanes = Lanes(self.count, self.origin, recorded=self.recorded)
        with lanes:
            seen = tuple(map(lanes.lane, dy)) if self.op.multi else lanes.lane(dy)
            flows = contributions(self.op, seen, self.result, self.inputs, self.settings)
            return [lanes.rows(self._flow(flows(position), position)) for position in moving]

    def _by_row(self, dy: Any, moving: Sequence[int]) -> list[Any]:
        unstack, stack = REGISTRY["unstack"], REGISTRY["stack"]
        found = []
        for each in zip(*map(unstack, dy), strict=True) if self.op.multi else unstack(dy):
            flows = contributions(self.op, each, self.result, self.inputs, self.settings)
            found.append([self._flow(flows(position), position) for position in moving])
        return [None if rows[0] is None else stack(*rows) for rows in zip(*found, strict=True)]

    def _flow(self, flow: Any, position: int) -> Any:
        """What flows to an input, dense and in its shape."""
        if isinstance(flow, IndexedSlices):
            return flow.dense()
        if flow is not None and self.op.broadcasts:
            return undo_broadcast(flow, self.values[position])
        return flow
