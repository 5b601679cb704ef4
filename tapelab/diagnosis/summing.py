"""Gradients of a sum where a Jacobian is meant: summed targets, rows that mix in a batch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, question, text_of
from tapelab.diagnosis.rows import meeting
from tapelab.diagnosis.way import Way
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.recording.events import Located

UPDATES: Final = {
    *("apply_gradients", "apply", "minimize", "assign", "assign_add", "assign_sub"),
    *("clip_by_global_norm", "global_norm"),
}
"""What is done with gradients whose sum over a batch is meant."""

JACOBIANS: Final[set[int]] = {e.Method.JACOBIAN, e.Method.BATCH_JACOBIAN}


def summed_target(case: Case) -> Iterator[Finding]:
    """A target of several numbers, of which the gradient of the sum was given.

    Nothing is said where the sum is harmless or meant: where each number of the target depends on
    its own row of the source only, where a seed was given, where a Jacobian was asked for as well,
    where several sources were asked for at once, as one does with weights, where each of several
    targets was asked about by itself too, and where the code changes variables by its gradients.
    Nor is it where nobody asked so far.
    """
    asked_of = [asked for _, asked in _asked_of(case) if len(asked.sources) == 1]
    way, methods = case.way, {asked.method for asked in asked_of}
    if way is None or not len(way) or _is_meant(case, way):
        return
    if e.Method.GRADIENT not in methods or methods & JACOBIANS:
        return
    sizes = [_size(case, target) for target in case.targets]
    if sum(sizes) == 1 or (len(sizes) == 1 and _is_by_row(case, way)) or _asked_apart(case):
        return
    yield _summed(case, sizes)


def _size(case: Case, tensor: int) -> int:
    return int(np.prod(case.recording.tensor(tensor).shape, dtype=np.int64))


def _asked_apart(case: Case) -> bool:
    """Whether each of several targets was asked about by itself too, for this source."""
    return len(case.targets) > 1 and all(
        any(asked.method == e.Method.GRADIENT for _, asked in _asked_of(alone))
        for alone in (case.beside(target, case.source) for target in case.targets)
    )


def _asked_of(case: Case) -> list[tuple[Located, e.Asked]]:
    """The questions for this source of these targets."""
    return [
        (place, place.event)
        for place in case.recording.placed(e.Asked)
        if isinstance(place.event, e.Asked)
        and place.event.targets == case.targets
        and any(map(case.is_source, place.event.sources))
    ]


def _is_meant(case: Case, way: Way) -> bool:
    """Whether the learner gave a seed, or changes variables by the gradient."""
    for step in range(len(way)):
        if way.event[step] < 0:
            seed = way.measures.of(way.upstream[step])
            if not seed.least == seed.greatest == 1:
                return True
    return updates_variables(case)


def updates_variables(case: Case) -> bool:
    """Whether the code that asks for the gradient assigns to variables or calls an optimizer."""
    span = case.question.span if case.question else case.recording.tensor(case.target).span
    code = case.codes.of(span)
    nodes = (node for _, node in code.placed) if code else ()
    return any(isinstance(node, ast.Attribute) and node.attr in UPDATES for node in nodes)


def _is_by_row(case: Case, way: Way) -> bool:
    """Whether each row of the target was made from the same row of the source alone."""
    target, source = (case.recording.tensor(each).shape for each in (case.target, case.source))
    if not target or target[:1] != source[:1]:
        return False
    return meeting(case, way, target[0]) < 0


def _summed(case: Case, sizes: list[int]) -> Finding:
    target, source = case.targets[0], name_of(case, case.source)
    asked, made = question(case), case.recording.tensor(target).span
    shape = case.recording.tensor(target).shape
    span = case.question.span if asked and case.question else made
    names = ", ".join(f"`{name_of(case, each)}`" for each in case.targets)
    if len(sizes) > 1:
        what = say("The targets are {names}, {count} numbers.", names=names, count=sum(sizes))
    else:
        what = say("{name} has shape {shape}: {count} numbers.",
                   name=names, shape=shape, count=sum(sizes))  # fmt: skip
    return Finding(
        code="SUMMED_TARGET",
        title=say("This is the gradient of a sum of {count} numbers", count=sum(sizes)),
        message=paragraph(
            what,
            say(
                "A gradient belongs to one number, so the tape adds them up first, and `{source}` "
                "got the gradient of the sum.",
                source=source,
            ),
            say("A Jacobian has one gradient for each of them."),
        ),
        where=case.codes.where(span),
        fix=_renamed(case, "gradient", "jacobian") if len(sizes) == 1 else None,
        evidence=(case.question.index,) if case.question else case.made(target),
        steps=(Step(case.codes.line(made), say("{names} got {count} numbers",
                                               names=names, count=sum(sizes))),),
    )  # fmt: skip


def _renamed(case: Case, method: str, other: str) -> Fix | None:
    """The question with another method of the tape."""
    asked = question(case)
    match asked and asked.node:
        case ast.Call(func=ast.Attribute(value=tape, attr=name) as function) if name == method:
            assert asked is not None
            text = f"{asked.code.text(tape)}.{other}"
            return edits.fix(asked.code, [edits.replaced(asked.code, function, text)])
    return None


def cross_talk(case: Case) -> Iterator[Finding]:
    """A batch Jacobian of rows that depend on each other."""
    for place, asked in reversed(_asked_of(case)):
        if asked.method != e.Method.BATCH_JACOBIAN or asked.results[0] < 0:
            continue
        way = Way(case.recording, case.source_mask, asked.call, asked.results[0])
        rows = case.recording.tensor(case.target).shape[0]
        tensor = meeting(case, way, rows)
        if tensor >= 0:
            yield _talking(case, place, tensor)
        return


def _talking(case: Case, place: Located, tensor: int) -> Finding:
    source, target = name_of(case, case.source), name_of(case, case.target)
    span = case.recording.tensor(tensor).span
    text, line = text_of(case, span) or source, case.codes.line(span)
    return Finding(
        code="CROSS_TALK",
        title=say("The rows of `{source}` meet in `{text}`", source=source, text=text),
        message=paragraph(
            say(
                "`batch_jacobian` takes each row of `{target}` to depend on the same row of "
                "`{source}` alone. `{text}` in line {line} went into all rows, so `{target}[0]` "
                "depends on `{source}[1]` too.",
                target=target,
                source=source,
                text=text,
                line=line,
            ),
            say("Its numbers are sums over rows then, and not those of one. Ask for the Jacobian."),
        ),
        where=case.codes.where(span),
        fix=_renamed(case, "batch_jacobian", "jacobian"),
        evidence=(place.index, *case.made(tensor)),
        steps=(
            Step(line, say("rows of `{source}` met", source=source)),
            Step(line_of(case, place.index), say("a Jacobian was asked for row by row")),
        ),
    )
