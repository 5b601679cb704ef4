"""Tensors without numbers that left the function whose trace they belong to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import shortened
from tapelab.diagnosis.wording import paragraph, say

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case


def leaked(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """A tensor of a `tf.function` that is used outside of it."""
    if case.question is None:
        return None
    used = case.question.span
    made = case.recording.tensor(case.source).span if case.source >= 0 else -1
    function = _function(case, made) or details["in"]
    text, line = shortened(case.codes.text(made)) or say("A tensor"), case.codes.line(made)
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
                use=shortened(case.codes.text(used)) or text,
                used=case.codes.line(used),
                function=function,
            ),
        ),
        where=case.codes.where(made) or case.codes.where(used),
        fix=None,
        evidence=(case.question.index,),
        steps=(
            Step(line, say("`{text}` was traced", text=text)),
            Step(case.codes.line(used), say("it was used outside")),
        ),
    )


def _function(case: Case, span: int) -> str:
    """The name of the function that a span stands in; empty for none."""
    code, node = case.codes.of(span), case.codes.expression(span)
    if code is None or node is None:
        return ""
    scope = code.scope(node)
    return scope.name if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) else ""
