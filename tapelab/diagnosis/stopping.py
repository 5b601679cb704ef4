"""`tf.stop_gradient` on the way, and ops through which no gradient passes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.blending import blended
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.choosing import choice_behind, picks
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, number
from tapelab.diagnosis.python_code import called_directly
from tapelab.diagnosis.smoothing import smooth
from tapelab.diagnosis.soft_choices import softly
from tapelab.diagnosis.wording import ENDS_AT, lost, paragraph, say, sentence, translated
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge

CODES: Final = {
    "index-only": "INDEX_ONLY",
    "predicate-only": "PREDICATE_ONLY",
    "shape-only": "SHAPE_ONLY",
    "sampler": "SAMPLER",
    "outside": "LEFT_ENGINE",
}

WHOLE: Final = sentence("`{text}` answers with whole numbers, and those cannot make small steps.")
NO_WAY: Final = sentence("No gradient passes through `{text}`")
ONCE: Final = sentence("Here that is {value} of the gradient for `{source}`.")
OFTEN: Final = sentence(
    "It ran several times; the last run alone held back {value} of the gradient for `{source}`."
)
LETS_NONE: Final = sentence("`{text}` lets no gradient pass")


def stopped(case: Case, edge: Edge) -> Finding:
    """A wall that the learner put up."""
    span = case.recording.located[edge.event].span
    text = case.codes.text(span) or "tf.stop_gradient"
    name, line = name_of(case, edge.origin), line_of(case, edge.event)
    return Finding(
        code="STOPPED",
        title=say(ENDS_AT, text=text),
        message=paragraph(
            say(
                "`stop_gradient` hands on the value of `{name}` and holds its gradient back.",
                name=name,
            ),
            held_back := _held_back(case, edge),
            lost(case, is_known=bool(held_back)),
        ),
        where=case.codes.where(span),
        fix=_without_stop(case, span),
        evidence=(edge.event,),
        steps=(Step(line, say(LETS_NONE, text=text)),),
    )


def _held_back(case: Case, edge: Edge) -> str:
    """What would have arrived at the source through the wall, beside what arrives.

    A recording that is made for it has a gradient call there, see `recorder/stopped_gradients.py`.
    """
    span = case.recording.located[edge.event].span
    found = [result for place in case.recording.placed(e.Asked) if place.span == span
             for result in _beyond(case, place.event)] if case.connected else []  # fmt: skip
    if not found:
        return ""
    text = ONCE if len(found) == 1 else OFTEN
    value, source = number(case, found[0]), name_of(case, case.source)
    return say(text, value=value, source=source)


def _beyond(case: Case, asked: e.Event) -> list[int]:
    """What would have flowed on from a wall to the source, as a question at its place tells."""
    if not isinstance(asked, e.Asked) or asked.method != e.Method.PICTURE:
        return []
    pairs = zip(asked.sources, asked.results, strict=True)
    return [result for source, result in pairs if result >= 0 and case.is_source(source)]


def _without_stop(case: Case, span: int) -> Fix | None:
    """The line with what `stop_gradient` was given in its place."""
    call, code = case.codes.expression(span), case.codes.of(span)
    match call:
        case ast.Call(args=[value]) | ast.Call(keywords=[ast.keyword(value=value)]) if code:
            text = edits.bracketed(code, call, code.text(value))
            return edits.fix(code, [edits.replaced(code, call, text)])
    return None


def flat(case: Case, edge: Edge) -> Finding:
    """An op that says by itself why no gradient passes through it."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Ran)
    op = case.recording.ops[place.event.op]
    position = min(edge.position, len(op.rules) - 1)
    code = CODES.get(op.pattern, "NON_DIFFERENTIABLE")
    if picks(case, edge) or not op.rules[position].because:
        code = "INDEX_ONLY"
    elif code == "PREDICATE_ONLY" and choice_behind(case, edge) is None:
        code = "NON_DIFFERENTIABLE"
    text = case.codes.text(place.span) or op.name
    return Finding(
        code=code,
        title=say(NO_WAY, text=text),
        message=translated(op.rules[position].because) or say(WHOLE, text=text),
        where=case.codes.where(place.span),
        fix=_instead(case, edge, code),
        evidence=(edge.event,),
        steps=(Step(case.codes.line(place.span), say(LETS_NONE, text=text)),),
    )


def _instead(case: Case, edge: Edge, code: str) -> Fix | None:
    if code == "LEFT_ENGINE":
        return called_directly(case, case.recording.located[edge.event].span)
    if code == "PREDICATE_ONLY":
        span = case.recording.located[edge.event].span
        written, test = case.codes.of(span), case.codes.expression(span)
        return blended(written, test) if written and test is not None else None
    return softly(case, edge) or (smooth(case, edge) if code == "NON_DIFFERENTIABLE" else None)


def withheld(case: Case, edge: Edge) -> Finding:
    """A gradient function, a learner's most often, that returned None for one input."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Ran)
    op = case.recording.ops[place.event.op]
    name = op.inputs[min(edge.position, len(op.inputs) - 1)]
    text = case.codes.text(place.span) or op.name
    return Finding(
        code="NON_DIFFERENTIABLE",
        title=say(NO_WAY, text=text),
        message=say(
            "The gradient function of `{op}` returned None for `{name}`, so nothing flows on from "
            "there. Let it return a gradient of the shape of its argument.",
            op=op.name,
            name=name,
        ),
        where=case.codes.where(place.span),
        fix=None,
        evidence=(edge.event,),
        steps=(Step(case.codes.line(place.span), say(LETS_NONE, text=text)),),
    )
