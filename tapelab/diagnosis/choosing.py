"""Values that only choose: places to pick from, and conditions that pick a branch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import argument, name_of, question, text_of
from tapelab.diagnosis.wording import say, sentence
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge

PLACES: Final = {"indices", "index", "segment_ids", "ids"}
"""What the inputs of ops are called that take positions."""

CONDITION: Final = {"where": 0}
"""The ops that choose by a condition, and which of their inputs it is."""

CHOOSES: Final = sentence("`{name}` only chooses in `{text}`")


def picks(case: Case, edge: Edge) -> bool:
    """Whether a step takes a value as positions to pick from."""
    event = case.recording.event(edge.event)
    if not isinstance(event, e.Ran):
        return False
    op = case.recording.ops[event.op]
    named = op.inputs[min(edge.position, len(op.inputs) - 1)] in PLACES
    return named or op.pattern == "index-only"


def decides(case: Case, edge: Edge) -> bool:
    """Whether a step takes a value as a condition."""
    return CONDITION.get(case.op_name(edge)) == edge.position


def choice_behind(case: Case, edge: Edge) -> Edge | None:
    """The step on the way to the target that takes what came of a step as a choice."""
    ahead, seen = [edge], {edge.to}
    while ahead:
        step = ahead.pop()
        if step is not edge and (picks(case, step) or decides(case, step)):
            return step
        if case.flow.is_floating(step.to):
            continue
        steps = [each for each in case.flow.out_of.get(step.to, ()) if each.to in case.upstream]
        ahead += [each for each in steps if each.to not in seen]
        seen.update(each.to for each in steps)
    return None


def is_told_elsewhere(case: Case, edge: Edge) -> bool:
    """Whether another step of the same way through whole numbers is the one to tell of.

    That is the one at which floats become whole numbers or truth values; where a cast made whole
    numbers to pick with, it is the picking.
    """
    if edge.cut not in {Cut.FLAT, Cut.INTEGER}:
        return False
    if case.flow.is_floating(edge.origin):
        behind = choice_behind(case, edge) if edge.cut is Cut.INTEGER else None
        return behind is not None and picks(case, behind)
    begun = _beginnings(case, edge)
    casts = all(first.cut is Cut.INTEGER for first in begun)
    return bool(begun) and not (picks(case, edge) and casts)


def _beginnings(case: Case, edge: Edge) -> list[Edge]:
    """The steps from floats of the source's to what a step took that is not."""
    back, seen, found = [edge.origin], {edge.origin}, []
    while back:
        for step in case.flow.into.get(back.pop(), ()):
            if step.origin not in case.downstream or step.cut not in {None, Cut.FLAT, Cut.INTEGER}:
                continue
            if case.flow.is_floating(step.origin):
                found.append(step)
            elif step.origin not in seen:
                seen.add(step.origin)
                back.append(step.origin)
    return found


def index_source(case: Case) -> Finding | None:
    """A source of whole numbers that are positions, or of truth values that choose."""
    if case.source < 0 or case.flow.is_floating(case.source):
        return None
    for edge in reversed(case.path):
        if picks(case, edge) or decides(case, edge):
            return _chosen(case, edge)
    return None


def _of_what_is_picked_from(case: Case, edge: Edge) -> Fix | None:
    """The question for the tensor or variable that is picked from, if the tape follows it."""
    asked, written = question(case), argument(case, case.source)
    origin = next((each.origin for each in case.flow.into[edge.to] if each.position == 0), -1)
    if asked is None or written is None or origin not in case.flow.tracked:
        return None
    name = name_of(case, origin)
    if edge.position == 0 or not re.fullmatch(r"[\w.]+", name) or written.code is not asked.code:
        return None
    return edits.fix(asked.code, [edits.replaced(asked.code, written.node, name)])


def _chosen(case: Case, edge: Edge) -> Finding:
    span = case.recording.located[edge.event].span
    name, text = name_of(case, case.source), text_of(case, span)
    place = picks(case, edge)
    return Finding(
        code="INDEX_ONLY" if place else "PREDICATE_ONLY",
        title=say(CHOOSES, name=name, text=text),
        message=say(
            "`{name}` says which entries are picked in `{text}`. Between one position and the next "
            "there is nothing, so a small step of `{name}` means nothing; a gradient flows to what "
            "is picked from.",
            name=name,
            text=text,
        )
        if place
        else say(
            "`{name}` says which of two values is taken in `{text}`, and true or false cannot make "
            "small steps.",
            name=name,
            text=text,
        ),
        where=case.codes.where(span),
        fix=_of_what_is_picked_from(case, edge) if place else None,
        evidence=(edge.event,),
        steps=(Step(line_of(case, edge.event), say("`{name}` chose", name=name)),),
    )
