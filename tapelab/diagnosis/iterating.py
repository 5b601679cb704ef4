"""Loops whose number of steps decides the gradient: not converged, or chosen by the data."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, shortened
from tapelab.diagnosis.spoken import plainly
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code, Extent
    from tapelab.diagnosis.way import Way

LEAST_UPDATES: Final = 3
"""Fewer updates show no trend."""

CONVERGED: Final = 1e-3
"""An iteration whose last update is this small, beside the value, is close to its end."""


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
        numbers = [way.value(each) for each in loop.values]
        if any(each is None or each.size != 1 for each in numbers):
            continue
        series = [float(each.reshape(-1)[0]) for each in numbers if each is not None]
        moves = np.abs(np.diff(series))
        slows = bool(np.all(moves[1:] < moves[:-1])) and moves[0] > 0
        if not slows or moves[-1] <= CONVERGED * max(abs(series[-1]), 1e-30):
            continue
        residual = _residual(case, way, loop)
        if residual is not None:
            yield _truncated(case, loop, series, residual)
            return


def _loops(case: Case, way: Way) -> Iterator[Loop]:
    """The updates `z = z ± …` in loops: ops of one place, each on the result of the last."""
    spans = case.recording.columns["event.span"]
    counts = Counter(int(spans[event]) for event in set(way.event) if event >= 0)
    for span, count in counts.items():
        if count < LEAST_UPDATES or not _is_update(case, span):
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


def _truncated(case: Case, loop: Loop, series: list[float], residual: float) -> Finding:
    text, line = shortened(case.codes.text(loop.span)), line_of(case, loop.events[-1])
    updates, move = len(loop.events), abs(series[-1] - series[-2])
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
                move=plainly(float(f"{move:.2g}")),
                value=plainly(series[-1]),
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
        fix=None,
        evidence=loop.events,
        steps=tuple(
            Step(line, say("update {number} gave {value}", number=at, value=plainly(series[at])))
            for at in (1, updates)
        ),
    )


def trip_count(case: Case) -> Iterator[Finding]:
    """A loop that runs as often as the source says."""
    way = case.way
    if way is None or not len(way):
        return
    for extent, tests in _tests(case).items():
        loop = _loop_around(case, tests[0].span) if extent else None
        if loop is None or not _leads_on(case, way, loop):
            continue
        if _how(case, tests[0]) == "bool()" and not (len(tests) > 1 and _is_counted(case, tests)):
            continue
        yield _chosen_by_data(case, loop, tests)
        return


def _tests(case: Case) -> dict[Extent | None, list[e.Located]]:
    """What of the source's left for Python, by the place in the code: Python tests a `while` once
    at its head and then at its end, which is one place to a reader.
    """
    found: dict[Extent | None, list[e.Located]] = {}
    for place in case.recording.placed(e.Left):
        if isinstance(place.event, e.Left) and place.event.tensor in case.downstream:
            found.setdefault(case.codes.extent(place.span), []).append(place)
    return found


def _left(place: e.Located) -> e.Left:
    assert isinstance(place.event, e.Left)
    return place.event


def _how(case: Case, place: e.Located) -> str:
    return case.recording.strings[_left(place).how]


class Around(NamedTuple):
    """A loop in the code, and what decides how often it runs."""

    code: Code
    node: ast.While | ast.For | ast.Call
    test: ast.expr


def _loop_around(case: Case, span: int) -> Around | None:
    """The loop of whose condition, or of whose range, an expression is a part."""
    code, node = case.codes.of(span), case.codes.expression(span)
    here: ast.AST | None = node
    while code is not None and node is not None and here is not None:
        above = code.parent.get(here)
        if isinstance(above, ast.While) and here is above.test:
            return Around(code, above, node)
        if isinstance(above, ast.For) and here is above.iter:
            return Around(code, above, node)
        if isinstance(here, ast.Call) and ast.unparse(here.func).endswith("while_loop"):
            return Around(code, here, node)
        here = above if isinstance(above, ast.expr) else None
    return None


def _leads_on(case: Case, way: Way, loop: Around) -> bool:
    """Whether something that the loop computed is on the way."""
    body = loop.code.extent(loop.node)
    spans = {case.recording.located[event].span for event in set(way.event) if event >= 0}
    extents = (case.codes.extent(span) for span in spans if case.codes.of(span) is loop.code)
    return any(extent is not None and body.holds(extent) for extent in extents)


def _is_counted(case: Case, tests: list[e.Located]) -> bool:
    """Whether what is compared with a bound does not go on shrinking towards it, as a residual."""
    sides: list[tuple[float, float]] = []
    for place in tests:
        event = case.flow.maker_of.get(_left(place).tensor, -1)
        ran = case.recording.event(event) if event >= 0 else None
        if isinstance(ran, e.Ran) and len(ran.inputs) == 2:
            one, other = (case.recording.measures.of(each).greatest for each in ran.inputs)
            sides.append((one, other))
    if len(sides) < 2:
        return False
    (first, bound), (last, _) = sides[0], sides[-1]
    if abs(first) < abs(bound) and sides[0][0] == sides[-1][0]:
        first, last, bound = bound, sides[-1][1], first
    small = abs(bound) <= 1e-2 * max(abs(first), 1e-30)
    return not (small and abs(last) < abs(first))


def _chosen_by_data(case: Case, loop: Around, tests: list[e.Located]) -> Finding:
    left, span = _left(tests[0]), tests[0].span
    text, line = shortened(loop.code.text(loop.test)), case.codes.line(span)
    value = case.recording.measures.of(left.tensor).greatest
    count = len(tests) - 1 if _how(case, tests[0]) == "bool()" else int(value)
    name = name_of(case, case.source)
    event = case.flow.maker_of.get(left.tensor, -1)
    return Finding(
        code="DATA_DEPENDENT_TRIP_COUNT",
        title=say("`{name}` decides how often the loop runs", name=name),
        message=paragraph(
            say(
                "`{text}` in line {line} let the loop run {count} times, and that number comes "
                "from `{name}`.",
                text=text,
                line=line,
                count=count,
                name=name,
            ),
            say(
                "The gradient holds for {count} runs; that a larger `{name}` would change the "
                "number is not in it.",
                count=count,
                name=name,
            ),
        ),
        where=case.codes.where(span),
        fix=None,
        evidence=(event,) if event >= 0 else (),
        steps=(Step(line, say("the loop ran {count} times", count=count)),),
    )
