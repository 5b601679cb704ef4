"""`unconnected_gradients=ZERO`: a zero that stands for None."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.names import name_of, question, shortened
from tapelab.diagnosis.wording import say

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix

ARGUMENT: Final = "unconnected_gradients"


def unconnected_zero(case: Case) -> Finding | None:
    """A zero that was asked for in place of None."""
    if not case.zero or case.question is None:
        return None
    target, source = name_of(case, case.target), name_of(case, case.source)
    asked = question(case)
    return Finding(
        code="UNCONNECTED_ZERO",
        title=say("The gradient for `{source}` is 0 in place of None", source=source),
        message=say(
            "`{text}` fills in zeros where no path leads. This 0 does not say that `{target}` is "
            "flat in `{source}`: nothing connects the two.",
            text=shortened(asked.text) if asked else ARGUMENT,
            target=target,
            source=source,
        ),
        where=case.codes.where(case.question.span),
        fix=_without_zero(case),
        evidence=(case.question.index,),
    )


def _without_zero(case: Case) -> Fix | None:
    """The question, with None as the answer where no path leads."""
    asked = question(case)
    if asked is None or not isinstance(asked.node, ast.Call):
        return None
    for keyword in asked.node.keywords:
        if keyword.arg == ARGUMENT:
            change = edits.without_argument(asked.code, asked.node, keyword)
            return edits.fix(asked.code, [change])
    return None
