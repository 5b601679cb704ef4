"""Calls by a program while a tape listens: one record on the tape, and a compiled way back.

The record (`log.HEARD`) holds what the call was given and what its way back needs. Whoever wants to
see the ops inside gets them: they are worked out once more from what was given. So does a way back
that the compiled one does not serve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np

from tapelab.compiling.generating import Run
from tapelab.compiling.lowered import Lowered, Place
from tapelab.compiling.telling import CALL
from tapelab.compiling.walking import leaves
from tapelab.compiling.ways_back import Cut, Flags, cut, is_heavy, values_of
from tapelab.compiling.worlds import world_here
from tapelab.engine import log as logs
from tapelab.engine import records as kinds
from tapelab.engine.dispatch import differentiable
from tapelab.engine.log import Origin, Scope, note_from, thread
from tapelab.engine.op import REGISTERED, Op, is_ours
from tapelab.engine.records import HEARD, Dropped, Record, small
from tapelab.engine.tape import GradientTape
from tapelab.engine.tensor import Tensor, wrap

NOT_HEARD: Final = object()
"""A call that has to be replayed for the tape that listens."""
_CUTS: Final = 4
"""So many choices of asked results get ways back of their own."""
_PATIENCE: Final = 3
"""After so many ways back that no program could serve, calls are replayed."""


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
    acts = found.assignments or found.draws
    records = found.account.records
    ordinary = all(record[0] == kinds.RAN and "body" not in record[8] for record in records)
    program = found.program
    made = {slot for each in program.instructions for slot in each.outputs}
    apart = len({*program.results}) == len(program.results) and made.issuperset(program.results)
    closed = all(cell.shape.is_fully_defined() for cell in found.cells)
    plain = all(map(_is_plain, (each.op for each in program.instructions)))
    return not acts and ordinary and apart and closed and plain and bool(program.results)


def _is_plain(op: Any) -> bool:
    return isinstance(op, Op) and is_ours(op) and op.pattern != "stop"


class Hearing:
    """What is known of the calls of a program that a tape hears, by what the tape follows."""

    def __init__(self, found: Lowered, run: Run) -> None:
        self.found = found
        self.run = run
        self.outside = found.scope
        self.origins = [leaf.origin for leaf in leaves(found.outputs) if type(leaf) is Place]
        self._ways: dict[Flags, Following] = {}
        program, constants = found.program, found.program.constants
        self.heavy = is_heavy(program, (*program.parameters, *program.results))
        self._constants = {number for number, slot in found.slots.items() if slot in constants}

    def __call__(self, inputs: list[Tensor]) -> Any:
        """The results of a call, on the tape that listens; NOT_HEARD where it follows no input."""
        state = thread.__dict__
        (tape,) = state["listening"]
        for cell, origin in self.found.reads:
            _read(tape, cell, origin, state["log"])
        given = [*inputs, *[cell.state for cell in self.found.cells]]
        tracked = tape._tracked
        followed = tuple([each._id in tracked for each in given])
        way = self._ways.get(followed)
        if way is None:
            way = self._ways[followed] = Following(self, followed)
        if not way.is_open or not tracked.isdisjoint(self._constants):
            return NOT_HEARD
        return way.call(given, tape)


def _read(tape: GradientTape, cell: Any, origin: Origin, log: logs.Log) -> None:
    """Let a tape hear that a variable is read, as `cell.read` does."""
    state = cell.state
    if state._id in log.seen:
        tape._on_read(cell)
        return
    tape._on_read(cell, origin)
    log.seen.add(state._id)
    note_from(origin, kinds.READ, cell.identity, state._id, small(state._value))


class Following:
    """Calls of which a tape follows the same inputs: what they save, and how they go back."""

    def __init__(self, hearing: Hearing, followed: Flags) -> None:
        self._hearing = hearing
        self._followed = followed
        self._cuts: dict[Flags, Cut | None] = {}
        self._cut: Cut | None = None
        self._missed = 0
        self.is_open = any(followed)

    @cached_property
    def _reaches(self) -> tuple[Flags, Flags]:
        """Which records inside go onto the tape, and which results are followed."""
        account = self._hearing.found.account
        tracked = {
            number for number, flag in zip(account.taken, self._followed, strict=True) if flag
        }
        heard = []
        for record in account.records:
            made = () if tracked.isdisjoint(record[4]) else differentiable(record[6], record[7])
            tracked.update(made)
            heard.append(bool(made))
        return tuple(heard), tuple([number in tracked for number in account.given])

    def call(self, given: list[Tensor], tape: GradientTape) -> list[Tensor]:
        """The results of one call, written down in one record."""
        state, parts = thread.__dict__, self._cut
        values = tuple([each._value for each in given])
        hearing = self._hearing
        results = (hearing.run if parts is None else parts.forward)(*values)
        count = len(hearing.origins)
        saved = results[count:]
        serial, made = logs.next_id(), []
        for value, origin, follows in zip(
            results[:count], hearing.origins, self._reaches[1], strict=True
        ):
            tensor = wrap(value, logs.next_id(), origin)
            if follows:
                tensor._tapes = state["marks"]
                tape._ids.add(tensor._id)
            else:
                tensor._tapes = ()
            made.append(tensor)
        results = tuple([each._value for each in made])
        call = Call(self, parts, saved, ref(tape), Inside())
        log: logs.Log = state["log"]
        log.holds_calls = True
        if hearing.heavy or (parts is not None and parts.heavy):
            log.heed()
        ends = tuple([each._id for each in given]), values
        state["records"].append((
            HEARD, serial, state["number"], logs.origin_here(CALL), *ends,
            tuple([each._id for each in made]), results, call, tape._mark,
        ))  # fmt: skip
        return made

    def told(self, record: Record) -> list[Record]:
        """The ops inside, with their numbers where those that were given are known."""
        _, serial, number, origin, ids, values, result_ids, results, _, tapes = record
        found, heard = self._hearing.found, self._reaches[0]
        if any(type(each) is Dropped for each in values):
            ends = (*zip(found.account.taken, values, strict=True),)
            known = dict(ends) | dict(zip(found.account.given, results, strict=True))
        else:
            slots = values_of(found.program, values)
            known = {each: slots[slot] for each, slot in found.slots.items() if slot in slots}
        told = found.account.spread(serial, number, ids, result_ids, known.get)
        scopes = _Scopes(self._hearing.outside, origin)
        return [
            (*each[:3], scopes.moved(each[3]), *each[4:9], tapes if flag else ())
            for each, flag in zip(told, heard, strict=True)
        ]

    def back(self, record: Record, upstream: Sequence[Any]) -> list[tuple[int, Any]] | None:
        """The gradients of what was given, each with its id; None if they have to be replayed."""
        ids, values, results, call = record[4], record[5], record[7], record[8]
        follows = zip(upstream, self._reaches[1], strict=True)
        found = [each if flag else None for each, flag in follows]
        asked = tuple([each is not None for each in found])
        if not any(asked):
            return []
        seeds = [each for each in found if each is not None]
        given = [each for each, flag in zip(results, asked, strict=True) if flag]
        parts: Cut | None = call.parts
        if not all(map(_fits, seeds, given)) or parts is None or parts.asked != asked:
            self._miss(asked, values, seeds, given)
            return None
        try:
            gradients = iter(parts.back(*values, *call.saved, *seeds))
        except Exception:  # noqa: BLE001 - the ops inside meet it again, and tell it
            return None
        reached = zip(ids, parts.reached, strict=True)
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
    tape: ref[GradientTape]
    inside: Inside

    def told(self, record: Record) -> list[Record]:
        """The ops inside, which the tape follows from now on as if it had heard them."""
        found = self.way.told(record)
        tape = self.tape()
        self.inside.met |= bool(thread.active)  # rules on tensors take the tensors inside
        if tape is not None and tape._windows:
            for each in found:
                if each[9]:
                    tape._ids.update(differentiable(each[6], each[7]))
        return found

    def back(self, record: Record, upstream: Sequence[Any]) -> list[tuple[int, Any]] | None:
        """The gradients of what was given, each with its id; None if they have to be replayed."""
        return None if self.inside.met else self.way.back(record, upstream)

    def light(self) -> Call:
        """The same without what was saved."""
        return self._replace(parts=None, saved=())


class _Scopes:
    """The composites of the captured call, moved to where another call stands."""

    def __init__(self, outside: Scope | None, origin: Origin) -> None:
        self._outside = outside
        self._origin = origin
        self._moved: dict[int, Scope] = {}

    def moved(self, origin: Origin) -> Origin:
        return origin._replace(scope=self._scope(origin.scope))

    def _scope(self, scope: Scope | None) -> Scope | None:
        if scope is self._outside or scope is None:
            return self._origin.scope
        found = self._moved.get(id(scope))
        if found is None:
            place = self._origin if scope.outer is self._outside else scope
            outer = self._scope(scope.outer)
            found = type(scope)(scope.name, outer, place.code, place.instruction)
            self._moved[id(scope)] = found
        return found
