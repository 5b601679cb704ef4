"""A gradient function that forgets to multiply by what comes from upstream.

It is noticed in two ways: a recording shows its code, and a check of a live function sees that it
gives the same for twice the upstream gradient. What is said of it, and what to write, is one thing.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.core import custom
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.records import BACK, OpRun, kind_of, view
from tapelab.core.tensor import constant_of
from tapelab.diagnosis import edits
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.code import Code
from tapelab.diagnosis.finding import Finding, Step, Where
from tapelab.diagnosis.hand_written import Function, Written, gradient_function
from tapelab.diagnosis.names import number, shortened
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording.schema import Source
from tapelab.recording.source import lines_of, title_of
from tapelab.views.numbers import format_number

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.gradient_check import GradientCheck
    from tapelab.diagnosis.way import Way

SHAPES: Final = {"shape", "dtype", "zeros_like", "ones_like", "size", "rank"}
"""What may be asked of an upstream gradient without a look at its numbers."""


def upstream_ignored(case: Case) -> Iterator[Finding]:
    """A gradient function whose code returns its slope and leaves out what comes from behind."""
    way = case.way
    if way is None or not len(way):
        return
    own = {op.name for op in case.recording.ops if any(each.sentence for each in op.rules)}
    found = {name: gradient_function(case, name) for name in own}
    written = {name: function for name, function in found.items() if function is not None}
    for step in way.through(written):
        function = written[way.ops[step]]
        if _matters(way, step) and _is_ignored(function):
            yield _of_a_recording(case, way, step, function)
            return


def _matters(way: Way, step: int) -> bool:
    """Whether something else than ones came from behind, and something other than 0 went on."""
    if way.measures.zero[way.contribution[step]]:
        return False
    measure = way.measures.of(way.upstream[step])
    return not (measure.least == measure.greatest == 1)


def _is_ignored(written: Written) -> bool:
    """Whether a function of one upstream gradient makes nothing of it."""
    arguments, body = written.function.args, written.function.body
    if arguments.vararg or len(arguments.args) != 1:
        return False
    parts, name = body if isinstance(body, list) else [body], _upstream(written)
    nodes = (each for part in parts for each in ast.walk(part) if isinstance(each, ast.Name))
    return all(node.id != name or _asks_shape(written, node) for node in nodes)


def _upstream(written: Written) -> str:
    """What a gradient function calls what comes from behind."""
    return next((each.arg for each in written.function.args.args), "")


def _asks_shape(written: Written, node: ast.AST) -> bool:
    match written.code.parent.get(node):
        case ast.Attribute(attr=attribute):
            return attribute in SHAPES
        case ast.Call(func=ast.Attribute(attr=function)):
            return function in SHAPES
    return False


def _of_a_recording(case: Case, way: Way, step: int, written: Written) -> Finding:
    event, op, result = way.event[step], way.ops[step], written.results[0]
    seen = say(
        "`{name}` is what comes from behind, here {upstream}, and `{text}` is returned without it.",
        name=_upstream(written),
        upstream=number(case, way.upstream[step]),
        text=shortened(written.code.text(result)),
    )
    extent = written.code.extent(result)
    value = number(case, way.contribution[step])
    steps = (
        Step(line_of(case, event), say("`{op}` was called", op=op)),
        Step(extent.line, say("its gradient function returned {value}", value=value)),
    )
    where = case.codes.where(written.span, extent)
    return _finding(op, seen, _upstream(written), where, _multiplied(written), (event,), steps)


def ignored_by(tape: GradientTape, check: GradientCheck) -> Finding | None:
    """The first gradient function on a tape that gives the same for twice the upstream gradient."""
    for name, back, results in _steps(tape):
        if _ignores(back, results):
            return _of_a_check(name, back, check)
    return None


def _steps(tape: GradientTape) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """The steps of a tape whose way back is a learner's function: name, function, results."""
    for log, *_ in tape._windows:
        for record in log.records:
            run = view(OpRun, record) if kind_of(record) is OpRun else None
            if run is not None and (back := run.settings.get(BACK)) is not None:
                yield run.op.name, back, tuple([value for _, value in run.result_pairs])


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


