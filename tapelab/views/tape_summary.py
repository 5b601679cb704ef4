"""The heading of a tape, its last gradient call and the results, read from the columns alone.

Only columns are read, never event by event: a summary of a million events takes milliseconds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.locales import say, sentence
from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.views.number_format import count, format_brief

METHODS: Final = {
    e.Method.GRADIENT: sentence("gradient of {targets}"),
    e.Method.JACOBIAN: sentence("jacobian of {targets}"),
    e.Method.BATCH_JACOBIAN: sentence("batch jacobian of {targets}"),
    e.Method.PICTURE: sentence("gradient of {targets}"),
}
ROOM: Final = 60


def heading(recording: Recording) -> str:
    """`tape: 3 ops, 2 variables`."""
    causes = _field(recording, e.Ran, "cause")
    ops = count(int((causes == e.Cause.TAPED).sum()), "op")
    variables = count(len(recording.variables), "variable")
    return f"{recording.tape.name or say('tape')}: {ops}, {variables}"


def last_gradient_call(recording: Recording) -> e.Asked | None:
    """The last gradient call on the tape, or None."""
    calls = _events(recording, e.Asked)
    event = recording.event(int(calls[-1])) if len(calls) else None
    assert event is None or isinstance(event, e.Asked)
    return event


def gradient_results(recording: Recording) -> list[tuple[str, str]]:
    """The name of each source of the last gradient call, and its gradient as text."""
    gradient_call = last_gradient_call(recording)
    if gradient_call is None:
        return []
    pairs = zip(gradient_call.sources, gradient_call.results, strict=True)
    return [
        (tensor_name(recording, source), _result_text(recording, gradient_call, source, result))
        for source, result in pairs
    ]


def describe_call(recording: Recording) -> str:
    """The last gradient call in words: `gradient of z`."""
    gradient_call = last_gradient_call(recording)
    if gradient_call is None:
        return ""
    targets = ", ".join(tensor_name(recording, target) for target in gradient_call.targets)
    return say(METHODS[e.Method(gradient_call.method)], targets=targets)


def tensor_name(recording: Recording, tensor: int) -> str:
    """The learner's name for a tensor, or the code that computed it."""
    return " ".join(recording.tensor(tensor).name.split()) or say("it")


def _result_text(recording: Recording, gradient_call: e.Asked, source: int, result: int) -> str:
    if result < 0 and not np.any(_field(recording, e.Flowed, "call") == gradient_call.call):
        return say("not known: the tape has released its values")
    if result < 0:
        return say("None: no path leads there")
    text = format_brief(recording.tensor(result), ROOM)
    reached = gradient_call.unconnected == 0 or _reached(recording, gradient_call.call, source)
    return text if reached else f"{text}  ({say('no path, shown as zero')})"


def _reached(recording: Recording, call: int, source: int) -> bool:
    """Whether any gradient flowed to a source."""
    calls, tensors = (_field(recording, e.Flowed, each) for each in ("call", "tensor"))
    sums = _field(recording, e.Flowed, "sum")
    return bool(np.any((calls == call) & (tensors == source) & (sums >= 0)))


def _events(recording: Recording, kind: type[e.Event]) -> NDArray[Any]:
    return np.flatnonzero(recording.columns["event.kind"] == e.KIND_OF[kind])


def _field(recording: Recording, kind: type[e.Event], field: str) -> NDArray[Any]:
    """One field of all events of a kind; it must stand before any list of the event."""
    starts = recording.columns["event.start"][_events(recording, kind)]
    place = kind.__slots__.index(field)
    values: NDArray[Any] = recording.columns["event.fields"][starts + place]
    return values
