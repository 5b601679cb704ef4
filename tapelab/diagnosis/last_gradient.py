"""`tf.why`: explains the last gradient that was computed, or the training that it belonged to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tapelab.core.log import thread
from tapelab.diagnosis.descriptions import shortened
from tapelab.diagnosis.explanation import explain_call
from tapelab.diagnosis.finding import Explanation
from tapelab.diagnosis.training_runs import explain_training
from tapelab.locales import paragraph, say
from tapelab.recorder.builder import build_recording
from tapelab.recorder.foreign_tape import latest_foreign_tape
from tapelab.recorder.interning import Spans
from tapelab.recorder.training_log import latest_log
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.core.origin import Origin
    from tapelab.recorder.training_log import TrainingLog


def why() -> Explanation:
    """Explain the last gradient asked for in this thread that was None, a part, zero or NaN.

    It needs the tape that was asked to be there still, and says so where that is gone. After
    `model.fit` it says which gradient went wrong first, in which step and epoch, and why. After
    `tapelab.record()` it explains the last backward pass of the framework's program.
    """
    foreign = latest_foreign_tape()
    recording = foreign.recording() if foreign is not None else None
    if recording is not None and recording.placed(e.Asked):
        return explain_call(recording, len(recording.placed(e.Asked)) - 1)
    log = latest_log()
    if log is not None and log.last_serial and _is_last(log):
        return explain_training(log)
    whole, gone = None, ""
    for reference, serial, place in reversed(thread.recent_calls):
        tape = reference()
        serials = [answer.serial for answer in tape._gradient_calls] if tape else []
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


def _is_last(log: TrainingLog) -> bool:
    """Whether the last gradient call of this thread was one of the training."""
    serials = [serial for _, serial, _ in thread.recent_calls]
    return serials[-1:] == [log.last_serial]


def _is_gone(place: Origin) -> str:
    """That the tape of a question is no more, and why."""
    where = Spans()
    text = shortened(where.text(where.of_origin(place))) or "tape.gradient"
    return say(
        "The tape of `{question}` in line {line} was deleted, and its records with it. A tape "
        "lives as long as a name refers to it. Return it with the gradient, or call "
        "`tf.explain(tape, target, source)` where it exists.",
        question=text,
        line=where.rows[0][1],
    )


def _nothing_to_explain(gone: str) -> Explanation:
    said = gone or say(
        "There was no gradient call in this thread so far. After `tape.gradient(target, source)`, "
        "`tf.why()` explains why it is None, incomplete, zero or NaN."
    )
    return Explanation("", "", connected=False, partial=False, findings=(), answer=said)
