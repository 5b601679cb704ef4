"""Findings about gradients that vanish, explode or cancel over many ops."""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import format_value, name_of, operand, say
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import Site, site_of
from tapelab.diagnosis.tape_block import line_of

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix


CANCELLED: Final = 1e-5
"""A sum so much smaller than its terms is 0 but for the rounding of float32."""

NORMALISING: Final = {"batch_norm", "fused_batch_norm", "batch_normalization"}
"""Ops that subtract a mean themselves."""


ADDING: Final = "bias_add"
"""The function of tf that adds what moves all rows alike."""


@finding(
    "CANCELLED_BY_MEAN",
    rank=Rank.VANISHED,
    lesson="14",
    what="A mean that is subtracted later removes the bias.",
    instead="The layer without its bias",
    example=Example(
        "P77",
        """
        x = tf.Variable([1.0])
        data = tf.constant([[1.0], [2.0], [5.0]])
        with tf.GradientTape() as tape:
            h = «tf.nn.bias_add(data, x)»
            n = (h - tf.reduce_mean(h, 0)) / tf.math.reduce_std(h, 0)
            y = tf.reduce_sum(n ** 3)
        """,
        fix="h = data",
        symptom="zero",
        cured="None",
        near_miss="""
        x = tf.Variable([1.0])
        data = tf.constant([[1.0], [-1.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((data + x - 1.0) ** 2)
        """,
    ),
)
def cancelled(case: Case) -> Iterator[Finding]:
    """A gradient that is 0 because a mean is subtracted behind the source."""
    backward = case.backward
    if backward is None or backward.is_non_finite:
        return
    for step in backward.through({"add", "bias_add"}):
        if not case.is_source(backward.tensor[step]):
            continue
        total, arrived = (
            backward.largest[backward.result],
            backward.measures.of(backward.upstream[step]),
        )
        terms = arrived.size * backward.measures.count[backward.upstream[step]]
        if not (terms and total <= CANCELLED * terms):
            continue
        centred = _centred(case, backward, backward.made[step])
        if centred is not None:
            yield _cancelled(case, backward, step, centred)
            return


def _centred(case: Case, backward: BackwardSteps, tensor: int) -> int | None:
    """The op that takes the mean of a tensor from it; None if there is none."""
    ahead = sorted(backward.into.get(tensor, ()), key=lambda step: backward.event[step])
    whole = [backward.event[step] for step in ahead if backward.ops[step] in NORMALISING]
    if whole:
        return whole[0]
    means = {backward.made[step] for step in ahead if backward.ops[step] == "reduce_mean"}
    for step in ahead:
        if backward.ops[step] not in {"subtract", "squared_difference"}:
            continue
        other = backward.ran(step).inputs[1 - backward.position[step]]
        if other in means or _comes_of(case, other, means):
            return backward.event[step]
    return _by_scale(case, backward, ahead, means)


def _by_scale(case: Case, backward: BackwardSteps, ahead: list[int], means: set[int]) -> int | None:
    """`x · scale + (offset − mean · scale)`, as a normalisation computes it."""
    if not means:
        return None
    return next((backward.event[step] for step in ahead if backward.ops[step] == "multiply"), None)


def _comes_of(case: Case, tensor: int, means: set[int]) -> bool:
    """Whether a tensor is one of the means in another shape, or with its gradient stopped."""
    ran = case.producer(tensor)
    return ran is not None and not means.isdisjoint(ran.inputs)


def _cancelled(case: Case, backward: BackwardSteps, step: int, centred: int) -> Finding:
    event, name = backward.event[step], name_of(case, case.source)
    added, mean = site_of(case, event), site_of(case, centred, "the mean")
    return added.finding(
        "CANCELLED_BY_MEAN",
        say("The mean removes `{name}`", name=name),
        mean.say(
            "`{name}` shifts all rows by the same amount, and `{text}` in line {line} "
            "subtracts their mean. So the result does not depend on `{name}`.",
            name=name,
        ),
        say(
            "Gradients of up to {terms} arrive and cancel to {total}.",
            terms=format_value(float(f"{backward.largest[backward.upstream[step]]:.2g}")),
            total=format_value(float(f"{backward.largest[backward.result]:.2g}")),
        ),
        fix=_without(case, backward, step),
        evidence=(event, centred),
        steps=(added.step("`{name}` was added", name=name), mean.step("the mean removed it")),
    )


