"""Iterations that were stopped before they arrived: their gradient is not that of the solution."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, number, text_of
from tapelab.diagnosis.spoken import plainly
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

LEAST_UPDATES: Final = 3
"""Fewer updates show no trend."""

MOST_UPDATES: Final = 10_000
"""A loop that runs longer than this steps through time or data, and seeks no fixed point."""

CONVERGED: Final = 1e-3
"""An iteration whose last update is this small, beside the value, is close to its end."""


INVISIBLE: Final = 1e-7
"""An update this small, beside the value, no longer shows in float32."""

TENS: Final = 10
"""A number of runs is proposed in round numbers."""


class Loop(NamedTuple):
    """An update that ran several times, each time on its own last result."""

    span: int
    events: tuple[int, ...]
    values: tuple[int, ...]


def not_converged(case: Case) -> Iterator[Finding]:
    """`z = z - rate * (f(z) - a)`, stopped long before `f(z) = a`."""
    way = case.way
    if way is None or way.is_spoiled or not len(way):
        return
    for loop in _loops(case, way):
        found = [way.value(each) for each in loop.values]
        values = [each for each in found if each is not None]
        if len(values) < len(found) or len({each.shape for each in values}) > 1:
            continue
        moves = [float(np.linalg.norm(after - before)) for before, after in pairwise(values)]
        slows = all(after < before for before, after in pairwise(moves))
        size = float(np.linalg.norm(values[-1]))
        residual = _residual(case, way, loop) if slows and moves[-1] > CONVERGED * size else None
        if residual is not None:
            yield _truncated(case, loop, moves, size, residual)
            return


def _loops(case: Case, way: Way) -> Iterator[Loop]:
    """The updates `z = z ± …` in loops: ops of one place, each on the result of the last."""
    spans, ran = case.recording.columns["event.span"], np.unique(way.event)
    found, counts = np.unique(spans[ran[ran >= 0]], return_counts=True)
    for span, count in zip(found.tolist(), counts.tolist(), strict=True):
        if not LEAST_UPDATES <= count <= MOST_UPDATES or not _is_update(case, span):
            continue
        events = sorted({event for event in way.event if event >= 0 and spans[event] == span})
        rans = [case.recording.event(event) for event in events]
        made = [ran.outputs[0] for ran in rans if isinstance(ran, e.Ran)]
        chained = all(
            isinstance(ran, e.Ran) and before in ran.inputs
            for before, ran in zip(made, rans[1:], strict=False)
        )
        if chained and len(made) == len(events):
            first = rans[0].inputs[0] if isinstance(rans[0], e.Ran) else -1
            yield Loop(span, tuple(events), (first, *made))


def _is_update(case: Case, span: int) -> bool:
    """Whether an expression gives a name a new value, made of the old one by `+` or `-`."""
    node, code = case.codes.expression(span), case.codes.of(span)
    statement = case.codes.statement(span)
    if isinstance(statement, ast.AugAssign):
        return True
    if code is None or not isinstance(statement, ast.Assign) or statement.value is not node:
        return False
    match node, statement.targets[0]:
        case ast.BinOp(left=ast.Name(id=before), op=ast.Add() | ast.Sub()), ast.Name(id=after):
            return before == after
    return False


def _residual(case: Case, way: Way, loop: Loop) -> float | None:
    """The last difference between something of the value and something of the source alone."""
    last = loop.events[-2] if len(loop.events) > 1 else -1
    inside = set(loop.values)
    moving = _made_of(case, inside, last, loop.events[-1])
    for step in way.through({"subtract"}):
        if not last < way.event[step] < loop.events[-1]:
            continue
        ran = way.ran(step)
        one, other = (each in moving for each in ran.inputs)
        if one != other and _fixed_by_source(case, way, ran.inputs[one], loop):
            value = way.value(ran.outputs[0])
            return None if value is None else float(np.max(np.abs(value)))
    return None


def _made_of(case: Case, seeds: set[int], first: int, last: int) -> set[int]:
    """The tensors made of some others between two events."""
    made = set(seeds)
    for index in range(first + 1, last):
        ran = case.recording.event(index)
        if isinstance(ran, e.Ran) and not made.isdisjoint(ran.inputs):
            made.update(ran.outputs)
    return made


def _fixed_by_source(case: Case, way: Way, tensor: int, loop: Loop) -> bool:
    """Whether a tensor is the source, or was made of it before the loop or in it."""
    return case.is_source(tensor) or (tensor in way.into and tensor not in loop.values)


def _truncated(case: Case, loop: Loop, moves: list[float], size: float, residual: float) -> Finding:
    text, line = text_of(case, loop.span), line_of(case, loop.events[-1])
    updates = len(loop.events)
    return Finding(
        code="NOT_CONVERGED",
        title=say("`{text}` has not converged", text=text),
        message=paragraph(
            say(
                "`{text}` in line {line} ran {updates} times; the last update still moved the "
                "value by {move}, to {value}, and the residual is {residual}.",
                text=text,
                line=line,
                updates=updates,
                move=plainly(float(f"{moves[-1]:.2g}")),
                value=_said(case, loop.values[-1]),
                residual=plainly(float(f"{residual:.2g}")),
            ),
            say(
                "So the gradient for `{source}` is that of {updates} updates, and not that of the "
                "solution they are on the way to.",
                source=name_of(case, case.source),
                updates=updates,
            ),
        ),
        where=case.codes.where(loop.span),
        fix=_longer(case, loop, moves, size),
        evidence=loop.events,
        steps=tuple(
            Step(
                line,
                say("update {count} gave {value}", count=at, value=_said(case, loop.values[at])),
            )
            for at in (1, updates)
        ),
    )


def _said(case: Case, tensor: int) -> str:
    value = case.recording.tensor(tensor).value
    if value is None or value.size > 1:
        return number(case, tensor)
    return plainly(float(value.reshape(-1)[0]))


def _longer(case: Case, loop: Loop, moves: list[float], size: float) -> Fix | None:
    """The loop with as many runs as it takes until the updates are too small to see."""
    code, here = case.codes.of(loop.span), case.codes.statement(loop.span)
    above: ast.AST | None = code.parent.get(here) if code and here else None
    match above:
        case ast.For(iter=ast.Call(args=[ast.Constant(value=int())] as runs)) if code:
            shrink = math.log(moves[-2] / moves[-1])
            missing = math.log(moves[-1] / (INVISIBLE * (size or 1.0))) / shrink
            enough = math.ceil((len(moves) + missing) / TENS) * TENS
            return edits.fix(code, [edits.replaced(code, runs[0], str(enough))])
    return None
