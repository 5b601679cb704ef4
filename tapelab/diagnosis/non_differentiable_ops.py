"""Findings about ops that stop a gradient: `stop_gradient`, flat ops, integers, withheld ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_cut, at_source, check, finding
from tapelab.diagnosis.descriptions import (
    ENDS_AT,
    consequence,
    name_of,
    number,
    operand,
    say,
    sentence,
    translated,
)
from tapelab.diagnosis.discrete_choices import choice_behind, picks
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.engine_exits import called_directly
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.site import Site, site_of
from tapelab.diagnosis.smooth_relaxations import blended, smooth, softly, without_flat_op
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Fix


CODES: Final = {
    "index-only": "INDEX_ONLY",
    "predicate-only": "PREDICATE_ONLY",
    "shape-only": "SHAPE_ONLY",
    "sampler": "SAMPLER",
    "outside": "LEFT_ENGINE",
}

WHOLE: Final = sentence("`{text}` returns integers, which cannot change by a small amount.")
NO_WAY: Final = sentence("No gradient passes through `{text}`")
ONCE: Final = sentence("Here that is {value} of the gradient for `{source}`.")
OFTEN: Final = sentence(
    "It ran several times. The last run alone stopped {value} of the gradient for `{source}`."
)
LETS_NONE: Final = sentence("`{text}` passes no gradient")


@finding(
    "STOPPED",
    rank=Rank.MISSING,
    lesson="11",
    what="`tf.stop_gradient` stops the gradient.",
    instead="The value without `tf.stop_gradient`",
    example=Example(
        "P24",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = «tf.stop_gradient(x * x)» * 2.0
        """,
        fix="y = (x * x) * 2.0",
        near_miss="""
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape:
            y = (x + tf.stop_gradient(tf.round(x) - x)) * 2.0
        """,
    ),
)
@at_cut(Cut.STOPPED)
def stopped(case: Case, edge: Edge) -> Finding:
    """`tf.stop_gradient` in the user's code."""
    span = case.recording.located[edge.event].span
    text = case.codes.text(span) or "tf.stop_gradient"
    name = name_of(case, edge.origin)
    site = Site(case, span, text, edge.event)
    return site.finding(
        "STOPPED",
        site.say(ENDS_AT),
        say(
            "`stop_gradient` returns the value of `{name}` and stops its gradient.",
            name=name,
        ),
        held_back := _held_back(case, edge),
        consequence(case, is_known=bool(held_back)),
        fix=_without_stop(case, span),
        steps=(site.step(LETS_NONE),),
    )


def _held_back(case: Case, edge: Edge) -> str:
    """What the source would get through `stop_gradient`, beside what arrives.

    A recording that is made for it has a gradient call there, see `recorder/stopped_gradients.py`.
    """
    span = case.recording.located[edge.event].span
    gradients = [result for place in case.recording.placed(e.Asked) if place.span == span
             for result in _beyond(case, place.event)] if case.connected else []  # fmt: skip
    if not gradients:
        return ""
    text = ONCE if len(gradients) == 1 else OFTEN
    value, source = number(case, gradients[0]), name_of(case, case.source)
    return say(text, value=value, source=source)


def _beyond(case: Case, request: e.Event) -> list[int]:
    """What would have flowed from `stop_gradient` to the source, by the call at its place."""
    if not isinstance(request, e.Asked) or request.method != e.Method.PICTURE:
        return []
    pairs = zip(request.sources, request.results, strict=True)
    return [result for source, result in pairs if result >= 0 and case.is_source(source)]


def _without_stop(case: Case, span: int) -> Fix | None:
    """The line with what `stop_gradient` was given in its place."""
    call, code = case.codes.expression(span), case.codes.of(span)
    match call:
        case ast.Call(args=[value]) | ast.Call(keywords=[ast.keyword(value=value)]) if code:
            text = edits.bracketed(code, call, code.text(value))
            return edits.fix(code, [edits.replaced(code, call, text)])
    return None


