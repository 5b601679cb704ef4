"""A bias before a normalisation: the mean that is subtracted takes it away again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, operand, spot
from tapelab.diagnosis.spoken import plainly
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

CANCELLED: Final = 1e-5
"""A sum so much smaller than its terms is 0 but for the rounding of float32."""

NORMALISING: Final = {"batch_norm", "fused_batch_norm", "batch_normalization"}
"""Ops that subtract a mean themselves."""


ADDING: Final = "bias_add"
"""The function of tf that adds what moves all rows alike."""


def cancelled(case: Case) -> Iterator[Finding]:
    """A gradient that is 0 because a mean is subtracted behind the source."""
    way = case.way
    if way is None or way.is_spoiled:
        return
    for step in way.through({"add", "bias_add"}):
        if not case.is_source(way.tensor[step]):
            continue
        total, arrived = way.largest[way.result], way.measures.of(way.upstream[step])
        terms = arrived.size * way.measures.count[way.upstream[step]]
        if not (terms and total <= CANCELLED * terms):
            continue
        centred = _centred(case, way, way.made[step])
        if centred is not None:
            yield _cancelled(case, way, step, centred)
            return


def _centred(case: Case, way: Way, tensor: int) -> int | None:
    """The op that takes the mean of a tensor from it; None if there is none."""
    ahead = sorted(way.into.get(tensor, ()), key=lambda step: way.event[step])
    whole = [way.event[step] for step in ahead if way.ops[step] in NORMALISING]
    if whole:
        return whole[0]
    means = {way.made[step] for step in ahead if way.ops[step] == "reduce_mean"}
    for step in ahead:
        if way.ops[step] not in {"subtract", "squared_difference"}:
            continue
        other = way.ran(step).inputs[1 - way.position[step]]
        if other in means or _comes_of(case, other, means):
            return way.event[step]
    return _by_scale(case, way, ahead, means)


def _by_scale(case: Case, way: Way, ahead: list[int], means: set[int]) -> int | None:
    """`x · scale + (offset − mean · scale)`, as a normalisation computes it."""
    if not means:
        return None
    return next((way.event[step] for step in ahead if way.ops[step] == "multiply"), None)


def _comes_of(case: Case, tensor: int, means: set[int]) -> bool:
    """Whether a tensor is one of the means in another shape, or with its gradient stopped."""
    event = case.flow.maker_of.get(tensor, -1)
    ran = case.recording.event(event) if event >= 0 else None
    return isinstance(ran, e.Ran) and not means.isdisjoint(ran.inputs)


def _cancelled(case: Case, way: Way, step: int, centred: int) -> Finding:
    event, name = way.event[step], name_of(case, case.source)
    span, _, added = spot(case, event)
    _, text, line = spot(case, centred, "the mean")
    terms = plainly(float(f"{way.largest[way.upstream[step]]:.2g}"))
    return Finding(
        code="CANCELLED_BY_MEAN",
        title=say("Nothing that `{name}` adds is left", name=name),
        message=paragraph(
            say(
                "`{name}` moves all rows alike, and `{text}` in line {line} subtracts their mean, "
                "so the result does not depend on `{name}`.",
                name=name,
                text=text,
                line=line,
            ),
            say(
                "Gradients of up to {terms} arrive and cancel; {total} is left.",
                terms=terms,
                total=plainly(float(f"{way.largest[way.result]:.2g}")),
            ),
        ),
        where=case.codes.where(span),
        fix=_without(case, way, step),
        evidence=(event, centred),
        steps=(
            Step(added, say("`{name}` was added", name=name)),
            Step(line, say("the mean took it away")),
        ),
    )


def _without(case: Case, way: Way, step: int) -> Fix | None:
    """The sum without the source, or the layer without its bias."""
    span = case.recording.located[way.event[step]].span
    node, code = case.codes.expression(span), case.codes.of(span)
    edges = case.flow.into.get(way.made[step], [])
    other = next((each for each in edges if not case.is_source(each.origin)), None)
    if code is None or node is None or other is None:
        return None
    kept = operand(case, other)
    added = isinstance(node, ast.Call) and ast.unparse(node.func).endswith(ADDING)
    if kept is None or not (added or isinstance(node, ast.BinOp)):
        return None
    return edits.fix(code, [edits.replaced(code, node, edits.bracketed(code, node, kept.text))])
