"""A value that went into a queue or a Dataset and came out as a constant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, number, shortened
from tapelab.diagnosis.wording import ENDS_AT, lost, paragraph, say, translated
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code, Extent
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge


def handed_out(case: Case, edge: Edge) -> Finding:
    """What hands out numbers without a history: `queue.dequeue()`, the header of a loop, `next`."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Ran)
    op = case.recording.ops[place.event.op]
    because = op.rules[min(edge.position, len(op.rules) - 1)].because
    code, extent = case.codes.of(place.span), _handing(case, place.span)
    text = shortened(code.text(extent)) if code and extent else op.name
    name, value = name_of(case, edge.origin), number(case, edge.to)
    went = say("`{name}` went in, and {value} came out without a history.", name=name, value=value)
    said = say("`{text}` handed out {value} as a constant", text=text, value=value)
    return Finding(
        code="STATE_READ",
        title=say(ENDS_AT, text=text),
        message=paragraph(translated(because), went, lost(case)),
        where=case.codes.where(place.span, extent),
        fix=_directly(case, place.span),
        evidence=(edge.event,),
        steps=(Step(line_of(case, edge.event), said),),
    )


def _handing(case: Case, span: int) -> Extent | None:
    """Where it is handed out: of a loop, what it goes through."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    if code and isinstance(statement, ast.For) and case.codes.expression(span) is None:
        return code.extent(statement.iter)
    return case.codes.extent(span)


def _directly(case: Case, span: int) -> Fix | None:
    """The value itself in place of what came out: `for row in rows`, or what went in."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    call = case.codes.expression(span)
    if code is None:
        return None
    if isinstance(call, ast.Call):
        return _instead_of_a_queue(code, call)
    match statement:
        case ast.For(iter=ast.Call(func=ast.Attribute(attr="from_tensor_slices"), args=[rows])):
            return edits.fix(code, [edits.replaced(code, statement.iter, code.text(rows))])
    return None


def _instead_of_a_queue(code: Code, call: ast.Call) -> Fix | None:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "dequeue":
        return None
    put = f"{ast.unparse(call.func.value)}.enqueue"
    for statement in code.statements():
        match statement:
            case ast.Expr(value=ast.Call(func=function, args=[given])):
                if ast.unparse(function) == put and code.extent(statement) < code.extent(call):
                    text = edits.bracketed(code, call, code.text(given))
                    changes = [edits.removed(code, statement), edits.replaced(code, call, text)]
                    return edits.fix(code, changes)
    return None
