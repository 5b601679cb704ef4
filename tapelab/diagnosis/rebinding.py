"""`x = x + 1`: the name of a variable now stands for a tensor."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.code import Code
from tapelab.diagnosis.finding import Finding, Fix, Step
from tapelab.recording import events as e
from tapelab.recording.recording import Role

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case

METHODS: Final = {ast.Add: "assign_add", ast.Sub: "assign_sub"}


class Rebinding(NamedTuple):
    """A statement that gave the name of a variable to a tensor, and the op in it."""

    name: str
    variable: int
    event: int
    inputs: tuple[int, ...]
    code: Code
    statement: ast.stmt


def rebound(case: Case) -> Finding | None:
    """A tensor that took the name of the variable from which it was computed."""
    found = _rebinding(case)
    if found is None:
        return None
    place = case.recording.located[found.event]
    line = case.codes.line(place.span)
    text = " ".join(found.code.text(found.statement).split())
    maker = case.recording.variables[found.variable].span
    return Finding(
        code="REBOUND_TO_TENSOR",
        title=f"`{found.name}` is a tensor now, no longer the variable",
        message=f"`{text}` did not change the variable: it made a new tensor and gave it the name "
        f"`{found.name}`. A tape does not watch tensors by itself.",
        where=case.codes.where(place.span),
        fix=_fix(case, found),
        lesson="00",
        evidence=(found.event,),
        steps=(
            Step(case.codes.line(maker), f"`{found.name}` was made as a variable"),
            Step(line, f"`{text}` made it a tensor"),
        ),
    )


def _rebinding(case: Case) -> Rebinding | None:
    """The last statement of the form `x = f(x)` between a variable `x` and the source."""
    if case.variable >= 0 or case.source in case.flow.tracked:
        return None
    last = _renaming(case, case.source)
    pending, seen = [case.source], {case.source}
    while last and pending:
        step = _renaming(case, pending.pop())
        if step is None or step.name != last.name:
            continue
        for origin in step.inputs:
            facts = case.recording.tensor(origin)
            if facts.role == Role.STATE:
                return last._replace(variable=facts.variable)
            if origin not in seen:
                seen.add(origin)
                pending.append(origin)
    return None


def _renaming(case: Case, tensor: int) -> Rebinding | None:
    """The statement such as `x = x + 1` that made a tensor and reuses a name for it."""
    event = case.flow.maker_of.get(tensor, -1)
    ran = case.recording.event(event) if event >= 0 else None
    if not isinstance(ran, e.Ran):
        return None
    span = case.recording.located[event].span
    code, statement = case.codes.of(span), case.codes.statement(span)
    name = _reused_name(statement)
    if not name or code is None or statement is None:
        return None
    return Rebinding(name, -1, event, ran.inputs, code, statement)


def _reused_name(statement: ast.stmt | None) -> str:
    """The name on both sides of an assignment; empty if there is none."""
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            name = ast.unparse(target)
            parts = (node for node in ast.walk(value) if isinstance(node, ast.expr))
            return name if any(ast.unparse(part) == name for part in parts) else ""
        case ast.AugAssign(target=ast.Name() | ast.Attribute() as target):
            return ast.unparse(target)
    return ""


def _fix(case: Case, found: Rebinding) -> Fix | None:
    """`x.assign_add(…)`, `x.assign_sub(…)` or, for anything else, `x.assign(…)`."""
    code, statement, name = found.code, found.statement, found.name
    match statement:
        case ast.Assign(value=ast.BinOp(left=left, op=sign, right=right) as value):
            method = METHODS.get(type(sign)) if ast.unparse(left) == name else None
            if method and _same_shape(case, found):
                line = f"{name}.{method}({code.text(right)})"
            else:
                line = f"{name}.assign({code.text(value)})"
        case ast.Assign(value=value):
            line = f"{name}.assign({code.text(value)})"
        case ast.AugAssign(op=sign, value=value) if type(sign) in METHODS:
            line = f"{name}.{METHODS[type(sign)]}({code.text(value)})"
        case _:
            return None
    return edits.fix(code, [edits.replaced(code, statement, line)])


def _same_shape(case: Case, found: Rebinding) -> bool:
    """Whether what is added has the shape of the variable: `assign_add` does not stretch it."""
    return len({case.recording.tensor(tensor).shape for tensor in found.inputs}) == 1
