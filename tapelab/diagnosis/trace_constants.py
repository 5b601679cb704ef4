"""The finding about Python numbers that a `tf.function` keeps from its trace."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import format_value, say
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import Site
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


Function = ast.FunctionDef | ast.AsyncFunctionDef


class Taken(NamedTuple):
    """A name in a traced function, the number it stood for then, and the op that took it."""

    code: Code
    function: Function
    name: ast.Name
    value: float
    event: int


@finding(
    "TRACE_TIME_CONSTANT",
    rank=Rank.MISLEADING,
    lesson="08",
    what="A traced function keeps an old Python number.",
    instead="A variable, or a tensor as an argument",
    example=Example(
        "P75",
        """
        x = tf.Variable(3.0)
        scale = 1.0
        @tf.function
        def f():
            return x * x * «scale»
        first = f()
        scale = 10.0
        with tf.GradientTape() as tape:
            y = f()
        """,
        fix="""
        scale = tf.Variable(1.0)
        @tf.function
        def f():
            return x * x * scale
        first = f()
        scale.assign(10.0)
        """,
        symptom="value",
        near_miss="""
        x = tf.Variable(3.0)
        scale = 1.0
        def f():
            return x * x * scale
        first = f()
        scale = 10.0
        with tf.GradientTape() as tape:
            y = f()
        """,
    ),
)
def trace_time_constant(case: Case) -> Iterator[Finding]:
    """A number from outside a `tf.function` that had another value at the time of the trace."""
    backward = case.backward
    if backward is None or not case.recording.groups:
        return
    for taken in _taken(case, _first_of_each_span(case, backward)):
        changed = _changed(case, taken)
        if changed is not None:
            yield _frozen(case, taken, changed)
            return


def _first_of_each_span(case: Case, backward: BackwardSteps) -> list[int]:
    """One event for each place in the code that the way leads through."""
    events = np.unique(np.array(backward.event, np.int64))
    events = events[events >= 0]
    _, first = np.unique(case.recording.columns["event.span"][events], return_index=True)
    first_events: list[int] = np.sort(events[first]).tolist()
    return first_events


def _taken(case: Case, events: list[int]) -> Iterator[Taken]:
    """The numbers that ops took from names of the code around a traced function."""
    for event in events:
        place = case.recording.located[event]
        ran = place.event
        if not isinstance(ran, e.Ran) or case.recording.composite_of(ran) < 0:
            continue
        code, node = case.codes.of(place.span), case.codes.expression(place.span)
        if code is None or node is None:
            continue
        function = code.scope(node)
        if isinstance(function, Function) and _is_traced(code, function):
            for position, operand in enumerate(_operands(node)):
                value = _number(case, ran, position)
                if value is not None and _is_from_outside(function, operand):
                    assert isinstance(operand, ast.Name)
                    yield Taken(code, function, operand, value, event)


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Call(args=args):
            return args
    return []


def _number(case: Case, ran: e.Ran, position: int) -> float | None:
    """The one number that an input is, where no op made it."""
    if position >= len(ran.inputs) or ran.inputs[position] in case.flow.maker_of:
        return None
    facts = case.recording.tensor(ran.inputs[position])
    if facts.variable >= 0 or facts.shape or facts.value is None:
        return None
    return None if facts.dtype.startswith(("complex", "str")) else float(facts.value)


def _is_traced(code: Code, function: Function) -> bool:
    """Whether a function is made a `tf.function`, by a decorator or by a call."""
    makers = [ast.unparse(each).partition("(")[0] for each in function.decorator_list]
    for _, node in code.placed:
        match node:
            case ast.Call(func=func, args=[ast.Name(id=name), *_]) if name == function.name:
                makers.append(ast.unparse(func))
    return any(name.rpartition(".")[2] == "function" for name in makers)


def _is_from_outside(function: Function, operand: ast.expr) -> bool:
    """Whether an operand is a name that the function neither takes nor gives a value to."""
    if not isinstance(operand, ast.Name):
        return False
    own = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    stored = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    return operand.id not in own | {n.id for n in stored if isinstance(n.ctx, ast.Store)}


def _changed(case: Case, taken: Taken) -> ast.stmt | None:
    """The last statement before the call that gave the name another number."""
    called = max((line for line in _calls(case, taken)), default=0)
    given = [each for each in _assignments(taken) if each.lineno < called]
    if not given:
        return None
    match given[-1]:
        case ast.Assign(value=value):
            try:
                number = ast.literal_eval(value)
            except ValueError:
                return None
            if isinstance(number, (int, float)) and not _is_same(number, taken.value):
                return given[-1]
    return None


def _is_same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other))


def _calls(case: Case, taken: Taken) -> Iterator[int]:
    """The lines in which the function was called, of the op that took the number."""
    ran = case.recording.event(taken.event)
    group = ran.group if isinstance(ran, e.Ran) else -1
    while group >= 0:
        yield case.codes.line(case.recording.groups[group].span)
        group = case.recording.groups[group].parent


def _assignments(taken: Taken) -> list[ast.stmt]:
    """The statements around the function that give the name a value, in their order."""
    around = taken.code.scope(taken.function)
    statements = (each for each in taken.code.statements() if taken.code.scope(each) is around)
    return [each for each in statements if taken.name.id in map(ast.unparse, _targets(each))]


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """What a statement gives a value to."""
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return [target]
    return []


def _frozen(case: Case, taken: Taken, changed: ast.stmt) -> Finding:
    name, function, span = taken.name.id, taken.function.name, _span(case, taken)
    old, line = format_value(taken.value), changed.lineno
    site = Site(case, span, "", taken.event, taken.code.extent(taken.name))
    return site.finding(
        "TRACE_TIME_CONSTANT",
        say(
            "`{function}` still computes with {name} = {old}", function=function, name=name, old=old
        ),
        say(
            "`{function}` was traced when `{name}` was {old}, and a Python number becomes a "
            "constant of the trace.",
            function=function,
            name=name,
            old=old,
        ),
        say(
            "`{text}` in line {line} does not change the trace. Pass `{name}` as a tensor, or "
            "make it a variable.",
            text=taken.code.text(changed),
            line=line,
            name=name,
        ),
        fix=_as_variable(taken, changed),
        steps=(
            Step(taken.name.lineno, say("`{name}` was {old}", name=name, old=old)),
            Step(line, say("`{name}` got another value", name=name)),
        ),
    )


def _span(case: Case, taken: Taken) -> int:
    return case.recording.located[taken.event].span


def _as_variable(taken: Taken, changed: ast.stmt) -> Fix | None:
    """The name as a variable from its first line on, which later lines assign to."""
    given = _assignments(taken)
    code, name, tf = taken.code, taken.name.id, edits.tf_alias(taken.code)
    changes = []
    for number, each in enumerate(given[: given.index(changed) + 1]):
        if not isinstance(each, ast.Assign) or len(each.targets) > 1:
            return None
        text = code.text(each.value)
        text = f"{text}.0" if text.isdigit() else text
        said = f"{name}.assign({text})" if number else f"{name} = {tf}.Variable({text})"
        changes.append(edits.replaced(code, each, said))
    return edits.fix(code, changes) if len(changes) > 1 else None
