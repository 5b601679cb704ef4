"""A gradient call as the tape keeps it, with the report of its backward pass.

The report has one step for each contribution: which op was visited, for which input, what arrived
(the upstream gradient), what the op's VJP made of it (the contribution), and what the cotangent of
the input has come to (the sum). Few reports are ever read, so most are computed on demand: the pass
is run once more. Where large values are released behind a pass that is not possible; its steps are
noted at once, large arrays as TRUNCATED, and their shapes are filled in from the records when the
report is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from numpy import float32, float64, ndarray

from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.large_values import Dropped, dropped, truncated
from tapelab.core.log import thread
from tapelab.core.origin import LoggedTensor, Origin
from tapelab.core.records import Record, as_op_run
from tapelab.core.tensor import Tensor
from tapelab.core.value_types import Cotangent, Value
from tapelab.recording.facts import KEPT_ELEMENTS, Method

SEED: Final = -1
"""Stands for the serial of the op in the steps with which a pass begins."""
_ORDINARY: Final = frozenset({ndarray, float32, float64})
TRUNCATED: Final = object()
"""Stands for a large array in a step until its report is read."""


class BackwardStep(NamedTuple):
    """One contribution to the cotangent of one tensor; large values are their shapes only."""

    op: int
    position: int
    tensor: int
    upstream: Any
    contribution: Any
    sum: Any


Steps = list[BackwardStep]
AddStep = Callable[[int, int, int, Any, Any, Any], None]
"""Notes a step: serial of the op, position and id of the input, upstream, contribution, sum."""


class StepReport(list[BackwardStep | Callable[[], "Steps"]]):
    """The steps of the backward passes of one gradient call, in order.

    A function among them stands for the steps that it computes when the report is read.
    """

    __slots__ = ()

    def copy(self) -> StepReport:
        """The same steps; either report can be read without the other."""
        return StepReport(self)

    def read(self) -> Steps:
        """All steps up to now."""
        deferred = [(at, entry) for at, entry in enumerate(self) if not isinstance(entry, tuple)]
        for at, compute in reversed(deferred):
            self[at : at + 1] = compute()
        return cast("Steps", self)

    def add(
        self,
        op: int,
        position: int,
        tensor: int,
        upstream: Cotangent,
        contribution: Cotangent,
        total: Cotangent,
    ) -> None:
        """Add one step with all that a reader is shown of it."""
        self.append(_shown_step(op, position, tensor, upstream, contribution, total))


class TruncatedSteps:
    """Steps noted at little cost: of a large array nothing but that there was one."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps: Steps = []

    def add(
        self,
        op: int,
        position: int,
        tensor: int,
        upstream: Cotangent,
        contribution: Cotangent,
        total: Cotangent,
    ) -> None:
        """Add one step."""
        if op == SEED or type(upstream) not in _ORDINARY:
            self.steps.append(_shown_step(op, position, tensor, upstream, contribution, total))
            return
        upstream = TRUNCATED if upstream.size > KEPT_ELEMENTS else upstream
        if type(contribution) is ndarray and type(total) is ndarray:
            if contribution.size > KEPT_ELEMENTS:
                contribution = total = TRUNCATED
        else:
            contribution, total = shown_value(contribution), shown_value(total)
        fields = op, position, tensor, upstream, contribution, total
        self.steps.append(tuple.__new__(BackwardStep, fields))

    def with_shapes(self, records: Iterable[Record]) -> Steps:
        """The steps with the shapes of large arrays, which the records of the pass know.

        An upstream gradient has the shape of the result of its op, a contribution and a sum that of
        the tensor they flow to.
        """
        values: dict[int, Any] = {}
        for run in map(as_op_run, records):
            values.update(zip(run.input_ids, run.inputs, strict=True))
            values.update(run.result_pairs)

        def shown(value: Value, owner: int) -> Any:
            return truncated(values[owner]) if value is TRUNCATED else value

        return [
            step._replace(
                upstream=shown(step.upstream, step.op),
                contribution=shown(step.contribution, step.tensor),
                sum=shown(step.sum, step.tensor),
            )
            for step in self.steps
        ]


