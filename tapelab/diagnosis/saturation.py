"""Findings about gradients of exactly 0: underflow, units that are off, ops at their limit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import format_value, name_of, say_many, value_range
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.site import site_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


NARROW: Final = "float16"
SMALLEST: Final = float(np.finfo(np.float16).smallest_subnormal)

NEVER_FLAT: Final = {"cast", "reduce_mean", "reduce_sum", "negative", "reshape", "identity"}
"""Ops that propagate a part of every gradient that is not 0."""


@finding(
    "UNDERFLOW",
    rank=Rank.VANISHED,
    lesson="13",
    what="The gradient is too small for float16.",
    instead="float32, or a scaled loss",
    example=Example(
        "P62",
        """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = tf.cast(x, tf.float16)
            y = «tf.cast(h * h, tf.float32)» * 1e-9
        """,
        fix="h = tf.cast(x, tf.float32)",
        symptom="zero",
        near_miss="""
        x = tf.Variable([1.0, 2.0], dtype=tf.float16)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum((x - tf.constant([1.0, 2.0], tf.float16)) ** 2)
        """,
    ),
)
def underflow(case: Case) -> Iterator[Finding]:
    """A gradient that became 0 in float16 and not by mathematics."""
    backward = case.backward
    if backward is None or not backward.is_zero or NARROW not in case.recording.dtypes:
        return
    for step in backward.through({*NEVER_FLAT, "multiply", "divide"}):
        if backward.is_flushed_to_zero(step) and _flushed(backward, step):
            yield _consequence(case, backward, step)
            return


def _flushed(backward: BackwardSteps, step: int) -> bool:
    """Whether a product of two numbers that are not 0 was 0 in float16."""
    if backward.recording.tensor(backward.contribution[step]).dtype != NARROW:
        return False
    if backward.ops[step] in NEVER_FLAT:
        return True
    factor, dy = _factor(backward, step), backward.value(backward.upstream[step])
    if factor is None or dy is None:
        return False
    with np.errstate(all="ignore"):
        exact = dy.astype(np.float64) * factor.astype(np.float64)
    return bool(np.any((exact != 0) & (np.abs(exact) < SMALLEST)))


def _factor(backward: BackwardSteps, step: int) -> NDArray[Any] | None:
    """What a step multiplies the gradient by, element by element."""
    if backward.ops[step] == "multiply":
        return backward.value(backward.ran(step).inputs[1 - backward.position[step]])
    if backward.ops[step] == "divide" and backward.position[step] == 0:
        below = backward.value(backward.ran(step).inputs[1])
        return None if below is None else 1.0 / below
    return None


def _consequence(case: Case, backward: BackwardSteps, step: int) -> Finding:
    event = backward.event[step]
    size = format_value(backward.largest[backward.upstream[step]])
    site = site_of(case, event, backward.ops[step], size=size)
    return site.finding(
        "UNDERFLOW",
        site.say("The gradient is too small for float16 at `{text}`"),
        site.say(
            "In the backward pass, {size} arrived at `{text}` in line {line}. The smallest "
            "float16 number is {smallest}, so it became 0.",
            smallest=format_value(float(f"{SMALLEST:.1g}")),
        ),
        site.say("So the gradient for `{source}` is 0."),
        fix=_wider(case, site.span),
        steps=(site.step("{size} became 0"),),
    )


def _wider(case: Case, span: int) -> Fix | None:
    """The lines with float32 wherever they say float16."""
    code = case.codes.of(span)
    if code is None:
        return None
    named = [
        node for _, node in code.placed if isinstance(node, ast.Attribute) and node.attr == NARROW
    ]
    changes = [edits.replaced(code, n, f"{code.text(n.value)}.float32") for n in named]
    return edits.fix(code, changes)


RECTIFYING: Final = {"relu", "maximum"}

PRODUCTS: Final = ("matmul", "einsum", "conv", "multiply")
"""Ops whose derivative for one input is the other: if that is 0, nothing passes."""

AVERAGES: Final = {"reduce_sum", "reduce_mean", "add", "multiply", "divide"}
"""Ops that make a loss of margins."""

STDDEV: Final = "0.5"


@finding(
    "DEAD_UNITS",
    rank=Rank.VANISHED,
    lesson="14",
    what="All units of a layer are off, so their derivative is 0.",
    instead="Random weights, or `tf.nn.leaky_relu`",
    example=Example(
        "P58",
        """
        tf.random.set_seed(1)
        data = tf.constant([[1.0, 2.0], [3.0, 1.0]])
        x = tf.Variable(tf.zeros((2, 8)))
        last = tf.Variable(tf.zeros((8, 1)))
        with tf.GradientTape() as tape:
            h = «tf.nn.relu(data @ x)»
            y = tf.reduce_mean((h @ last - 1.0) ** 2)
        """,
        fix="""
        x = tf.Variable(tf.random.normal((2, 8), stddev=0.5))
        last = tf.Variable(tf.random.normal((8, 1), stddev=0.5))
        """,
        symptom="zero",
        near_miss="""
        x = tf.Variable([[1.0, -2.0, 3.0]])
        with tf.GradientTape() as tape: y = tf.reduce_sum(tf.nn.relu(x) ** 2)
        """,
    ),
)
def dead_units(case: Case) -> Iterator[Finding]:
    """A layer of which no unit is on, between a target and a source that gets nothing."""
    backward = case.backward
    if backward is None or not backward.is_zero:
        return
    for event, given, result in _rectified(case, backward):  # the first: others are given its zeros
        off = backward.measures.known[given] and backward.measures.of(given).greatest <= 0
        if (
            off
            and _has_part(case, backward, event, result)
            and not _is_content(case, backward, event, given)
        ):
            yield _dead(case, backward, event, given)
            return


def _rectified(case: Case, backward: BackwardSteps) -> Iterator[tuple[int, int, int]]:
    """The ops that are off below 0 and made nothing but zeros: event, input and result."""
    zero = backward.measures.zero
    for index in backward.all_of(RECTIFYING):
        ran = case.recording.event(index)
        assert isinstance(ran, e.Ran)
        result = ran.outputs[0]
        if not zero[result]:
            continue
        if len(ran.inputs) == 1:
            yield index, ran.inputs[0], result
        elif zero[ran.inputs[0]] or zero[ran.inputs[1]]:
            yield index, ran.inputs[bool(zero[ran.inputs[0]])], result


def _has_part(case: Case, backward: BackwardSteps, event: int, result: int) -> bool:
    """Whether an op is on the way, or makes a factor of a product that is."""
    if (
        backward.out_of.get(result) is not None
        and backward.event[backward.out_of[result][0]] == event
    ):
        return True
    products = {op.name for op in case.recording.ops if op.name.startswith(PRODUCTS)}
    return any(result in backward.ran(step).inputs for step in backward.through(products))


def _is_content(case: Case, backward: BackwardSteps, event: int, given: int) -> bool:
    """Whether being off is what was asked for: a margin that is kept, as in a hinge loss."""
    steps = [step for step in backward.into.get(given, ()) if backward.event[step] == event]
    if not steps:
        return case.is_source(given)
    arrived = backward.measures.of(backward.upstream[steps[0]])
    if case.is_source(given):
        return arrived.least >= 0
    if arrived.least < 0 or arrived.greatest <= 0:
        return False
    ahead = backward.into.get(backward.made[steps[0]], ())
    return _is_margin(case, backward, given) and all(
        backward.ops[each] in {"", *AVERAGES} for each in ahead
    )


def _is_margin(case: Case, backward: BackwardSteps, given: int) -> bool:
    """Whether something that leads to the source is subtracted, perhaps under one more sum."""
    behind = list(backward.out_of.get(given, ()))
    for step in [each for each in behind if backward.ops[each] == "add"]:
        behind += backward.out_of.get(backward.tensor[step], ())
    return any(
        backward.ops[each] == "negative"
        or (backward.ops[each] == "subtract" and backward.position[each] == 1)
        for each in behind
    )


def _dead(case: Case, backward: BackwardSteps, event: int, given: int) -> Finding:
    values = value_range(backward, given)
    site = site_of(case, event, "relu", given=values)
    return site.finding(
        "DEAD_UNITS",
        site.say("All units of `{text}` are off"),
        site.say("`{text}` in line {line} received {given}."),
        say_many(
            "That is not above 0, so the unit is off: its output and its derivative are 0.",
            "None of its {count} elements is above 0, so 100 % of the units are off: their "
            "outputs and their derivatives are 0.",
            int(backward.measures.count[given]),
        ),
        site.say("So the gradient for `{source}` is 0."),
        fix=_begun_apart(case, backward) or _leaking(case, site.span),
        steps=(site.step("the units received {given}"),),
    )


def _begun_apart(case: Case, backward: BackwardSteps) -> Fix | None:
    """The lines that begin weights at 0, with weights that differ from one another."""
    zeros: dict[int, ast.Call] = {}
    for row in case.recording.variables:
        call, code = case.codes.expression(row.span), case.codes.of(row.span)
        shape = case.recording.shapes[row.shape]
        if code is not None and len(shape) > 1 and _zeros(call):
            zeros[row.span] = call.args[0]  # type: ignore[union-attr]  # zeros are made by a call
    codes = {case.codes.of(span) for span in zeros}
    if len(codes) != 1 or not backward:
        return None
    (code,) = codes
    assert code is not None
    return edits.fix(code, [_random(code, call) for call in zeros.values()])


def _zeros(call: ast.expr | None) -> bool:
    match call:
        case ast.Call(args=[ast.Call(func=function, args=[_]), *_]):
            return ast.unparse(function).rpartition(".")[2] == "zeros"
    return False


def _random(code: Code, call: ast.Call) -> edits.Edit:
    shape = code.text(call.args[0])
    text = f"{edits.tf_alias(code)}.random.normal({shape}, stddev={STDDEV})"
    return edits.replaced(code, call, text)


def _leaking(case: Case, span: int) -> Fix | None:
    """The line with units that keep a small derivative when they are off."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    text = f"{edits.tf_alias(code)}.nn.leaky_relu"
    match ast.unparse(call.func).rpartition(".")[2], call.args:
        case "relu", _:
            return edits.fix(code, [edits.replaced(code, call.func, text)])
        case "maximum", [value, ast.Constant(value=0)]:
            return edits.fix(code, [edits.replaced(code, call, f"{text}({code.text(value)})")])
    return None


