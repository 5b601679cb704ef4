"""Calls by a program of which a tape follows the same inputs: what they save, how they go back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import ref

import numpy as np

from tapelab.compile.lowered import StateUpdate
from tapelab.compile.telling import CALL
from tapelab.compile.ways_back import Cut, Flags, cut, values_of
from tapelab.core import log as logs
from tapelab.core.log import Origin, thread
from tapelab.core.records import (
    Dropped,
    OpRun,
    Record,
    TapedCall,
    differentiable,
    kind_of,
    view,
    write_taped_call,
)
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, wrap

if TYPE_CHECKING:
    from tapelab.compile.hearing import Hearing

_CUTS: Final = 4
"""So many choices of asked results get ways back of their own."""
_PATIENCE: Final = 3
"""After so many ways back that no program could serve, calls are replayed."""


class Reached(NamedTuple):
    """How far a tape follows what a call does: each record inside, each output, behind no wall."""

    heard: Flags
    outputs: Flags
    open: bool


class Following:
    """Calls of which a tape follows the same inputs: what they save, and how they go back."""

    def __init__(self, hearing: Hearing, followed: Flags) -> None:
        self._hearing = hearing
        self._followed = followed
        self._cuts: dict[Flags, Cut | None] = {}
        self._cut: Cut | None = None
        self._missed = 0
        self.is_open = any(followed) and self._reached.open

    @cached_property
    def _reached(self) -> Reached:
        """Which records inside go onto the tape, and which results are followed."""
        account, count = self._hearing.found.account, self._hearing.count
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
        state, parts, hearing = thread.__dict__, self._cut, self._hearing
        values = tuple([each._array for each in given])
        results = (hearing.run if parts is None else parts.forward)(*values)
        hearing.read(tape)
        count, changes = hearing.count, hearing.found.assignments
        saved = results[count + len(changes) :]
        serial, made = logs.next_id(), []
        here, origins = hearing.origins.at(*logs.origin_here(CALL)[1:])
        for value, origin, follows in zip(
            results[:count], origins[:count], self._reached.outputs, strict=True
        ):
            tensor = wrap(value, logs.next_id(), origin)
            if follows:
                tensor._tapes = state["marks"]
                tape._ids.add(tensor._id)
            else:
                tensor._tapes = ()
            made.append(tensor)
        states = list(map(_assigned, changes, results[count:], origins[count:]))
        call = Call(self, parts, saved, states, ref(tape), Inside())
        log: logs.Log = state["log"]
        log.holds_calls = True
        if hearing.heavy or (parts is not None and parts.heavy):
            log.heed()
        write_taped_call(
            state, serial, here, input_ids=tuple([each._id for each in given]), inputs=values,
            result_ids=tuple([each._id for each in made]),
            results=tuple([each._array for each in made]), call=call, tapes=tape._mark,
        )  # fmt: skip
        return made

    def told(self, record: Record) -> list[Record]:
        """The ops inside, with their numbers where those that were given are known."""
        call, found = view(TapedCall, record), self._hearing.found
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
            program = self._hearing.found.program
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

    way: Following
    parts: Cut | None
    saved: tuple[Any, ...]
    states: list[int]
    tape: ref[GradientTape]
    inside: Inside

    def story(self, record: Record) -> list[Record]:
        """What happened inside, which the tape follows from now on as if it had heard it."""
        found = self.way.told(record)
        tape = self.tape()
        self.inside.met |= bool(thread.active)  # rules on tensors take the tensors inside
        if tape is not None and tape._windows:
            runs = [view(OpRun, each) for each in found if kind_of(each) is OpRun]
            taped = [run for run in runs if run.tapes]
            for run in taped:
                tape._ids.update(differentiable(run.result_ids, run.results))
            tape._walled.update(behind_walls(taped, tape._ids))
        return found

    def told(self, record: Record) -> list[Record]:
        """The runs of the ops inside."""
        return [each for each in self.story(record) if kind_of(each) is OpRun]

    def vjp(self, record: Record, upstream: Sequence[Any]) -> list[tuple[int, Any]] | None:
        """The gradients of what was given, each with its id; None if they have to be replayed."""
        return None if self.inside.met else self.way.vjp(record, upstream)

    def light(self) -> Call:
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
    made = wrap(value, logs.next_id(), origin)
    made._tapes = ()
    change.cell.state = made
    return made._id
