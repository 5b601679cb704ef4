"""Tensors without numbers that left the function whose trace they belong to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import text_of
from tapelab.diagnosis.wording import paragraph, say

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix


def leaked(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """A tensor of a `tf.function` that is used outside of it."""
    if case.question is None:
        return None
    used = case.question.span
    made = case.recording.tensor(case.source).span if case.source >= 0 else -1
    function = _function(case, made) or details["in"]
    text, line = text_of(case, made) or say("A tensor"), case.codes.line(made)
    return Finding(
        code="LEAKED_SYMBOL",
        title=say("`{text}` left `{function}`", text=text, function=function),
        message=paragraph(
            say(
                "`{function}` is a `tf.function`: its Python code runs once to see which ops there "
                "are, and `{text}` in line {line} stands for a value that is there only while they "
                "run.",
                function=function,
                text=text,
                line=line,
            ),
            say(
                "`{use}` in line {used} met that stand-in outside. Return it from `{function}`.",
                use=text_of(case, used) or text,
                used=case.codes.line(used),
                function=function,
            ),
        ),
        where=case.codes.where(made) or case.codes.where(used),
        fix=_returned(case, made),
        evidence=(case.question.index,),
        steps=(
            Step(line, say("`{text}` was traced", text=text)),
            Step(case.codes.line(used), say("it was used outside")),
        ),
    )


def _returned(case: Case, span: int) -> Fix | None:
    """The function that returns the value too, and the line that calls it and takes both."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if code is not None:
            function = code.scope(statement)
        case _:
            return None
    if not isinstance(function, ast.FunctionDef):
        return None
    returned = (each.value for each in ast.walk(function) if isinstance(each, ast.Return))
    answers = [each for each in returned if each is not None]
    shared = [each for each in function.body if isinstance(each, (ast.Global, ast.Nonlocal))]
    takers = [taker for each in code.statements() for taker in _takers(each, function.name)]
    if (len(answers), len(takers)) != (1, 1) or [each.names for each in shared] != [[name]]:
        return None
    changes = [edits.behind(code, each, f", {name}") for each in (*answers, *takers)]
    return edits.fix(code, [edits.removed(code, shared[0]), *changes])


def _takers(statement: ast.stmt, function: str) -> list[ast.expr]:
    """The name that a line gives to what a function returns."""
    match statement:
        case ast.Assign(targets=[ast.Name() as name], value=ast.Call(func=ast.Name(id=called))):
            return [name] if called == function else []
    return []


def _function(case: Case, span: int) -> str:
    """The name of the function that a span stands in; empty for none."""
    code, node = case.codes.of(span), case.codes.expression(span)
    if code is None or node is None:
        return ""
    scope = code.scope(node)
    return scope.name if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) else ""
