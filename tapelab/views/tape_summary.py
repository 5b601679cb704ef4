"""What was asked of a tape and what came of it, read from the columns alone.

A tape of any length is told in a few lines without a look at each of its events.
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


def last_question(recording: Recording) -> e.Asked | None:
    """The last question that was put to the tape."""
    asked = _events(recording, e.Asked)
    question = recording.event(int(asked[-1])) if len(asked) else None
    assert question is None or isinstance(question, e.Asked)
    return question


def answers(recording: Recording) -> list[tuple[str, str]]:
    """For each source of the last question its name, and its gradient or that it is None."""
    asked = last_question(recording)
    if asked is None:
        return []
    pairs = zip(asked.sources, asked.results, strict=True)
    return [
        (tensor_name(recording, source), _answer(recording, asked, source, result))
        for source, result in pairs
    ]


def question(recording: Recording) -> str:
    """The last question in words: `gradient of z`."""
    asked = last_question(recording)
    if asked is None:
        return ""
    targets = ", ".join(tensor_name(recording, target) for target in asked.targets)
    return say(METHODS[e.Method(asked.method)], targets=targets)


def tensor_name(recording: Recording, tensor: int) -> str:
    """What the learner calls a tensor, or the code that made it."""
    return " ".join(recording.tensor(tensor).name.split()) or say("it")


def _answer(recording: Recording, asked: e.Asked, source: int, result: int) -> str:
    if result < 0 and not np.any(_field(recording, e.Flowed, "call") == asked.call):
        return say("not known: the tape has let go of its numbers")
    if result < 0:
        return say("None: no path leads there")
    text = format_brief(recording.tensor(result), ROOM)
    reached = asked.unconnected == 0 or _reached(recording, asked.call, source)
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
    found: NDArray[Any] = recording.columns["event.fields"][starts + place]
    return found
