"""Findings about loops: solvers that have not converged, iterations that the data decide."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import format_value, name_of, number, say, shortened
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import Site, site_at
from tapelab.diagnosis.tape_block import line_of, marker
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code, Extent


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


@finding(
    "NOT_CONVERGED",
    rank=Rank.MISLEADING,
    lesson="18",
    what="A solver was stopped before it had converged.",
    instead="More iterations",
    example=Example(
        "P81 a vector",
        """
        x = tf.Variable([2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.ones(2)
            for _ in range(4):
                «y -= 0.1 * (y * y - x)»
        """,
        fix="for _ in range(50):",
        symptom="value",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(1.0)
            for _ in range(99):
                y = y - 0.1 * (y * y - x)
        """,
    ),
)
def not_converged(case: Case) -> Iterator[Finding]:
    """`z = z - rate * (f(z) - a)`, stopped long before `f(z) = a`."""
    backward = case.backward
    if backward is None or backward.is_non_finite or not len(backward):
        return
    for loop in _loops(case, backward):
        iterates = [backward.value(each) for each in loop.values]
        values = [each for each in iterates if each is not None]
        if len(values) < len(iterates) or len({each.shape for each in values}) > 1:
            continue
        moves = [float(np.linalg.norm(after - before)) for before, after in pairwise(values)]
        slows = all(after < before for before, after in pairwise(moves))
        size = float(np.linalg.norm(values[-1]))
        residual = (
            _residual(case, backward, loop) if slows and moves[-1] > CONVERGED * size else None
        )
        if residual is not None:
            yield _truncated(case, loop, moves, size, residual)
            return


def _loops(case: Case, backward: BackwardSteps) -> Iterator[Loop]:
    """The updates `z = z ± …` in loops: ops of one place, each on the result of the last."""
    spans, ran = case.recording.columns["event.span"], np.unique(backward.event)
    unique_spans, counts = np.unique(spans[ran[ran >= 0]], return_counts=True)
    for span, count in zip(unique_spans.tolist(), counts.tolist(), strict=True):
        if not LEAST_UPDATES <= count <= MOST_UPDATES or not _is_update(case, span):
            continue
        events = sorted({event for event in backward.event if event >= 0 and spans[event] == span})
        rans = [case.recording.event(event) for event in events]
        results = [ran.outputs[0] for ran in rans if isinstance(ran, e.Ran)]
        chained = all(
            isinstance(ran, e.Ran) and before in ran.inputs
            for before, ran in zip(results, rans[1:], strict=False)
        )
        if chained and len(results) == len(events):
            first = rans[0].inputs[0] if isinstance(rans[0], e.Ran) else -1
            yield Loop(span, tuple(events), (first, *results))


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


def _residual(case: Case, backward: BackwardSteps, loop: Loop) -> float | None:
    """The last difference between something of the value and something of the source alone."""
    last = loop.events[-2] if len(loop.events) > 1 else -1
    inside = set(loop.values)
    moving = _made_of(case, inside, last, loop.events[-1])
    for step in backward.through({"subtract"}):
        if not last < backward.event[step] < loop.events[-1]:
            continue
        ran = backward.ran(step)
        one, other = (each in moving for each in ran.inputs)
        if one != other and _fixed_by_source(case, backward, ran.inputs[one], loop):
            value = backward.value(ran.outputs[0])
            return None if value is None else float(np.max(np.abs(value)))
    return None


def _made_of(case: Case, seeds: set[int], first: int, last: int) -> set[int]:
    """The tensors made of some others between two events."""
    tensors = set(seeds)
    for index in range(first + 1, last):
        ran = case.recording.event(index)
        if isinstance(ran, e.Ran) and not tensors.isdisjoint(ran.inputs):
            tensors.update(ran.outputs)
    return tensors


def _fixed_by_source(case: Case, backward: BackwardSteps, tensor: int, loop: Loop) -> bool:
    """Whether a tensor is the source, or was made of it before the loop or in it."""
    return case.is_source(tensor) or (tensor in backward.into and tensor not in loop.values)


