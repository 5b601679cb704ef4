"""Calls by a program while a tape listens: one record on the tape, and a compiled way back.

The record (`log.HEARD`) holds what the call was given and what its way back needs. Whoever wants to
see the ops inside gets them: they are worked out once more from what was given. So does a way back
that the compiled one does not serve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapelab.compile.following import Following
from tapelab.compile.generating import Run
from tapelab.compile.lowered import Lowered
from tapelab.compile.program import Instruction, Moving
from tapelab.compile.telling import Origins
from tapelab.compile.ways_back import Flags, is_heavy
from tapelab.compile.worlds import world_here
from tapelab.core import log as logs
from tapelab.core.cell import Cell
from tapelab.core.log import Origin, thread
from tapelab.core.op import REGISTERED, Op, is_ours
from tapelab.core.records import Assignment, OpRun, truncated, write_read
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, constant_of

NOT_HEARD: Final = object()
"""A call that has to be replayed for the tape that listens."""


def heard_by_one() -> bool:
    """Whether one tape and nothing else listens here, and follows all that comes of it."""
    state = thread.__dict__
    listening = state["listening"]
    if len(listening) != 1 or type(listening[0]) is not GradientTape or REGISTERED:
        return False
    other = state["watchers"] or state["lanes"] or state["trace"]
    return not other and listening[0]._simple and world_here() is None


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


class Hearing:
    """What is known of the calls of a program that a tape hears, by what the tape follows."""

    def __init__(self, found: Lowered, run: Run, origins: Origins) -> None:
        self.found = found
        self.run = run
        self.origins = origins
        self.count = len(found.program.results) - len(found.assignments)
        self._ways: dict[Flags, Following] = {}
        program, constants = found.program, found.program.constants
        self.heavy = is_heavy(program, (*program.parameters, *program.results))
        self._constants = {number for number, slot in found.slots.items() if slot in constants}
        read = {id(cell) for cell, _ in found.reads}
        self._cells = [(cell, id(cell) in read) for cell in found.cells]
        self._undrawn = (False,) * found.draws.count

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        """The results of a call, on the tape that listens; NOT_HEARD where it follows no input."""
        (tape,) = thread.__dict__["listening"]
        tracked = tape._tracked
        given = [*inputs, *[cell.state for cell, _ in self._cells]]
        followed = (
            *[each._id in tracked for each in inputs],
            *[_followed(tape, cell, read=read) for cell, read in self._cells], *self._undrawn,
        )  # fmt: skip
        way = self._ways.get(followed)
        if way is None:
            way = self._ways[followed] = Following(self, followed)
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
    if state._id in log.seen:
        tape._on_read(cell)
        return
    tape._on_read(cell, origin)
    log.seen.add(state._id)
    write_read(
        thread.__dict__, logs.next_id(), origin, variable=cell.identity, tensor=state._id,
        value=truncated(state._array),
    )  # fmt: skip