def _without(case: Case, backward: BackwardSteps, step: int) -> Fix | None:
    """The sum without the source, or the layer without its bias."""
    span = case.recording.located[backward.event[step]].span
    node, code = case.codes.expression(span), case.codes.of(span)
    edges = case.flow.into.get(backward.made[step], [])
    other = next((each for each in edges if not case.is_source(each.origin)), None)
    if code is None or node is None or other is None:
        return None
    kept = operand(case, other)
    added = isinstance(node, ast.Call) and ast.unparse(node.func).endswith(ADDING)
    if kept is None or not (added or isinstance(node, ast.BinOp)):
        return None
    return edits.fix(code, [edits.replaced(code, node, edits.bracketed(code, node, kept.text))])


FADED: Final = 1e-6
"""A step of 0.1 times a gradient below this moves a weight of size 1 by less than float32 shows."""

BLOWN_UP: Final = 1e6
"""A step of 0.001 times a gradient above this moves a weight of size 1 by a thousand."""

ISOLATED: Final = 2
"""So many of the strongest factors do not count: an op that scales, a mean or a loss close to its
minimum makes a gradient small in one go, and that is no chain.
"""

LEAST_OPS: Final = 5
"""A chain has at least so many ops that act alike."""

SQUASHING: Final = {"sigmoid", "tanh", "softsign", "hard_sigmoid"}


class Chain(NamedTuple):
    """The ops of one kind in the backward pass, and the product of their factors."""

    op: str
    steps: tuple[int, ...]
    factor: float

    @property
    def each(self) -> float:
        """The factor of one op, in the geometric mean."""
        return math.exp(math.log(self.factor) / len(self.steps))


@finding(
    "VANISHING",
    rank=Rank.VANISHED,
    lesson="14",
    what="Many factors below 1 multiply the gradient.",
    instead="`tf.nn.relu`",
    example=Example(
        "P60",
        """
        x = tf.Variable(0.7)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(20):
                y = «tf.sigmoid(y)»
        """,
        fix="y = tf.nn.relu(y)",
        symptom="zero",
        near_miss="""
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = 1e-40 * tf.sigmoid(x) + x
        """,
    ),
)
def vanishing(case: Case) -> Iterator[Finding]:
    """A gradient that many ops have made too small to move anything."""
    backward = case.backward
    if backward is None or not len(backward) or not backward.measures.known[backward.result]:
        return
    seed, end = _seed(backward), backward.largest[backward.result]
    if not seed or not end <= FADED * seed:
        return
    ends = [tensor for tensor in backward.into if case.is_source(tensor)]
    top = max(ends, key=lambda tensor: backward.largest[backward.cotangent[tensor]])
    chain = _chain(backward, backward.back_from(top), sign=-1)
    if chain is None or chain.factor > FADED:
        return
    site = _last_op(case, backward, chain)
    yield site.finding(
        "VANISHING",
        say("The gradient vanishes on the path to `{name}`", name=name_of(case, case.source)),
        _from_to(site, seed, end),
        _alike(site, backward, chain),
        fix=_unsquashed(case, site.span, chain),
        evidence=tuple(backward.event[step] for step in chain.steps),
        steps=_ends(case, backward, chain),
    )


