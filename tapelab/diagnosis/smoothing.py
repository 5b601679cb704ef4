"""What to write instead of an op that is flat: a division, a soft step, a gradient led past it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, spot
from tapelab.diagnosis.wording import paragraph, say

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge

ROUNDING: Final = {"round", "rint", "floor", "ceil", "sign"}
"""Functions of one tensor whose result stays near their argument."""

ABOVE: Final = (ast.Gt, ast.GtE, "greater", "greater_equal")
BELOW: Final = (ast.Lt, ast.LtE, "less", "less_equal")


def smooth(case: Case, edge: Edge) -> Fix | None:
    """The line with something in place of a flat op that has a slope."""
    span = case.recording.located[edge.event].span
    return _written(case, span, soft=is_cast_at_once(case, edge))


def _written(case: Case, span: int, *, soft: bool) -> Fix | None:
    node, code = case.codes.expression(span), case.codes.of(span)
    if code is None or node is None:
        return None
    text = edits.bracketed(code, node, _led_past(code, node)) or _divided(code, node)
    if not text and soft:
        text = soft_step(code, node)
    return edits.fix(code, [edits.replaced(code, node, text)]) if text else None


def _divided(code: Code, node: ast.expr) -> str:
    """A floor division without the floor."""
    match node:
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return f"{code.text(left)} / {code.text(right)}"
    return ""


def _led_past(code: Code, node: ast.expr) -> str:
    """The rounded value, with the gradient as if it had not been rounded."""
    match node:
        case ast.Call(func=ast.Attribute(value=module, attr=name), args=[value]):
            if name not in ROUNDING or not isinstance(value, (ast.Name, ast.Attribute, ast.Call)):
                return ""
            x, tf = code.text(value), ast.unparse(module).partition(".")[0]
            return f"{x} + {tf}.stop_gradient({code.text(node)} - {x})"
    return ""


def soft_step(code: Code, node: ast.expr, *, mirrored: bool = False) -> str:
    """A sigmoid, which goes from 0 to 1 where a comparison jumps; mirrored from 1 to 0."""
    match node:
        case ast.Compare(left=one, ops=[relation], comparators=[other]):
            said: object = type(relation)
        case ast.Call(func=ast.Attribute(attr=name), args=[one, other]):
            said = name
        case _:
            return ""
    if said not in ABOVE and said not in BELOW:
        return ""
    high, low = (one, other) if (said in ABOVE) is not mirrored else (other, one)
    return f"{edits.tf_alias(code)}.sigmoid({_difference(code, high, low)})"


def _difference(code: Code, high: ast.expr, low: ast.expr) -> str:
    if isinstance(low, ast.Constant) and not low.value:
        return code.text(high)
    if isinstance(high, ast.Constant) and not high.value:
        return f"-({code.text(low)})" if isinstance(low, ast.BinOp) else f"-{code.text(low)}"
    loose = isinstance(low, (ast.BinOp, ast.UnaryOp))
    return f"{code.text(high)} - " + (f"({code.text(low)})" if loose else code.text(low))


def is_cast_at_once(case: Case, edge: Edge) -> bool:
    """Whether all that is made of a comparison is floats by a cast."""
    ahead = [each for each in case.flow.out_of.get(edge.to, ()) if each.to in case.upstream]
    return bool(ahead) and all(case.op_name(each) == "cast" for each in ahead)


def flat_sign(case: Case) -> Iterator[Finding]:
    """A gradient of 0, because all of it would have to flow through a sign."""
    way = case.way
    if way is None or not way.is_zero:
        return
    for step in way.through({"sign"}):
        if way.starved(step):
            yield _signed(case, way.event[step])
            return


def _signed(case: Case, event: int) -> Finding:
    span, text, line = spot(case, event, "sign")
    return Finding(
        code="NON_DIFFERENTIABLE",
        title=say("`{text}` is flat", text=text),
        message=paragraph(
            say(
                "`{text}` in line {line} answers −1, 0 or 1, which does not change when its "
                "argument changes a little.",
                text=text,
                line=line,
            ),
            say(
                "So the gradient for `{source}` is 0 wherever `{source}` stands, and tells nothing "
                "of the way to go.",
                source=name_of(case, case.source),
            ),
        ),
        where=case.codes.where(span),
        fix=_written(case, span, soft=False),
        evidence=(event,),
        steps=(Step(line, say("the gradient became 0")),),
    )
