"""Layer 5: why a gradient is `None`, or only a part. Pure functions of a Recording."""

from __future__ import annotations

from typing import Any

from tapelab import nest
from tapelab.diagnosis.explain import explain_recording
from tapelab.diagnosis.finding import Explanation, Finding, Fix, Step, Where
from tapelab.engine.asking import place_of
from tapelab.engine.composite_tensor import numbers_of
from tapelab.engine.tape import GradientTape
from tapelab.recording import events as e

__all__ = ["Explanation", "Finding", "Fix", "Step", "Where", "explain", "explain_recording"]


def explain(tape: GradientTape, target: Any, source: Any) -> Explanation:
    """Say why `tape.gradient(target, source)` is None, or only a part, and which line to write.

    It asks nothing of the tape that would use it up, and works before and after `gradient`.
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(
            f"explain() needs the tape first, but it got {tape!r}. "
            "Try tf.explain(tape, target, source)."
        )
    for end, part in ((target, "target"), (source, "source")):
        if end is None:
            raise TypeError(
                f"explain() needs a {part}: a tensor or a variable, but it got None. "
                "Try tf.explain(tape, target, source)."
            )
        if nest.is_nested(end):
            raise ValueError(
                f"explain() takes one {part}, but it got a {type(end).__name__} of {len(end)}. "
                "Ask for each by itself: tf.explain(tape, target, source)."
            )
    target, source = numbers_of([target, source])  # of a ragged tensor, its flat values
    recording = tape.recording(target, source)
    place = place_of(tape, target, source)
    assert place is not None, "recording() asks for what was not asked before"
    asked = [each.event for each in recording.located if isinstance(each.event, e.Asked)]
    call, position = place
    return explain_recording(recording, asked[call].targets[0], asked[call].sources[position])
