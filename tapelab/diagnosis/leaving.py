"""A value left for NumPy or Python on its way to the target, and came back as a constant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.flow import Cut
from tapelab.diagnosis.names import name_of, number, text_of
from tapelab.diagnosis.numpy_names import PREDICTIONS, stay_on_the_tape
from tapelab.diagnosis.wording import ENDS_AT, lost, paragraph, say
from tapelab.recording import events as e
from tapelab.recording.facts import STRAY

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.flow import Edge


def left(case: Case, edge: Edge) -> Finding:
    """An exit by `.numpy()`, `float()`, a function of NumPy or one of `math`."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Left)
    name, value = name_of(case, edge.origin), number(case, edge.to)
    back = case.recording.located[_came_back(case, edge)]
    text = text_of(case, place.span) or case.recording.strings[place.event.how]
    return Finding(
        code="LEFT_ENGINE",
        title=say(ENDS_AT, text=text),
        message=paragraph(
            _how(case, edge, name),
            _plain_numbers(case, edge.to),
            lost(case),
        ),
        where=case.codes.where(place.span),
        fix=stay_on_the_tape(case, [place.span, *_others(case, edge)], back.span),
        evidence=_evidence(case, edge),
        steps=_steps(case, edge, name, value),
    )


def no_tensor(case: Case) -> Finding | None:
    """A target that is a number of NumPy or Python, and came from nowhere that is known."""
    event = case.flow.maker_of.get(case.target, -1)
    made = case.recording.event(event) if event >= 0 else None
    stray = isinstance(made, e.Made) and case.recording.strings[made.how] == STRAY
    if not stray or case.path:
        return None
    target = name_of(case, case.target)
    return Finding(
        code="LEFT_ENGINE",
        title=say("`{target}` is no tensor", target=target),
        message=say(
            "`{target}` is a plain number of NumPy or Python, {value}. It has no history, so no "
            "gradient can be asked of it. Compute it with tf ops.",
            target=target,
            value=number(case, case.target),
        ),
        where=case.codes.where(case.recording.located[event].span),
        fix=None,
        evidence=(event,),
    )


def _how(case: Case, edge: Edge, name: str) -> str:
    """By which way the value left."""
    call = case.codes.expression(case.recording.located[edge.event].span)
    function = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
    if function.rpartition(".")[2] in PREDICTIONS:
        return say(
            "`{function}` runs a loop of its own, off the tape, and returns NumPy arrays.",
            function=function,
        )
    who = _who(case, edge)
    return say("{function} took the value of `{name}` off the tape.", function=who, name=name)


def _others(case: Case, edge: Edge) -> list[int]:
    """The spans of the other exits from which the same constant was computed."""
    back = case.flow.into.get(edge.to, ())
    events = (each.event for each in back if each.cut is Cut.LEFT and each.event != edge.event)
    return [case.recording.located[event].span for event in events]


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