@finding(
    "NON_DIFFERENTIABLE",
    rank=Rank.MISSING,
    lesson="05",
    what="The derivative of an op is 0 or undefined: rounding, comparing, `argmax`, `//`.",
    instead="A straight-through estimator, a sigmoid, a softmax, `/`",
    example=Example(
        "P31",
        """
        x = tf.Variable(7.0)
        with tf.GradientTape() as tape:
            y = («x // 2.0») * 3.0
        """,
        fix="y = (x / 2.0) * 3.0",
        near_miss="""
        x = tf.Variable(7.0)
        with tf.GradientTape() as tape: y = x / 2.0
        """,
    ),
)
@finding(
    "SAMPLER",
    rank=Rank.MISSING,
    lesson="05",
    what="A discrete sample was drawn.",
    instead="A softmax with noise",
    example=Example(
        "P36",
        """
        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            drawn = «tf.random.categorical(x, 5)»
            y = tf.reduce_mean(tf.cast(drawn, tf.float32))
        """,
        fix="""
        noise = -tf.math.log(-tf.math.log(tf.random.uniform([1, 5, 2], 1e-9)))
        drawn = tf.reduce_sum(tf.nn.softmax(x[:, tf.newaxis] + noise) * tf.range(2.0), axis=-1)
        """,
        near_miss="""
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.random.normal([8], mean=x) ** 2)
        """,
    ),
)
@at_cut(Cut.OUTSIDE, Cut.FLAT)
def flat(case: Case, edge: Edge) -> Finding:
    """An op that says by itself why no gradient passes through it."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Ran)
    op = case.recording.ops[place.event.op]
    position = min(edge.position, len(op.rules) - 1)
    code = CODES.get(op.pattern, "NON_DIFFERENTIABLE")
    if picks(case, edge) or not op.rules[position].because:
        code = "INDEX_ONLY"
    elif code == "PREDICATE_ONLY" and choice_behind(case, edge) is None:
        code = "NON_DIFFERENTIABLE"
    site = Site(case, place.span, case.codes.text(place.span) or op.name, edge.event)
    return site.finding(
        code,
        site.say(NO_WAY),
        translated(op.rules[position].because) or site.say(WHOLE),
        fix=_instead(case, edge, code),
        steps=(site.step(LETS_NONE),),
    )


def _instead(case: Case, edge: Edge, code: str) -> Fix | None:
    if code == "LEFT_ENGINE":
        return called_directly(case, case.recording.located[edge.event].span)
    if code == "PREDICATE_ONLY":
        span = case.recording.located[edge.event].span
        written, test = case.codes.of(span), case.codes.expression(span)
        return blended(written, test) if written and test is not None else None
    return softly(case, edge) or (smooth(case, edge) if code == "NON_DIFFERENTIABLE" else None)


@at_cut(Cut.WITHHELD)
def withheld(case: Case, edge: Edge) -> Finding:
    """A gradient function, usually a user's, that returned None for one input."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Ran)
    op = case.recording.ops[place.event.op]
    name = op.inputs[min(edge.position, len(op.inputs) - 1)]
    site = Site(case, place.span, case.codes.text(place.span) or op.name, edge.event)
    return site.finding(
        "NON_DIFFERENTIABLE",
        site.say(NO_WAY),
        say(
            "The gradient function of `{op}` returned None for `{name}`, so the gradient stops "
            "there. It should return a gradient with the shape of its argument.",
            op=op.name,
            name=name,
        ),
        steps=(site.step(LETS_NONE),),
    )


@finding(
    "INT_DTYPE",
    rank=Rank.MISSING,
    lesson="05",
    what="The source holds integers, or the path goes through integers.",
    instead="A decimal point, or a straight-through estimator",
    example=Example(
        "P26",
        """
        x = «tf.Variable(10)»
        with tf.GradientTape() as tape:
            y = x * x
        """,
        fix="x = tf.Variable(10.0)",
        near_miss="""
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape: y = tf.gather(x, tf.constant(1)) * 2.0
        """,
    ),
)
@at_source(120)
def int_source(case: Case) -> Finding | None:
    """A source that holds integers."""
    facts = case.recording.tensor(case.source)
    if case.flow.is_floating(case.source):
        return None
    name = name_of(case, case.source)
    site = Site(case, facts.span, case.codes.text(facts.span))
    return site.finding(
        "INT_DTYPE",
        say("`{name}` is {dtype}", name=name, dtype=facts.dtype),
        site.say("`{text}` in line {line} created it as integers.") if site.text else "",
        say("A derivative describes a small change, and integers cannot change by a small amount."),
        fix=_floating(case, facts.span),
        evidence=case.made(case.source),
        steps=(site.step("`{name}` was made as {dtype}", name=name, dtype=facts.dtype),)
        if site.text
        else (),
    )


