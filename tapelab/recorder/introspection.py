"""Looking at a tape from outside: a recording that holds a question the tape is never put.

A question that was put already is found again; another one is part of the recording, and of
nothing else: the tape does not remember it and keeps its one answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapelab import nest
from tapelab.engine.arrays import typed_array
from tapelab.engine.asking import Answer, picture
from tapelab.engine.cell import Holder
from tapelab.engine.composite_tensor import numbers_of
from tapelab.engine.ends import check_ends, sources_of
from tapelab.engine.log import Origin, Seen, next_id, thread
from tapelab.engine.reaching import forgotten
from tapelab.engine.records import Creation, NamedRecord, Reentry, truncated
from tapelab.engine.tensor import constant_of
from tapelab.recorder.builder import take
from tapelab.recorder.stopped_gradients import held_back
from tapelab.recording.facts import STRAY, Method

if TYPE_CHECKING:
    from tapelab.engine.tape import GradientTape
    from tapelab.recording import Recording


class Look(NamedTuple):
    """A recording, the number of the question in it, and which of its sources are meant."""

    recording: Recording
    call: int
    positions: tuple[int, ...]


def look(
    tape: GradientTape, target: Any, sources: Any, *, taking: Callable[..., Any] = take
) -> Look:
    """A recording in which a tape is asked for the way from targets back to sources.

    A number of NumPy or Python stands for a constant that was made of it. `taking` takes something
    else than a recording of the tape while it is asked.
    """
    strays: list[NamedRecord] = []
    target, sources = _with_constants(tape, target, strays), _with_constants(tape, sources, strays)
    check_ends(target, sources)
    known, origins = list(tape._answers), sources_of(sources)
    found = _asked(tape, target, sources)
    try:
        if found is None or _measurable(tape, found[0]):
            picture(tape, target, sources)
        call, positions = found or (len(known), tuple(range(len(origins))))
        walls = held_back(tape, tape._answers[call], origins)
        tape._answers[call:call] = walls
        return Look(taking(tape, derived=True, strays=strays), call + len(walls), positions)
    finally:
        tape._answers[:] = known


def _measurable(tape: GradientTape, call: int) -> bool:
    """Whether an answer went by large values that nobody measured, and that are still there."""
    heavy = any(log.heavy for log, _, _ in tape._windows)
    return heavy and tape._answers[call].method != Method.PICTURE and not forgotten(tape)


def _with_constants(tape: GradientTape, ends: Any, strays: list[NamedRecord]) -> Any:
    """The ends, with constants for numbers; records that tell of those are added to strays."""

    def constant(end: Any) -> Any:
        if not isinstance(end, (np.ndarray, np.generic, float, int)):
            return end
        made = constant_of(typed_array(end))
        serial, value = next_id(), truncated(made._array)
        head = serial, thread.number, made._origin
        for log, _, _ in tape._windows:
            left, held = log.exits.get(id(end), (0, None))
            if held is end or (callable(held) and held() is end):
                strays.append(Reentry(Reentry, *head, exit=left, tensor=made._id, value=value))
                return made
        strays.append(
            Creation(
                *(Creation, *head), tensor=made._id, value=value, how=STRAY, variable=None,
                source=-1,
            )
        )  # fmt: skip
        return made

    return nest.map_structure(constant, ends)


def look_at_refusal(tape: GradientTape, origin: Origin, ends: Sequence[Seen] = ()) -> Look:
    """A recording in which a tape is asked, at a place of the code, what it refused to answer.

    `ends` are tensors that have a part in the refusal: they stand as the sources of the question.
    """
    before = len(tape._answers)
    refused = Answer(next_id(), origin, Method.PICTURE, False, (), tuple(ends))
    refused.results = (None,) * len(ends)
    tape._answers.append(refused)
    try:
        return Look(take(tape, derived=True), before, tuple(range(len(ends))))
    finally:
        del tape._answers[before:]


def _asked(tape: GradientTape, target: Any, sources: Any) -> tuple[int, tuple[int, ...]] | None:
    """The last call that asked for these targets and these sources, and their places in it."""
    ends = [_held(each)._id for each in _flat(target)]
    wanted = [_owner(each) for each in _flat(sources)]
    for call in reversed(range(len(tape._answers))):
        answer = tape._answers[call]
        known = [end.id if end.owner is None else end.owner for end in answer.sources]
        same = [end.id for end in answer.targets] == ends
        if same and all(each in known for each in wanted):
            return call, tuple(known.index(each) for each in wanted)
    return None


def _flat(things: Any) -> list[Any]:
    return numbers_of(nest.flatten(things))


def _held(thing: Any) -> Any:
    """The tensor that a target is, or that a variable holds at present."""
    return thing._cell.state if isinstance(thing, Holder) else thing


def _owner(thing: Any) -> Any:
    """What a source is known by: a variable is itself in all its states."""
    return thing._cell.identity if isinstance(thing, Holder) else thing._id
