"""A variable was assigned: it holds the number from there on, and not where it came from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.metrics import as_loss, is_metric
from tapelab.diagnosis.names import name_of, number, text_of
from tapelab.diagnosis.wording import ENDS_AT, lost, paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge

FUNCTIONAL: Final = {
    "assign": "{value}",
    "assign_add": "{name} + {value}",
    "assign_sub": "{name} - {value}",
}


def state_read(case: Case, edge: Edge) -> Finding:
    """The target read a variable that had been assigned from the source's value."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Assigned)
    name, value = name_of(case, edge.to), number(case, edge.to)
    text = text_of(case, place.span) or f"{name}.assign"
    return Finding(
        code="STATE_READ",
        title=say(ENDS_AT, text=text),
        message=paragraph(_what_happened(case, place.span, name, value), lost(case)),
        where=case.codes.where(place.span),
        fix=as_loss(case, place.span) or _functional(case, place.span),
        evidence=(edge.event,),
        steps=(
            Step(line_of(case, edge.event), say("`{text}` stored {value}", text=text, value=value)),
            *_read_again(case, edge, name),
        ),
    )


def _what_happened(case: Case, span: int, name: str, value: str) -> str:
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is not None and isinstance(call, ast.Call) and is_metric(code, call):
        return say(
            "A metric keeps count in variables that are not trained, such as `{name}`. Its result "
            "is read from them, so it has no history. Compute the loss itself.",
            name=name,
        )
    return say(
        "An assignment stores numbers and forgets where they came from. Afterwards `{name}` is "
        "read as {value} without a history.",
        name=name,
        value=value,
    )


def _read_again(case: Case, edge: Edge, name: str) -> tuple[Step, ...]:
    reads = (after.event for after in case.flow.out_of.get(edge.to, ()))
    first = min(reads, default=-1)
    said = say("`{name}` was read as a new start", name=name)
    return (Step(line_of(case, first), said),) if first >= 0 else ()


def _functional(case: Case, span: int) -> Fix | None:
    """The assignment as a new value under a name of its own, read from there on."""
    call, code = case.codes.expression(span), case.codes.of(span)
    statement = case.codes.statement(span)
    if code is None or not isinstance(call, ast.Call) or not isinstance(statement, ast.Expr):
        return None
    if statement.value is not call or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    variable, value = _new_value(code, call)
    if not value:
        return None
    name = ast.unparse(variable)
    if isinstance(variable, ast.Name) and _is_in_a_loop(code, statement):
        return edits.fix(code, [edits.replaced(code, statement, f"{name} = {value}")])
    new = f"{name.rsplit('.', 1)[-1]}_new"
    changes = [edits.replaced(code, statement, f"{new} = {value}")]
    later = _reads_after(code, statement, name)
    changes += [edits.replaced(code, node, new) for node in later]
    return edits.fix(code, changes) if later else None


def _is_in_a_loop(code: Code, statement: ast.stmt) -> bool:
    return isinstance(code.parent.get(statement), (ast.For, ast.While))


def _new_value(code: Code, call: ast.Call) -> tuple[ast.expr, str]:
    """The variable of `x.assign…(value)` or `x[i].assign(value)`, and its new value as tf code."""
    assert isinstance(call.func, ast.Attribute)
    variable, value = call.func.value, call.args[0]
    if isinstance(variable, ast.Subscript):
        if call.func.attr != "assign" or not _is_index(variable.slice):
            return variable, ""
        whole, index = code.text(variable.value), code.text(variable.slice)
        tf = edits.tf_alias(code)
        updated = f"{tf}.tensor_scatter_nd_update({whole}, [[{index}]], [{code.text(value)}])"
        return variable.value, updated
    if call.func.attr.startswith("scatter_nd_") and len(call.args) == 2 and not call.keywords:
        name = f"{edits.tf_alias(code)}.tensor_{call.func.attr}"
        given = ", ".join(code.text(each) for each in (variable, *call.args))
        return variable, f"{name}({given})"
    pattern = FUNCTIONAL.get(call.func.attr, "")
    given = code.text(value) if pattern == "{value}" else _term(code, value)
    return variable, pattern.format(name=code.text(variable), value=given)


def _is_index(node: ast.expr) -> bool:
    return not any(
        isinstance(each, (ast.Slice, ast.Constant)) and _is_no_int(each) for each in ast.walk(node)
    )


def _is_no_int(node: ast.AST) -> bool:
    return not (isinstance(node, ast.Constant) and isinstance(node.value, int))


def _term(code: Code, value: ast.expr) -> str:
    """A value for the right side of a plus or a minus."""
    text = code.text(value)
    sums = isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub))
    return f"({text})" if sums or isinstance(value, (ast.IfExp, ast.Compare)) else text


def _reads_after(code: Code, statement: ast.stmt, name: str) -> list[ast.expr]:
    """Where the variable is read behind a statement, in the block that the statement stands in."""
    block = code.parent.get(statement)
    nodes = ast.walk(block) if block else ()
    reads = [node for node in nodes if isinstance(node, ast.expr) and ast.unparse(node) == name]
    return [node for node in reads if code.extent(node)[:2] > code.extent(statement)[2:]]
