"""The two ways to ask: about a tape with its target and source, or about what came last."""

from __future__ import annotations

from typing import Any

from tapelab import nest
from tapelab.diagnosis.explain import explain_call
from tapelab.diagnosis.finding import Explanation
from tapelab.engine.collecting import resting
from tapelab.engine.log import thread
from tapelab.engine.looking import look
from tapelab.engine.snapshot import take
from tapelab.engine.tape import GradientTape
from tapelab.words import say


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
        recording, call, positions = look(tape, target, source)
        return explain_call(recording, call, positions)


def why() -> Explanation:
    """Explain the last gradient asked for in this thread that was None, a part, zero or NaN.

    It needs the tape that was asked to be there still.
    """
    whole: Explanation | None = None
    for tape, call in _asked():
        explanation = explain_call(take(tape, derived=True), call)
        if explanation.findings:
            return explanation
        whole = whole or explanation
    return whole or _nothing_to_explain()


def _asked() -> list[tuple[GradientTape, int]]:
    """The tapes that were asked in this thread and are alive, and their questions, newest first."""
    found = []
    for reference, serial in reversed(thread.asked):
        tape = reference()
        if tape is None:
            continue
        serials = [answer.serial for answer in tape._answers]
        if serial in serials:
            found.append((tape, serials.index(serial)))
    return found


def _nothing_to_explain() -> Explanation:
    if thread.asked:
        said = say(
            "The tape of the last gradient is gone, and with it what it saw. Keep the tape, and "
            "ask tf.explain(tape, target, source)."
        )
    else:
        said = say(
            "No gradient was asked for in this thread so far. After tape.gradient(target, source), "
            "tf.why() says why it is None, a part, zero or NaN."
        )
    return Explanation("", "", connected=False, partial=False, findings=(), answer=said)
