"""Losses whose labels and predictions look swapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.double_softmax import group_of, maker
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, spot
from tapelab.diagnosis.wording import paragraph, say

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

WITH_LABELS: Final = {"softmax_cross_entropy", "sigmoid_cross_entropy"}
"""Ops whose first input are labels that may have a gradient."""

LABELS_FIRST: Final = {
    *("categorical_crossentropy", "binary_crossentropy", "kl_divergence"),
    *("categorical_focal_crossentropy", "binary_focal_crossentropy"),
}
"""Losses of Keras in which it matters which argument comes first."""


def swapped_loss(case: Case) -> Iterator[Finding]:
    """A cross-entropy whose labels come from the source, and whose predictions do not."""
    way = case.way
    if way is None or not len(way):
        return
    inside = any(group.name in LABELS_FIRST for group in case.recording.groups)
    for step in way.through({"multiply", *WITH_LABELS} if inside else WITH_LABELS):
        if way.position[step] == 0 and _gets_labels(case, way, step):
            yield _swapped(case, way, step)
            return


def _gets_labels(case: Case, way: Way, step: int) -> bool:
    """Whether a step leads to the labels of a loss and none leads to its predictions."""
    if len(way.out_of[way.made[step]]) > 1:
        return False
    if way.ops[step] in WITH_LABELS:
        return True
    ran = way.ran(step)
    if way.ops[step] != "multiply" or group_of(case, ran) not in LABELS_FIRST:
        return False
    other = maker(case, ran.inputs[1])
    return other is not None and case.recording.ops[other.op].name == "log"


def _swapped(case: Case, way: Way, step: int) -> Finding:
    event = way.event[step]
    span, text, line = spot(case, event, way.ops[step])
    return Finding(
        code="SWAPPED_LOSS_ARGUMENTS",
        title=say("The arguments of `{text}` look swapped", text=text),
        message=paragraph(
            say(
                "The loss in line {line} takes the labels first and what was predicted second. "
                "Here the gradient flows into the first argument only.",
                line=line,
            ),
            say(
                "So `{source}` is taken for labels, and the logarithm is that of the labels.",
                source=name_of(case, case.source),
            ),
        ),
        where=case.codes.where(span),
        fix=_exchanged(case, span),
        evidence=(event,),
        steps=(Step(line, say("the labels got the gradient")),),
    )


def _exchanged(case: Case, span: int) -> Fix | None:
    """The call with its two arguments the other way round."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    named = {each.arg: each.value for each in call.keywords}
    pairs = (call.args[:2], [named[a] for a in ("labels", "logits") if a in named])
    for pair in pairs:
        if len(pair) == 2 and not any(isinstance(each, ast.Starred) for each in pair):
            one, other = pair
            texts = code.text(other), code.text(one)
            changes = [edits.replaced(code, n, t) for n, t in zip(pair, texts, strict=True)]
            return edits.fix(code, changes)
    return None
