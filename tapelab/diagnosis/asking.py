"""The two ways to ask: about a tape with its target and source, or about what came last."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tapelab import nest
from tapelab.core.collecting import resting
from tapelab.core.log import thread
from tapelab.core.tape import GradientTape
from tapelab.diagnosis.explain import explain_call
from tapelab.diagnosis.finding import Explanation
from tapelab.diagnosis.names import shortened
from tapelab.locales import paragraph, say
from tapelab.recorder.builder import build_recording
from tapelab.recorder.interning import Spans
from tapelab.recorder.introspection import introspect

if TYPE_CHECKING:
    from tapelab.core.origin import Origin


def explain(tape: GradientTape, target: Any, source: Any) -> Explanation:
    """Say why `tape.gradient(target, source)` is None, a part, zero or NaN, and what to write.

    Asked for several sources it answers for each, in `parts`; several targets are summed, as
    `gradient` does. It asks nothing of the tape that would use it up or be remembered, and works
    before and after `gradient`.
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(
            f"explain() needs the tape first, but it got {tape!r}. "
            "Try tf.explain(tape, target, source)."
        )
    for end, part in ((target, "target"), (source, "source")):
        if end is None or (part == "target" and not nest.flatten(end)):
            raise TypeError(
                f"explain() needs a {part}: a tensor or a variable, but it got {end}. "
                "Try tf.explain(tape, target, source)."
            )
    with resting():
        recording, call, positions = introspect(tape, target, source)
        return explain_call(recording, call, positions)


def why() -> Explanation:
    """Explain the last gradient asked for in this thread that was None, a part, zero or NaN.

    It needs the tape that was asked to be there still, and says so where that is gone.
    """
    whole, gone = None, ""
    for reference, serial, place in reversed(thread.asked):
        tape = reference()
        serials = [answer.serial for answer in tape._answers] if tape else []
        if tape is None or serial not in serials:
            gone = gone or ("" if whole else _is_gone(place))
            continue
        explanation = explain_call(build_recording(tape, derived=True), serials.index(serial))
        if gone:
            older = say("This is about an earlier one:")
            answer = paragraph(gone, older, explanation.headline)
            explanation = replace(explanation, answer=answer)
        if explanation.findings:
            return explanation
        whole = whole or explanation
    return whole or _nothing_to_explain(gone)


def _is_gone(place: Origin) -> str:
    """That the tape of a question is no more, and why."""
    where = Spans()
    text = shortened(where.text(where.of_origin(place))) or "tape.gradient"
    return say(
        "The tape that was asked `{question}` in line {line} is gone, and with it what it saw: a "
        "tape lives as long as something holds it. Return it beside the gradient, or ask "
        "`tf.explain(tape, target, source)` where it is.",
        question=text,
        line=where.rows[0][1],
    )


def _nothing_to_explain(gone: str) -> Explanation:
    said = gone or say(
        "No gradient was asked for in this thread so far. After `tape.gradient(target, source)`, "
        "`tf.why()` says why it is None, a part, zero or NaN."
    )
    return Explanation("", "", connected=False, partial=False, findings=(), answer=said)
