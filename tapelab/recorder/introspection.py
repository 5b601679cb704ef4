"""A recording with a gradient call that the user has not made, computed from outside the tape.

A gradient call that was made is found again. Another one is part of the recording and of
nothing else: the tape does not remember it, and a non-persistent tape keeps its one result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapelab import nest
from tapelab.core.arrays import typed_array
from tapelab.core.backward_report import GradientCall, shown_value
from tapelab.core.cell import Holder
from tapelab.core.composite_tensor import numbers_of
from tapelab.core.garbage_collection import gc_paused
from tapelab.core.gradient_call import (
    begin_call,
    check_ends,
    ones_like,
    sources_of,
    targets_of,
    unrecorded,
)
from tapelab.core.large_values import truncated
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import LoggedTensor, Origin, next_id
from tapelab.core.records import Record, named, write_creation, write_reentry
from tapelab.core.taped_records import is_released
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.value_types import Nest
from tapelab.errors import NoGradientError
from tapelab.recorder.builder import build_recording
from tapelab.recorder.stopped_gradients import stopped_gradients
from tapelab.recording.facts import STRAY, Method
from tapelab.recording.previews import PreviewBudget

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape
    from tapelab.recording import Recording


class Introspection(NamedTuple):
    """A recording, the number of the gradient call in it, and which of its sources are meant."""

    recording: Recording
    call: int
    positions: tuple[int, ...]


def recording_of(tape: GradientTape, target: Nest = None, sources: Nest = None) -> Recording:
    """The recording of a tape; with a target, the backward pass from there is part of it."""
    with gc_paused():
        if target is not None:
            check_ends(target, sources)
            if not _is_answered(tape, target, sources):
                _ask(tape, target, tape._all_watched() if sources is None else sources)
        return build_recording(tape)


def introspect(
    tape: GradientTape, target: Nest, sources: Nest, *, build: Callable[..., Any] = build_recording
) -> Introspection:
    """A recording with a gradient call from targets to sources that leaves the tape as it was.

    A number of NumPy or Python stands for a constant that was made of it. `build` makes something
    other than a recording of the tape while it holds the call.
    """
    strays: list[Record] = []
    target, sources = _with_constants(tape, target, strays), _with_constants(tape, sources, strays)
    check_ends(target, sources)
    known, origins = list(tape._gradient_calls), sources_of(sources)
    matching = _matching_call(tape, target, sources)
    try:
        if matching is None or _measurable(tape, matching[0]):
            _ask(tape, target, sources)
        call, positions = matching or (len(known), tuple(range(len(origins))))
        stopped = stopped_gradients(tape, tape._gradient_calls[call], origins)
        tape._gradient_calls[call:call] = stopped
        recording = build(tape, derived=True, strays=[*map(named, strays)])
        return Introspection(recording, call + len(stopped), positions)
    finally:
        tape._gradient_calls[:] = known


def _ask(tape: GradientTape, target: Nest, sources: Nest) -> None:
    """Add a gradient call to a tape of which nothing is returned, recorded or used up.

    Where the tape has released values that the backward pass needs, the call has no result.
    """
    targets, origins = targets_of(target), sources_of(sources)
    answer = begin_call(tape, Method.PICTURE, False, targets, origins, origin_here())
    if is_released(tape):
        answer.results = (None,) * len(origins)
        return
    thread.preview_budget = PreviewBudget()
    try:
        gradients = unrecorded(tape, targets, ones_like(targets), origins, answer.report)
        answer.results = tuple(map(shown_value, gradients))
        answer.report.read()
    except NoGradientError:  # an op on the path has no rule: the call stays without a result
        pass
    finally:
        thread.preview_budget = None


def _is_answered(tape: GradientTape, target: Nest, sources: Nest) -> bool:
    """Whether the backward pass from a target is known, or can no longer be computed."""
    ends = numbers_of(nest.flatten(target))
    if sources is not None:
        wanted_sources = numbers_of(nest.flatten(sources))
        real = all(isinstance(each, (Tensor, Holder)) for each in (*ends, *wanted_sources))
        return (
            real
            and len(ends) == 1
            and all(_matching_call(tape, ends, [each]) for each in wanted_sources)
        )
    wanted = {each._id for each in ends if isinstance(each, Tensor)}
    known = any(wanted <= {end.id for end in answer.targets} for answer in tape._gradient_calls)
    return tape._consumed or known


def _measurable(tape: GradientTape, call: int) -> bool:
    """Whether a call used large values that were not measured, and that the log still holds."""
    heavy = any(log.large_records for log, _, _ in tape._windows)
    return heavy and tape._gradient_calls[call].method != Method.PICTURE and not is_released(tape)


def _with_constants(tape: GradientTape, ends: Nest, strays: list[Record]) -> Any:
    """The ends, with constants for numbers; what tells of those is written to the strays."""
    state = {"records": strays, "number": thread.number}

    def constant(end: Nest) -> Any:
        if not isinstance(end, (np.ndarray, np.generic, float, int)):
            return end
        tensor_of_end = constant_of(typed_array(end))
        place: Any = state, next_id(), tensor_of_end._origin
        tensor: Any = {"tensor": tensor_of_end._id, "value": truncated(tensor_of_end._array)}
        for log, _, _ in tape._windows:
            left, held = log.exits.get(id(end), (0, None))
            if held is end or (callable(held) and held() is end):
                write_reentry(*place, exit=left, **tensor)
                return tensor_of_end
        write_creation(*place, how=STRAY, **tensor)
        return tensor_of_end

    return nest.map_structure(constant, ends)


def introspect_refusal(
    tape: GradientTape, origin: Origin, ends: Sequence[LoggedTensor] = ()
) -> Introspection:
    """A recording with the gradient call that a tape refused at a place of the code.

    `ends` are tensors that have a part in the refusal: they stand as the sources of the call.
    """
    before = len(tape._gradient_calls)
    refused = GradientCall(next_id(), origin, Method.PICTURE, False, (), tuple(ends))
    refused.results = (None,) * len(ends)
    tape._gradient_calls.append(refused)
    try:
        return Introspection(build_recording(tape, derived=True), before, tuple(range(len(ends))))
    finally:
        del tape._gradient_calls[before:]


def _matching_call(
    tape: GradientTape, target: Nest, sources: Nest
) -> tuple[int, tuple[int, ...]] | None:
    """The last call that asked for these targets and these sources, and their places in it."""
    ends = [_held(each)._id for each in _flat(target)]
    wanted = [_owner(each) for each in _flat(sources)]
    for call in reversed(range(len(tape._gradient_calls))):
        answer = tape._gradient_calls[call]
        known = [end.id if end.owner is None else end.owner for end in answer.sources]
        same = [end.id for end in answer.targets] == ends
        if same and all(each in known for each in wanted):
            return call, tuple(known.index(each) for each in wanted)
    return None


def _flat(ends: Nest) -> list[Any]:
    return numbers_of(nest.flatten(ends))


def _held(end: Nest) -> Any:
    """The tensor that a target is, or that a variable holds at present."""
    return end._cell.state if isinstance(end, Holder) else end


def _owner(end: Nest) -> Any:
    """What a source is known by: a variable is itself in all its states."""
    return end._cell.identity if isinstance(end, Holder) else end._id
