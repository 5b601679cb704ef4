"""Whether a recording may be believed: the worker that sent it may have made it up.

Its form is looked at here, and it is rebuilt nowhere but in a second worker, the witness, in which
nothing of the learner's runs: a step that asks for all memory ends the witness and no judge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tapelab.exercises.trial import Trial
from tapelab.grading.replay import Doubt, is_own
from tapelab.recording import Recording, from_bytes
from tapelab.recording.codec import MAGIC
from tapelab.recording.events import Asked, Flowed, Ran

MOST_EVENTS: Final = 200_000


def believed(content: bytes, told: dict[str, Any], witness: Callable[[], str]) -> Trial:
    """The trial in some bytes; Doubt or RecordingError where it cannot have come from a tape."""
    if not content.startswith(MAGIC):
        raise Doubt("it is packed or no recording")
    recording = from_bytes(content)
    try:
        _well_formed(recording)
        trial = _question(recording, told)
    except (IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise error if isinstance(error, Doubt) else Doubt("it is damaged") from error
    doubt = witness()
    if doubt:
        raise Doubt(doubt)
    return trial


def _question(recording: Recording, told: dict[str, Any]) -> Trial:
    call, position = told.get("call"), told.get("position")
    asked = [each.event for each in recording.placed(Asked)]
    here = [each for each in asked if isinstance(each, Asked) and each.call == call]
    if type(position) is not int or len(here) != 1 or not 0 <= position < len(here[0].results):
        raise Doubt("the question is not in it")
    if not len(here[0].sources) == len(here[0].results):
        raise Doubt("the question has another number of answers")
    return Trial(_honestly_named(recording), here[0].call, position)


def _honestly_named(recording: Recording) -> Recording:
    """An op of the learner's own that is called as one of ours is not one of ours."""
    ops = tuple(replace(op, name=f"{op.name} (own)") if is_own(op) else op for op in recording.ops)
    return recording if ops == recording.ops else replace(recording, ops=ops)


def _well_formed(recording: Recording) -> None:
    """Every number points at something that is there, and no step takes what comes later."""
    if len(recording) > MOST_EVENTS:
        raise Doubt(f"it has more than {MOST_EVENTS} events")
    columns = recording.columns
    start, fields = columns["event.start"], columns["event.fields"]
    ordered = len(start) == len(recording) + 1 and bool(np.all(np.diff(start) >= 0))
    if not ordered or start[0] != 0 or start[-1] != len(fields):
        raise Doubt("its events are cut")
    tensors, spans = len(columns["tensor.role"]), len(columns["span.line"])
    _within(columns["event.span"], spans)
    for name, most in (("shape", len(recording.shapes)), ("dtype", len(recording.dtypes)),
                       ("name", len(recording.strings)), ("span", spans),
                       ("variable", len(recording.variables))):  # fmt: skip
        column = columns[f"tensor.{name}"]
        if len(column) != tensors:
            raise Doubt("its tensors are cut")
        _within(column, most)
    _causal(recording, tensors)


def _within(column: Any, most: int) -> None:
    if len(column) and not (column.min() >= -1 and column.max() < most):
        raise Doubt("a number in it points at nothing")


def _causal(recording: Recording, tensors: int) -> None:
    """Steps only take what is there already, and what a step made is made once."""
    made: dict[int, int] = {}
    happened = list(recording)
    for each in happened:
        if isinstance(each.event, Ran):
            if not 0 <= each.event.op < len(recording.ops):
                raise Doubt("an op in it is unknown")
            for index in each.event.outputs:
                if index in made:
                    raise Doubt("a tensor was made twice")
                made[index] = each.index
    for each in happened:
        if isinstance(each.event, Ran):
            _within(np.array([*each.event.inputs, *each.event.outputs, -1]), tensors)
            if any(made.get(index, -1) >= each.index for index in each.event.inputs):
                raise Doubt("a step takes what was made after it")
        elif isinstance(each.event, Flowed):
            numbers = (each.event.tensor, each.event.upstream, each.event.local)
            _within(np.array([*numbers, each.event.contribution, each.event.sum]), tensors)
            _within(np.array([each.event.event]), len(happened))
        elif isinstance(each.event, Asked):
            ends = (*each.event.targets, *each.event.sources, *each.event.results, -1)
            _within(np.array(ends), tensors)
