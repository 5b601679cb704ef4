"""One point that code treats apart: there the gradient is that of the special case."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, spot
from tapelab.diagnosis.spoken import plainly
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way


RISKY: Final = (ast.Div, ast.Pow, ast.FloorDiv, ast.Mod)
"""Operators that a point may have been treated apart for."""


def special_case(case: Case) -> Iterator[Finding]:
    """A gradient that comes from the constant in `0 if x == 0 else f(x)`."""
    way = case.way
    if way is not None and len(way):
        yield from _chosen_by_where(case, way)
        if way.is_zero:
            yield from _chosen_by_python(case)


def special_source(case: Case) -> Finding | None:
    """A gradient that is None, because the constant in `0 if x == 0 else f(x)` was taken."""
    return next(_chosen_by_python(case), None)


def _chosen_by_where(case: Case, way: Way) -> Iterator[Finding]:
    """`tf.where(x == 0, 0.0, f(x))`, where `f(0)` is 0 anyway and its slope is lost."""
    for step in way.through({"where"}):
        ran = way.ran(step)
        equal = case.flow.maker_of.get(ran.inputs[0], -1)
        if _op(case, equal) == "equal" and _loses(way, step) and not _leads(way, step):
            yield _finding(case, way.event[step], equal, _smooth_branch(case, way, step))
            return


def _loses(way: Way, step: int) -> bool:
    """Whether the special value is that of the branch not chosen, which gets no gradient for it."""
    inputs, position = way.ran(step).inputs, way.position[step]
    condition, dy = way.value(inputs[0]), way.value(way.upstream[step])
    smooth, special = way.value(inputs[position]), way.value(inputs[3 - position])
    if condition is None or dy is None or smooth is None or special is None:
        return False
    unchosen = condition if position == 2 else ~condition
    alike = np.isclose(smooth, special, rtol=1e-6, atol=1e-12)
    return bool(np.any(unchosen & alike & (dy != 0)))


def _leads(way: Way, step: int) -> bool:
    """Whether the special branch leads to the source as well."""
    return len(way.out_of[way.made[step]]) > 1


def _smooth_branch(case: Case, way: Way, step: int) -> Fix | None:
    """The line without the special case."""
    span = case.recording.located[way.event[step]].span
    call, code = case.codes.expression(span), case.codes.of(span)
    position = way.position[step]
    if code is None or not isinstance(call, ast.Call) or len(call.args) <= position:
        return None
    text = edits.bracketed(code, call, code.text(call.args[position]))
    return edits.fix(code, [edits.replaced(code, call, text)])


def _chosen_by_python(case: Case) -> Iterator[Finding]:
    """`0.0 if x == 0 else f(x)`, and the same as a statement."""
    for place in case.recording.placed(e.Left):
        event = place.event
        if not isinstance(event, e.Left) or not _is_true(case, event):
            continue
        equal = case.flow.maker_of.get(event.tensor, -1)
        if _op(case, equal) != "equal" or not _compares(case, equal):
            continue
        test = case.codes.expression(place.span)
        code = case.codes.of(place.span)
        branch = code.parent.get(test) if code and test else None
        if isinstance(test, ast.Call) and ast.unparse(test.func).rpartition(".")[2] == "cond":
            branch = test
        elif not isinstance(branch, (ast.If, ast.IfExp)) or branch.test is not test:
            continue
        yield _finding(case, place.index, equal, _else_branch(case, place.span, branch))
        return


def _is_true(case: Case, event: e.Left) -> bool:
    if case.recording.strings[event.how] != "bool()":
        return False
    value = case.recording.tensor(event.tensor).value
    return value is not None and bool(np.all(value))


def _compares(case: Case, event: int) -> bool:
    """Whether one side is made of the source."""
    ran = case.recording.event(event)
    return isinstance(ran, e.Ran) and not case.downstream.isdisjoint(ran.inputs)


def _op(case: Case, event: int) -> str:
    ran = case.recording.event(event) if event >= 0 else None
    return case.recording.ops[ran.op].name if isinstance(ran, e.Ran) else ""


def _else_branch(case: Case, span: int, branch: ast.If | ast.IfExp | ast.Call) -> Fix | None:
    """The line without the special case, where the rest can be computed at that point."""
    code = case.codes.of(span)
    match branch:
        case ast.IfExp(orelse=smooth) | ast.Call(args=[_, _, ast.Lambda(body=smooth)]) if code:
            if any(
                isinstance(each, ast.BinOp) and isinstance(each.op, RISKY)
                for each in ast.walk(smooth)
            ):
                return None
            text = edits.bracketed(code, branch, code.text(smooth))
            return edits.fix(code, [edits.replaced(code, branch, text)])
    return None


def _finding(case: Case, event: int, equal: int, fix: Fix | None) -> Finding:
    ran = case.recording.event(equal)
    assert isinstance(ran, e.Ran)
    span, text, line = spot(case, equal, "equal")
    point = case.recording.measures.of(ran.inputs[1])
    return Finding(
        code="ON_KINK",
        title=say("`{text}` singles out the very point that is used", text=text),
        message=paragraph(
            say(
                "`{text}` in line {line} is true for {value}, so the value comes from the special "
                "case, which is a constant.",
                text=text,
                line=line,
                value=plainly(point.greatest),
            ),
            say(
                "The gradient for `{source}` is then that of a constant, even where the function "
                "is smooth.",
                source=name_of(case, case.source),
            ),
        ),
        where=case.codes.where(span),
        fix=fix,
        evidence=(equal, event),
        steps=(Step(line, say("`{text}` was true", text=text)),),
    )
