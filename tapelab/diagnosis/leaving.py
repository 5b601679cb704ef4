"""A value left for NumPy or Python on its way to the target, and came back as a constant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tapelab.diagnosis import edits, numpy_names
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, number, shortened
from tapelab.diagnosis.wording import lost
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.flow import Edge


def left(case: Case, edge: Edge) -> Finding:
    """An exit by `.numpy()`, `float()`, a function of NumPy or one of `math`."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Left)
    name, value = name_of(case, edge.origin), number(case, edge.to)
    text = shortened(case.codes.text(place.span)) or case.recording.strings[place.event.how]
    return Finding(
        code="LEFT_ENGINE",
        title=f"The path ends at `{text}`",
        message=f"{_who(case, edge)} took the value of `{name}` off the tape. It came back as a "
        f"plain number, {value}{lost(case, edge)}",
        where=case.codes.where(place.span),
        fix=numpy_names.stay_on_the_tape(case, place.span),
        lesson="06",
        evidence=_evidence(case, edge),
        steps=_steps(case, edge, name, text, value),
    )


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
    made = case.flow.maker_of.get(edge.origin, -1)
    return tuple(event for event in (made, edge.event, _came_back(case, edge)) if event >= 0)


def _steps(case: Case, edge: Edge, name: str, text: str, value: str) -> tuple[Step, ...]:
    made = case.flow.maker_of.get(edge.origin, -1)
    recorded = edge.origin in case.flow.tracked and made >= 0
    first = (Step(line_of(case, made), f"`{name}` was recorded"),) if recorded else ()
    return (
        *first,
        Step(line_of(case, edge.event), f"`{name}` left the tape through `{text}`"),
        Step(line_of(case, _came_back(case, edge)), f"{value} came back as a constant"),
    )
