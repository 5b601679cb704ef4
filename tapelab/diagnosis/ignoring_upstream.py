"""A gradient function that forgets to multiply by what comes from upstream."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.code import Code
from tapelab.diagnosis.finding import Finding, Fix, Where
from tapelab.engine import custom
from tapelab.engine.indexed_slices import IndexedSlices
from tapelab.engine.records import BACK, RAN
from tapelab.engine.tensor import constant_of
from tapelab.recording.recording import Source
from tapelab.recording.source import lines_of, title_of
from tapelab.views.numbers import format_number
from tapelab.words import paragraph, say

if TYPE_CHECKING:
    from tapelab.diagnosis.gradient_check import GradientCheck
    from tapelab.engine.tape import GradientTape


def upstream_ignored(tape: GradientTape, check: GradientCheck) -> Finding | None:
    """The first gradient function on a tape that gives the same for twice the upstream gradient."""
    for name, back, results in _steps(tape):
        if _ignores(back, results):
            return _finding(name, back, check)
    return None


def _steps(tape: GradientTape) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """The steps of a tape whose way back is a learner's function: name, function, results."""
    for log, *_ in tape._windows:
        for record in log.records:
            if record[0] is RAN and (back := _back(record)) is not None:
                results = record[7] if isinstance(record[7], tuple) else (record[7],)
                yield record[3].op.name, back, results


def _back(record: tuple[Any, ...]) -> Any:
    settings = record[8]
    return settings.get(BACK) if isinstance(settings, dict) else None


def _ignores(back: Any, results: tuple[Any, ...]) -> bool:
    """A gradient is linear in what comes from upstream; one that stays is no product with it."""
    ones = [np.ones_like(each) for each in results]
    with custom.unheard():
        once, twice = (_gradients(back, [factor * one for one in ones]) for factor in (1, 2))
    return any(np.any(a) and np.array_equal(a, b) for a, b in zip(once, twice, strict=True))


def _gradients(back: Any, seeds: list[Any]) -> list[Any]:
    found = back(*[constant_of(each) for each in seeds])
    dense = [each.dense() if isinstance(each, IndexedSlices) else each for each in found]
    return [np.asarray(each) for each in dense if each is not None]


def _finding(name: str, back: Any, check: GradientCheck) -> Finding:
    worst = check.worst
    assert worst is not None
    where, fix, upstream = _place(inspect.getclosurevars(back).nonlocals.get("grad_fn"))
    message = paragraph(
        say(
            "It returns the same whatever comes from upstream, so the chain rule is broken: "
            "analytic {analytic}, numeric {numeric} for `{entry}`.",
            analytic=format_number(worst.analytic or 0.0),
            numeric=format_number(worst.numeric),
            entry=worst,
        ),
        say("Multiply its result by `{upstream}`.", upstream=upstream) if upstream else "",
    )
    title = say("The gradient function of `{name}` ignores its upstream gradient", name=name)
    return Finding("UPSTREAM_IGNORED", title, message, where, fix)


def _place(grad_fn: Any) -> tuple[Where | None, Fix | None, str]:
    """What a gradient function returns, the line to write instead, and its first parameter."""
    code: CodeType | None = getattr(grad_fn, "__code__", None)
    if code is None or not code.co_argcount:
        return None, None, ""
    file, upstream = code.co_filename, code.co_varnames[0]
    text = Code(Source(title_of(file), file, 1, "\n".join(lines_of(file))))
    returned = _returned(text, code)
    if returned is None:
        return None, None, upstream
    where = Where(0, *text.extent(returned), file=title_of(file), text=text.text(returned))
    return where, edits.fix(text, _products(text, returned, upstream)), upstream


def _returned(text: Code, code: CodeType) -> ast.expr | None:
    """The expression that a function gives back."""
    if code.co_name == "<lambda>":
        lambdas = [each for each in ast.walk(text.tree) if isinstance(each, ast.Lambda)]
        fitting = [each.body for each in lambdas if _holds_code(text, each, code)]
        return min(fitting, key=lambda body: len(text.text(body)), default=None)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
            if first == code.co_firstlineno and found:
                return found[-1]
    return None


def _holds_code(text: Code, node: ast.Lambda, code: CodeType) -> bool:
    """Whether a lambda may be the one that was compiled: its code lies within its body."""
    body = text.extent(node.body)
    places = [
        (line, text._characters(line, column))
        for line, _, column, _ in code.co_positions()
        if line is not None and column  # what Python does at the start of a call stands at 0
    ]
    return bool(places) and all(body[:2] <= place < body[2:] for place in places)


def _products(text: Code, returned: ast.expr, upstream: str) -> list[edits.Edit]:
    """Each gradient that is returned, times the upstream gradient."""
    parts = returned.elts if isinstance(returned, (ast.Tuple, ast.List)) else [returned]
    return [
        edits.replaced(text, each, f"{upstream} * {_factor(text, each)}")
        for each in parts
        if not (isinstance(each, ast.Constant) and each.value is None)
    ]


def _factor(text: Code, node: ast.expr) -> str:
    said = text.text(node)
    loose = isinstance(node, (ast.BinOp, ast.IfExp, ast.BoolOp, ast.Compare, ast.Lambda))
    tight = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Pow))
    return f"({said})" if loose and not tight else said
