"""Gradient functions that learners write for `tf.custom_gradient`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.code import Code, Extent
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import number, shortened
from tapelab.diagnosis.wording import paragraph, say, say_many

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

Function = ast.FunctionDef | ast.Lambda

SHAPES: Final = {"shape", "dtype", "zeros_like", "ones_like", "size", "rank"}
"""What may be asked of an upstream gradient without a look at its numbers."""


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


def upstream_ignored(case: Case) -> Iterator[Finding]:
    """A gradient function that returns its own slope and leaves out what comes from behind."""
    way = case.way
    if way is None or not len(way):
        return
    own = {op.name for op in case.recording.ops if any(each.sentence for each in op.rules)}
    found = {name: gradient_function(case, name) for name in own}
    written = {name: function for name, function in found.items() if function is not None}
    for step in way.through(written):
        function = written[way.ops[step]]
        ignored = _ignored(function) if _matters(way, step) else ""
        if ignored:
            yield _unmultiplied(case, way, step, function, ignored)
            return


def _matters(way: Way, step: int) -> bool:
    """Whether something else than ones came from behind, and something other than 0 went on."""
    if way.measures.zero[way.contribution[step]]:
        return False
    measure = way.measures.of(way.upstream[step])
    return not (measure.least == measure.greatest == 1)


def _ignored(written: Written) -> str:
    """The upstream gradient that a function takes and makes nothing of; empty for none."""
    arguments = written.function.args
    if arguments.vararg or len(arguments.args) != 1:
        return ""
    name, body = arguments.args[0].arg, written.function.body
    parts = body if isinstance(body, list) else [body]
    for node in (each for part in parts for each in ast.walk(part)):
        if isinstance(node, ast.Name) and node.id == name and not _asks_shape(written, node):
            return ""
    return name


def _asks_shape(written: Written, node: ast.AST) -> bool:
    match written.code.parent.get(node):
        case ast.Attribute(attr=attribute):
            return attribute in SHAPES
        case ast.Call(func=ast.Attribute(attr=function)):
            return function in SHAPES
    return False


def _unmultiplied(case: Case, way: Way, step: int, written: Written, name: str) -> Finding:
    event, op = way.event[step], way.ops[step]
    result = written.results[0]
    text, line = shortened(written.code.text(result)), line_of(case, event)
    extent = written.code.extent(result)
    return Finding(
        code="UPSTREAM_IGNORED",
        title=say("The gradient function of `{op}` leaves out `{name}`", op=op, name=name),
        message=paragraph(
            say(
                "`{name}` is what comes from behind, here {upstream}, and `{text}` is returned "
                "without it.",
                name=name,
                upstream=number(case, way.upstream[step]),
                text=text,
            ),
            say(
                "A gradient is the product of both; as it is, whatever is computed with the result "
                "of `{op}` does not count.",
                op=op,
            ),
        ),
        where=case.codes.where(written.span, extent),
        fix=_multiplied(written, name),
        evidence=(event,),
        steps=(
            Step(line, say("`{op}` was called", op=op)),
            Step(extent.line, say("its gradient function returned {value}",
                                  value=number(case, way.contribution[step]))),
        ),
    )  # fmt: skip


def _multiplied(written: Written, name: str) -> Fix | None:
    """The gradient function with each result times what comes from behind."""
    changes = []
    for result in written.results:
        parts = result.elts if isinstance(result, ast.Tuple) else [result]
        for part in parts:
            if not (isinstance(part, ast.Constant) and part.value is None):
                text = f"{name} * {_factor(written.code, part)}"
                changes.append(edits.replaced(written.code, part, text))
    return edits.fix(written.code, changes)


def _factor(code: Code, node: ast.expr) -> str:
    match node:
        case ast.BinOp(op=ast.Mult() | ast.Div() | ast.Pow()) | ast.UnaryOp():
            return code.text(node)
        case ast.BinOp() | ast.IfExp() | ast.Compare():
            return f"({code.text(node)})"
    return code.text(node)