@finding(
    "EXPLODING",
    rank=Rank.NOT_FINITE,
    lesson="14",
    what="Many factors above 1 multiply the gradient.",
    instead="Clipping, or a bounded activation function",
    example=Example(
        "P61",
        """
        x = tf.Variable([[3.0]])
        with tf.GradientTape() as tape:
            h = tf.ones((1, 1))
            for _ in range(100):
                h = «h @ x»
            y = h
        """,
        fix="h = tf.tanh(h @ x)",
        symptom="nan",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = 1e8 * x ** 2
        """,
    ),
)
def exploding(case: Case) -> Iterator[Finding]:
    """A gradient that many ops have made too large for any step."""
    backward, chain = case.backward, grows(case)
    if backward is None or chain is None:
        return
    site = _last_op(case, backward, chain)
    yield site.finding(
        "EXPLODING",
        say("The gradient explodes on the path to `{name}`", name=name_of(case, case.source)),
        _from_to(site, _seed(backward), backward.largest[backward.result]),
        _alike(site, backward, chain),
        fix=_bounded(case, site.span),
        evidence=tuple(backward.event[step] for step in chain.steps),
        steps=_ends(case, backward, chain),
    )


def grows(case: Case) -> Chain | None:
    """The ops that blow a gradient up, if it is too large or not finite in the end."""
    backward = case.backward
    if backward is None or not len(backward) or not backward.measures.known[backward.result]:
        return None
    seed, end = _seed(backward), backward.largest[backward.result]
    if not seed or end < BLOWN_UP * seed:
        return None
    inner = [tensor for tensor in backward.into if not case.is_source(tensor)]
    if not inner:
        return None
    sizes = [backward.largest[backward.cotangent[tensor]] for tensor in inner]
    top = max(range(len(inner)), key=lambda at: (sizes[at], at))
    chain = _chain(backward, backward.back_from(inner[top]), sign=1)
    return chain if chain and chain.factor >= BLOWN_UP else None


def _seed(backward: BackwardSteps) -> float:
    """The largest number of the gradient at the target."""
    return float(max(backward.largest[backward.contribution[step]] for step in _starts(backward)))


def _starts(backward: BackwardSteps) -> list[int]:
    """The steps at the targets, which come first of all."""
    return list(takewhile(lambda step: backward.event[step] < 0, range(len(backward)))) or [0]


def _chain(backward: BackwardSteps, steps: list[int], sign: int) -> Chain | None:
    """The ops of one kind that multiply the gradient most; None where a few ops did it alone."""
    logs: dict[int, float] = {}
    for step in steps:
        before, after = (
            backward.largest[backward.upstream[step]],
            backward.largest[backward.total[step]],
        )
        if backward.event[step] >= 0 and 0 < before < math.inf and 0 < after < math.inf:
            logs[step] = math.log(after / before) * sign
    ranked = sorted(logs, key=lambda step: -logs[step])[ISOLATED:]
    acting = [step for step in ranked if logs[step] > 0]
    if len(acting) < LEAST_OPS - ISOLATED:
        return None
    weights: defaultdict[str, float] = defaultdict(float)
    for step in acting:
        weights[backward.ops[step]] += logs[step]
    if not weights:
        return None
    name = max(weights, key=lambda op: weights[op])
    if sum(logs[step] for step in ranked) * sign * sign < math.log(BLOWN_UP):
        return None
    alike = tuple(step for step in steps if step in logs and backward.ops[step] == name)
    if len(alike) < LEAST_OPS:
        return None
    return Chain(name, alike, math.exp(sign * sum(logs[step] for step in alike)))


def _from_to(site: Site, seed: float, end: float) -> str:
    return site.say(
        "The gradient is {seed} at `{target}`, and for `{source}` the largest number in it is "
        "{end}.",
        seed=format_value(seed),
        end=format_value(end),
    )


def _alike(site: Site, backward: BackwardSteps, chain: Chain) -> str:
    return site.say_many(
        "{count} op such as `{text}` in line {line} multiplied it by {each} each, in all by "
        "{factor}.",
        "{count} ops such as `{text}` in line {line} multiplied it by {each} each, in all by "
        "{factor}.",
        len(chain.steps),
        line=min(line_of(site.case, backward.event[step]) for step in chain.steps),
        each=format_value(float(f"{chain.each:.2g}")),
        factor=format_value(float(f"{chain.factor:.2g}")),
    )


def _last_op(case: Case, backward: BackwardSteps, chain: Chain) -> Site:
    """The place of the op nearest to the source."""
    return site_of(case, backward.event[chain.steps[-1]], chain.op)


def _ends(case: Case, backward: BackwardSteps, chain: Chain) -> tuple[Step, ...]:
    """The gradient before the first and after the last op of the chain."""
    first, last = chain.steps[0], chain.steps[-1]
    ends = ((first, backward.upstream[first]), (last, backward.total[last]))
    return tuple(
        Step(
            line_of(case, backward.event[step]),
            say("the largest gradient here is {size}", size=format_value(backward.largest[tensor])),
        )
        for step, tensor in ends
    )


def _unsquashed(case: Case, span: int, chain: Chain) -> Fix | None:
    """The line with an activation function whose derivative is 1 above 0."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if chain.op not in SQUASHING or code is None or not isinstance(call, ast.Call):
        return None
    text = f"{edits.tf_alias(code)}.nn.relu"
    return edits.fix(code, [edits.replaced(code, call.func, text)])


def _bounded(case: Case, span: int) -> Fix | None:
    """The line with its result kept between -1 and 1, where it gives one name a new value."""
    node, code = case.codes.expression(span), case.codes.of(span)
    if code is None or node is None or not isinstance(code.parent.get(node), ast.Assign):
        return None
    text = f"{edits.tf_alias(code)}.tanh({code.text(node)})"
    return edits.fix(code, [edits.replaced(code, node, text)])
