"""`w = w - rate * gradient`: a training step that gives the name away and changes no variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of
from tapelab.diagnosis.rebinding import Rebinding, as_assignment, renaming
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e
from tapelab.recording.facts import DERIVATIVE

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case


def rebound_in_a_step(case: Case) -> Iterator[Finding]:
    """A variable and its gradient combined into a new tensor that takes the variable's name."""
    if case.variable < 0 or not case.connected:
        return
    for place in case.uses_of_source():
        if isinstance(place.event, e.Ran) and place.event.cause == e.Cause.AFTER:
            step = renaming(case, place.event.outputs[0])
            if step and _is_update(case, step) and not _is_stored(case, place.event.outputs[0]):
                yield _finding(case, step)
                return


def _is_update(case: Case, step: Rebinding) -> bool:
    """Whether a step takes the source and something made from a gradient for it."""
    mine = any(case.is_source(tensor) for tensor in step.inputs)
    return mine and any(_is_from_a_gradient(case, tensor) for tensor in step.inputs)


def _is_from_a_gradient(case: Case, tensor: int) -> bool:
    pending, seen = [tensor], {tensor}
    while pending:
        event = case.flow.maker_of.get(each := pending.pop(), -1)
        made = case.recording.event(event) if event >= 0 else None
        if isinstance(made, e.Made):
            return case.recording.strings[made.how] == DERIVATIVE
        fresh = set(made.inputs) - seen if isinstance(made, e.Ran) else set()
        seen |= fresh | {each}
        pending.extend(fresh)
    return False


def _is_stored(case: Case, tensor: int) -> bool:
    events = (place.event for place in case.recording.placed(e.Assigned))
    return any(isinstance(event, e.Assigned) and event.source == tensor for event in events)


def _finding(case: Case, step: Rebinding) -> Finding:
    place, name = case.recording.located[step.event], name_of(case, case.source)
    text = " ".join(step.code.text(step.statement).split())
    said = say("`{text}` made a new tensor", text=text)
    return Finding(
        code="REBOUND_TO_TENSOR",
        title=say("`{text}` changes no variable", text=text),
        message=paragraph(
            say(
                "`{text}` makes a new tensor and gives it the name `{step}`. The variable `{name}` "
                "has the same value before and after, so nothing is learned.",
                text=text,
                step=step.name,
                name=name,
            ),
        ),
        where=case.codes.where(place.span),
        fix=as_assignment(case, [step]),
        evidence=(step.event,),
        steps=(Step(line_of(case, step.event), said),),
    )