@at_cut(Cut.INTEGER)
def int_on_the_way(case: Case, edge: Edge) -> Finding:
    """A cast to integers between the source and the target."""
    name, dtype = name_of(case, edge.origin), case.recording.tensor(edge.to).dtype
    before, after = number(case, edge.origin), number(case, edge.to)
    site = site_of(case, edge.event, "tf.cast", dtype=dtype, name=name)
    return site.finding(
        "INT_DTYPE",
        site.say(ENDS_AT),
        site.say(
            "The cast to {dtype} turned `{name}` from {before} into {after}. Integers cannot "
            "change by a small amount.",
            before=before,
            after=after,
        ),
        consequence(case, is_known=True),  # the derivative is 0
        fix=_straight_through_cast(case, edge),
        steps=(site.step("`{name}` became {dtype}"),),
    )


def _floating(case: Case, span: int) -> Fix | None:
    """The line that makes the source, with a decimal point or a floating dtype."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    for keyword in call.keywords:
        if keyword.arg == "dtype":
            module = ast.unparse(keyword.value).rpartition(".")[0] or "tf"
            return edits.fix(code, [edits.replaced(code, keyword.value, f"{module}.float32")])
    whole = [node for argument in call.args[:1] for node in _whole_numbers(argument)]
    if whole:
        return edits.fix(code, [edits.replaced(code, n, f"{code.text(n)}.0") for n in whole])
    module = ast.unparse(call.func).rpartition(".")[0] or "tf"
    if ast.unparse(call.func).endswith(("constant", "Variable", "ones", "zeros")) and call.args:
        last = code.extent(call.args[-1])
        end = last._replace(line=last.end_line, column=last.end_column)
        return edits.fix(code, [edits.Edit(end, f", dtype={module}.float32")])
    text = f"{module}.cast({code.text(call)}, {module}.float32)"
    return edits.fix(code, [edits.replaced(code, call, text)])


def _whole_numbers(node: ast.expr) -> list[ast.expr]:
    """The integers in a number or in nested lists; none if there is anything else."""
    match node:
        case ast.Constant(value=int()):
            return [node]
        case ast.UnaryOp(operand=inner):
            return _whole_numbers(inner)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            numbers = [_whole_numbers(part) for part in parts]
            return [each for part in numbers for each in part] if all(numbers) else []
    return []


def _straight_through_cast(case: Case, edge: Edge) -> Fix | None:
    """The value with its jumps, and the gradient as if it had none: `x + stop_gradient(q - x)`."""
    backs = [ahead for ahead in case.flow.out_of.get(edge.to, ()) if ahead in case.path]
    given = operand(case, edge)
    if not backs or given is None:
        return None
    span = case.recording.located[backs[0].event].span
    cast, code = case.codes.expression(span), case.codes.of(span)
    if not isinstance(cast, ast.Call) or code is not given.code or not _is_cast(cast):
        return None
    simple = isinstance(given.node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    smooth = given.text if simple else f"({given.text})"
    module = ast.unparse(cast.func).rpartition(".")[0]
    text = f"{smooth} + {module}.stop_gradient({code.text(cast)} - {smooth})"
    return edits.fix(code, [edits.replaced(code, cast, edits.bracketed(code, cast, text))])


def _is_cast(call: ast.Call) -> bool:
    return ast.unparse(call.func).rpartition(".")[2] in {"cast", "to_float", "saturate_cast"}


@check
def flat_sign(case: Case) -> Iterator[Finding]:
    """A gradient of 0, because all of it would have to flow through a sign."""
    backward = case.backward
    if backward is None or not backward.is_zero:
        return
    for step in backward.through({"sign"}):
        if backward.is_flushed_to_zero(step):
            yield _signed(case, backward.event[step])
            return


def _signed(case: Case, event: int) -> Finding:
    site = site_of(case, event, "sign")
    return site.finding(
        "NON_DIFFERENTIABLE",
        site.say("The derivative of `{text}` is 0"),
        site.say(
            "`{text}` in line {line} returns −1, 0 or 1, which does not change when its "
            "argument changes a little."
        ),
        site.say("So the gradient is 0 for every `{source}`, and shows no direction of descent."),
        fix=without_flat_op(case, site.span, soft=False),
        steps=(site.step("the gradient became 0"),),
    )
