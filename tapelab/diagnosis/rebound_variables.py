"""Findings about `x = x + 1`: the name of a variable now refers to a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_source, check, finding
from tapelab.diagnosis.descriptions import name_of, say
from tapelab.diagnosis.finding import Finding, Fix, Step
from tapelab.diagnosis.site import Site
from tapelab.diagnosis.source_code import Code
from tapelab.recording import events as e
from tapelab.recording.facts import DERIVATIVE

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case


METHODS: Final = {ast.Add: "assign_add", ast.Sub: "assign_sub"}


class Rebinding(NamedTuple):
    """A statement such as `x = x + 1`, and the op in it that took the old `x`."""

    name: str
    event: int
    inputs: tuple[int, ...]
    code: Code
    statement: ast.stmt


@finding(
    "REBOUND_TO_TENSOR",
    rank=Rank.MISSING,
    lesson="00",
    what="The name of a variable now refers to a tensor.",
    instead="`x.assign_add(…)`",
    example=Example(
        "P01",
        """
        x = tf.Variable(2.0)
        for step in range(3):
            with tf.GradientTape() as tape: y = x * x
            g = tape.gradient(y, x)
            x = «x - 0.5»
        """,
        fix="x.assign_sub(0.5)",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            x = x + 1.0
            y = x * x
        """,
    ),
)
@at_source(10)
def rebound(case: Case) -> Finding | None:
    """A tensor that took the name of the variable from which it was computed."""
    chain = _rebindings(case)
    if not chain:
        return None
    first = chain[-1]
    place = case.recording.located[first.event]
    text = " ".join(first.code.text(first.statement).split())
    site = Site(case, place.span, text)
    return site.finding(
        "REBOUND_TO_TENSOR",
        say("`{name}` is a tensor now, no longer the variable", name=first.name),
        site.say(
            "`{text}` did not change the variable. It made a new tensor and gave it the name "
            "`{name}`. A tape does not watch tensors by itself.",
            name=first.name,
        ),
        fix=as_assignment(case, chain),
        evidence=tuple(sorted(step.event for step in chain)),
        steps=(
            *_variable_step(case, first),
            site.step("`{text}` made it a tensor"),
        ),
    )


def _variable_step(case: Case, first: Rebinding) -> tuple[Step, ...]:
    variables = (case.flow.variable_of(tensor) for tensor in first.inputs)
    spans = (case.recording.variables[each].span for each in variables if each >= 0)
    text = say("`{name}` was made as a variable", name=first.name)
    return tuple(Step(case.codes.line(span), text) for span in spans)[:1]


def _rebindings(case: Case) -> list[Rebinding]:
    """The statements `x = f(x)` from the source back to a variable `x`; empty without one."""
    if case.variable >= 0 or case.source in case.flow.tracked:
        return []
    steps: list[Rebinding] = []
    pending, seen = [case.source], {case.source}
    while pending:
        step = renaming(case, pending.pop())
        if step is None or (steps and step.name != steps[0].name):
            continue
        steps.append(step)
        if any(case.flow.variable_of(origin) >= 0 for origin in step.inputs):
            return steps
        fresh = [origin for origin in step.inputs if origin not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return []


def renaming(case: Case, tensor: int) -> Rebinding | None:
    """The statement such as `x = x + 1` that made a tensor and reuses a name for it."""
    event = case.flow.maker_of.get(tensor, -1)
    ran = case.op_run(event)
    if ran is None:
        return None
    span = case.recording.located[event].span
    code, statement = case.codes.of(span), case.codes.statement(span)
    name = _reused_name(statement, case.codes.expression(span))
    if not name or code is None or statement is None:
        return None
    return Rebinding(name, event, ran.inputs, code, statement)


def _reused_name(statement: ast.stmt | None, op: ast.expr | None) -> str:
    """The name that an assignment gives to what an op computed from it; empty if it does not."""
    match statement:
        case ast.Assign(targets=[ast.Name() as target], value=ast.ListComp() as loop) if op:
            lists = (ast.unparse(part) for each in loop.generators for part in _parts(each.iter))
            return target.id if loop.elt is op and target.id in lists else ""
        case ast.Assign(targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target]) if op:
            name = ast.unparse(target)
            return name if any(ast.unparse(part) == name for part in _parts(op)) else ""
        case ast.AugAssign(target=ast.Name() | ast.Attribute() as target):
            return ast.unparse(target)
    return ""


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    return (each for each in ast.walk(node) if isinstance(each, ast.expr))


