"""A tape that has given its one answer, or never recorded, and is asked."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import block_of, line_of, tape_name
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.inside import stopped_inside
from tapelab.diagnosis.names import text_of
from tapelab.diagnosis.wording import paragraph, say, sentence
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix

NOTHING_LEFT: Final = sentence(
    "A tape lets go of what it recorded with its first answer, unless it is made with "
    "`persistent=True`, so `{text}` finds nothing left."
)
ROW_BY_ROW: Final = sentence(
    "`{text}` asks once for each element of the target, and a tape answers once, unless it is made "
    "with `persistent=True`."
)


def consumed(case: Case, details: Mapping[str, Any]) -> Finding:
    """The second question to a tape that answers once."""
    if not case.flow.opened:
        return _never_entered(case)
    stopped = stopped_inside(case)
    if stopped:
        return stopped
    asked = case.recording.placed(e.Asked)
    span, tape = asked[-1].span, tape_name(case)
    text = text_of(case, span) or f"{tape}.gradient"
    first = line_of(case, asked[0].index) if len(asked) > 1 else 0
    if "rows" in details:
        title = say("`{tape}` gives one answer", tape=tape)
    else:
        title = say("`{tape}` has given its one answer", tape=tape)
    return Finding(
        code="TAPE_CONSUMED",
        title=title,
        message=paragraph(
            say("`{tape}` was asked in line {line} already.", tape=tape, line=first)
            if first
            else "",
            say(ROW_BY_ROW if "rows" in details else NOTHING_LEFT, text=text),
        ),
        where=case.codes.where(span),
        fix=_persistent(case),
        evidence=tuple(place.index for place in asked),
        steps=tuple(
            Step(case.codes.line(each.span), say("`{tape}` was asked", tape=tape)) for each in asked
        ),
    )


def _never_entered(case: Case) -> Finding:
    """A tape without a block: it has recorded nothing that it could be asked about."""
    (asked,), tape = case.recording.placed(e.Asked), tape_name(case)
    return Finding(
        code="BEFORE_TAPE",
        title=say("`{tape}` has not recorded anything", tape=tape),
        message=say(
            "A tape records inside its block: put what is to be differentiated under "
            "`with tf.GradientTape() as {tape}:`.",
            tape=tape,
        ),
        where=case.codes.where(asked.span),
        fix=None,
        evidence=(asked.index,),
    )


def _persistent(case: Case) -> Fix | None:
    """The line that makes the tape, with `persistent=True`."""
    block = block_of(case)
    if block is None:
        return None
    for item in block.node.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("GradientTape"):
            return edits.fix(block.code, [edits.with_argument(block.code, call, "persistent=True")])
    return None
