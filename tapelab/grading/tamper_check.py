"""The tamper check: whether a recording that a worker sent can have come from a tape.

The worker may have forged it. Here only its form is checked: every index is in range, and no step
uses a tensor that a later step makes. Whether the numbers are right is checked by replaying it in a
second worker, the replay verifier, so that a step that takes all memory never ends the grader.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tapelab.exercises.tape_trial import Trial
from tapelab.grading.recording_bounds import LARGEST_COLUMNS, check_bounds
from tapelab.grading.replay_verifier import ReplayMismatch, is_own
from tapelab.recording import Recording, from_bytes
from tapelab.recording.codec import MAGIC
from tapelab.recording.events import Asked, Flowed, Ran

MOST_EVENTS: Final = 200_000


def verified_trial(
    content: bytes, reply: dict[str, Any], replay_mismatch: Callable[[], str]
) -> Trial:
    """The trial in some bytes; Doubt or RecordingError where it cannot have come from a tape."""
    if not content.startswith(MAGIC):
        raise ReplayMismatch("it is not an uncompressed recording")
    recording = from_bytes(content, LARGEST_COLUMNS)
    try:
        check_bounds(recording)
        _check_form(recording)
        trial = _requested_trial(recording, reply)
    except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise (
            error if isinstance(error, ReplayMismatch) else ReplayMismatch("it is damaged")
        ) from error
    mismatch = replay_mismatch()
    if mismatch:
        raise ReplayMismatch(mismatch)
    return trial


def _requested_trial(recording: Recording, reply: dict[str, Any]) -> Trial:
    call, position = reply.get("call"), reply.get("position")
    calls = [each.event for each in recording.placed(Asked)]
    matching = [each for each in calls if isinstance(each, Asked) and each.call == call]
    if (
        type(position) is not int
        or len(matching) != 1
        or not 0 <= position < len(matching[0].results)
    ):
        raise ReplayMismatch("the gradient call is missing in it")
    if not len(matching[0].sources) == len(matching[0].results):
        raise ReplayMismatch("the gradient call has another number of results")
    return Trial(_rename_own_ops(recording), matching[0].call, position)


def _rename_own_ops(recording: Recording) -> Recording:
    """Rename custom ops, so that none can pass for one of ours by its name."""
    ops = tuple(replace(op, name=f"{op.name} (own)") if is_own(op) else op for op in recording.ops)
    return recording if ops == recording.ops else replace(recording, ops=ops)


def _check_form(recording: Recording) -> None:
    """Every index is in range, and no step uses what a later step makes."""
    if len(recording) > MOST_EVENTS:
        raise ReplayMismatch(f"it has more than {MOST_EVENTS} events")
    columns = recording.columns
    start, fields = columns["event.start"], columns["event.fields"]
    ordered = len(start) == len(recording) + 1 and bool(np.all(np.diff(start) >= 0))
    if not ordered or start[0] != 0 or start[-1] != len(fields):
        raise ReplayMismatch("its events are incomplete")
    tensors, spans = len(columns["tensor.role"]), len(columns["span.line"])
    _check_range(columns["event.span"], spans)
    for name, most in (("shape", len(recording.shapes)), ("dtype", len(recording.dtypes)),
                       ("name", len(recording.strings)), ("span", spans),
                       ("variable", len(recording.variables))):  # fmt: skip
        column = columns[f"tensor.{name}"]
        if len(column) != tensors:
            raise ReplayMismatch("its tensors are incomplete")
        _check_range(column, most)
    if "span.function" in columns:
        _check_range(columns["span.function"], len(recording.strings))
        if len(columns["span.function"]) != spans:
            raise ReplayMismatch("its places are incomplete")
    if "setting.event" in columns:
        _check_range(columns["setting.event"], len(recording))
        _check_range(columns["setting.row"], len(recording.settings))
        if len(columns["setting.event"]) != len(columns["setting.row"]):
            raise ReplayMismatch("its settings are incomplete")
    _check_range(np.array([each.span for each in recording.groups]), spans)
    _check_causality(recording, tensors)


def _check_range(column: Any, most: int) -> None:
    if len(column) and not (column.min() >= -1 and column.max() < most):
        raise ReplayMismatch("an index in it is out of range")


def _check_causality(recording: Recording, tensors: int) -> None:
    """Steps only use tensors made before them, and each tensor is made once."""
    made_at: dict[int, int] = {}
    events = list(recording)
    for each in events:
        if isinstance(each.event, Ran):
            if not 0 <= each.event.op < len(recording.ops):
                raise ReplayMismatch("an op index is out of range")
            _check_range(np.array([each.event.group]), len(recording.groups))
            for index in each.event.outputs:
                if index in made_at:
                    raise ReplayMismatch("a tensor was made twice")
                made_at[index] = each.index
    for each in events:
        if isinstance(each.event, Ran):
            _check_range(np.array([*each.event.inputs, *each.event.outputs, -1]), tensors)
            if any(made_at.get(index, -1) >= each.index for index in each.event.inputs):
                raise ReplayMismatch("a step uses a tensor that was made after it")
        elif isinstance(each.event, Flowed):
            numbers = (each.event.tensor, each.event.upstream, each.event.local)
            _check_range(np.array([*numbers, each.event.contribution, each.event.sum]), tensors)
            _check_range(np.array([each.event.event]), len(events))
        elif isinstance(each.event, Asked):
            ends = (*each.event.targets, *each.event.sources, *each.event.results, -1)
            _check_range(np.array(ends), tensors)