def _truncated(case: Case, loop: Loop, moves: list[float], size: float, residual: float) -> Finding:
    line = line_of(case, loop.events[-1])
    updates = len(loop.events)
    site = site_at(case, loop.span, updates=updates)
    return site.finding(
        "NOT_CONVERGED",
        site.say("`{text}` has not converged"),
        site.say(
            "`{text}` in line {line} ran {updates} times. The last update changed the value "
            "by {move}, to {value}, and the residual is {residual}.",
            line=line,
            move=format_value(float(f"{moves[-1]:.2g}")),
            value=_said(case, loop.values[-1]),
            residual=format_value(float(f"{residual:.2g}")),
        ),
        site.say(
            "So the gradient for `{source}` is that of {updates} updates, not that of the solution."
        ),
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
    return format_value(float(value.reshape(-1)[0]))


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


SMALL: Final = 1e-2
"""A bound so much smaller than what is compared with it at first is a tolerance: such a loop ends
when it has converged, and then one run more or less changes nothing.
"""


@finding(
    "DATA_DEPENDENT_TRIP_COUNT",
    rank=Rank.MISLEADING,
    lesson="08",
    what="The source decides how often a loop runs.",
    instead="A fixed number of iterations",
    example=Example(
        "P82",
        """
        x = tf.Variable(0.3)
        with tf.GradientTape() as tape:
            y = x
            while «y < 2.0»:
                y = y + x
        """,
        fix="for _ in range(6):",
        symptom="value",
        near_miss="""
        x, y = tf.Variable(3.0), tf.constant(9.0)
        while y > 1.0:
            with tf.GradientTape() as tape: y = (x - 1.0) ** 2
            g = tape.gradient(y, x)
            x.assign_sub(0.2 * g)
        """,
    ),
)
def trip_count(case: Case) -> Iterator[Finding]:
    """A loop that runs as often as the source says."""
    backward = case.backward
    if backward is None or not len(backward):
        return
    for extent, tests in _tests(case).items():
        loop = _loop_around(case, tests[0].span) if extent else None
        if loop is None or _trains(case, loop) or not _leads_on(case, backward, loop):
            continue
        count = _count(case, loop, tests)
        if count is not None:
            yield _chosen_by_data(case, loop, tests[0], count)
            return


def _tests(case: Case) -> dict[Extent | None, list[e.Located]]:
    """What of the source's left for Python, by the place in the code: Python tests a `while` once
    at its head and then at its end, which is one place to a reader.
    """
    tests: dict[Extent | None, list[e.Located]] = {}
    for place in case.recording.placed(e.Left):
        if isinstance(place.event, e.Left) and place.event.tensor in case.downstream:
            tests.setdefault(case.codes.extent(place.span), []).append(place)
    return tests


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


def _leads_on(case: Case, backward: BackwardSteps, loop: Around) -> bool:
    """Whether something that the loop computed is on the way."""
    body = loop.code.extent(loop.node)
    spans = {case.recording.located[event].span for event in set(backward.event) if event >= 0}
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
    ran = case.producer(tensor)
    if _how(case, place) == "bool()" and ran and len(ran.inputs) == 2:
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
    text = shortened(loop.code.text(loop.test))
    name = name_of(case, case.source)
    event = case.flow.maker_of.get(_left(test).tensor, -1)
    site = Site(case, test.span, text)
    return site.finding(
        "DATA_DEPENDENT_TRIP_COUNT",
        say("`{name}` decides how often the loop runs", name=name),
        site.say(
            "`{text}` in line {line} ended the loop after {count} iterations, and that number "
            "depends on `{name}`.",
            count=count,
            name=name,
        ),
        say(
            "The gradient holds for {count} iterations. It ignores that another `{name}` "
            "could change their number.",
            count=count,
            name=name,
        ),
        fix=_fixed_count(loop, count),
        evidence=(event, test.index) if event >= 0 else (test.index,),
        steps=(site.step("the loop ran {count} times", count=count),),
    )
