"""Findings about gradient functions for `tf.custom_gradient`.

An ignored upstream gradient is recognised in two ways: the recorded code does not use it, or a
check of the live function returns the same for twice the upstream gradient.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tapelab.core import custom_op
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.records import CUSTOM_VJP, OpRun, kind_of, view
from tapelab.core.tensor import constant_of
from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding, on_refusal
from tapelab.diagnosis.descriptions import number, paragraph, say, say_many, shortened
from tapelab.diagnosis.finding import Finding, Step, Where
from tapelab.diagnosis.source_code import Code, Extent
from tapelab.diagnosis.tape_block import line_of
from tapelab.recording.schema import Source
from tapelab.recording.source import lines_of, title_of
from tapelab.views.number_format import format_number

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.gradient_check import GradientCheck


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
                returned = _returned_by(node)
                if returned is not None:
                    return Written(code, span, returned)
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


@finding(
    "VARIABLES_KEYWORD_MISSING",
    rank=Rank.REFUSED,
    lesson="11",
    what="A custom gradient reads a variable, and its gradient function does not take `variables`.",
    instead="`def grad(upstream, variables=None)`",
    example=Example(
        "P72",
        """
        w = tf.Variable(2.0, name="w")

        @tf.custom_gradient
        def scaled(a):
            return a * w, «lambda up: up * w»

        x = tf.Variable(3.0)
        try:
            with tf.GradientTape() as tape:
                y = scaled(x)
            g = tape.gradient(y, x)
        except TypeError as caught:
            error = caught
        """,
        fix="return a * w, lambda up, variables=None: (up * w, [None] * len(variables))",
        symptom="error",
        ask="error.finding",
        near_miss="""
        w = tf.Variable(2.0)

        @tf.custom_gradient
        def scaled(a):
            def grad(up, variables=None):
                return up * w, [up * a]
            return a * w, grad

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape: y = scaled(x)
        """,
    ),
)
@on_refusal("VARIABLES_KEYWORD_MISSING")
def keyword_missing(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """A gradient function that does not take the variables which its function reads."""
    if case.request is None:
        return None
    name, variables = details["function"], details["variables"]
    written, request = gradient_function(case, name), case.request.span
    listed = ", ".join(f"`{each}`" for each in variables)
    return Finding(
        code="VARIABLES_KEYWORD_MISSING",
        title=say("The gradient function of `{name}` does not take `variables`", name=name),
        message=paragraph(
            say_many(
                "`{name}` reads a variable, {names}, that is not an argument.",
                "`{name}` reads {count} variables, {names}, that are not arguments.",
                len(variables),
                name=name,
                names=listed,
            ),
            say(
                "So its gradient function gets `variables=` and returns two things: the gradients "
                "of the arguments, and a list with one gradient for each variable. A gradient in "
                "it may be None."
            ),
        ),
        where=case.codes.where(written.span, written.where)
        if written
        else case.codes.where(request),
        fix=_with_variables(written) if written else None,
        evidence=(case.request.index,),
        steps=(Step(case.codes.line(request), say("`{name}` was called", name=name)),),
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


SHAPES: Final = {"shape", "dtype", "zeros_like", "ones_like", "size", "rank"}
"""What may be asked of an upstream gradient without a look at its numbers."""


@finding(
    "UPSTREAM_IGNORED",
    rank=Rank.MISLEADING,
    lesson="11",
    what="A custom gradient does not use the upstream gradient.",
    instead="`upstream * …`",
    example=Example(
        "P71",
        """
        @tf.custom_gradient
        def square(a):
            return a * a, lambda up: «2.0 * a»

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = 2.0 * square(x * 1.0)
        """,
        fix="return a * a, lambda up: up * 2.0 * a",
        symptom="value",
        near_miss="""
        @tf.custom_gradient
        def square(a):
            return a * a, lambda up: up * 2.0 * a

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape: y = 2.0 * square(x)
        """,
    ),
)
def upstream_ignored(case: Case) -> Iterator[Finding]:
    """A gradient function whose code returns its derivative without the upstream gradient."""
    backward = case.backward
    if backward is None or not len(backward):
        return
    own = {op.name for op in case.recording.ops if any(each.sentence for each in op.rules)}
    functions = {name: gradient_function(case, name) for name in own}
    written = {name: function for name, function in functions.items() if function is not None}
    for step in backward.through(written):
        function = written[backward.ops[step]]
        if _matters(backward, step) and _is_ignored(function):
            yield _of_a_recording(case, backward, step, function)
            return


def _matters(backward: BackwardSteps, step: int) -> bool:
    """Whether something else than ones came from behind, and something other than 0 went on."""
    if backward.measures.zero[backward.contribution[step]]:
        return False
    measure = backward.measures.of(backward.upstream[step])
    return not (measure.least == measure.greatest == 1)


def _is_ignored(written: Written) -> bool:
    """Whether a function of one upstream gradient makes nothing of it."""
    arguments, body = written.function.args, written.function.body
    if arguments.vararg or len(arguments.args) != 1:
        return False
    parts, name = body if isinstance(body, list) else [body], _upstream(written)
    nodes = (each for part in parts for each in ast.walk(part) if isinstance(each, ast.Name))
    return all(node.id != name or _reads_shape(written, node) for node in nodes)


def _upstream(written: Written) -> str:
    """What a gradient function calls what comes from behind."""
    return next((each.arg for each in written.function.args.args), "")


def _reads_shape(written: Written, node: ast.AST) -> bool:
    match written.code.parent.get(node):
        case ast.Attribute(attr=attribute):
            return attribute in SHAPES
        case ast.Call(func=ast.Attribute(attr=function)):
            return function in SHAPES
    return False


def _of_a_recording(case: Case, backward: BackwardSteps, step: int, written: Written) -> Finding:
    event, op, result = backward.event[step], backward.ops[step], written.results[0]
    seen = say(
        "`{name}` is the upstream gradient, here {upstream}, and `{text}` is returned without it.",
        name=_upstream(written),
        upstream=number(case, backward.upstream[step]),
        text=shortened(written.code.text(result)),
    )
    extent = written.code.extent(result)
    value = number(case, backward.contribution[step])
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
    """The ops of a tape whose gradient rule is a user's function: name, function, results."""
    for log, *_ in tape._windows:
        for record in log.records:
            run = view(OpRun, record) if kind_of(record) is OpRun else None
            if run is not None and (back := run.settings.get(CUSTOM_VJP)) is not None:
                yield run.op.name, back, tuple([value for _, value in run.result_pairs])


