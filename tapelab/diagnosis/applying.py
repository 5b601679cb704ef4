"""Gradients that are handed to an optimizer although some, or all, are None."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of
from tapelab.diagnosis.wording import paragraph, say, say_many

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Explanation, Where

APPLYING: Final = {"apply_gradients", "apply"}
"""The methods of an optimizer that take gradients."""


def some_none(cases: tuple[Case, ...]) -> Iterator[Finding]:
    """Some of several variables got None, and an optimizer passes over them."""
    missing = [case for case in cases if not case.connected]
    if not 0 < len(missing) < len(cases) or min(case.variable for case in cases) < 0:
        return
    first = cases[0]
    place = _applied(first)
    if place is not None and first.question is not None:
        names = [name_of(case, case.source) for case in missing]
        yield _some(names, len(cases), place, first.question.index)


def _applied(case: Case) -> Where | None:
    """The call in the code of the question that hands gradients to an optimizer."""
    span = case.question.span if case.question else -1
    code = case.codes.of(span)
    for at, node in code.placed if code else ():
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) if name in APPLYING:
                return case.codes.where(span, at)
    return None


def _some(names: list[str], count: int, where: Where | None, event: int) -> Finding:
    told = ", ".join(f"`{name}`" for name in names)
    text = where.text if where else "apply_gradients"
    return Finding(
        code="SOME_NONE",
        title=say("{few} of {count} variables got None", few=len(names), count=count),
        message=paragraph(
            say_many(
                "The gradient of {told} is None, and `{text}` passes over it: it stays as it is.",
                "The gradients of {told} are None, and `{text}` passes over them: they stay as "
                "they are.",
                len(names),
                told=told,
                text=text,
            ),
            say("Why each is None stands below."),
        ),
        where=where,
        fix=None,
        evidence=(event,),
        steps=(Step(where.line, say("an optimizer took what there was")),) if where else (),
    )


def all_none(case: Case, why: Explanation | None) -> Finding | None:
    """No variable has a gradient, which an optimizer refuses; `why` says what the first came to."""
    if case.question is None:
        return None
    span = case.question.span
    text, line = case.codes.text(span) or "apply_gradients", case.codes.line(span)
    first = why.findings[0] if why and why.findings else None
    return Finding(
        code="SOME_NONE",
        title=say("All gradients are None"),
        message=paragraph(
            say("`{text}` got None for every variable, so there is nothing to change.", text=text),
            first.title + "." if first else "",
            first.message if first else "",
        ),
        where=case.codes.where(span),
        fix=first.fix if first else None,
        evidence=(case.question.index,),
        steps=(Step(line, say("an optimizer got nothing")),),
    )
