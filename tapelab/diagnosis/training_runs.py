"""Explains a training: which gradient went wrong first, in which step and epoch, and why."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.descriptions import format_value
from tapelab.diagnosis.explanation import explain_call
from tapelab.diagnosis.finding import Explanation
from tapelab.locales import paragraph, say, say_many, sentence
from tapelab.recorder.builder import build_recording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tapelab.recorder.training_log import KeptCall, TrainingLog, Trouble
    from tapelab.recording.training_series import State

MOST_NAMED: Final = 3
"""At most so many variables are named and explained."""
GROWN: Final = 1e3
"""A loss that has grown by this factor is taken for one that diverges."""
LASTING: Final[tuple[State, ...]] = ("none", "zero", "vanished")
"""States that matter if the last measured step still has them."""
SAID: Final[dict[State, str]] = {
    "nan": sentence(
        "The gradient of {variables} is first NaN or infinite in step {step} of {steps} ({epoch})."
    ),
    "none": sentence(
        "The gradient of {variables} is None in step {step} of {steps} ({epoch}) and in the last "
        "one."
    ),
    "zero": sentence(
        "The gradient of {variables} is 0 in step {step} of {steps} ({epoch}) and in the last one."
    ),
    "vanished": sentence(
        "The gradient of {variables} has vanished in step {step} of {steps} ({epoch}) and in the "
        "last one: it is too small to move a weight."
    ),
}


def explain_training(log: TrainingLog) -> Explanation:
    """What went wrong first in a training, with the findings of that step's tape."""
    series = log.series()
    troubles = _gravest(log)
    kept = log.kept()
    if not troubles:
        answer = say_many(
            "In the {count} step of this training every gradient that was measured is finite and "
            "none has vanished.",
            "In the {count} steps of this training every gradient that was measured is finite and "
            "none has vanished.",
            log.step,
        )
        return Explanation("loss", "", connected=True, partial=False, findings=(), answer=answer)
    step = min(each.step for each in troubles)
    first = [each for each in troubles if each.step == step]
    is_broken = first[0].state == "nan"
    answer = paragraph(
        say(
            SAID[first[0].state],
            variables=_names([each.variable for each in first]),
            step=step,
            steps=log.step,
            epoch=say("epoch {epoch}", epoch=series.epoch_of(step)),
        ),
        _measured_before(log, step),
        _growth(log, step) if is_broken else "",
    )
    call = kept.get(step)
    if call is None:
        gone = say("The tape of that step was too long to be kept, so only its norms are known.")
        return Explanation(
            "loss", _names([each.variable for each in first]), connected=True, partial=False,
            findings=(), answer=paragraph(answer, gone),
        )  # fmt: skip
    explained = _explained(call, first)
    squashed = any(each.code == "VANISHING" and each.fix is None for each in explained.findings)
    advice = say('Try `activation="relu"` in the layers before the output.') if squashed else ""
    return replace(explained, answer=paragraph(answer, advice))


def _gravest(log: TrainingLog) -> list[Trouble]:
    """The troubles of the gravest state that there is: not finite, else one that lasts."""
    troubles = list(log.troubles.values())
    if nan := [each for each in troubles if each.state == "nan"]:
        return nan
    for state in LASTING:
        lasting = [
            each for each in troubles
            if each.state == state and log.present.get(each.variable) == state
        ]  # fmt: skip
        if lasting:
            return lasting
    return []


def _names(variables: Sequence[str]) -> str:
    named = ", ".join(f"`{name}`" for name in variables[:MOST_NAMED])
    more = len(variables) - MOST_NAMED
    if more <= 0:
        return named
    return say_many(
        "{named} and {count} more variable", "{named} and {count} more variables", more,
        named=named,
    )  # fmt: skip


def _measured_before(log: TrainingLog, step: int) -> str:
    """That some steps before were not measured; empty where all were."""
    before = max((row.step for row in log.rows if row.step < step), default=step - 1)
    if before >= step - 1:
        return ""
    return say(
        "The last step measured before it is {before}; those between were passed over to keep the "
        "training fast.",
        before=before,
    )


def _growth(log: TrainingLog, step: int) -> str:
    """That the loss grew until then, as with a learning rate that is too large."""
    losses = [row.loss for row in log.rows if row.step <= step and row.loss is not None]
    finite = [abs(loss) for loss in losses if math.isfinite(loss)]
    if len(finite) < 2 or finite[-1] < GROWN * finite[0]:
        return ""
    return say(
        "Before that the loss grew from {first} to {last}: the steps are too large. Try a tenth of "
        "the learning rate, or `clipnorm=1.0` in the optimizer.",
        first=format_value(finite[0]),
        last=format_value(finite[-1]),
    )


def _explained(kept: KeptCall, troubles: Sequence[Trouble]) -> Explanation:
    """The explanation of a step's tape for the variables in trouble."""
    names = [each.variable for each in troubles]
    at = [
        position for position, source in enumerate(kept.call.sources)
        if source.owner is not None and source.owner.name in names
    ]  # fmt: skip
    explained = explain_call(build_recording(kept.tape, derived=True), 0, at[:MOST_NAMED])
    places = {(each.code, each.where): each for each in reversed(explained.findings)}
    distinct = [each for each in explained.findings if each in places.values()]
    return replace(explained, findings=tuple(distinct))
