"""Findings about inputs exactly at a kink or a special case: the derivative is a convention."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_source, check, finding
from tapelab.diagnosis.descriptions import format_value, name_of, number, say, sentence
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.saturation import dead_units
from tapelab.diagnosis.site import Site, site_of
from tapelab.recording import events as e
from tapelab.recording.schema import Role

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix


RISKY: Final = (ast.Div, ast.Pow, ast.FloorDiv, ast.Mod)
"""Operators that a point may have been treated apart for."""


@check
def special_case(case: Case) -> Iterator[Finding]:
    """A gradient that comes from the constant in `0 if x == 0 else f(x)`."""
    backward = case.backward
    if backward is not None and len(backward):
        yield from _chosen_by_where(case, backward)
        if backward.is_zero:
            yield from _chosen_by_python(case)


@at_source(30)
def special_source(case: Case) -> Finding | None:
    """A gradient that is None, because the constant in `0 if x == 0 else f(x)` was taken."""
    return next(_chosen_by_python(case), None)


def _chosen_by_where(case: Case, backward: BackwardSteps) -> Iterator[Finding]:
    """`tf.where(x == 0, 0.0, f(x))`, where `f(0)` is 0 anyway and its derivative is lost."""
    for step in backward.through({"where"}):
        ran = backward.ran(step)
        equal = case.flow.maker_of.get(ran.inputs[0], -1)
        if case.op_name(equal) == "equal" and _loses(backward, step) and not _leads(backward, step):
            yield _singled_out(
                case, backward.event[step], equal, _smooth_branch(case, backward, step)
            )
            return


def _loses(backward: BackwardSteps, step: int) -> bool:
    """Whether the special value is that of the branch not chosen, which gets no gradient for it."""
    inputs, position = backward.ran(step).inputs, backward.position[step]
    condition, dy = backward.value(inputs[0]), backward.value(backward.upstream[step])
    smooth, special = backward.value(inputs[position]), backward.value(inputs[3 - position])
    if condition is None or dy is None or smooth is None or special is None:
        return False
    unchosen = condition if position == 2 else ~condition
    alike = np.isclose(smooth, special, rtol=1e-6, atol=1e-12)
    return bool(np.any(unchosen & alike & (dy != 0)))


def _leads(backward: BackwardSteps, step: int) -> bool:
    """Whether the special branch leads to the source as well."""
    return len(backward.out_of[backward.made[step]]) > 1


def _smooth_branch(case: Case, backward: BackwardSteps, step: int) -> Fix | None:
    """The line without the special case."""
    span = case.recording.located[backward.event[step]].span
    call, code = case.codes.expression(span), case.codes.of(span)
    position = backward.position[step]
    if code is None or not isinstance(call, ast.Call) or len(call.args) <= position:
        return None
    text = edits.bracketed(code, call, code.text(call.args[position]))
    return edits.fix(code, [edits.replaced(code, call, text)])


def _chosen_by_python(case: Case) -> Iterator[Finding]:
    """`0.0 if x == 0 else f(x)`, and the same as a statement."""
    for place in case.recording.placed(e.Left):
        event = place.event
        if not isinstance(event, e.Left) or not _is_true(case, event):
            continue
        equal = case.flow.maker_of.get(event.tensor, -1)
        if case.op_name(equal) != "equal" or not _compares(case, equal):
            continue
        test = case.codes.expression(place.span)
        code = case.codes.of(place.span)
        branch = code.parent.get(test) if code and test else None
        if isinstance(test, ast.Call) and ast.unparse(test.func).rpartition(".")[2] == "cond":
            branch = test
        elif not isinstance(branch, (ast.If, ast.IfExp)) or branch.test is not test:
            continue
        yield _singled_out(case, place.index, equal, _else_branch(case, place.span, branch))
        return


def _is_true(case: Case, event: e.Left) -> bool:
    if case.recording.strings[event.how] != "bool()":
        return False
    value = case.recording.tensor(event.tensor).value
    return value is not None and bool(np.all(value))


def _compares(case: Case, event: int) -> bool:
    """Whether one side is made of the source."""
    ran = case.op_run(event)
    return ran is not None and not case.downstream.isdisjoint(ran.inputs)


def _else_branch(case: Case, span: int, branch: ast.If | ast.IfExp | ast.Call) -> Fix | None:
    """The line without the special case, where the rest can be computed at that point."""
    code = case.codes.of(span)
    match branch:
        case ast.IfExp(orelse=smooth) | ast.Call(args=[_, _, ast.Lambda(body=smooth)]) if code:
            if any(
                isinstance(each, ast.BinOp) and isinstance(each.op, RISKY)
                for each in ast.walk(smooth)
            ):
                return None
            text = edits.bracketed(code, branch, code.text(smooth))
            return edits.fix(code, [edits.replaced(code, branch, text)])
    return None


def _singled_out(case: Case, event: int, equal: int, fix: Fix | None) -> Finding:
    ran = case.recording.event(equal)
    assert isinstance(ran, e.Ran)
    site = site_of(case, equal, "equal")
    point = case.recording.measures.of(ran.inputs[1])
    return site.finding(
        "ON_KINK",
        site.say("The input is exactly the special case of `{text}`"),
        site.say(
            "`{text}` in line {line} is true for {value}, so the special case was used, which "
            "is a constant.",
            value=format_value(point.greatest),
        ),
        site.say(
            "So the gradient for `{source}` is that of a constant, although the function may "
            "be smooth."
        ),
        fix=fix,
        evidence=(equal, event),
        steps=(site.step("`{text}` was true"),),
    )


AT_ZERO: Final = {"relu", "abs", "relu6"}
"""Ops with a kink at 0, where 0 is used as their derivative."""

AGREED: Final = {
    "relu": sentence(
        "Its derivative is 0 on the left and 1 on the right. At this point 0 is used."
    ),
    "relu6": sentence(
        "Its derivative is 0 on the left and 1 on the right. At this point 0 is used."
    ),
    "abs": sentence(
        "Its derivative is −1 on the left and 1 on the right. At this point 0 is used."
    ),
    "maximum": sentence("Both are the maximum. The first one gets the whole gradient."),
    "minimum": sentence("Both are the minimum. The first one gets the whole gradient."),
    "reduce_max": sentence("Several elements are the maximum. They share the gradient equally."),
    "reduce_min": sentence("Several elements are the minimum. They share the gradient equally."),
}

SMOOTH: Final = {
    "relu": (1, "{tf}.nn.softplus({0})"),
    "abs": (1, "{tf}.sqrt({tf}.square({0}) + 1e-12)"),
    "reduce_max": (1, "{tf}.reduce_logsumexp({0})"),
    "reduce_min": (1, "-{tf}.reduce_logsumexp(-{0})"),
    "maximum": (2, "{tf}.reduce_logsumexp({tf}.stack([{0}, {1}]), axis=0)"),
    "minimum": (2, "-{tf}.reduce_logsumexp(-{tf}.stack([{0}, {1}]), axis=0)"),
}
"""What is much the same without a kink, by the op: how many arguments it takes, and its form."""

CANCELLED: Final = 1e-5
"""What arrives at a maximum cancels if it is so much smaller than its parts: as where the largest
entry is subtracted before an exponential, the choice does not matter.
"""


@finding(
    "ON_KINK",
    rank=Rank.MISLEADING,
    lesson="12",
    what="The input is exactly at a kink, where the derivative is a convention.",
    instead="A smooth function",
    example=Example(
        "P59 relu",
        """
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape: y = «tf.nn.relu(x)»
        """,
        fix="with tf.GradientTape() as tape: y = tf.nn.softplus(x)",
        symptom="zero",
        near_miss="""
        x = tf.Variable([1.0, 1.0, 3.0])
        with tf.GradientTape() as tape: y = tf.reduce_max(x)
        """,
    ),
)
def on_kink(case: Case) -> Iterator[Finding]:
    """A gradient that depends on what was agreed on for a kink, for every element of an op."""
    backward = case.backward
    if backward is None or backward.is_non_finite:
        return
    dead = any(dead_units(case))
    for step in backward.through(AGREED):
        op = backward.ops[step]
        if not _matters(backward, step):
            continue
        if op in AT_ZERO:
            agreed = (
                backward.is_zero
                and _all_at_zero(case, backward, step)
                and not (op == "relu" and dead)
            )
        elif op.startswith("reduce"):
            agreed = not backward.is_zero and _all_shared(backward, step)
        else:
            agreed = _all_equal(backward, step)
        if agreed:
            yield _on_kink(case, backward, step)
            return


def _matters(backward: BackwardSteps, step: int) -> bool:
    """Whether a gradient arrives at an op, and not one that cancels."""
    arrived = backward.largest[backward.upstream[step]]
    parts = [
        backward.largest[backward.contribution[each]]
        for each in backward.into.get(backward.made[step], ())
    ]
    return bool(arrived > CANCELLED * max(parts, default=0.0)) and arrived > 0


def _all_at_zero(case: Case, backward: BackwardSteps, step: int) -> bool:
    """Whether an op was given nothing but zeros, and a lower loss lies elsewhere."""
    given = backward.tensor[step]
    if not backward.measures.zero[given]:
        return False
    if backward.ops[step] == "abs":  # 0 is where a distance is least: only a plain |x| is looked at
        return case.is_source(given) or backward.measures.of(backward.upstream[step]).least < 0
    return True


def _all_equal(backward: BackwardSteps, step: int) -> bool:
    """Whether all pairs of two different tensors tie."""
    one, other = backward.ran(step).inputs
    left, right = backward.value(one), backward.value(other)
    if one == other or left is None or right is None or not left.size:
        return False
    return bool(np.all(left == right))


def _all_shared(backward: BackwardSteps, step: int) -> bool:
    """Whether in every row several entries are the largest."""
    ran = backward.ran(step)
    x, shared = backward.value(ran.inputs[0]), backward.value(backward.contribution[step])
    dy = backward.value(backward.upstream[step])
    if x is None or shared is None or dy is None or not dy.size:
        return False
    return bool(np.count_nonzero(shared) >= 2 * np.count_nonzero(dy))


def _on_kink(case: Case, backward: BackwardSteps, step: int) -> Finding:
    site = site_of(case, backward.event[step], backward.ops[step])
    return site.finding(
        "ON_KINK",
        site.say("The input of `{text}` is exactly at its kink"),
        _received(site, backward, step),
        say(AGREED[backward.ops[step]]),
        site.say("This convention decides the gradient for `{source}`."),
        fix=_without_kink(case, site.span, backward.ops[step]),
        steps=(site.step("the gradient follows a convention here"),),
    )


def _without_kink(case: Case, span: int, op: str) -> Fix | None:
    """The line with a function that is much the same and has no kink."""
    call, code = case.codes.expression(span), case.codes.of(span)
    wanted, form = SMOOTH.get(op, (0, ""))
    if code is None or not isinstance(call, ast.Call) or len(call.args) != wanted or call.keywords:
        return None
    given = [code.text(each) for each in call.args]
    text = form.format(*given, tf=edits.tf_alias(code))
    return edits.fix(code, [edits.replaced(code, call, text)])


def _called(case: Case, tensor: int) -> str:
    """The name of an operand, or its number where it has none."""
    facts = case.recording.tensor(tensor)
    unnamed = facts.role == Role.CONSTANT and not facts.named
    return number(case, tensor) if unnamed else name_of(case, tensor)


def _received(site: Site, backward: BackwardSteps, step: int) -> str:
    ran = backward.ran(step)
    if backward.ops[step] in AT_ZERO:
        return site.say("`{text}` in line {line} received 0.")
    if len(ran.inputs) > 1:
        one, other = (_called(site.case, each) for each in ran.inputs[:2])
        value = format_value(backward.measures.of(ran.inputs[0]).greatest)
        return site.say(
            "`{text}` in line {line} compares `{one}` and `{other}`, which are equal: {value}.",
            one=one,
            other=other,
            value=value,
        )
    extreme = format_value(backward.measures.of(ran.outputs[0]).greatest)
    return site.say("`{text}` in line {line} found {value} more than once.", value=extreme)