def _ignores(back: Any, results: tuple[Any, ...]) -> bool:
    """A gradient is linear in what comes from upstream; one that stays is no product with it."""
    ones = [np.ones_like(each) for each in results]
    with custom_op.tapes_paused():
        once, twice = (_gradients(back, [factor * one for one in ones]) for factor in (1, 2))
    return any(np.any(a) and np.array_equal(a, b) for a, b in zip(once, twice, strict=True))


def _gradients(back: Any, seeds: list[Any]) -> list[Any]:
    gradients = back(*[constant_of(each) for each in seeds])
    dense = [each.dense() if isinstance(each, IndexedSlices) else each for each in gradients]
    return [np.asarray(each) for each in dense if each is not None]


def _of_a_check(op: str, back: Any, check: GradientCheck) -> Finding:
    worst = check.worst
    assert worst is not None
    grad_fn = inspect.getclosurevars(back).nonlocals.get("grad_fn")
    written = _live(getattr(grad_fn, "__code__", None))
    seen = say(
        "It returns the same value for every upstream gradient, which breaks the chain rule: "
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
    functions: list[Function] = [
        each
        for each in ast.walk(text.tree)
        if (isinstance(each, ast.Lambda) and _holds_code(text, each, code))
        or (isinstance(each, ast.FunctionDef) and _begins_at(each, code))
    ]
    innermost = min(functions, key=lambda each: len(text.text(each)), default=None)
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
    name = upstream or say("the upstream gradient")
    return Finding(
        code="UPSTREAM_IGNORED",
        title=say("The gradient function of `{op}` does not use `{name}`", op=op, name=name),
        message=paragraph(
            seen,
            say(
                "A gradient is the product of both. Without the upstream gradient, all that "
                "follows `{op}` is ignored.",
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