def as_assignment(case: Case, chain: list[Rebinding]) -> Fix | None:
    """All statements of a chain as assignments to the variable."""
    code = chain[0].code
    by_statement = {step.statement: step for step in reversed(chain) if step.code is code}
    lines = {statement: _as_assign_call(case, step) for statement, step in by_statement.items()}
    changes = [edits.replaced(code, statement, line) for statement, line in lines.items() if line]
    return edits.fix(code, changes)


def _as_assign_call(case: Case, step: Rebinding) -> str:
    """`x.assign_add(…)`, `x.assign_sub(…)` or, for anything else, `x.assign(…)`."""
    code, name = step.code, step.name
    match step.statement:
        case ast.Assign(value=ast.ListComp(elt=elt, generators=[loop])) if not loop.ifs:
            inner = ast.unparse(elt.left) if isinstance(elt, ast.BinOp) else ""
            change = _assign_call(case, step._replace(name=inner), elt)
            head = f"for {code.text(loop.target)} in {code.text(loop.iter)}"
            return f"{head}: {change}" if inner and change else ""
        case ast.Assign(value=value):
            return _assign_call(case, step, value)
        case ast.AugAssign(op=sign, value=value) if type(sign) in METHODS:
            return f"{name}.{METHODS[type(sign)]}({code.text(value)})"
    return ""


def _assign_call(case: Case, step: Rebinding, value: ast.expr) -> str:
    """A new value as an assignment to the variable."""
    code, name = step.code, step.name
    match value:
        case ast.BinOp(left=left, op=sign, right=right) if (
            type(sign) in METHODS and ast.unparse(left) == name and _same_shape(case, step)
        ):
            return f"{name}.{METHODS[type(sign)]}({code.text(right)})"
    return f"{name}.assign({code.text(value)})"


def _same_shape(case: Case, step: Rebinding) -> bool:
    """Whether what is added has the shape of the variable: `assign_add` does not stretch it."""
    return len({case.recording.tensor(tensor).shape for tensor in step.inputs}) == 1


@check
def rebound_in_a_step(case: Case) -> Iterator[Finding]:
    """A variable and its gradient combined into a new tensor that takes the variable's name."""
    if case.variable < 0 or not case.connected:
        return
    for place in case.uses_of_source():
        if isinstance(place.event, e.Ran) and place.event.cause == e.Cause.AFTER:
            step = renaming(case, place.event.outputs[0])
            if step and _is_update(case, step) and not _is_stored(case, place.event.outputs[0]):
                yield _without_assignment(case, step)
                return


def _is_update(case: Case, step: Rebinding) -> bool:
    """Whether a step takes the source and something made from a gradient for it."""
    mine = any(case.is_source(tensor) for tensor in step.inputs)
    return mine and any(_is_from_a_gradient(case, tensor) for tensor in step.inputs)


def _is_from_a_gradient(case: Case, tensor: int) -> bool:
    pending, seen = [tensor], {tensor}
    while pending:
        event = case.flow.maker_of.get(each := pending.pop(), -1)
        maker = case.recording.event(event) if event >= 0 else None
        if isinstance(maker, e.Made):
            return case.recording.strings[maker.how] == DERIVATIVE
        fresh = set(maker.inputs) - seen if isinstance(maker, e.Ran) else set()
        seen |= fresh | {each}
        pending.extend(fresh)
    return False


def _is_stored(case: Case, tensor: int) -> bool:
    events = (place.event for place in case.recording.placed(e.Assigned))
    return any(isinstance(event, e.Assigned) and event.source == tensor for event in events)


def _without_assignment(case: Case, step: Rebinding) -> Finding:
    place, name = case.recording.located[step.event], name_of(case, case.source)
    text = " ".join(step.code.text(step.statement).split())
    site = Site(case, place.span, text, step.event)
    return site.finding(
        "REBOUND_TO_TENSOR",
        site.say("`{text}` changes no variable"),
        site.say(
            "`{text}` makes a new tensor and gives it the name `{step}`. The variable `{name}` "
            "has the same value before and after, so nothing is learned.",
            step=step.name,
            name=name,
        ),
        fix=as_assignment(case, [step]),
        steps=(site.step("`{text}` made a new tensor"),),
    )
