"""Calls of a program while a tape is active: one record on the tape, and a compiled VJP.

The record (`records.TapedCall`) holds what the call was given and what its VJP needs. A reader who
wants the ops inside gets them: they are computed once more from what was given. So does a backward
pass that the compiled VJP does not serve. `TapedProgram` knows a program and the tape's view of it;
`TapedInputs` serves the calls in which the tape follows the same inputs; `Call` is what the record
of one call keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np

from tapelab.compile.abstract_evaluation import world_here
from tapelab.compile.call_report import CALL, Origins
from tapelab.compile.codegen import Run
from tapelab.compile.lowering import Lowered, StateUpdate
from tapelab.compile.program import Instruction, Moving
from tapelab.compile.program_vjp import Cut, Flags, cut, is_heavy, values_of
from tapelab.core import log as logs
from tapelab.core.cell import Cell
from tapelab.core.log import thread
from tapelab.core.op import is_ours
from tapelab.core.op_declaration import REGISTERED, Op
from tapelab.core.origin import Origin, next_id
from tapelab.core.records import (
    Assignment,
    Dropped,
    OpRun,
    Record,
    TapedCall,
    differentiable,
    kind_of,
    truncated,
    view,
    write_read,
    write_taped_call,
)
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of, wrap

NOT_HEARD: Final = object()
"""A call that has to be replayed for the tape that listens."""


def heard_by_one() -> bool:
    """Whether one tape and nothing else listens here, and follows all that comes of it."""
    state = thread.__dict__
    active = state["active_tapes"]
    if len(active) != 1 or type(active[0]) is not GradientTape or REGISTERED:
        return False
    other = state["read_callbacks"] or state["batch_trace"] or state["trace"]
    return not other and active[0]._follows_all and world_here() is None


def may_be_heard(found: Lowered) -> bool:
    """Whether a tape may hear of the calls of a program by one record."""
    program = found.program
    runs = [each for each in found.account.records if isinstance(each, OpRun)]
    bodies = any("body" in run.settings for run in runs)
    made = {slot for each in program.instructions for slot in each.outputs}
    outputs = program.results[: len(program.results) - len(found.assignments)]
    apart = len({*outputs}) == len(outputs) and made.issuperset(outputs)
    closed = all(cell.shape.is_fully_defined() for cell in found.cells)
    known = all(map(_is_known, program.instructions))
    drawn = [program.kinds[slot].dtype.hasobject for slot in program.parameters]
    fit = not bodies and apart and closed and known
    return fit and not any(drawn) and not _reads_back(found)


def _is_known(each: Instruction) -> bool:
    """Whether what an instruction does is known where a gradient flows through it."""
    op = each.op.op if isinstance(each.op, Moving) else each.op
    return not isinstance(op, Op) or is_ours(op)


def _reads_back(found: Lowered) -> bool:
    """Whether anything is made of what was assigned, where a history begins anew."""
    records, count = found.account.records, len(found.assignments)
    new = {each.tensor for each in records if isinstance(each, Assignment)}
    taken = {number for each in records if isinstance(each, OpRun) for number in each.input_ids}
    outputs = found.account.given[: len(found.account.given) - count]
    return not new.isdisjoint((*taken, *outputs))


class TapedProgram:
    """What is known of the calls of a program that a tape hears, by what the tape follows."""

    def __init__(self, found: Lowered, run: Run, origins: Origins) -> None:
        self.found = found
        self.run = run
        self.origins = origins
        self.count = len(found.program.results) - len(found.assignments)
        self._ways: dict[Flags, TapedInputs] = {}
        program, constants = found.program, found.program.constants
        self.heavy = is_heavy(program, (*program.parameters, *program.results))
        self._constants = {number for number, slot in found.slots.items() if slot in constants}
        read = {id(cell) for cell, _ in found.reads}
        self._cells = [(cell, id(cell) in read) for cell in found.cells]
        self._undrawn = (False,) * found.draws.count

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        """The results of a call, on the tape that listens; NOT_HEARD where it follows no input."""
        (tape,) = thread.__dict__["active_tapes"]
        tracked = tape._tracked
        given = [*inputs, *[cell.state for cell, _ in self._cells]]
        followed = (
            *[each._id in tracked for each in inputs],
            *[_followed(tape, cell, read=read) for cell, read in self._cells], *self._undrawn,
        )  # fmt: skip
        way = self._ways.get(followed)
        if way is None:
            way = self._ways[followed] = TapedInputs(self, followed)
        if not way.is_open or not tracked.isdisjoint(self._constants):
            return NOT_HEARD
        if not self.found.draws.runs:
            return way.call(given, tape)
        with self.found.draws.unless_it_fails():
            return way.call([*given, *map(_as_tensor, self.found.draws.drawn())], tape)

    def read(self, tape: GradientTape) -> None:
        """Let a tape hear which variables are read."""
        log = thread.__dict__["log"]
        for cell, origin in self.found.reads:
            _read(tape, cell, origin, log)


def _as_tensor(drawn: Any) -> Tensor:
    return drawn if type(drawn) is Tensor else constant_of(drawn)


def _followed(tape: GradientTape, cell: Cell, *, read: bool) -> bool:
    """Whether a tape follows a variable once it has been read, if it is."""
    identity = cell.identity
    if read and cell.dtype.is_differentiable:
        watched = (tape._auto and identity.trainable) or identity.id in tape._watched
        return watched or cell.state._id in tape._tracked
    return cell.state._id in tape._tracked


def _read(tape: GradientTape, cell: Any, origin: Origin, log: logs.Log) -> None:
    """Let a tape hear that a variable is read, as `cell.read` does."""
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


_CUTS: Final = 4
"""So many choices of asked results get ways back of their own."""
_PATIENCE: Final = 3
"""After so many ways back that no program could serve, calls are replayed."""


class Reached(NamedTuple):
    """How far a tape follows what a call does: each record inside, each output, behind no wall."""

    heard: Flags
    outputs: Flags
    open: bool


class TapedInputs:
    """Calls of which a tape follows the same inputs: what they save, and how they go back."""

    def __init__(self, program: TapedProgram, followed: Flags) -> None:
        self._program = program
        self._followed = followed
        self._cuts: dict[Flags, Cut | None] = {}
        self._cut: Cut | None = None
        self._missed = 0
        self.is_open = any(followed) and self._reached.open

    @cached_property
    def _reached(self) -> Reached:
        """Which records inside go onto the tape, and which results are followed."""
        account, count = self._program.found.account, self._program.count
        tracked = {
            number for number, flag in zip(account.taken, self._followed, strict=True) if flag
        }
        heard = []
        for record in account.records:
            made: tuple[int, ...] = ()
            if isinstance(record, OpRun) and not tracked.isdisjoint(record.input_ids):
                made = differentiable(record.result_ids, record.results)
                tracked.update(made)
            heard.append(bool(made))
        taped = [each for each in compress(account.records, heard) if isinstance(each, OpRun)]
        walls = behind_walls(taped, tracked)
        outputs = tuple([number in tracked for number in account.given[:count]])
        return Reached(tuple(heard), outputs, walls.isdisjoint(account.given))

    def call(self, given: list[Tensor], tape: GradientTape) -> list[Tensor]:
        """The results of one call, written down in one record."""
        state, parts, program = thread.__dict__, self._cut, self._program
        values = tuple([each._array for each in given])
        results = (program.run if parts is None else parts.forward)(*values)
        program.read(tape)
        count, changes = program.count, program.found.assignments
        saved = results[count + len(changes) :]
        serial, made = next_id(), []
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
            made.append(tensor)
        states = list(map(_assigned, changes, results[count:], origins[count:]))
        call = Call(self, parts, saved, states, ref(tape), Inside())
        log: logs.Log = state["log"]
        log.holds_calls = True
        if program.heavy or (parts is not None and parts.heavy):
            log.expect_large_values()
        write_taped_call(
            state, serial, here, input_ids=tuple([each._id for each in given]), inputs=values,
            result_ids=tuple([each._id for each in made]),
            results=tuple([each._array for each in made]), call=call, tapes=tape._serials,
        )  # fmt: skip
        return made

    def op_runs(self, record: Record) -> list[Record]:
        """The ops inside, with their numbers where those that were given are known."""
        call, found = view(TapedCall, record), self._program.found
        if any(type(each) is Dropped for each in call.inputs):
            ends = (*zip(found.account.taken, call.inputs, strict=True),)
            known = dict(ends) | dict(zip(found.account.given, call.results, strict=False))
        else:
            slots = values_of(found.program, call.inputs)
            known = {each: slots[slot] for each, slot in found.slots.items() if slot in slots}
        ids = (*call.input_ids, *call.result_ids, *call.call.states)
        tapes = [call.tapes if flag else () for flag in self._reached.heard]
        return found.account.spread(call, ids, known.get, tapes)

    def vjp(self, record: Record, upstream: Sequence[Any]) -> list[tuple[int, Any]] | None:
        """The gradients of what was given, each with its id; None if they have to be replayed."""
        taped = view(TapedCall, record)
        values, call = taped.inputs, taped.call
        follows = zip(upstream, self._reached.outputs, strict=True)
        found = [each if flag else None for each, flag in follows]
        asked = tuple([each is not None for each in found])
        if not any(asked):
            return []
        seeds = [each for each in found if each is not None]
        given = [each for each, flag in zip(taped.results, asked, strict=True) if flag]
        parts: Cut | None = call.parts
        if not all(map(_fits, seeds, given)) or parts is None or parts.asked != asked:
            self._miss(asked, values, seeds, given)
            return None
        try:
            gradients = iter(parts.back(*values, *call.saved, *seeds))
        except Exception:  # noqa: BLE001 - the ops inside meet it again, and tell it
            return None
        reached = zip(taped.input_ids, parts.reached, strict=True)
        return [(number, next(gradients)) for number, flag in reached if flag]

    def _miss(
        self, asked: Flags, values: Sequence[Any], seeds: Sequence[Any], given: Sequence[Any]
    ) -> None:
        """Have the next calls save what this way back would have needed; or give it up."""
        self._missed += 1
        if asked not in self._cuts and len(self._cuts) < _CUTS and all(map(_fits, seeds, given)):
            program = self._program.found.program
            self._cuts[asked] = cut(program, values, self._followed, asked, seeds)
        self._cut = self._cuts.get(asked) or self._cut
        self.is_open = self._cut is not None or (not self._cuts and self._missed < _PATIENCE)


def _fits(upstream: Any, result: Any) -> bool:
    """Whether an upstream gradient is raw, and like the result."""
    raw = isinstance(upstream, (np.ndarray, np.generic))
    return raw and upstream.shape == result.shape and upstream.dtype == result.dtype


@dataclass(slots=True)
class Inside:
    """Whether ops outside may have taken what lies inside a call."""

    met: bool = False


class Call(NamedTuple):
    """What the record of a call knows of it beside what went in and out."""

    way: TapedInputs
    parts: Cut | None
    saved: tuple[Any, ...]
    states: list[int]
    tape: ref[GradientTape]
    inside: Inside

    def records_inside(self, record: Record) -> list[Record]:
        """What happened inside, which the tape follows from now on as if it had heard it."""
        found = self.way.op_runs(record)
        tape = self.tape()
        self.inside.met |= bool(thread.active_tapes)  # rules on tensors take the tensors inside
        if tape is not None and tape._windows:
            runs = [view(OpRun, each) for each in found if kind_of(each) is OpRun]
            taped = [run for run in runs if run.tapes]
            for run in taped:
                tape._ids.update(differentiable(run.result_ids, run.results))
            tape._stopped_ids.update(behind_walls(taped, tape._ids))
        return found

    def op_runs(self, record: Record) -> list[Record]:
        """The runs of the ops inside."""
        return [each for each in self.records_inside(record) if kind_of(each) is OpRun]

    def vjp(self, record: Record, upstream: Sequence[Any]) -> list[tuple[int, Any]] | None:
        """The gradients of what was given, each with its id; None if they have to be replayed."""
        return None if self.inside.met else self.way.vjp(record, upstream)

    def summarised(self) -> Call:
        """The same without what was saved."""
        return self._replace(parts=None, saved=())


def behind_walls(runs: Iterable[OpRun], tracked: set[int]) -> set[int]:
    """The results of ops on a tape that lie behind stop_gradient on every way."""
    walled: set[int] = set()
    for run in runs:
        if run.op.pattern == "stop" or not any(
            number in tracked and number not in walled for number in run.input_ids
        ):
            walled.update(differentiable(run.result_ids, run.results))
    return walled


def _assigned(change: StateUpdate, value: Any, origin: Origin) -> int:
    """Give a variable the state that a call leads to; returns its id."""
    made = wrap(value, next_id(), origin)
    made._tapes = ()
    change.cell.state = made
    return made._id
