"""Findings behind errors of the engine: no gradient rule, mixed dtypes, leaked symbols, None."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, across_sources, check, finding, on_refusal
from tapelab.diagnosis.descriptions import name_of, paragraph, say, say_many, shortened, text_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import Site, site_at, site_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Explanation, Fix, Where


UNDECLARED = "not implemented"


@finding(
    "NO_GRADIENT_REGISTERED",
    rank=Rank.REFUSED,
    lesson="11",
    what="An op has no gradient rule.",
    instead="The same from other ops, or `tf.custom_gradient`",
    example=Example(
        "P37",
        """
        x = tf.Variable([[[0.5, 0.0, 0.0]]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.image.adjust_contrast(x, 0.5)» ** 2)
        try:
            g = tape.gradient(y, x)
        except LookupError as caught:
            error = caught
        """,
        fix="""
        center = tf.reduce_mean(x, axis=[-3, -2], keepdims=True)
        y = tf.reduce_sum(((x - center) * 0.5 + center) ** 2)
        """,
        symptom="error",
        ask="error.finding",
        near_miss="""
        x = tf.Variable([[[0.5, 0.0, 0.0]]])
        with tf.GradientTape() as tape:
            shown = tf.image.adjust_contrast(tf.stop_gradient(x), 0.5)
            y = tf.reduce_sum(x ** 2)
        """,
    ),
)
@on_refusal("NO_GRADIENT_REGISTERED")
def undeclared(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """The op at which a question ended with an error."""
    for place in reversed(case.recording.placed(e.Ran)):
        assert isinstance(place.event, e.Ran)
        op = case.recording.ops[place.event.op]
        if op.name == details["op"] and place.event.cause == e.Cause.TAPED:
            return _named(case, place.index)
    return None


@check
def undeclared_on_the_way(case: Case) -> Iterator[Finding]:
    """An op between the target and the source of which no gradient is known."""
    ops = case.recording.ops
    if not case.connected or not any(op.pattern == UNDECLARED for op in ops):
        return
    for tensor in sorted(case.alive, reverse=True):
        for edge in case.flow.into.get(tensor, ()):
            if _is_undeclared(case, edge) and edge.origin in case.downstream:
                yield _named(case, edge.event)
                return


def _is_undeclared(case: Case, edge: Edge) -> bool:
    event = case.recording.event(edge.event)
    if not isinstance(event, e.Ran) or not edge.taped:
        return False
    op = case.recording.ops[event.op]
    rule = op.rules[min(edge.position, len(op.rules) - 1)]
    return op.pattern == UNDECLARED and not (rule.formula or rule.because)


def _by_hand(case: Case, span: int) -> Fix | None:
    """The same from ops that have gradients, where a line and its helper can say it."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    if code is None or statement is None:
        return None
    match call := case.codes.expression(span):
        case ast.Call(func=ast.Attribute(attr="adjust_contrast"), args=[images, factor]):
            tf, x, by = edits.tf_alias(code), code.text(images), code.text(factor)
            center = f"center = {tf}.reduce_mean({x}, axis=[-3, -2], keepdims=True)"
            ahead = edits.before_statement(code, statement, center)
            text = edits.bracketed(code, call, f"({x} - center) * {by} + center")
            return edits.fix(code, [*ahead, edits.replaced(code, call, text)]) if ahead else None
    return None


def _named(case: Case, event: int) -> Finding:
    ran = case.recording.event(event)
    assert isinstance(ran, e.Ran)
    op = case.recording.ops[ran.op].name
    site = site_of(case, event, op, op=op)
    return site.finding(
        "NO_GRADIENT_REGISTERED",
        site.say("No gradient is declared for `{text}`"),
        site.say(
            "`{text}` in line {line} runs the op {op}, which has no gradient rule. So a "
            "gradient through it is an error, not None."
        ),
        say("Use ops that have gradients, or define one with `tf.custom_gradient`."),
        fix=_by_hand(case, site.span),
        steps=(site.step("`{op}` was recorded"),),
    )


NARROWER: Final = {"float64": "float32", "int64": "int32"}
"""What the dtypes that NumPy and Python choose are meant to be most often."""

FLOATING: Final = ("float", "bfloat", "complex")


class Operand(NamedTuple):
    """One of the two: its expression, where the code shows it, and its dtype."""

    node: ast.expr | None
    text: str
    dtype: str


@finding(
    "MIXED_DTYPE",
    rank=Rank.REFUSED,
    lesson="00",
    what="An op got tensors of two dtypes.",
    instead="`tf.cast` on one of them",
    example=Example(
        "P69",
        """
        w = tf.Variable(2.0)
        data = tf.constant(np.array(3.0))
        try:
            with tf.GradientTape() as tape:
                y = «w * data» + 1.0
            g = tape.gradient(y, w)
        except tf.errors.InvalidArgumentError as caught:
            error = caught
        """,
        fix="        y = w * tf.cast(data, tf.float32) + 1.0",
        symptom="error",
        ask="error.finding",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = x * 3
        """,
    ),
)
@on_refusal("MIXED_DTYPE")
def mixed(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """An op that was given a tensor of another dtype than its first."""
    if case.request is None:
        return None
    span = case.request.span
    one, other = _operands(case, span, details)
    site = site_of(case, case.request.index, details["op"])
    wrong, right = _to_cast(one, other)
    return site.finding(
        "MIXED_DTYPE",
        site.say("`{text}` mixes {one} and {other}", one=one.dtype, other=other.dtype),
        say(
            "`{one}` is {dtype} and `{other}` is {second}, and tensors are never cast silently.",
            one=one.text,
            dtype=one.dtype,
            other=other.text,
            second=other.dtype,
        ),
        say("NumPy uses float64 by default, tf uses float32.")
        if "float64" in (one.dtype, other.dtype)
        else "",
        fix=_cast(case, span, wrong, right.dtype),
        steps=(site.step("`{text}` was refused"),),
    )


def _operands(case: Case, span: int, details: Mapping[str, Any]) -> tuple[Operand, Operand]:
    """The two inputs of the op, as the code has them."""
    code, first = case.codes.of(span), details["first"]
    nodes: list[ast.expr] = []
    match case.codes.expression(span):
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            nodes = [left, right]
        case ast.Call(args=args):
            nodes = args[first : first + 2]
    if code is None or len(nodes) != 2:
        names = [say("the first tensor"), say("the second tensor")]
        one, other = (Operand(None, *pair) for pair in zip(names, details["dtypes"], strict=True))
        return one, other
    texts = (shortened(code.text(node)) for node in nodes)
    one, other = map(Operand, nodes, texts, details["dtypes"])
    return one, other


def _to_cast(one: Operand, other: Operand) -> tuple[Operand, Operand]:
    """Which operand to cast, and to the dtype of which: to floats, and to the usual floats."""
    for wrong, right in ((one, other), (other, one)):
        if right.dtype.startswith(FLOATING) and not wrong.dtype.startswith(FLOATING):
            return wrong, right
    for wrong, right in ((other, one), (one, other)):
        if NARROWER.get(wrong.dtype) == right.dtype:
            return wrong, right
    return other, one


def _cast(case: Case, span: int, wrong: Operand, dtype: str) -> Fix | None:
    """The line with one of the two cast to the dtype of the other."""
    code = case.codes.of(span)
    if code is None or wrong.node is None:
        return None
    tf = edits.tf_alias(code)
    text = f"{tf}.cast({code.text(wrong.node)}, {tf}.{dtype})"
    return edits.fix(code, [edits.replaced(code, wrong.node, text)])


@finding(
    "LEAKED_SYMBOL",
    rank=Rank.REFUSED,
    lesson="08",
    what="A symbolic tensor was used outside the `tf.function` that made it.",
    instead="Return it from the function",
    example=Example(
        "P76 a global name",
        """
        @tf.function
        def double(a):
            global inside
            inside = «tf.exp(a)»
            return inside * 2.0

        y = double(tf.constant(1.0))
        try:
            g = tf.reduce_sum(inside)
        except TypeError as caught:
            error = caught
        """,
        fix="""
            inside = tf.exp(a)
            return inside * 2.0, inside
        y, inside = double(tf.constant(1.0))
        """,
        symptom="error",
        ask="error.finding",
        near_miss="""
        @tf.function
        def double(a):
            return a * 2.0

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape: y = double(x) + 1.0
        """,
    ),
)
@on_refusal("LEAKED_SYMBOL")
def leaked(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """A tensor of a `tf.function` that is used outside of it."""
    if case.request is None:
        return None
    used = case.request.span
    span = case.recording.tensor(case.source).span if case.source >= 0 else -1
    function = _function(case, span) or details["in"]
    site = site_at(case, span, say("A tensor"), function=function)
    leak = site.finding(
        "LEAKED_SYMBOL",
        site.say("`{text}` left `{function}`"),
        site.say(
            "`{function}` is a `tf.function`: its Python code runs once, to trace its ops. "
            "`{text}` in line {line} is a symbolic tensor, which has a value only inside "
            "`{function}`."
        ),
        site.say(
            "`{use}` in line {used} uses it outside. Return it from `{function}`.",
            use=text_of(case, used) or site.text,
            used=case.codes.line(used),
        ),
        fix=_returned(case, span),
        evidence=(case.request.index,),
        steps=(
            site.step("`{text}` was traced"),
            Step(case.codes.line(used), say("it was used outside")),
        ),
    )
    return leak if leak.where else replace(leak, where=case.codes.where(used))


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


APPLYING: Final = {"apply_gradients", "apply"}
"""The methods of an optimizer that take gradients."""


@finding(
    "SOME_NONE",
    rank=Rank.REFUSED,
    lesson="16",
    what="An optimizer got `None` in place of gradients.",
    instead="The fix of the finding that explains each `None`",
    example=Example(
        "P46 all",
        """
        w, b = tf.Variable(2.0), tf.Variable(1.0)
        optimizer = tf.keras.optimizers.SGD(0.1)
        y = w * 3.0 + b
        with tf.GradientTape() as tape:
            loss = y
        g = tape.gradient(loss, [w, b])
        try:
            «optimizer.apply_gradients(zip(g, [w, b]))»
        except ValueError as caught:
            error = caught
        """,
        fix="""
        with tf.GradientTape() as tape:
            y = w * 3.0 + b
        """,
        symptom="error",
        ask="error.finding",
        near_miss="""
        x, bias = tf.Variable(2.0), tf.Variable(0.5)
        optimizer = tf.keras.optimizers.SGD(0.1)
        with tf.GradientTape() as tape:
            y = (x * 3.0 - bias) ** 2
        g, other = gradients = tape.gradient(y, [x, bias])
        optimizer.apply_gradients(zip(gradients, [x, bias]))
        """,
    ),
)
@across_sources
def some_none(cases: tuple[Case, ...]) -> Iterator[Finding]:
    """Some of several variables got None, and an optimizer passes over them."""
    missing = [case for case in cases if not case.connected]
    if not 0 < len(missing) < len(cases) or min(case.variable for case in cases) < 0:
        return
    first = cases[0]
    place = _applied(first)
    if place is not None and first.request is not None:
        names = [name_of(case, case.source) for case in missing]
        yield _some(names, len(cases), place, first.request.index)


def _applied(case: Case) -> Where | None:
    """The call in the code of the question that hands gradients to an optimizer."""
    span = case.request.span if case.request else -1
    code = case.codes.of(span)
    for at, node in code.placed if code else ():
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) if name in APPLYING:
                return case.codes.where(span, at)
    return None


def _some(names: list[str], count: int, where: Where | None, event: int) -> Finding:
    listed = ", ".join(f"`{name}`" for name in names)
    text = where.text if where else "apply_gradients"
    return Finding(
        code="SOME_NONE",
        title=say("{few} of {count} variables got None", few=len(names), count=count),
        message=paragraph(
            say_many(
                "The gradient of {names} is None, and `{text}` skips it: it does not change.",
                "The gradients of {names} are None, and `{text}` skips them: they do not change.",
                len(names),
                names=listed,
                text=text,
            ),
            say("The findings below explain each None."),
        ),
        where=where,
        fix=None,
        evidence=(event,),
        steps=(Step(where.line, say("an optimizer skipped the None")),) if where else (),
    )


def all_none(case: Case, why: Explanation | None) -> Finding | None:
    """No variable has a gradient, which an optimizer refuses; `why` says what the first came to."""
    if case.request is None:
        return None
    text = case.codes.text(case.request.span) or "apply_gradients"
    first = why.findings[0] if why and why.findings else None
    site = Site(case, case.request.span, text, case.request.index)
    return site.finding(
        "SOME_NONE",
        say("All gradients are None"),
        site.say("`{text}` got None for every variable, so there is nothing to change."),
        first.title + "." if first else "",
        first.message if first else "",
        fix=first.fix if first else None,
        steps=(site.step("an optimizer got nothing"),),
    )
