"""Losses that add up a batch: their gradient grows with the number of examples."""

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
    from tapelab.diagnosis.way import Way

LARGE_BATCH: Final = 32
"""As many examples as a batch of Keras has by default. A sum over fewer may well be meant."""


def unnormalised_sum(case: Case) -> Iterator[Finding]:
    """A loss that is a sum over a large batch: its gradient grows with the batch."""
    way = case.way
    if way is None or not way.through({"reduce_sum"}) or case.recording.tensor(case.target).shape:
        return
    for step in _at_the_end(way):
        if way.ops[step] != "reduce_sum":
            continue
        shape = case.recording.tensor(way.tensor[step]).shape
        source = case.recording.tensor(case.source).shape
        if shape and shape[0] >= LARGE_BATCH and shape[0] not in source and _alone(case, way, step):
            yield _grows(case, way, step, shape[0])
            return


def _at_the_end(way: Way) -> Iterator[int]:
    """The steps from the target on, as long as there is one way and it changes the scale only."""
    tensor = way.tensor[0]
    while True:
        ahead = way.out_of.get(tensor, ())
        if len(ahead) != 1:
            return
        yield ahead[0]
        if way.ops[ahead[0]] not in {"reduce_sum", "negative", "multiply", "reshape"}:
            return
        tensor = way.tensor[ahead[0]]


def _alone(case: Case, way: Way, step: int) -> bool:
    """Whether nothing on the way divides by the number of examples."""
    count = case.recording.tensor(way.tensor[step]).shape[0]
    for each in way.through({"reduce_mean"}):
        given, made = (case.recording.tensor(at).shape for at in (way.tensor[each], way.made[each]))
        if given[:1] == (count,) and made[:1] != (count,):
            return False
    for each in way.through({"divide", "multiply"}):
        if way.position[each] == 0:
            other = way.ran(each).inputs[1]
            factor = way.measures.of(other)
            if way.measures.count[other] == 1 and factor.greatest in {count, 1.0 / count}:
                return False
    return True


def _grows(case: Case, way: Way, step: int, count: int) -> Finding:
    event = way.event[step]
    span, text, line = spot(case, event, way.ops[step])
    return Finding(
        code="UNNORMALISED_SUM",
        title=say("The gradient grows with the batch"),
        message=paragraph(
            say(
                "`{text}` in line {line} adds up {count} examples, and each of them adds its part "
                "to the gradient for `{source}`.",
                text=text,
                line=line,
                count=count,
                source=name_of(case, case.source),
            ),
            say("With twice as many examples it is twice as large; a mean would keep its size."),
        ),
        where=case.codes.where(span),
        fix=_mean(case, span),
        evidence=(event,),
        steps=(Step(line, say("{count} examples were added up", count=count)),),
    )


def _mean(case: Case, span: int) -> Fix | None:
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    if ast.unparse(call.func).rpartition(".")[2] != "reduce_sum":
        return _reduced_otherwise(code, call)
    text = f"{code.text(call.func)[: -len('reduce_sum')]}reduce_mean"
    return edits.fix(code, [edits.replaced(code, call.func, text)])


def _reduced_otherwise(code: Code, call: ast.Call) -> Fix | None:
    """The loss without `reduction="sum"`, where it is made: here, or in the line of its name."""
    made = [call, call.func, *_given_to(code, call.func)]
    for each in (node for node in made if isinstance(node, ast.Call)):
        for keyword in each.keywords:
            if (keyword.arg, ast.unparse(keyword.value)) == ("reduction", "'sum'"):
                return edits.fix(code, [edits.without_argument(code, each, keyword)])
    return None


def _given_to(code: Code, name: ast.expr) -> list[ast.expr]:
    """What lines of the code give a name."""
    lines = (each for each in code.statements() if isinstance(each, ast.Assign))
    return [each.value for each in lines if ast.unparse(each.targets[0]) == ast.unparse(name)]
