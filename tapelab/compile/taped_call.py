"""Compiled calls under a tape: one record per call, and a compiled VJP.

The record (`records.TapedCall`) holds the inputs, the results and what the VJP needs. Readers that
want the ops inside get them: they are computed once more from the inputs. So does a backward pass
that the compiled VJP does not serve. `TapedProgram` is a program and the tape's view of it,
`TapedInputs` serves the calls in which the tape follows the same inputs, and `Call` is what the
record of one call keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np

from tapelab.compile.abstract_evaluation import current_environment
from tapelab.compile.call_report import CALL, Origins
from tapelab.compile.codegen import Run
from tapelab.compile.lowering import Lowered, StateUpdate
from tapelab.compile.program import DynamicOp, Instruction
from tapelab.compile.program_vjp import (
    Flags,
    SplitProgram,
    evaluate_slots,
    has_large_values,
    split_for_vjp,
)
from tapelab.compile.pytree import Leaf, Tree
from tapelab.core import log as logs
from tapelab.core.cell import Cell
from tapelab.core.large_values import Dropped, truncated
from tapelab.core.log import thread
from tapelab.core.op import is_ours
from tapelab.core.op_declaration import REGISTERED, Op
from tapelab.core.origin import Origin, next_id
from tapelab.core.records import (
    Assignment,
    OpRun,
    Record,
    TapedCall,
    differentiable,
    kind_of,
    view,
    write_read,
    write_taped_call,
)
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of, wrap

NOT_TAPED: Final = object()
"""A call has to be replayed for the active tape."""


def has_one_simple_tape() -> bool:
    """Whether one ordinary tape is active and nothing else observes this thread."""
    state = thread.__dict__
    active = state["active_tapes"]
    if len(active) != 1 or type(active[0]) is not GradientTape or REGISTERED:
        return False
    other = state["read_callbacks"] or state["batch_trace"] or state["trace"]
    return not other and active[0]._follows_all and current_environment() is None


def can_be_taped(lowering: Lowered) -> bool:
    """Whether a tape may record the calls of a program as one record."""
    program = lowering.program
    runs = [each for each in lowering.report.records if isinstance(each, OpRun)]
    bodies = any("body" in run.settings for run in runs)
    computed = {slot for each in program.instructions for slot in each.outputs}
    outputs = program.results[: len(program.results) - len(lowering.assignments)]
    apart = len({*outputs}) == len(outputs) and computed.issuperset(outputs)
    closed = all(cell.shape.is_fully_defined() for cell in lowering.cells)
    known = all(map(_is_known, program.instructions))
    drawn = [program.kinds[slot].dtype.hasobject for slot in program.parameters]
    fit = not bodies and apart and closed and known
    return fit and not any(drawn) and not _reads_back(lowering)


def _is_known(each: Instruction) -> bool:
    """Whether what an instruction does is known where a gradient flows through it."""
    op = each.op.op if isinstance(each.op, DynamicOp) else each.op
    return not isinstance(op, Op) or is_ours(op)


def _reads_back(lowering: Lowered) -> bool:
    """Whether an op or an output uses an assigned value, whose history starts at the assignment."""
    records, count = lowering.report.records, len(lowering.assignments)
    new = {each.tensor for each in records if isinstance(each, Assignment)}
    taken = {number for each in records if isinstance(each, OpRun) for number in each.input_ids}
    outputs = lowering.report.given[: len(lowering.report.given) - count]
    return not new.isdisjoint((*taken, *outputs))


class TapedProgram:
    """The calls of a program under a tape, by the inputs that the tape follows."""

    def __init__(self, lowering: Lowered, run: Run, origins: Origins) -> None:
        self.lowering = lowering
        self.run = run
        self.origins = origins
        self.count = len(lowering.program.results) - len(lowering.assignments)
        self._by_followed: dict[Flags, TapedInputs] = {}
        program, constants = lowering.program, lowering.program.constants
        self.has_large = has_large_values(program, (*program.parameters, *program.results))
        self._constants = {number for number, slot in lowering.slots.items() if slot in constants}
        read = {id(cell) for cell, _ in lowering.reads}
        self._cells = [(cell, id(cell) in read) for cell in lowering.cells]
        self._undrawn = (False,) * lowering.draws.count

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        """The results of a call on the active tape; NOT_TAPED where it follows no input."""
        (tape,) = thread.__dict__["active_tapes"]
        tracked = tape._tracked
        given = [*inputs, *[cell.state for cell, _ in self._cells]]
        followed = (
            *[each._id in tracked for each in inputs],
            *[_followed(tape, cell, read=read) for cell, read in self._cells], *self._undrawn,
        )  # fmt: skip
        taped_inputs = self._by_followed.get(followed)
        if taped_inputs is None:
            taped_inputs = self._by_followed[followed] = TapedInputs(self, followed)
        if not taped_inputs.is_open or not tracked.isdisjoint(self._constants):
            return NOT_TAPED
        if not self.lowering.draws.runs:
            return taped_inputs.call(given, tape)
        with self.lowering.draws.unless_it_fails():
            return taped_inputs.call([*given, *map(_as_tensor, self.lowering.draws.drawn())], tape)

    def read(self, tape: GradientTape) -> None:
        """Record on a tape which variables are read."""
        log = thread.__dict__["log"]
        for cell, origin in self.lowering.reads:
            _read(tape, cell, origin, log)


def _as_tensor(drawn: Leaf) -> Tensor:
    return drawn if type(drawn) is Tensor else constant_of(drawn)


def _followed(tape: GradientTape, cell: Cell, *, read: bool) -> bool:
    """Whether a tape follows a variable once it has been read, if it is."""
    identity = cell.identity
    if read and cell.dtype.is_differentiable:
        watched = (tape._auto and identity.trainable) or identity.id in tape._watched
        return watched or cell.state._id in tape._tracked
    return cell.state._id in tape._tracked


def _read(tape: GradientTape, cell: Any, origin: Origin, log: logs.Log) -> None:
    """Record on a tape that a variable is read, as `cell.read` does."""
    state = cell.state
    if state._id in log.read_states:
        tape._on_read(cell)
        return
    tape._on_read(cell, origin)
    log.read_states.add(state._id)
    write_read(
        thread.__dict__, next_id(), origin, variable=cell.identity, tensor=state._id,
        value=truncated(state._array),
    )  # fmt: skip


_SPLITS: Final = 4
"""The most choices of results with an upstream gradient that get VJPs of their own."""
_PATIENCE: Final = 3
"""After this many backward passes that no compiled VJP served, calls are replayed."""


class Reached(NamedTuple):
    """What a tape follows of a call: records inside, outputs, and whether none is behind a stop."""

    recorded: Flags
    outputs: Flags
    open: bool


class TapedInputs:
    """Calls in which a tape follows the same inputs: what they save, and their VJP."""

    def __init__(self, program: TapedProgram, followed: Flags) -> None:
        self._program = program
        self._followed = followed
        self._splits: dict[Flags, SplitProgram | None] = {}
        self._split: SplitProgram | None = None
        self._missed = 0
        self.is_open = any(followed) and self._reached.open

    @cached_property
    def _reached(self) -> Reached:
        """Which records inside belong on the tape, and which results it follows."""
        report, count = self._program.lowering.report, self._program.count
        tracked = {
            number for number, flag in zip(report.taken, self._followed, strict=True) if flag
        }
        recorded = []
        for record in report.records:
            followed: tuple[int, ...] = ()
            if isinstance(record, OpRun) and not tracked.isdisjoint(record.input_ids):
                followed = differentiable(record.result_ids, record.results)
                tracked.update(followed)
            recorded.append(bool(followed))
        taped = [each for each in compress(report.records, recorded) if isinstance(each, OpRun)]
        stopped_ids = behind_stops(taped, tracked)
        outputs = tuple([number in tracked for number in report.given[:count]])
        return Reached(tuple(recorded), outputs, stopped_ids.isdisjoint(report.given))

    def call(self, given: list[Tensor], tape: GradientTape) -> list[Tensor]:
        """The results of one call, written down in one record."""
        state, parts, program = thread.__dict__, self._split, self._program
        values = tuple([each._array for each in given])
        results = (program.run if parts is None else parts.forward)(*values)
        program.read(tape)
        count, changes = program.count, program.lowering.assignments
        saved = results[count + len(changes) :]
        serial, result_tensors = next_id(), []
        here, origins = program.origins.at(*logs.origin_here(CALL)[1:])
        for value, origin, follows in zip(
            results[:count], origins[:count], self._reached.outputs, strict=True
        ):
            tensor = wrap(value, next_id(), origin)
            if follows:
                tensor._tapes = state["token"]
                tape._ids.add(tensor._id)
            else:
                tensor._tapes = ()
            result_tensors.append(tensor)
        states = list(map(_assigned, changes, results[count:], origins[count:]))
        call = Call(self, parts, saved, states, ref(tape), Inside())
        log: logs.Log = state["log"]
        log.holds_calls = True
        if program.has_large or (parts is not None and parts.has_large):
            log.expect_large_values()
        write_taped_call(
            state, serial, here, input_ids=tuple([each._id for each in given]), inputs=values,
            result_ids=tuple([each._id for each in result_tensors]),
            results=tuple([each._array for each in result_tensors]), call=call, tapes=tape._serials,
        )  # fmt: skip
        return result_tensors

    def op_runs(self, record: Record) -> list[Record]:
        """The ops inside, with their numbers where those that were given are known."""
        call, lowering = view(TapedCall, record), self._program.lowering
        if any(type(each) is Dropped for each in call.inputs):
            ends = (*zip(lowering.report.taken, call.inputs, strict=True),)
            known = dict(ends) | dict(zip(lowering.report.given, call.results, strict=False))
        else:
            slots = evaluate_slots(lowering.program, call.inputs)
            known = {each: slots[slot] for each, slot in lowering.slots.items() if slot in slots}
        ids = (*call.input_ids, *call.result_ids, *call.call.states)
        tapes = [call.tapes if flag else () for flag in self._reached.recorded]
        return lowering.report.records_with(call, ids, known.get, tapes)

    def vjp(self, record: Record, upstream: Sequence[Any]) -> list[tuple[int, Any]] | None:
        """The cotangents of the inputs with their ids; None if the ops inside must be visited."""
        taped = view(TapedCall, record)
        values, call = taped.inputs, taped.call
        follows = zip(upstream, self._reached.outputs, strict=True)
        cotangents = [each if flag else None for each, flag in follows]
        requested = tuple([each is not None for each in cotangents])
        if not any(requested):
            return []
        seeds = [each for each in cotangents if each is not None]
        given = [each for each, flag in zip(taped.results, requested, strict=True) if flag]
        parts: SplitProgram | None = call.parts
        if not all(map(_fits, seeds, given)) or parts is None or parts.requested != requested:
            self._miss(requested, values, seeds, given)
            return None
        try:
            gradients = iter(parts.back(*values, *call.saved, *seeds))
        except Exception:  # noqa: BLE001 - the ops inside raise it again
            return None
        reached = zip(taped.input_ids, parts.reached, strict=True)
        return [(number, next(gradients)) for number, flag in reached if flag]

    def _miss(
        self, requested: Flags, values: Sequence[Any], seeds: Sequence[Any], given: Sequence[Any]
    ) -> None:
        """Let the next calls save what this backward pass needed; after `_PATIENCE` tries, stop."""
        self._missed += 1
        if (
            requested not in self._splits
            and len(self._splits) < _SPLITS
            and all(map(_fits, seeds, given))
        ):
            program = self._program.lowering.program
            self._splits[requested] = split_for_vjp(
                program, values, self._followed, requested, seeds
            )
        self._split = self._splits.get(requested) or self._split
        self.is_open = self._split is not None or (not self._splits and self._missed < _PATIENCE)


def _fits(upstream: Any, result: Tree) -> bool:
    """Whether an upstream gradient is raw, and like the result."""
    raw = isinstance(upstream, (np.ndarray, np.generic))
    return raw and upstream.shape == result.shape and upstream.dtype == result.dtype


@dataclass(slots=True)
class Inside:
    """Whether ops outside may use tensors inside a call."""

    met: bool = False


class Call(NamedTuple):
    """What the record of a call keeps beside inputs and results."""

    taped_inputs: TapedInputs
    parts: SplitProgram | None
    saved: tuple[Any, ...]
    states: list[int]
    tape: ref[GradientTape]
    inside: Inside

    def records_inside(self, record: Record) -> list[Record]:
        """The records inside; from now on the tape follows the tensors inside as well."""
        records = self.taped_inputs.op_runs(record)
        tape = self.tape()
        self.inside.met |= bool(thread.active_tapes)  # rules on tensors take the tensors inside
        if tape is not None and tape._windows:
            runs = [view(OpRun, each) for each in records if kind_of(each) is OpRun]
            taped = [run for run in runs if run.tapes]
            for run in taped:
                tape._ids.update(differentiable(run.result_ids, run.results))
            tape._stopped_ids.update(behind_stops(taped, tape._ids))
        return records

    def op_runs(self, record: Record) -> list[Record]:
        """The runs of the ops inside."""
        return [each for each in self.records_inside(record) if kind_of(each) is OpRun]

    def vjp(self, record: Record, upstream: Sequence[Any]) -> list[tuple[int, Any]] | None:
        """The cotangents of the inputs with their ids; None if the ops inside must be visited."""
        return None if self.inside.met else self.taped_inputs.vjp(record, upstream)

    def summarised(self) -> Call:
        """The same without the saved values."""
        return self._replace(parts=None, saved=())


def behind_stops(runs: Iterable[OpRun], tracked: set[int]) -> set[int]:
    """The results of ops on a tape that lie behind a stop_gradient on every path."""
    stopped: set[int] = set()
    for run in runs:
        if run.op.pattern == "stop" or not any(
            number in tracked and number not in stopped for number in run.input_ids
        ):
            stopped.update(differentiable(run.result_ids, run.results))
    return stopped


def _assigned(change: StateUpdate, value: Leaf, origin: Origin) -> int:
    """Give a variable the state that a call leads to; returns its id."""
    state = wrap(value, next_id(), origin)
    state._tapes = ()
    change.cell.state = state
    return state._id
