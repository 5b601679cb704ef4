"""Loops that run as often as the data say: the gradient is that of so many runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis.block import marker
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, shortened
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code, Extent
    from tapelab.diagnosis.way import Way

SMALL: Final = 1e-2
"""A bound so much smaller than what is compared with it at first is a tolerance: such a loop ends
when it has converged, and then one run more or less changes nothing.
"""


def trip_count(case: Case) -> Iterator[Finding]:
    """A loop that runs as often as the source says."""
    way = case.way
    if way is None or not len(way):
        return
    for extent, tests in _tests(case).items():
        loop = _loop_around(case, tests[0].span) if extent else None
        if loop is None or _trains(case, loop) or not _leads_on(case, way, loop):
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


def _trains(case: Case, loop: Around) -> bool:
    """Whether the tape was opened in the loop: then it saw one run, and not the loop."""
    opened = marker(case, e.Opened)
    extent = case.codes.extent(case.recording.located[opened].span) if opened >= 0 else None
    start = loop.code.extent(loop.node)
    return extent is not None and start.line <= extent.line <= start.end_line


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
    small = abs(bound) <= SMALL * abs(first)
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
