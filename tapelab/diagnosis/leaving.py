"""A value left for NumPy or Python on its way to the target, and came back as a constant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, number, shortened
from tapelab.diagnosis.numpy_names import stay_on_the_tape
from tapelab.diagnosis.wording import ENDS_AT, lost, paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.flow import Edge


def left(case: Case, edge: Edge) -> Finding:
    """An exit by `.numpy()`, `float()`, a function of NumPy or one of `math`."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Left)
    name, value = name_of(case, edge.origin), number(case, edge.to)
    back = case.recording.located[_came_back(case, edge)]
    text = shortened(case.codes.text(place.span)) or case.recording.strings[place.event.how]
    return Finding(
        code="LEFT_ENGINE",
        title=say(ENDS_AT, text=text),
        message=paragraph(
            say(
                "{function} took the value of `{name}` off the tape.",
                function=_who(case, edge),
                name=name,
            ),
            _plain_numbers(case, edge.to),
            lost(case),
        ),
        where=case.codes.where(place.span),
        fix=stay_on_the_tape(case, place.span, back.span),
        evidence=_evidence(case, edge),
        steps=_steps(case, edge, name, value),
    )


def _plain_numbers(case: Case, tensor: int) -> str:
    """What came back: "It came back as a plain number, 4.6667."."""
    facts = case.recording.tensor(tensor)
    if facts.value is None:
        return say("It came back as plain numbers.")
    value = number(case, tensor)
    if facts.shape:
        return say("It came back as plain numbers, {value}.", value=value)
    return say("It came back as a plain number, {value}.", value=value)


def _who(case: Case, edge: Edge) -> str:
    """What the value left for."""
    left_by = case.recording.event(edge.event)
    assert isinstance(left_by, e.Left)
    how = case.recording.strings[left_by.how]
    call = case.codes.expression(case.recording.located[edge.event].span)
    if isinstance(call, ast.Call):
        function = ast.unparse(call.func)
        return "`.numpy()`" if function.endswith(".numpy") else f"`{function}`"
    return "NumPy" if how == "__array__" else f"`{how}`"


def _came_back(case: Case, edge: Edge) -> int:
    """The event that shows the constant for the first time."""
    for place in case.recording.located[edge.event :]:
        match place.event:
            case e.Made(tensor=tensor) | e.Returned(tensor=tensor) if tensor == edge.to:
                return place.index
            case e.Ran(inputs=inputs) if edge.to in inputs:
                return place.index
    return edge.event


def _evidence(case: Case, edge: Edge) -> tuple[int, ...]:
    return (*case.made(edge.origin), edge.event, _came_back(case, edge))


def _steps(case: Case, edge: Edge, name: str, value: str) -> tuple[Step, ...]:
    recorded = case.made(edge.origin) if edge.origin in case.flow.tracked else ()
    kept = say("`{name}` was recorded", name=name)
    gone = say("`{name}` left the tape through {function}", name=name, function=_who(case, edge))
    back = say("{value} came back as a constant", value=value)
    return (
        *(Step(line_of(case, event), kept) for event in recorded),
        Step(line_of(case, edge.event), gone),
        Step(line_of(case, _came_back(case, edge)), back),
    )
