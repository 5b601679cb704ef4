"""Findings about infinities and NaN: the op that made the first one, and how it propagated.

The search goes from the source up the backward pass to the first step whose upstream gradient is
finite, and from its op up the forward pass to the first result that is not finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tapelab.diagnosis import numerical_guards
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.degenerate_spectra import DECOMPOSING
from tapelab.diagnosis.descriptions import (
    format_value,
    name_of,
    say,
    say_many,
    sentence,
    shortened,
    text_of,
)
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.gradient_growth import grows
from tapelab.diagnosis.site import site_at, site_of
from tapelab.diagnosis.tape_block import line_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case


class FirstNonFinite(NamedTuple):
    """The op that made the first number that is not finite, and what it was given.

    `step` is the step back at which the gradient became so, -1 where it is finite; `made` is what
    the op returned for `given`, None where its result is finite and only its derivative is not.
    """

    step: int
    event: int
    given: float
    made: float | None


def propagation_of(backward: BackwardSteps, case: Case) -> list[int]:
    """The steps over which the first non-finite gradient propagated to the source."""
    non_finite = backward.measures.nonfinite
    steps: list[int] = []
    pending = [tensor for tensor in backward.into if case.is_source(tensor)]
    while True:
        into = (step for tensor in pending for step in backward.into.get(tensor, ()))
        bad = next((step for step in into if non_finite[backward.contribution[step]]), None)
        if bad is None or (steps and bad >= steps[-1]):
            return steps[::-1]
        steps.append(bad)
        if not non_finite[backward.upstream[bad]]:
            return steps[::-1]
        pending = [backward.made[bad]]


def unchosen(backward: BackwardSteps, step: int) -> int | None:
    """The step of a `where` that sent the zeros to a step, because it chose the other branch."""
    measures = backward.measures
    if not measures.of(backward.contribution[step]).nans:
        return None
    tensor, seen = backward.made[step], set[int]()
    while tensor not in seen and measures.of(backward.upstream[step]).zeros:
        seen.add(tensor)
        into = backward.into.get(tensor, ())
        for each in into:
            if backward.ops[each] == "where":
                return each
        if not into:
            return None
        step = into[0]
        tensor = backward.made[step]
    return None


def first_non_finite(case: Case, backward: BackwardSteps, step: int) -> FirstNonFinite | None:
    """The origin of the non-finite values of a step; None if no op made them."""
    ran = backward.ran(step)
    bad = next((each for each in ran.inputs if backward.measures.nonfinite[each]), None)
    if bad is not None:
        return first_non_finite_value(case, backward, bad, step)
    result = next((each for each in ran.outputs if backward.measures.nonfinite[each]), None)
    if result is not None:
        return _of_value(case, backward, step, backward.event[step], ran)
    given = ran.inputs[backward.position[step]]
    return FirstNonFinite(
        step,
        backward.event[step],
        _at_fault(case, backward, given, backward.contribution[step]),
        None,
    )


def first_non_finite_value(
    case: Case, backward: BackwardSteps, tensor: int, step: int = -1
) -> FirstNonFinite | None:
    """The origin of the non-finite values of a tensor; None if no op made them."""
    event = case.flow.maker_of.get(first_non_finite_tensor(case, backward, tensor), -1)
    ran = case.op_run(event)
    return _of_value(case, backward, step, event, ran) if ran else None


def first_non_finite_tensor(case: Case, backward: BackwardSteps, tensor: int) -> int:
    """The first non-finite tensor among those that a tensor was computed from."""
    seen = set[int]()
    while tensor not in seen:
        seen.add(tensor)
        ran = case.producer(tensor)
        given = ran.inputs if ran else ()
        tensor = next((each for each in given if backward.measures.nonfinite[each]), tensor)
    return tensor


def has_known_inputs(case: Case, backward: BackwardSteps, tensor: int) -> bool:
    """Whether the values that a non-finite tensor was computed from are known."""
    ran = case.producer(first_non_finite_tensor(case, backward, tensor))
    given = ran.inputs if ran else ()
    return all(backward.measures.known[each] or not backward.measures.count[each] for each in given)


def _of_value(
    case: Case, backward: BackwardSteps, step: int, event: int, ran: e.Ran
) -> FirstNonFinite:
    """The origin in an op that made a non-finite value from finite ones."""
    result = next(each for each in ran.outputs if backward.measures.nonfinite[each])
    blamed, array = ran.inputs[_blamed(case, ran)], backward.value(result)
    if array is None:
        value = np.nan if backward.measures.of(result).nans else np.inf
    else:
        value = array[~np.isfinite(array)].reshape(-1)[0]
    return FirstNonFinite(
        step, event, _at_fault(case, backward, blamed, result), float(np.real(value))
    )


def _blamed(case: Case, ran: e.Ran) -> int:
    """The input by whose value an op leaves the finite numbers: of a fraction, what is below."""
    return 1 if case.recording.ops[ran.op].name in numerical_guards.BELOW else 0


def _at_fault(case: Case, backward: BackwardSteps, given: int, bad: int) -> float:
    """The element of an input at the place where another tensor is not finite.

    Where they differ in shape, it is the one closest to 0 or furthest from it, whatever that op
    cannot bear.
    """
    value, other = backward.value(given), backward.value(bad)
    maker = case.flow.maker_of.get(bad, -1)
    least = maker < 0 or case.op_name(maker) in numerical_guards.STEEP
    if value is None or not value.size:
        measure = backward.measures.of(given)
        furthest = max(measure.least, measure.greatest, key=abs)
        return 0.0 if least and measure.zeros else furthest
    if other is not None and other.shape == value.shape:
        return float(np.real(value[~np.isfinite(other)].reshape(-1)[0]))
    worst = np.argmin if least else np.argmax
    return float(np.real(value.reshape(-1)[worst(np.abs(value))]))


NEAR: Final = 1.0
"""What makes an infinity of a value no further from 0 has a pole there; else it grew too large."""


@finding(
    "ZERO_TIMES_INF",
    rank=Rank.NOT_FINITE,
    lesson="13",
    what="The branch that `tf.where` did not choose made 0 · ∞.",
    instead="A second `tf.where` around its argument",
    example=Example(
        "P51",
        """
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x > 0, «tf.math.log(x)», 0.0))
        """,
        fix="y = tf.reduce_sum(tf.where(x > 0, tf.math.log(tf.where(x > 0, x, 1.0)), 0.0))",
        symptom="nan",
        near_miss="""
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x > 0, tf.sqrt(x), 0.0))
        """,
    ),
)
@finding(
    "INF_LOCAL",
    rank=Rank.NOT_FINITE,
    lesson="13",
    what="A derivative is infinite: `sqrt(0)`, `log(0)`, `0 ** 0.5`.",
    instead="A small number added to the argument",
    example=Example(
        "P55",
        """
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape: y = «x ** 0.5»
        """,
        fix="with tf.GradientTape() as tape: y = (x + 1e-8) ** 0.5",
        symptom="nan",
        near_miss="""
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape: y = x ** 2.0 + (x - 0.5) ** 3.0
        """,
    ),
)
@finding(
    "OVERFLOW",
    rank=Rank.NOT_FINITE,
    lesson="13",
    what="A result is too large for its dtype, such as `exp(1000.0)`.",
    instead="`tf.reduce_logsumexp`, `tf.nn.softplus`, `tf.sigmoid`",
    example=Example(
        "P53",
        """
        x = tf.Variable([1000.0, 999.0])
        with tf.GradientTape() as tape:
            y = tf.math.log(tf.reduce_sum(«tf.exp(x)»))
        """,
        fix="y = tf.reduce_logsumexp(x)",
        symptom="nan",
        near_miss="""
        x = tf.Variable([1000.0, 1000.0])
        with tf.GradientTape() as tape:
            top = tf.reduce_max(x)
            y = top + tf.math.log(tf.reduce_sum(tf.exp(x - top)))
        """,
    ),
)
def not_finite(case: Case) -> Iterator[Finding]:
    """The cause of a gradient that is infinite or NaN, or of a target that is NaN all the same."""
    backward = case.backward
    if backward is None or grows(case):
        return
    if backward.measures.nonfinite[backward.result]:
        yield from _non_finite_gradient(case, backward)
    elif backward.measures.of(case.target).nans and has_known_inputs(case, backward, case.target):
        first = first_non_finite_value(case, backward, case.target)
        yield (
            _infinite_derivative(case, backward, first, [])
            if first
            else _from_the_start(case, backward, case.target)
        )


def _non_finite_gradient(case: Case, backward: BackwardSteps) -> Iterator[Finding]:
    spread = propagation_of(backward, case)
    if not spread or backward.ops[spread[0]] in {
        "",
        *DECOMPOSING,
    }:  # it was given, or is reported elsewhere
        return
    step, chooser = spread[0], unchosen(backward, spread[0])
    ran = backward.ran(step)
    near = (backward.upstream[step], *ran.inputs, *ran.outputs)
    if not all(
        backward.measures.known[each] and has_known_inputs(case, backward, each) for each in near
    ):
        return
    first = first_non_finite(case, backward, step)
    if first is None:
        yield _from_the_start(case, backward, _non_finite_input(backward, step))
    elif chooser is not None:
        yield _of_the_other_branch(case, backward, first, chooser, spread)
    elif first.made is not None and np.isinf(first.made) and abs(first.given) > NEAR:
        yield _overflow(case, first, spread)
    else:
        yield _infinite_derivative(case, backward, first, spread)


INFINITE_DERIVATIVE: Final = sentence(
    "`{text}` in line {line} received {given}, where its derivative is infinite."
)
INFINITE_VALUE: Final = sentence(
    "`{text}` in line {line} received {given} and returned {made}. There it has no finite value "
    "and no finite derivative."
)
TIMES_ZERO: Final = sentence("The gradient that arrived there is 0, and 0 · ∞ is NaN.")


def _infinite_derivative(
    case: Case, backward: BackwardSteps, first: FirstNonFinite, spread: list[int]
) -> Finding:
    """An infinite or undefined derivative at the input of an op."""
    result = None if first.made is None else format_value(first.made)
    template = INFINITE_DERIVATIVE if result is None else INFINITE_VALUE
    site = site_of(case, first.event, case.op_name(first.event))
    return site.finding(
        "INF_LOCAL",
        site.say("The derivative of `{text}` is not finite"),
        site.say(template, given=format_value(first.given), made=result),
        say(TIMES_ZERO) if result is None and _meets_zero(backward, first.step) else "",
        _result_of(case, backward),
        fix=numerical_guards.away_from_the_pole(case, first.event, first.given),
        evidence=_path_events(backward, first.event, spread),
        steps=_history(case, backward, first.event, spread),
    )


def _meets_zero(backward: BackwardSteps, step: int) -> bool:
    """Whether a step made NaN of a gradient with zeros in it."""
    measures = backward.measures
    return bool(
        measures.of(backward.upstream[step]).zeros and measures.of(backward.contribution[step]).nans
    )


def _of_the_other_branch(
    case: Case, backward: BackwardSteps, first: FirstNonFinite, unchosen: int, spread: list[int]
) -> Finding:
    """A branch that `where` did not choose, whose infinite derivative meets the gradient 0."""
    chooser, line = _text(case, backward.event[unchosen]), line_of(case, backward.event[unchosen])
    site = site_of(case, first.event, case.op_name(first.event))
    return site.finding(
        "ZERO_TIMES_INF",
        say("NaN comes out of a branch that was not chosen"),
        site.say(
            "`{chooser}` in line {line} did not choose `{text}` where its input is {given}, "
            "but the gradient flows through both branches.",
            chooser=shortened(chooser),
            line=line,
            given=format_value(first.given),
        ),
        say(
            "The branch gets the gradient 0. Its derivative there is not finite, and 0 · ∞ is NaN."
        ),
        _result_of(case, backward),
        fix=numerical_guards.safe_inside(
            case, first.event, backward.event[unchosen], backward.position[unchosen]
        ),
        evidence=(backward.event[unchosen], *_path_events(backward, first.event, spread)),
        steps=_history(case, backward, first.event, spread),
    )


def _overflow(case: Case, first: FirstNonFinite, spread: list[int]) -> Finding:
    """A result that is too large for its dtype."""
    backward = case.backward
    assert backward is not None
    ran = case.op_run(first.event)
    assert ran is not None
    site = site_of(case, first.event, case.op_name(first.event))
    return site.finding(
        "OVERFLOW",
        site.say("`{text}` is too large for its dtype"),
        site.say(
            "`{text}` in line {line} received {given}. Its result does not fit into {dtype} "
            "and became {made}.",
            given=format_value(first.given),
            dtype=case.recording.tensor(ran.outputs[0]).dtype,
            made=format_value(first.made if first.made is not None else np.inf),
        ),
        _result_of(case, backward),
        fix=numerical_guards.stable(case, first.event),
        evidence=_path_events(backward, first.event, spread),
        steps=_history(case, backward, first.event, spread),
    )


def _non_finite_input(backward: BackwardSteps, step: int) -> int:
    return next(each for each in backward.ran(step).inputs if backward.measures.nonfinite[each])


def _from_the_start(case: Case, backward: BackwardSteps, tensor: int) -> Finding:
    """Numbers that were not finite before any op saw them."""
    given = first_non_finite_tensor(case, backward, tensor)
    name = name_of(case, given)
    used = case.flow.out_of.get(given, ())
    site = site_at(case, case.recording.tensor(given).span, name=name)
    return site.finding(
        "INF_LOCAL",
        site.say("`{name}` is not finite to begin with"),
        site.say("`{name}` holds infinities or NaN before any op uses it."),
        _result_of(case, backward),
        evidence=tuple(edge.event for edge in used[:1]),
    )


def _result_of(case: Case, backward: BackwardSteps) -> str:
    """What the source receives in the end."""
    measure, source = backward.measures.of(backward.result), name_of(case, case.source)
    if not backward.is_non_finite:
        target = name_of(case, case.target)
        return say(
            "So `{target}` is NaN, although the gradient for `{source}` is finite.",
            target=target,
            source=source,
        )
    text = format_value(np.nan if measure.nans else np.inf)
    if backward.measures.count[backward.result] == 1:
        return say("So the gradient for `{source}` is {made}.", source=source, made=text)
    return say_many(
        "So {count} of {all} numbers in the gradient for `{source}` is {made}.",
        "So {count} of {all} numbers in the gradient for `{source}` are {made}.",
        int(measure.nans + measure.infinities),
        all=int(backward.measures.count[backward.result]),
        source=source,
        made=text,
    )


def _text(case: Case, event: int) -> str:
    return text_of(case, case.recording.located[event].span) or case.op_name(event)


def _path_events(backward: BackwardSteps, event: int, spread: list[int]) -> tuple[int, ...]:
    """The op at fault, and the ops that propagated its result."""
    return tuple(dict.fromkeys((event, *(backward.event[step] for step in spread))))


SHOWN: Final = 4
"""Of more ops than this, only the first and the last are listed."""


def _history(
    case: Case, backward: BackwardSteps, event: int, spread: list[int]
) -> tuple[Step, ...]:
    """The op that made it, the ops that masked it, and those that propagated it."""
    seen = {_line(case, event)}
    spans = case.recording.columns["event.span"]
    steps = [Step(line_of(case, event), say("`{text}` made it", text=_text(case, event)))]
    groups = (
        (_masking_ops(backward), sentence("`{text}` masked it in the value")),
        ([backward.event[step] for step in spread], sentence("`{text}` propagated it")),
    )
    for events, template in groups:
        apart = {int(spans[each]): each for each in reversed(events)}  # of each place the first
        lines = dict.fromkeys(_line(case, each) for each in reversed(apart.values()))
        shown = [each for each in lines if each not in seen]
        seen.update(shown)
        if len(shown) > SHOWN:
            shown = [*shown[: SHOWN // 2], *shown[-SHOWN // 2 :]]
        steps += [Step(line, say(template, text=text)) for line, text in shown]
    return tuple(steps)


def _line(case: Case, event: int) -> tuple[int, str]:
    return line_of(case, event), _text(case, event)


def _masking_ops(backward: BackwardSteps) -> list[int]:
    """The ops on the way that made finite numbers of what was not finite: a `where`, a `clip`."""
    non_finite = backward.measures.nonfinite
    given = non_finite[np.array(backward.tensor)] & ~non_finite[np.array(backward.made)]
    return [
        backward.event[step] for step in np.flatnonzero(given).tolist() if backward.event[step] >= 0
    ]