LIMITED: Final = {"clip_by_value", "sigmoid", "tanh", "relu6", "softsign", "softmax"}
"""Ops whose results have limits, at which they are flat."""

FAINT: Final = 1e-30
"""A gradient smaller than this may have become 0 by rounding and not by a derivative of 0."""

PASSING: Final = {"reduce_sum", "reduce_mean", "reshape", "cast", "square", "identity", "multiply"}
"""Ops behind which a target is still a plain function of what a limited op made, and no loss."""


@finding(
    "SATURATED",
    rank=Rank.VANISHED,
    lesson="13",
    what="All elements are at the limit of an op, where its derivative is 0.",
    instead="A straight-through estimator",
    example=Example(
        "P57",
        """
        x = tf.Variable(5.0)
        with tf.GradientTape() as tape:
            y = «tf.clip_by_value(x, 0.0, 1.0)» ** 2
        """,
        fix="y = (x + tf.stop_gradient(tf.clip_by_value(x, 0.0, 1.0) - x)) ** 2",
        symptom="zero",
        near_miss="""
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape: y = tf.clip_by_value(x, 0.0, 1.0) ** 2
        """,
    ),
)
def saturated(case: Case) -> Iterator[Finding]:
    """A gradient of 0, because every element of an op's result is stuck at a limit."""
    backward = case.backward
    if backward is None or not backward.is_zero:
        return
    for step in backward.through(LIMITED):
        if (
            backward.position[step]
            or not backward.is_flushed_to_zero(step)
            or backward.largest[backward.upstream[step]] < FAINT
        ):
            continue
        if _wants_out(backward, step) or _is_looked_at(backward, step):
            yield _stuck(case, backward, step)
            return


