"""Layer 5: why a gradient is `None`, or only a part. Pure functions of a Recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapelab.diagnosis.explain import explain_recording
from tapelab.diagnosis.finding import Explanation, Finding, Fix, Step, Where
from tapelab.engine.tape import GradientTape
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.recording import Recording

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
    recording = tape.recording(target, source)
    ends = _ends(recording)
    return explain_recording(recording, *ends)


def _ends(recording: Recording) -> tuple[int, int]:
    asked = [place.event for place in recording.located if isinstance(place.event, e.Asked)]
    return asked[-1].targets[0], asked[-1].sources[0]
