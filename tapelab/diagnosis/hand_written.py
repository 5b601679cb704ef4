"""Gradient functions that learners write for `tf.custom_gradient`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.code import Code, Extent
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.wording import paragraph, say, say_many

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix

Function = ast.FunctionDef | ast.Lambda


class Written(NamedTuple):
    """A gradient function in the code, and a span of the cell it stands in."""

    code: Code
    span: int
    function: Function

    @property
    def where(self) -> Extent:
        """The function itself, or its first line."""
        whole = self.code.extent(self.function)
        if isinstance(self.function, ast.Lambda):
            return whole
        return Extent(*whole[:2], whole.line, len(self.code.line(whole.line).rstrip()))

    @property
    def results(self) -> list[ast.expr]:
        """What it returns."""
        if isinstance(self.function, ast.Lambda):
            return [self.function.body]
        return [node.value for node in _own_returns(self.function) if node.value is not None]


def _own_returns(function: ast.FunctionDef) -> Iterator[ast.Return]:
    """The returns of a function, without those of functions inside it."""
    ahead: list[ast.AST] = list(function.body)
    while ahead:
        node = ahead.pop(0)
        if isinstance(node, ast.Return):
            yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            ahead += ast.iter_child_nodes(node)


def gradient_function(case: Case, name: str) -> Written | None:
    """The gradient function that the function of a name returns, where the code shows it."""
    for code, span in _cells(case):
        for _, node in code.placed:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                found = _returned_by(node)
                if found is not None:
                    return Written(code, span, found)
    return None


def _cells(case: Case) -> Iterator[tuple[Code, int]]:
    seen = set()
    for span in range(len(case.recording.columns["span.source"])):
        code = case.codes.of(span)
        if code is not None and id(code) not in seen:
            seen.add(id(code))
            yield code, span


def _returned_by(function: ast.FunctionDef) -> Function | None:
    """The second thing that a function returns."""
    own = {node.name: node for node in ast.walk(function) if isinstance(node, ast.FunctionDef)}
    for each in _own_returns(function):
        match each.value:
            case ast.Tuple(elts=[_, ast.Lambda() as written]):
                return written
            case ast.Tuple(elts=[_, ast.Name(id=called)]) if called in own:
                return own[called]
    return None


def keyword_missing(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """A gradient function that does not take the variables which its function reads."""
    if case.question is None:
        return None
    name, variables = details["function"], details["variables"]
    written, asked = gradient_function(case, name), case.question.span
    told = ", ".join(f"`{each}`" for each in variables)
    return Finding(
        code="VARIABLES_KEYWORD_MISSING",
        title=say("The gradient function of `{name}` does not take `variables`", name=name),
        message=paragraph(
            say_many(
                "`{name}` reads a variable, {told}, that is none of its arguments.",
                "`{name}` reads {count} variables, {told}, that are none of its arguments.",
                len(variables),
                name=name,
                told=told,
            ),
            say(
                "So its gradient function is handed `variables=` and returns two things: the "
                "gradients of the arguments, and a list with one for each variable, None for a "
                "variable that gets none."
            ),
        ),
        where=case.codes.where(written.span, written.where) if written else case.codes.where(asked),
        fix=_with_variables(written) if written else None,
        evidence=(case.question.index,),
        steps=(Step(case.codes.line(asked), say("`{name}` was called", name=name)),),
    )


def _with_variables(written: Written) -> Fix | None:
    """The gradient function with the argument, and with a list of gradients as a second result."""
    code, arguments = written.code, written.function.args
    named = [*arguments.posonlyargs, *arguments.args]
    if not named or arguments.vararg or arguments.kwonlyargs:
        return None
    last = named[-1]
    end = (last.end_lineno or last.lineno, last.end_col_offset or 0)
    changes = [edits.Edit(Extent(*end, *end), ", variables=None")]
    for result in written.results:
        alone = isinstance(written.function, ast.Lambda)
        text = code.text(result)
        text = f"({text})" if isinstance(result, ast.Tuple) and not text.startswith("(") else text
        text = f"{text}, [None] * len(variables)"
        changes.append(edits.replaced(code, result, f"({text})" if alone else text))
    return edits.fix(code, changes)
