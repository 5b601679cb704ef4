"""The backward pass: the chain rule, from the targets of a gradient call to its sources.

A pass visits the ops that a tape took, the last first. Where the result of an op has a cotangent,
the op's VJP turns it into a contribution to each input that the tape follows; the contribution is
summed over the axes along which the input was broadcast, and accumulated. Ids only ever grow, so
all that was made of a tensor is visited before the op that made the tensor itself.

There is one loop, and it does not know what cotangents are. A kind says that: arrays, tensors of a
pass that is itself recorded (`cotangents`), or rows of a batch (`batched_backward`). A report, if
there is one, gets every step. A call of a compiled program is one record with a VJP of its own;
where that does not serve, the ops inside are visited in its place. Ordinary ops go through
`backward_fast_path`, the same loop written out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, Final, cast

import numpy as np

from tapelab.core.backward_fast_path import propagate_arrays, propagate_tensors
from tapelab.core.backward_report import (
    SEED,
    AddStep,
    BackwardStep,
    BatchedReport,
    StepReport,
    Steps,
    TruncatedSteps,
    shown_value,
)
from tapelab.core.cotangents import RawCotangents, RecordedCotangents, accumulate, leave_vjp_rules
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.large_values import Dropped
from tapelab.core.log import thread
from tapelab.core.numerics import ERRORS, IGNORED
from tapelab.core.op_declaration import REGISTERED
from tapelab.core.records import (
    OpRun,
    Record,
    TapedCall,
    as_op_run,
    kind_of,
    summarised,
    tapes_of,
    view,
)
from tapelab.core.tape_base import TapeBase
from tapelab.core.taped_records import TapedSteps, is_needed_once
from tapelab.core.tensor import Tensor
from tapelab.core.value_types import Cotangent, Value
from tapelab.core.variable import Variable
from tapelab.errors import NoGradientError

Seeds = Sequence[tuple[int, Cotangent]]
"""The ids of targets with the cotangents to begin with."""
Cotangents = dict[int, Cotangent]
"""What is known of the gradients, by the ids of the tensors they belong to."""
Report = StepReport | BatchedReport | TruncatedSteps
_id_of: Final = cast("Callable[[Tensor], int]", attrgetter("_id"))


def backward(
    tape: TapeBase, targets: Sequence[Tensor], cotangents: Sequence[Any], sources: Sequence[Any],
    report: StepReport, *, final: bool = False, shown: bool = False,
) -> list[Cotangent | None]:  # fmt: skip
    """The gradients of the sources: arrays, or tensors where a tape is active; None without a path.

    With `shown` the steps are reported during the pass, and otherwise on demand where they can be.
    A `final` pass releases each large value that no other tape needs as soon as it has used it.
    """
    taped, recorded = TapedSteps(tape), bool(thread.__dict__["active_tapes"])
    large, shown = taped.holds_large_values, shown or bool(REGISTERED)
    once = final and large and is_needed_once(tape)
    seeds = list(zip(map(_id_of, targets), cotangents, strict=True))
    ids, tracked = ids_of_sources(tape, sources), tape._tracked
    kept = set(chain.from_iterable(ids))
    at_once = report if shown or (large and (recorded or taped.holds_calls)) else None
    truncated = TruncatedSteps() if large and at_once is None else None
    errors = ERRORS.set(IGNORED)
    try:
        kind = RecordedCotangents() if recorded else RawCotangents()
        walk = BackwardPass(kind, seeds, kept, tracked, truncated or at_once)
        if truncated is not None:
            report.append(lambda: truncated.with_shapes(taped.runs_backwards()))
        elif at_once is None:
            report.append(partial(steps_again, seeds, taped, kept, tracked, walk.cotangents))
        begun = dict(walk.cotangents) if tape._stopped_ids else walk.cotangents
        walk.fast = recorded or not (large and at_once is not None)
        steps = taped.backwards_once() if once else taped.backwards()
        walk.propagate(taped.expanded(steps) if recorded or shown else steps)
        return gradients_of(tape, ids, begun, walk.cotangents)
    except BaseException:
        if once:  # values that the pass is behind are gone
            tape._release()
        raise
    finally:
        ERRORS.reset(errors)
        if recorded:
            leave_vjp_rules()


class BackwardPass:
    """The state of one pass: the cotangents, of which kind they are, and the report of its steps.

    The cotangents of `kept` tensors stay when the op that made them has been visited. It is `fast`
    where ordinary ops may go through `backward_fast_path`.
    """

    __slots__ = ("add_step", "cotangents", "fast", "kept", "kind", "report", "tracked")

    def __init__(
        self, kind: RawCotangents, seeds: Seeds, kept: set[int], tracked: set[int],
        report: Report | None = None, *, fast: bool = False,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.kept = kept
        self.tracked = tracked
        self.report = report
        self.add_step: AddStep | None = None if report is None else report.add
        self.fast = fast
        self.cotangents: Cotangents = {}
        for target, value in seeds:
            dy = total = kind.seed(value)
            if target in self.cotangents:
                total = accumulate(self.cotangents[target], dy)
            self.cotangents[target] = total
            if report is not None:
                report.add(SEED, 0, target, dy, dy, total)

    def propagate(self, steps: Iterable[Record]) -> None:
        """Visit the runs of ops and the calls that a tape took, the last first."""
        fields = self.cotangents, self.kept, self.tracked, self.add_step
        if not self.fast:
            for record in steps:
                self._visit(record)
        elif isinstance(self.kind, RecordedCotangents):
            propagate_tensors(steps, *fields, self._visit, self.kind)
        else:
            propagate_arrays(steps, *fields, self._visit)

    def _visit(self, record: Record) -> None:
        """Propagate through an op: what its VJP contributes to the inputs is accumulated."""
        if kind_of(record) is TapedCall:
            self._visit_call(record)
            return
        run = as_op_run(record)
        dy, tracked, cotangents = self._cotangent_of_results(run), self.tracked, self.cotangents
        if dy is None:
            return
        if isinstance(dy, IndexedSlices) and not _propagates_slices(run, tracked):
            dy = dy.dense()
        ids, add_step = run.input_ids, self.add_step
        positions = [at for at, number in enumerate(ids) if number in tracked]
        contributions = self.kind.contributions(run, dy, positions)
        for position, contribution in zip(positions, contributions, strict=True):
            number = ids[position]
            if contribution is not None:
                cotangents[number] = accumulate(cotangents.get(number), contribution)
            if add_step is not None:
                total = cotangents.get(number)
                add_step(run.serial, position, number, dy, contribution, total)

    def _cotangent_of_results(self, run: OpRun) -> Cotangent | None:
        """The cotangent of a result, which is dropped unless it is to be kept.

        Of several results it is a tuple, with zeros where nothing arrived.
        """
        cotangents, number = self.cotangents, run.result_ids
        if not run.op.multi:
            kept = number in self.kept
            return cotangents.get(number) if kept else cotangents.pop(number, None)
        arrived = [cotangents.get(each) for each in number]
        if all(dy is None for dy in arrived):
            return None
        dense = [dy.dense() if isinstance(dy, IndexedSlices) else dy for dy in arrived]
        pairs = zip(dense, run.results, strict=True)
        return tuple([self.kind.zeros(y) if dy is None else dy for dy, y in pairs])

    def _visit_call(self, record: Record) -> None:
        """Propagate through a call by the VJP of its program, or else through the ops inside."""
        taped, cotangents = view(TapedCall, record), self.cotangents
        call, result_ids = taped.call, taped.result_ids
        arrived = [cotangents.get(number) for number in result_ids]
        if not call.inside.met and all(dy is None for dy in arrived):
            return
        contributions = call.vjp(record, arrived) if self.kept.isdisjoint(result_ids) else None
        if contributions is None:
            self.propagate(_runs_inside(record))
            return
        begun = self._shown((*taped.input_ids, *result_ids))
        for number in result_ids:
            cotangents.pop(number, None)
        for number, contribution in contributions:
            cotangents[number] = accumulate(cotangents.get(number), contribution)
        if isinstance(self.report, StepReport):
            ends = begun, self._shown([number for number, _ in contributions])
            inside = partial(_steps_inside, summarised(record), *ends, self.kept, self.tracked)
            self.report.append(inside)

    def _shown(self, tensors: Iterable[int]) -> Cotangents:
        """What the report, if there is one, shows of the cotangents of some tensors now."""
        known = self.cotangents if self.report is not None else {}
        return {number: shown_value(known[number]) for number in tensors if number in known}


def steps_again(
    seeds: Seeds, taped: TapedSteps, kept: set[int], tracked: set[int], given: Cotangents
) -> Steps:
    """The steps of a pass, which is walked once more on arrays for its report.

    Where it comes to cotangents that were `given` away as gradients, these very objects stand in
    the steps.
    """
    report = StepReport()
    with np.errstate(all="ignore"), suppress(NoGradientError):  # as far as the pass came
        again = BackwardPass(RawCotangents(), seeds, kept, tracked, report, fast=True)
        again.propagate(taped.runs_backwards())
    ends = [number for number in kept if number in given and number in again.cotangents]
    shown = [(shown_value(again.cotangents[end]), shown_value(given[end])) for end in ends]
    same = {id(own): other for own, other in shown}
    steps = report.read()
    return [_with_same(step, same) for step in steps] if same else steps


def _with_same(step: BackwardStep, same: dict[int, Any]) -> BackwardStep:
    """A step with equal objects in place of some, which are known by their ids."""
    op, position, tensor, *values = step
    if any(id(value) in same for value in values):
        return BackwardStep(op, position, tensor, *(same.get(id(value), value) for value in values))
    return step


def _runs_inside(call: Record) -> list[Record]:
    """The runs inside a call that its tape took, last first."""
    runs = view(TapedCall, call).call.op_runs(call)
    return [run for run in reversed(runs) if tapes_of(run)]


def _steps_inside(
    call: Record, begun: Cotangents, ends: Cotangents, kept: set[int], tracked: set[int]
) -> Steps:
    """The steps inside a call whose program propagated, between the cotangents at its two ends.

    Where a value that they start from was large and is dropped, the same steps are taken on ones
    and reported without numbers, as those of large values are.
    """
    runs, report = _runs_inside(call), StepReport()
    known = Dropped not in map(type, (*view(TapedCall, call).inputs, *begun.values()))
    if not known:
        runs = [_with_ones(as_op_run(run)) for run in runs]
    inside = BackwardPass(RawCotangents(), (), kept, tracked, report)
    inside.cotangents = {number: _ones_if_dropped(dy) for number, dy in begun.items()}
    with np.errstate(all="ignore"), suppress(NoGradientError):
        inside.propagate(runs)
    steps = report.read() if known else list(map(_without_numbers, report.read()))
    last = {step.tensor: at for at, step in enumerate(steps)}
    for number, total in ends.items():
        if number in last:  # the very object that the pass went on with
            step = steps[last[number]]
            alone = step.contribution is step.sum
            contribution = total if alone else step.contribution
            steps[last[number]] = step._replace(sum=total, contribution=contribution)
    return steps


def _with_ones(run: OpRun) -> OpRun:
    inputs = tuple(map(_ones_if_dropped, run.inputs))
    one, results = type(run.results) is not tuple, run.results
    ones = _ones_if_dropped(results) if one else tuple(map(_ones_if_dropped, results))
    return run._replace(inputs=inputs, results=ones)


def _ones_if_dropped(value: Value) -> Any:
    return np.ones(value.shape, value.dtype)[()] if type(value) is Dropped else value


def _without_numbers(step: BackwardStep) -> BackwardStep:
    op, position, tensor, upstream, contribution, total = step
    shown = _shape_alone(contribution)
    total = shown if total is contribution else _shape_alone(total)
    return BackwardStep(op, position, tensor, _shape_alone(upstream), shown, total)


def _shape_alone(value: Value) -> Any:
    return None if value is None else Dropped(np.shape(value), value.dtype)


def _propagates_slices(run: OpRun, tracked: set[int]) -> bool:
    """Whether `IndexedSlices` go on through an op as they are."""
    if run.op.propagates_slices != "beside a number":
        return bool(run.op.propagates_slices)
    return run.input_ids[1] not in tracked and not np.shape(run.inputs[1])


def ids_of_sources(tape: TapeBase, sources: Sequence[Tensor | Variable]) -> list[Sequence[int]]:
    """For each source the ids of the tensors that it was on the tape.

    For a variable those are all the states in which it was read, and the present one.
    """
    states: dict[int, list[int]] = {}
    for state, variable in tape._states.items():
        states.setdefault(variable.id, []).append(state)
    ids: list[Sequence[int]] = []
    for source in sources:
        if isinstance(source, Tensor):
            ids.append((source._id,) if source._array.dtype.kind != "O" else ())  # no text
            continue
        cell = source._cell
        read, now = states.get(cell.identity.id, []), cell.state._id
        ids.append(read if now in read else (*read, now))
    return ids


def gradients_of(
    tape: TapeBase, ids: Iterable[Sequence[int]], begun: Cotangents, cotangents: Cotangents
) -> list[Cotangent | None]:
    """The gradients of sources, from what a pass began with and what it came to.

    A tensor behind a `stop_gradient` that all its paths meet has only what the pass began with.
    """
    gradients: list[Cotangent | None] = []
    for tensors in ids:
        total = None
        for number in tensors:
            dy = (begun if number in tape._stopped_ids else cotangents).get(number)
            if dy is not None:
                total = dy if total is None else accumulate(total, dy)
        gradients.append(total)
    return gradients
