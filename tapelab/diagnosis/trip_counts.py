"""Loops that run as often as the data say: the gradient is that of so many runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import marker
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, shortened
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code, Extent
    from tapelab.diagnosis.finding import Fix
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
        count = _count(case, loop, tests)
        if count is not None:
            yield _chosen_by_data(case, loop, tests[0], count)
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
    """A loop in the code, and the expression that left for Python to decide about it."""

    code: Code
    node: ast.While | ast.For | ast.Call
    test: ast.expr
    breaks: bool = False


def _loop_around(case: Case, span: int) -> Around | None:
    """The loop of whose condition, or of whose range, an expression is a part."""
    code, node = case.codes.of(span), case.codes.expression(span)
    here: ast.AST | None = node
    while code is not None and node is not None and here is not None:
        match code.parent.get(here):
            case ast.While(test=test) as loop if test is here:
                return Around(code, loop, node)
            case ast.For(iter=values) as loop if values is here:
                return Around(code, loop, node)
            case ast.If(test=test, body=[*_, ast.Break()]) as branch if test is here:
                return _broken(code, branch, node)
            case _ if isinstance(here, ast.Call) and _is_while_loop(here):
                return Around(code, here, node)
            case ast.Assign(targets=[ast.Name(id=name)]) as statement:
                return _counted_by(code, statement, name, node)
            case ast.expr() as above:
                here = above
            case _:
                here = None
    return None


def _counted_by(code: Code, statement: ast.Assign, name: str, test: ast.expr) -> Around | None:
    """The next loop that runs as often as a name says."""
    for loop in code.statements():
        if isinstance(loop, ast.For) and loop.lineno > statement.lineno:
            names = {node.id for node in ast.walk(loop.iter) if isinstance(node, ast.Name)}
            if name in names and code.scope(loop) is code.scope(statement):
                return Around(code, loop, test)
    return None


def _is_while_loop(call: ast.Call) -> bool:
    return ast.unparse(call.func).rpartition(".")[2] == "while_loop"


def _broken(code: Code, branch: ast.If, test: ast.expr) -> Around | None:
    """The loop that `if …: break` leaves."""
    above: ast.AST | None = branch
    while above is not None and not isinstance(above, (ast.While, ast.For)):
        above = code.parent.get(above)
    return Around(code, above, test, breaks=True) if above else None


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


def _count(case: Case, loop: Around, tests: list[e.Located]) -> int | None:
    """How often a loop ran because of the source; None where it ran until it had converged."""
    if isinstance(loop.node, ast.For) and not loop.breaks:
        value = case.recording.measures.of(_left(tests[0]).tensor).greatest
        return int(value) if _how(case, tests[0]) == "int()" else None
    sides = [pair for place in tests if (pair := _sides(case, place))]
    if len(sides) < max(len(tests), 2) or _converges(sides):
        return None
    return len(tests) if loop.breaks else len(tests) - 1


def _sides(case: Case, place: e.Located) -> tuple[float, float] | None:
    """The two sizes that a test compares; None where there is no telling."""
    measures, tensor = case.recording.measures, _left(place).tensor
    event = case.flow.maker_of.get(tensor, -1)
    ran = case.recording.event(event) if event >= 0 else None
    if _how(case, place) == "bool()" and isinstance(ran, e.Ran) and len(ran.inputs) == 2:
        one, other = (measures.of(each).greatest for each in ran.inputs)
        return abs(one), abs(other)
    node, code = case.codes.expression(place.span), case.codes.of(place.span)
    compared: ast.AST | None = node
    while code is not None and isinstance(compared, ast.expr):
        match compared:
            case ast.Compare(comparators=[ast.Constant(value=float() | int() as bound)]):
                return abs(measures.of(tensor).greatest), abs(bound)
        compared = code.parent.get(compared)
    return None


def _converges(sides: list[tuple[float, float]]) -> bool:
    """Whether something shrinks until it is as small as a tolerance."""
    (first, bound), (last, _) = sides[0], sides[-1]
    if len({one for one, _ in sides}) == 1:  # `tolerance < residual`
        first, bound, last = bound, first, sides[-1][1]
    return bound <= SMALL * first and last <= first


def _fixed_count(loop: Around, count: int) -> Fix | None:
    """The loop with the number of its runs written down, so that no value decides it."""
    code, node = loop.code, loop.node
    runs = f"range({count})"
    match node:
        case ast.While(orelse=[]) if not loop.breaks:
            head, test = code.extent(node), code.extent(node.test)
            at = test._replace(line=head.line, column=head.column)
            return edits.fix(code, [edits.Edit(at, f"for _ in {runs}")])
        case ast.For(iter=values, body=[*_, ast.If() as last]) if loop.breaks:
            if not any(each is loop.test for each in ast.walk(last.test)) or last.orelse:
                return None
            return edits.fix(code, [edits.replaced(code, values, runs), edits.removed(code, last)])
        case ast.For() if not loop.breaks:
            return edits.fix(code, [edits.replaced(code, loop.test, str(count))])
    return None


def _chosen_by_data(case: Case, loop: Around, test: e.Located, count: int) -> Finding:
    text, line = shortened(loop.code.text(loop.test)), case.codes.line(test.span)
    name = name_of(case, case.source)
    event = case.flow.maker_of.get(_left(test).tensor, -1)
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
        where=case.codes.where(test.span),
        fix=_fixed_count(loop, count),
        evidence=(event, test.index) if event >= 0 else (test.index,),
        steps=(Step(line, say("the loop ran {count} times", count=count)),),
    )
