"""Ops of which no gradient is known: asking through them is an error."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import spot
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Fix

UNDECLARED = "not implemented"


def undeclared(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """The op at which a question ended with an error."""
    for place in reversed(case.recording.placed(e.Ran)):
        assert isinstance(place.event, e.Ran)
        op = case.recording.ops[place.event.op]
        if op.name == details["op"] and place.event.cause == e.Cause.TAPED:
            return _named(case, place.index)
    return None


def undeclared_on_the_way(case: Case) -> Iterator[Finding]:
    """An op between the target and the source of which no gradient is known."""
    ops = case.recording.ops
    if not case.connected or not any(op.pattern == UNDECLARED for op in ops):
        return
    for tensor in sorted(case.alive, reverse=True):
        for edge in case.flow.into.get(tensor, ()):
            if _is_undeclared(case, edge) and edge.origin in case.downstream:
                yield _named(case, edge.event)
                return


def _is_undeclared(case: Case, edge: Edge) -> bool:
    event = case.recording.event(edge.event)
    if not isinstance(event, e.Ran) or not edge.taped:
        return False
    op = case.recording.ops[event.op]
    rule = op.rules[min(edge.position, len(op.rules) - 1)]
    return op.pattern == UNDECLARED and not (rule.formula or rule.because)


def _by_hand(case: Case, span: int) -> Fix | None:
    """The same from ops that have gradients, where a line and its helper can say it."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    if code is None or statement is None:
        return None
    match call := case.codes.expression(span):
        case ast.Call(func=ast.Attribute(attr="adjust_contrast"), args=[images, factor]):
            tf, x, by = edits.tf_alias(code), code.text(images), code.text(factor)
            center = f"center = {tf}.reduce_mean({x}, axis=[-3, -2], keepdims=True)"
            ahead = edits.before_statement(code, statement, center)
            text = edits.bracketed(code, call, f"({x} - center) * {by} + center")
            return edits.fix(code, [*ahead, edits.replaced(code, call, text)]) if ahead else None
    return None


def _named(case: Case, event: int) -> Finding:
    ran = case.recording.event(event)
    assert isinstance(ran, e.Ran)
    op = case.recording.ops[ran.op].name
    span, text, line = spot(case, event, op)
    return Finding(
        code="NO_GRADIENT_REGISTERED",
        title=say("No gradient is declared for `{text}`", text=text),
        message=paragraph(
            say(
                "`{text}` in line {line} runs the op {op}, which has numbers but no rule for the "
                "way back, so asking for a gradient through it is an error and not None.",
                text=text,
                line=line,
                op=op,
            ),
            say(
                "Compute the same with ops that have gradients, or give it one with "
                "`tf.custom_gradient`."
            ),
        ),
        where=case.codes.where(span),
        fix=_by_hand(case, span),
        evidence=(event,),
        steps=(Step(line, say("`{op}` was recorded", op=op)),),
    )
