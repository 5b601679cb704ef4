"""Whole numbers on the way: an integer source, or a cast to integers and back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, number, operand, spot
from tapelab.diagnosis.wording import ENDS_AT, lost, paragraph, say

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge


def int_source(case: Case) -> Finding | None:
    """A source that holds whole numbers."""
    facts = case.recording.tensor(case.source)
    if case.flow.is_floating(case.source):
        return None
    name, span = name_of(case, case.source), facts.span
    text, line = case.codes.text(span), case.codes.line(span)
    made = say("`{text}` in line {line} made it of whole numbers.", text=text, line=line)
    step = say("`{name}` was made as {dtype}", name=name, dtype=facts.dtype)
    return Finding(
        code="INT_DTYPE",
        title=say("`{name}` is {dtype}", name=name, dtype=facts.dtype),
        message=paragraph(
            made if text else "",
            say(
                "A gradient says what a small step would change, and whole numbers cannot make "
                "small steps."
            ),
        ),
        where=case.codes.where(span),
        fix=_floating(case, span),
        evidence=case.made(case.source),
        steps=(Step(line, step),) if text else (),
    )


def int_on_the_way(case: Case, edge: Edge) -> Finding:
    """A cast to whole numbers between the source and the target."""
    span, text, line = spot(case, edge.event, "tf.cast")
    name, dtype = name_of(case, edge.origin), case.recording.tensor(edge.to).dtype
    before, after = number(case, edge.origin), number(case, edge.to)
    return Finding(
        code="INT_DTYPE",
        title=say(ENDS_AT, text=text),
        message=paragraph(
            say(
                "The cast to {dtype} turned `{name}` from {before} into {after}. Whole numbers "
                "cannot make small steps.",
                dtype=dtype,
                name=name,
                before=before,
                after=after,
            ),
            lost(case, is_known=True),  # whole numbers have a slope of 0
        ),
        where=case.codes.where(span),
        fix=_straight_through(case, edge),
        evidence=(edge.event,),
        steps=(Step(line, say("`{name}` became {dtype}", name=name, dtype=dtype)),),
    )


def _floating(case: Case, span: int) -> Fix | None:
    """The line that makes the source, with a decimal point or a floating dtype."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    for keyword in call.keywords:
        if keyword.arg == "dtype":
            module = ast.unparse(keyword.value).rpartition(".")[0] or "tf"
            return edits.fix(code, [edits.replaced(code, keyword.value, f"{module}.float32")])
    whole = [node for argument in call.args[:1] for node in _whole_numbers(argument)]
    if whole:
        return edits.fix(code, [edits.replaced(code, n, f"{code.text(n)}.0") for n in whole])
    module = ast.unparse(call.func).rpartition(".")[0] or "tf"
    if ast.unparse(call.func).endswith(("constant", "Variable", "ones", "zeros")) and call.args:
        last = code.extent(call.args[-1])
        end = last._replace(line=last.end_line, column=last.end_column)
        return edits.fix(code, [edits.Edit(end, f", dtype={module}.float32")])
    text = f"{module}.cast({code.text(call)}, {module}.float32)"
    return edits.fix(code, [edits.replaced(code, call, text)])


def _whole_numbers(node: ast.expr) -> list[ast.expr]:
    """The whole numbers in a number or in nested lists; none where anything else is in them."""
    match node:
        case ast.Constant(value=int()):
            return [node]
        case ast.UnaryOp(operand=inner):
            return _whole_numbers(inner)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            found = [_whole_numbers(part) for part in parts]
            return [each for part in found for each in part] if all(found) else []
    return []


def _straight_through(case: Case, edge: Edge) -> Fix | None:
    """The value with its jumps, and the gradient as if it had none: `x + stop_gradient(q - x)`."""
    backs = [ahead for ahead in case.flow.out_of.get(edge.to, ()) if ahead in case.path]
    given = operand(case, edge)
    if not backs or given is None:
        return None
    span = case.recording.located[backs[0].event].span
    cast, code = case.codes.expression(span), case.codes.of(span)
    if not isinstance(cast, ast.Call) or code is not given.code or not _is_cast(cast):
        return None
    simple = isinstance(given.node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    smooth = given.text if simple else f"({given.text})"
    module = ast.unparse(cast.func).rpartition(".")[0]
    text = f"{smooth} + {module}.stop_gradient({code.text(cast)} - {smooth})"
    return edits.fix(code, [edits.replaced(code, cast, edits.bracketed(code, cast, text))])


def _is_cast(call: ast.Call) -> bool:
    return ast.unparse(call.func).rpartition(".")[2] in {"cast", "to_float", "saturate_cast"}