def _wants_out(backward: BackwardSteps, step: int) -> bool:
    """Whether a lower loss lies on this side of the limit; beyond it nothing is to be gained."""
    ran = backward.ran(step)
    dy, y, x = (
        backward.value(each) for each in (backward.upstream[step], ran.outputs[0], ran.inputs[0])
    )
    if dy is None or y is None or x is None:
        return False
    if backward.ops[step] == "softmax":
        wanted = dy - np.sum(dy * y, axis=-1, keepdims=True)
        return bool(np.any((wanted < 0) & (y == 0)))
    upper = _at_upper(backward.ops[step], x, y)
    dy = np.broadcast_to(dy, y.shape)
    return bool(np.any(np.where(upper, dy > 0, dy < 0)))


def _at_upper(op: str, x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a result is at its upper limit rather than at its lower one."""
    return np.asarray(x > y) if op in {"clip_by_value", "relu6"} else np.asarray(x > 0)


def _is_looked_at(backward: BackwardSteps, step: int) -> bool:
    """Whether the target is the result itself, or its sum: then it is no loss to be lowered."""
    if backward.ops[step] == "softmax":
        return False
    tensor = backward.made[step]
    while True:
        into = backward.into.get(tensor, ())
        if len(into) != 1:
            return False
        if backward.event[into[0]] < 0:
            return True
        if backward.ops[into[0]] not in PASSING:
            return False
        tensor = backward.made[into[0]]


def _stuck(case: Case, backward: BackwardSteps, step: int) -> Finding:
    ran, event = backward.ran(step), backward.event[step]
    given, outputs = value_range(backward, ran.inputs[0]), value_range(backward, ran.outputs[0])
    name = name_of(case, ran.inputs[0])
    site = site_of(case, event, backward.ops[step], given=given)
    return site.finding(
        "SATURATED",
        site.say("The derivative of `{text}` is 0 at its input"),
        site.say(
            "`{text}` in line {line} received {given} and returned {made}. 100 % of its "
            "elements are at the limit, where the derivative is 0.",
            made=outputs,
        ),
        site.say("So the gradient for `{source}` is 0."),
        fix=_around(case, site.span, backward.ops[step]),
        steps=(site.step("`{name}` was {given}", name=name),),
    )


def _around(case: Case, span: int, op: str) -> Fix | None:
    """The clipped value with the gradient of the one that was not clipped."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if op != "clip_by_value" or code is None or not isinstance(call, ast.Call) or not call.args:
        return None
    value = code.text(call.args[0])
    if not isinstance(call.args[0], (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        value = f"({value})"
    text = f"{value} + {edits.tf_alias(code)}.stop_gradient({code.text(call)} - {value})"
    return edits.fix(code, [edits.replaced(code, call, edits.bracketed(code, call, text))])
