"""A variable was made from a tensor: it holds a copy of the numbers, without their history."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, spot
from tapelab.diagnosis.wording import ENDS_AT, lost, paragraph, say, sentence

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge

BEGAN: Final = sentence("`{made}` began with a copy of `{name}`")


def copied(case: Case, edge: Edge) -> Finding:
    """A new variable began with the value of a tensor on the way."""
    span, text, line = spot(case, edge.event, "tf.Variable")
    made, name = name_of(case, edge.to), name_of(case, edge.origin)
    call = case.codes.expression(span)
    if name == made and isinstance(call, ast.Call) and call.args:
        name = ast.unparse(call.args[0])
    return Finding(
        code="COPIED_VALUE",
        title=say(ENDS_AT, text=text),
        message=paragraph(
            say(
                "A new variable copies the numbers of `{name}` and not where they came from.",
                name=name,
            ),
            lost(case),
        ),
        where=case.codes.where(span),
        fix=_without_variable(case, span),
        evidence=(edge.event,),
        steps=(Step(line, say(BEGAN, made=made, name=name)),),
    )


def _without_variable(case: Case, span: int) -> Fix | None:
    """The line with the tensor itself in place of the variable."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call) or not call.args:
        return None
    given = code.text(call.args[0])
    if isinstance(call.args[0], (ast.List, ast.Tuple)):
        given = f"{edits.tf_alias(code)}.stack({given})"
    text = edits.bracketed(code, call, given)
    return edits.fix(code, [edits.replaced(code, call, text)])