def _of_a_check(op: str, back: Any, check: GradientCheck) -> Finding:
    worst = check.worst
    assert worst is not None
    grad_fn = inspect.getclosurevars(back).nonlocals.get("grad_fn")
    written = _live(getattr(grad_fn, "__code__", None))
    seen = say(
        "It returns the same whatever comes from upstream, so the chain rule is broken: "
        "analytic {analytic}, numeric {numeric} for `{entry}`.",
        analytic=format_number(worst.analytic or 0.0),
        numeric=format_number(worst.numeric),
        entry=worst,
    )
    if written is None or not written.results:
        return _finding(op, seen, "", None, None)
    code, result = written.code, written.results[0]
    where = Where(0, *code.extent(result), file=code.source.title, text=code.text(result))
    return _finding(op, seen, _upstream(written), where, _multiplied(written))


def _live(code: CodeType | None) -> Written | None:
    """The gradient function that Python runs, in the code it was compiled from."""
    if code is None:
        return None
    file = code.co_filename
    text = Code(Source(title_of(file), file, 1, "\n".join(lines_of(file))))
    found: list[Function] = [
        each
        for each in ast.walk(text.tree)
        if (isinstance(each, ast.Lambda) and _holds_code(text, each, code))
        or (isinstance(each, ast.FunctionDef) and _begins_at(each, code))
    ]
    innermost = min(found, key=lambda each: len(text.text(each)), default=None)
    return None if innermost is None else Written(text, -1, innermost)


def _begins_at(node: ast.FunctionDef, code: CodeType) -> bool:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return (node.name, first) == (code.co_name, code.co_firstlineno)


def _holds_code(text: Code, node: ast.Lambda, code: CodeType) -> bool:
    """Whether a lambda may be the one that was compiled: its code lies within its body."""
    body = text.extent(node.body)
    places = [
        (line, text._characters(line, column))
        for line, _, column, _ in code.co_positions()
        if line is not None and column  # what Python does at the start of a call stands at 0
    ]
    fits = bool(places) and all(body[:2] <= place < body[2:] for place in places)
    return fits and code.co_name == "<lambda>"


def _finding(
    op: str, seen: str, upstream: str, where: Where | None, fix: Fix | None,
    evidence: tuple[int, ...] = (), steps: tuple[Step, ...] = (),
) -> Finding:  # fmt: skip
    """What is said of it, however it was noticed."""
    name = upstream or say("what comes from behind")
    return Finding(
        code="UPSTREAM_IGNORED",
        title=say("The gradient function of `{op}` leaves out `{name}`", op=op, name=name),
        message=paragraph(
            seen,
            say(
                "A gradient is the product of both; as it is, whatever is computed with the result "
                "of `{op}` does not count.",
                op=op,
            ),
            say("Multiply its result by `{upstream}`.", upstream=upstream) if upstream else "",
        ),
        where=where,
        fix=fix,
        evidence=evidence,
        steps=steps,
    )


def _multiplied(written: Written) -> Fix | None:
    """The gradient function with each result times what comes from behind."""
    name, code = _upstream(written), written.code
    listed = (ast.Tuple, ast.List)
    results = ((r.elts if isinstance(r, listed) else [r]) for r in written.results if name)
    changes = [
        edits.replaced(code, part, f"{name} * {_factor(code, part)}")
        for parts in results
        for part in parts
        if not (isinstance(part, ast.Constant) and part.value is None)
    ]
    return edits.fix(code, changes)


def _factor(code: Code, node: ast.expr) -> str:
    match node:
        case ast.BinOp(op=ast.Mult() | ast.Div() | ast.Pow()) | ast.UnaryOp():
            return code.text(node)
        case ast.BinOp() | ast.IfExp() | ast.Compare() | ast.BoolOp() | ast.Lambda():
            return f"({code.text(node)})"
    return code.text(node)