def _shown_step(
    op: int,
    position: int,
    tensor: int,
    upstream: Cotangent,
    contribution: Cotangent,
    total: Cotangent,
) -> BackwardStep:
    shown = shown_value(contribution)
    whole_sum = shown if total is contribution else shown_value(total)
    return BackwardStep(op, position, tensor, shown_value(upstream), shown, whole_sum)


class BatchedReport:
    """The steps of a backward pass that many rows took together, read row by row."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._parts: list[tuple[Any, list[tuple[Any, ...]]]] = []

    def add(
        self,
        op: int,
        position: int,
        tensor: int,
        upstream: Cotangent,
        contribution: Cotangent,
        total: Cotangent,
    ) -> None:
        """Add one step of all rows of a pass, which begins with its seeds."""
        if op == SEED:
            self._parts.append((_truncated_rows(upstream), []))
            return
        shown = _truncated_rows(contribution)
        sums = shown if total is contribution else _truncated_rows(total)
        fields = op, position, tensor, _truncated_rows(upstream), shown, sums
        self._parts[-1][1].append(fields)

    def read(self) -> Steps:
        """The steps of the first row, then those of the second, and so on."""
        steps = []
        for seeds, batched_steps in self._parts:
            split: dict[int, Any] = {}
            for row in range(len(seeds)):
                seed = _row(seeds, row, split)
                steps.append(BackwardStep(SEED, 0, self._target, seed, seed, seed))
                steps += [
                    BackwardStep(*step[:3], *(_row(value, row, split) for value in step[3:]))
                    for step in batched_steps
                ]
        return steps


def _truncated_rows(rows: Value) -> Any:
    """Rows as they may be kept: of large ones their shape, and that they lay in one buffer."""
    from tapelab.core.large_values import Buffer, root_of

    raw = rows[0] if type(rows) is tuple else rows
    raw = raw._array if type(raw) is Tensor else raw
    if raw is None or raw.size <= KEPT_ELEMENTS * len(raw):
        return raw
    buffer = Buffer(min(raw.nbytes, root_of(raw).nbytes))  # less where one row is broadcast
    return (Dropped(raw.shape[1:], raw.dtype, buffer=buffer),) * len(raw)


def _row(rows: Value, at: int, split: dict[int, Any]) -> Any:
    """One of the rows; that of the same rows is always the same object."""
    if rows is None:
        return None
    if id(rows) not in split:
        split[id(rows)] = list(rows)
    return split[id(rows)][at]


def shown_value(value: Value) -> Any:
    """What a report shows of a gradient: a small one itself, of a large one what was measured."""
    if type(value) is Tensor:
        value = value._array
    if type(value) is ndarray:
        return value if value.size <= KEPT_ELEMENTS else _dropped(value)
    if type(value) is tuple:
        return shown_value(value[0])
    if isinstance(value, IndexedSlices):
        return value.preview()
    return value


def _dropped(value: ndarray[Any, Any]) -> Dropped:
    room = thread.preview_budget
    return room.arrays.once(value, _measured) if room else dropped(value.shape, value.dtype)


def _measured(value: ndarray[Any, Any]) -> Dropped:
    from tapelab.core.large_values import Buffer, root_of
    from tapelab.recording.measures import measured

    preview = thread.preview_budget.preview(value, image=False)
    buffer = thread.preview_budget.buffers.once(root_of(value), lambda root: Buffer(root.nbytes))
    return Dropped(value.shape, value.dtype, measured(value), preview, buffer)


@dataclass(eq=False, repr=False, slots=True)
class GradientCall:
    """One call of `gradient`, `jacobian` or `batch_jacobian`, or one that only a figure made.

    Of large results the shapes are kept; `result_ids` are -1 where there is no result.
    """

    serial: int
    origin: Origin
    method: Method
    zero: bool
    targets: tuple[LoggedTensor, ...]
    sources: tuple[LoggedTensor, ...]
    results: tuple[Any, ...] = ()
    result_ids: tuple[int, ...] = ()
    report: StepReport = field(default_factory=StepReport)
