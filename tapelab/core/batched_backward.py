"""The backward pass of a Jacobian: many upstream gradients at once, all rows in one pass.

Each cotangent has one more axis in front, the batch axis, with a row for every upstream gradient.
The VJP of an elementwise op takes such cotangents as they are, by broadcasting. Any other VJP runs
under a `BatchTrace`: it sees a tracer of the shape of one row, and each op that it calls runs for
all rows at once. Only a user's own function is called row by row, for it may do anything with its
upstream gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy import ndarray

from tapelab.core.backward import BackwardPass, gradients_of, ids_of_sources, steps_again
from tapelab.core.backward_report import BatchedReport, StepReport, Steps
from tapelab.core.batching import BatchTrace, reshaped, with_batch_axis
from tapelab.core.core_ops import CORE
from tapelab.core.cotangents import RawCotangents, as_tensors, shape_of, sum_to_shape, vjp_of
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import thread
from tapelab.core.numerics import ERRORS, IGNORED
from tapelab.core.op import is_ours
from tapelab.core.op_declaration import REGISTERED, Op, has_diagonal_jacobian
from tapelab.core.records import OpRun, Record
from tapelab.core.tape_base import TapeBase
from tapelab.core.taped_records import TapedSteps
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.value_types import Cotangent, Value
from tapelab.recording.facts import KEPT_ELEMENTS

AT_ONCE: Final = 2**22
"""How many elements the largest cotangent may have; more rows are propagated in several passes."""


@dataclass(frozen=True, eq=False, repr=False)
class BasisSeeds:
    """The upstream gradients of a Jacobian: a 1 at each place of a value in turn, else zeros.

    With a batch they are the same for each of its rows, and the value is that of one of them.
    """

    value: Any
    batch: tuple[int, ...] = ()

    def __len__(self) -> int:
        return int(self.value.size)

    def rows(self, start: int, stop: int) -> Any:
        """Some of them, along a new axis in front."""
        value = self.value
        ones = np.eye(min(stop, len(self)) - start, len(self), start, value.dtype)
        if not self.batch:
            return ones.reshape(-1, *value.shape)
        each = ones.reshape(-1, *(1,) * len(self.batch), *value.shape)
        return np.broadcast_to(each, (len(ones), *self.batch, *value.shape))


def backward_rows(
    tape: TapeBase, target: Tensor, seeds: BasisSeeds, sources: Sequence[Any], report: StepReport
) -> list[Cotangent | None]:
    """For each source the gradients from all seeds, one row each; None without a path."""
    taped, ids = TapedSteps(tape), ids_of_sources(tape, sources)
    runs = list(taped.runs_backwards())
    batched_report = None
    if REGISTERED or taped.holds_large_values:
        batched_report = BatchedReport(target._id)
        report.append(batched_report.read)
    else:
        kept, tracked = set(chain.from_iterable(ids)), tape._tracked

        def steps() -> Steps:
            starts = ([(target._id, seeds.rows(at, at + 1)[0])] for at in range(len(seeds)))
            passes = [steps_again(each, taped, kept, tracked, {}) for each in starts]
            return [step for steps_of_row in passes for step in steps_of_row]

        report.append(steps)
    count = max(1, AT_ONCE // _largest(taped))
    parts = [
        _propagated(tape, runs, target, seeds.rows(start, start + count), ids, batched_report)
        for start in range(0, len(seeds), count)
    ]
    return parts[0] if len(parts) == 1 else [_joined(part) for part in zip(*parts, strict=True)]


def _largest(taped: TapedSteps) -> int:
    """How many elements the largest value has that the ops of some logs worked on."""
    sizes = [np.size(value) for run in taped.large_runs() for value in run.inputs]
    return max(sizes, default=KEPT_ELEMENTS)


def _joined(parts: Sequence[Any]) -> Any:
    return None if parts[0] is None else CORE.concat(*parts, axis=0)


def _propagated(
    tape: TapeBase, runs: Sequence[Record], target: Tensor, seeds: Cotangent,
    sources: Sequence[Sequence[int]], report: BatchedReport | None,
) -> list[Cotangent | None]:  # fmt: skip
    """The gradients from some rows of seeds, in one pass, by sources of which the ids are given."""
    kind = BatchedCotangents(len(seeds), recorded=bool(thread.active_tapes))
    kept = set(chain.from_iterable(sources))
    errors = ERRORS.set(IGNORED)
    try:
        walk = BackwardPass(kind, [(target._id, seeds)], kept, tape._tracked, report)
        begun = dict(walk.cotangents)
        walk.propagate(runs)
        return gradients_of(tape, sources, begun, walk.cotangents)
    finally:
        ERRORS.reset(errors)


class BatchedCotangents(RawCotangents):
    """Arrays, or tensors where the pass is recorded, with an axis of rows in front."""

    def __init__(self, rows: int, *, recorded: bool) -> None:
        self._rows = rows
        self._recorded = recorded

    def seed(self, value: Value) -> Cotangent:
        """The rows of a target's cotangent."""
        if not self._recorded:
            return super().seed(value)
        return value if type(value) is Tensor else constant_of(value)

    def zeros(self, value: Value) -> Cotangent:
        """Rows of zeros for one of several results."""
        return self.seed(np.zeros((self._rows, *np.shape(value)), value.dtype))

    def contributions(
        self, run: OpRun, dy: Cotangent, positions: Sequence[int]
    ) -> Iterable[Cotangent | None]:
        """The rows that an op contributes to its inputs at some positions."""
        propagate = _rule_of(run.op, run.op.raw in REGISTERED)
        return propagate(self, run, dy, positions)

    def _reshaped(self, run: OpRun, dy: Cotangent, positions: Sequence[int]) -> Iterable[Any]:
        """The same elements in the shape that they had before."""
        shape = (self._rows, *np.shape(run.inputs[0]))
        return [reshaped(dy, shape) for _ in positions]

    def _elementwise(self, run: OpRun, dy: Cotangent, positions: Sequence[int]) -> Iterable[Any]:
        """The rule as it is: what it multiplies the rows by is broadcast over them."""
        vjp = self._vjp(run, dy, tensors=self._recorded)
        contributions = [vjp(position) for position in positions]
        return [self._fitting(rows, dy, run.inputs[position])
                for position, rows in zip(positions, contributions, strict=True)]  # fmt: skip

    def _fitting(self, rows: Value, dy: Cotangent, value: Value) -> Any:
        """Rows summed down to the shape of the value that they flow to."""
        if rows is None or (type(rows) is ndarray and rows.shape == (self._rows, *value.shape)):
            return rows
        shape, whole_shape = np.shape(value), shape_of(dy)
        if shape_of(rows) != whole_shape:  # a derivative of 0 has no rows
            rows = with_batch_axis(rows, shape_of(rows), self._rows)
            whole_shape = shape_of(rows)
        if whole_shape[1:] == shape:
            return rows
        ones = (1,) * (len(whole_shape) - 1 - len(shape))
        summed = sum_to_shape(rows, (self._rows, *ones, *shape))
        return reshaped(summed, (self._rows, *shape)) if ones else summed

    def _by_batch_trace(self, run: OpRun, dy: Cotangent, positions: Sequence[int]) -> Iterable[Any]:
        trace = BatchTrace(self._rows, run.origin, recorded=self._recorded)
        with trace:
            upstream = tuple(map(trace.tracer, dy)) if run.op.multi else trace.tracer(dy)
            vjp = self._vjp(run, upstream, tensors=True)
            return [trace.rows(_dense(run, vjp(position), position)) for position in positions]

    def _by_row(self, run: OpRun, dy: Cotangent, positions: Sequence[int]) -> Iterable[Any]:
        unstack, stack, by_row = CORE.unstack, CORE.stack, []
        for row in zip(*map(unstack, dy), strict=True) if run.op.multi else unstack(dy):
            vjp = self._vjp(run, row, tensors=self._recorded)
            by_row.append([_dense(run, vjp(position), position) for position in positions])
        return [None if rows[0] is None else stack(*rows) for rows in zip(*by_row, strict=True)]

    def _vjp(self, run: OpRun, dy: Cotangent, *, tensors: bool) -> Callable[[int], Any]:
        """The VJP of an op on tensors, or on raw values."""
        inputs, y = as_tensors(run) if tensors else self.primals(run)
        return vjp_of(run.op, dy, y, inputs, run.settings)


def _dense(run: OpRun, contribution: Cotangent, position: int) -> Any:
    """A contribution to an input, dense and in its shape."""
    if isinstance(contribution, IndexedSlices):
        return contribution.dense()
    if contribution is not None and run.op.broadcasts:
        return sum_to_shape(contribution, run.inputs[position].shape)
    return contribution


@lru_cache(maxsize=1024)
def _rule_of(op: Op, registered: bool) -> Callable[..., Iterable[Any]]:
    """How rows propagate through an op: a user's own gradient function is called row by row."""
    if registered or not is_ours(op):
        return BatchedCotangents._by_row
    if op.reshapes:
        return BatchedCotangents._reshaped
    if has_diagonal_jacobian(op):
        return BatchedCotangents._elementwise
    return BatchedCotangents._by_batch_trace
