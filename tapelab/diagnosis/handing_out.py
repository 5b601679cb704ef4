"""A value that went into a queue or a Dataset and came out as a constant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

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


PUT: Final = {"dequeue": "enqueue", "dequeue_many": "enqueue_many"}
"""How what a queue hands out was put into it."""


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
    function = call.func
    put = PUT.get(function.attr, "") if isinstance(function, ast.Attribute) else ""
    name = f"{ast.unparse(function).rpartition('.')[0]}.{put}"
    for statement in code.statements() if put else ():
        match statement:
            case ast.Expr(value=ast.Call(func=putting, args=[given])):
                if ast.unparse(putting) == name and code.extent(statement) < code.extent(call):
                    text = _taken(code, call, given)
                    changes = [edits.removed(code, statement), edits.replaced(code, call, text)]
                    return edits.fix(code, changes)
    return None


def _taken(code: Code, call: ast.Call, given: ast.expr) -> str:
    """What came out, from what was put in: all of it, or the first rows of a batch."""
    match given, call.args:
        case ast.List(elts=[rows]), [count]:
            text = code.text(rows)
            return f"({text})[:{code.text(count)}]"
    return edits.bracketed(code, call, code.text(given))
