"""One way back for many upstream gradients at once: all rows of a Jacobian in a single sweep.

Each adjoint bears one more axis in front, with a place for every row. The rule of an op that works
entry by entry takes such adjoints as they are, by broadcasting. Any other rule is shown a lane, a
tensor of one row that stands for all: what the rule does with it is done to all rows at once, op by
op. Only a learner's own function is asked row by row, for it may do anything with its gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy import ndarray

from tapelab.core.backprop import contributions, lifted, lifted_all, lifted_results, told_again
from tapelab.core.batching_lanes import Lanes
from tapelab.core.batching_rows import Call, Operand, reshaped, shape_of, spread_over
from tapelab.core.batching_rules import is_diagonal, on_all_rows
from tapelab.core.flows import Flows, RowsTold
from tapelab.core.handing import undo_broadcast
from tapelab.core.indexed_slices import IndexedSlices, accumulated
from tapelab.core.log import Log, thread
from tapelab.core.op import REGISTERED, REGISTRY, Op, is_ours
from tapelab.core.reaching import Seeds, closed, collected, taped, wanted_by
from tapelab.core.records import Record, whole
from tapelab.core.tensor import Tensor
from tapelab.recording.facts import KEPT_ELEMENTS

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape

_RESHAPING: Final = frozenset({"reshape", "expand_dims", "squeeze"})
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
    step = max(1, AT_ONCE // _largest(windows))
    parts = [
        _sweep(tape, records, target, seeds.rows(start, start + step), sources, told)
        for start in range(0, len(seeds), step)
    ]
    return parts[0] if len(parts) == 1 else [_joined(each) for each in zip(*parts, strict=True)]


def _largest(windows: Sequence[tuple[Log, int, int]]) -> int:
    """How many numbers the largest value has that the ops of some logs worked on."""
    large = (whole(log.records[at])[5] for log, _, _ in windows for at in log.heavy)
    return max([np.size(value) for values in large for value in values], default=KEPT_ELEMENTS)


def _joined(parts: Sequence[Any]) -> Any:
    return None if parts[0] is None else REGISTRY["concat"](*parts, axis=0)


def _sweep(
    tape: GradientTape, records: Sequence[Record], target: Tensor, seeds: Any,
    sources: Sequence[Any], told: RowsTold | None,
) -> list[Any]:  # fmt: skip
    wanted, tracked, recorded = wanted_by(tape, sources), tape._tracked, bool(thread.active)
    begun, rows = {target._id: lifted(seeds, recorded)}, len(seeds)
    adjoints = dict(begun)
    if told is not None:
        told.begin(begun[target._id])
    with np.errstate(all="ignore"):
        for record in records:
            _, serial, _, origin, ids, _, result, _, _, _ = record
            several = origin[0].multi
            dy = _upstream(record, adjoints, rows, recorded) if several else adjoints.get(result)
            if dy is None:
                continue
            if not several and result not in wanted:
                del adjoints[result]
            moving = [position for position, each in enumerate(ids) if each in tracked]
            found = _Step(record, rows, recorded).back(dy, moving)
            for position, more in zip(moving, found, strict=True):
                number = ids[position]
                held = adjoints.get(number)
                if more is not None:
                    adjoints[number] = held = more if held is None else accumulated(held, more)
                if told is not None:
                    told.hear(serial, position, number, dy, more, held)
        return collected(tape, sources, begun, adjoints)


def _upstream(record: Record, adjoints: dict[int, Any], count: int, recorded: bool) -> Any:
    """The upstream gradients of an op with several results."""
    result_ids, results = record[6], record[7]
    found = [adjoints.get(each) for each in result_ids]
    if all(each is None for each in found):
        return None
    return tuple(
        lifted(np.zeros((count, *np.shape(value)), value.dtype), recorded) if dy is None else dy
        for dy, value in zip(found, results, strict=True)
    )


class _Step(NamedTuple):
    """One op on the way back, with as many rows as there are upstream gradients."""

    record: Record
    rows: int
    recorded: bool

    def back(self, dy: Any, moving: Sequence[int]) -> Sequence[Any]:
        """The rows that flow to the inputs at some positions; None where nothing flows."""
        op: Op = self.record[3][0]
        return _way_of(op, op.raw in REGISTERED)(self, dy, moving)

    def _reshaped(self, dy: Any, moving: Sequence[int]) -> Sequence[Any]:
        """The same entries in the shape that they had before."""
        shape = (self.rows, *np.shape(self.record[5][0]))
        return [reshaped(dy, shape) for _ in moving]

    def _direct(self, dy: Any, moving: Sequence[int]) -> Sequence[Any]:
        """The rule as it is: what it multiplies the rows by is broadcast over them."""
        _, _, _, origin, _, values, _, result, settings, _ = self.record
        op: Op = origin[0]
        if self.recorded or op.slopes is None or op.variadic:
            flows = self._flows(dy, tensors=self.recorded)
            found = [flows(position) for position in moving]
        else:
            slopes = [op.slopes[position] for position in moving]
            found = [slope and slope(dy, result, *values, **settings) for slope in slopes]
        return [self._fitting(rows, dy, values[position])
                for position, rows in zip(moving, found, strict=True)]  # fmt: skip

    def _fitting(self, rows: Any, dy: Any, value: Any) -> Any:
        """Rows summed down to the shape of the value that they flow to."""
        if rows is None or (type(rows) is ndarray and rows.shape == (self.rows, *value.shape)):
            return rows
        shape, whole_shape = np.shape(value), shape_of(dy)
        if shape_of(rows) != whole_shape:  # a slope of 0 has no rows
            rows = spread_over(rows, shape_of(rows), self.rows)
            whole_shape = shape_of(rows)
        if whole_shape[1:] == shape:
            return rows
        operand = Operand(rows, whole_shape[1:], batched=True)
        return on_all_rows(Call(REGISTRY["sum_to"], self.rows, (operand,), {"shape": shape}))

    def _by_lane(self, dy: Any, moving: Sequence[int]) -> Sequence[Any]:
        origin = self.record[3]
        lanes = Lanes(self.rows, origin, recorded=self.recorded)
        with lanes:
            flows = self._flows(
                tuple(map(lanes.lane, dy)) if origin[0].multi else lanes.lane(dy), tensors=True
            )
            return [lanes.rows(self._dense(flows(position), position)) for position in moving]

    def _by_row(self, dy: Any, moving: Sequence[int]) -> Sequence[Any]:
        unstack, stack, found = REGISTRY["unstack"], REGISTRY["stack"], []
        multi = self.record[3][0].multi
        for each in zip(*map(unstack, dy), strict=True) if multi else unstack(dy):
            flows = self._flows(each, tensors=self.recorded)
            found.append([self._dense(flows(position), position) for position in moving])
        return [None if rows[0] is None else stack(*rows) for rows in zip(*found, strict=True)]

    def _flows(self, dy: Any, *, tensors: bool) -> Callable[[int], Any]:
        """What the rules of the op make of an upstream gradient, on tensors or on raw values."""
        _, _, _, origin, ids, values, result_ids, results, settings, _ = self.record
        inputs = lifted_all(values, ids, tensors, origin)
        result = lifted_results(results, result_ids, tensors, origin, origin[0])
        return contributions(origin[0], dy, result, inputs, settings)

    def _dense(self, flow: Any, position: int) -> Any:
        """What flows to an input, dense and in its shape."""
        if isinstance(flow, IndexedSlices):
            return flow.dense()
        if flow is not None and self.record[3][0].broadcasts:
            return undo_broadcast(flow, self.record[5][position])
        return flow


@lru_cache(maxsize=1024)
def _way_of(op: Op, registered: bool) -> Callable[[_Step, Any, Sequence[int]], Sequence[Any]]:
    """How rows go back through an op: a learner's own gradient function is asked row by row."""
    if registered or not is_ours(op):
        return _Step._by_row
    if op.name in _RESHAPING:
        return _Step._reshaped
    return _Step._direct if is_diagonal(op) else _Step._by_lane
