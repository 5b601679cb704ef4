"""Gradients of exactly 0, because every element of an op's result is at a limit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, spot
from tapelab.diagnosis.spoken import extent
from tapelab.diagnosis.wording import paragraph, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

LIMITED: Final = {"clip_by_value", "sigmoid", "tanh", "relu6", "softsign", "softmax"}
"""Ops whose results have limits, at which they are flat."""

FAINT: Final = 1e-30
"""A gradient smaller than this may have become 0 by rounding and not by a slope of 0."""

PASSING: Final = {"reduce_sum", "reduce_mean", "reshape", "cast", "square", "identity", "multiply"}
"""Ops behind which a target is still a plain function of what a limited op made, and no loss."""


def saturated(case: Case) -> Iterator[Finding]:
    """A gradient of 0, because every element of an op's result is stuck at a limit."""
    way = case.way
    if way is None or not way.is_zero:
        return
    for step in way.through(LIMITED):
        if way.position[step] or not way.starved(step) or way.largest[way.upstream[step]] < FAINT:
            continue
        if _wants_out(way, step) or _is_looked_at(way, step):
            yield _stuck(case, way, step)
            return


def _wants_out(way: Way, step: int) -> bool:
    """Whether a lower loss lies on this side of the limit; beyond it nothing is to be gained."""
    ran = way.ran(step)
    dy, y, x = (way.value(each) for each in (way.upstream[step], ran.outputs[0], ran.inputs[0]))
    if dy is None or y is None or x is None:
        return False
    if way.ops[step] == "softmax":
        wanted = dy - np.sum(dy * y, axis=-1, keepdims=True)
        return bool(np.any((wanted < 0) & (y == 0)))
    upper = _at_upper(way.ops[step], x, y)
    dy = np.broadcast_to(dy, y.shape)
    return bool(np.any(np.where(upper, dy > 0, dy < 0)))


def _at_upper(op: str, x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a result is at its upper limit rather than at its lower one."""
    return np.asarray(x > y) if op in {"clip_by_value", "relu6"} else np.asarray(x > 0)


def _is_looked_at(way: Way, step: int) -> bool:
    """Whether the target is the result itself, or its sum: then it is no loss to be lowered."""
    if way.ops[step] == "softmax":
        return False
    tensor = way.made[step]
    while True:
        into = way.into.get(tensor, ())
        if len(into) != 1:
            return False
        if way.event[into[0]] < 0:
            return True
        if way.ops[into[0]] not in PASSING:
            return False
        tensor = way.made[into[0]]


def _stuck(case: Case, way: Way, step: int) -> Finding:
    ran, event = way.ran(step), way.event[step]
    span, text, line = spot(case, event, way.ops[step])
    given, made = extent(way, ran.inputs[0]), extent(way, ran.outputs[0])
    name, source = name_of(case, ran.inputs[0]), name_of(case, case.source)
    return Finding(
        code="SATURATED",
        title=say("`{text}` is flat where it is used", text=text),
        message=paragraph(
            say(
                "`{text}` in line {line} received {given} and made {made}: for 100 % of its "
                "elements it is at its limit, where its slope is 0.",
                text=text,
                line=line,
                given=given,
                made=made,
            ),
            say("So the gradient for `{source}` is 0.", source=source),
        ),
        where=case.codes.where(span),
        fix=_around(case, span, way.ops[step]),
        evidence=(event,),
        steps=(Step(line, say("`{name}` was {given}", name=name, given=given)),),
    )


def _around(case: Case, span: int, op: str) -> Fix | None:
    """The clipped value with the gradient of the one that was not clipped."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if op != "clip_by_value" or code is None or not isinstance(call, ast.Call) or not call.args:
        return None
    value = code.text(call.args[0])
    if not isinstance(call.args[0], (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        value = f"({value})"
    text = f"{value} + {edits.tf_alias(code)}.stop_gradient({code.text(call)} - {value})"
    return edits.fix(code, [edits.replaced(code, call, edits.bracketed(code, call, text))])
