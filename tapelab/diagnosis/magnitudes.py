"""Gradients that fade or blow up, because many ops on the way back multiply them alike."""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, text_of
from tapelab.diagnosis.spoken import plainly
from tapelab.diagnosis.wording import paragraph, say, say_many

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

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
    """The ops of one kind on the way back, and by how much they multiplied the gradient in all."""

    op: str
    steps: tuple[int, ...]
    factor: float

    @property
    def each(self) -> float:
        """The factor of one op, in the geometric mean."""
        return math.exp(math.log(self.factor) / len(self.steps))


def vanishing(case: Case) -> Iterator[Finding]:
    """A gradient that many ops have made too small to move anything."""
    way = case.way
    if way is None or not len(way) or not way.measures.known[way.result]:
        return
    seed, end = _seed(way), way.largest[way.result]
    if not seed or not end <= FADED * seed:
        return
    ends = [tensor for tensor in way.into if case.is_source(tensor)]
    top = max(ends, key=lambda tensor: way.largest[way.adjoint[tensor]])
    chain = _chain(way, way.back_from(top), sign=-1)
    if chain is None or chain.factor > FADED:
        return
    text = _text(case, way, chain)
    yield Finding(
        code="VANISHING",
        title=say(
            "The gradient fades away on its way to `{name}`", name=name_of(case, case.source)
        ),
        message=paragraph(_from_to(case, seed, end), _alike(case, way, chain, text)),
        where=case.codes.where(_span(case, way, chain)),
        fix=_unsquashed(case, way, chain),
        evidence=tuple(way.event[step] for step in chain.steps),
        steps=_ends(case, way, chain),
    )


def exploding(case: Case) -> Iterator[Finding]:
    """A gradient that many ops have made too large for any step."""
    way, chain = case.way, grows(case)
    if way is None or chain is None:
        return
    text = _text(case, way, chain)
    yield Finding(
        code="EXPLODING",
        title=say("The gradient blows up on its way to `{name}`", name=name_of(case, case.source)),
        message=paragraph(
            _from_to(case, _seed(way), way.largest[way.result]), _alike(case, way, chain, text)
        ),
        where=case.codes.where(_span(case, way, chain)),
        fix=_bounded(case, way, chain),
        evidence=tuple(way.event[step] for step in chain.steps),
        steps=_ends(case, way, chain),
    )


def grows(case: Case) -> Chain | None:
    """The ops that blow a gradient up, if it is too large or not finite in the end."""
    way = case.way
    if way is None or not len(way) or not way.measures.known[way.result]:
        return None
    seed, end = _seed(way), way.largest[way.result]
    if not seed or end < BLOWN_UP * seed:
        return None
    inner = [tensor for tensor in way.into if not case.is_source(tensor)]
    if not inner:
        return None
    sizes = [way.largest[way.adjoint[tensor]] for tensor in inner]
    top = max(range(len(inner)), key=lambda at: (sizes[at], at))
    chain = _chain(way, way.back_from(inner[top]), sign=1)
    return chain if chain and chain.factor >= BLOWN_UP else None


def _seed(way: Way) -> float:
    """The largest number of the gradient at the target."""
    return float(max(way.largest[way.contribution[step]] for step in _starts(way)))


def _starts(way: Way) -> list[int]:
    """The steps at the targets, which come first of all."""
    return list(takewhile(lambda step: way.event[step] < 0, range(len(way)))) or [0]


def _chain(way: Way, steps: list[int], sign: int) -> Chain | None:
    """The ops of one kind that multiply the gradient most; None where a few ops did it alone."""
    logs: dict[int, float] = {}
    for step in steps:
        before, after = way.largest[way.upstream[step]], way.largest[way.total[step]]
        if way.event[step] >= 0 and 0 < before < math.inf and 0 < after < math.inf:
            logs[step] = math.log(after / before) * sign
    ranked = sorted(logs, key=lambda step: -logs[step])[ISOLATED:]
    acting = [step for step in ranked if logs[step] > 0]
    if len(acting) < LEAST_OPS - ISOLATED:
        return None
    weights: defaultdict[str, float] = defaultdict(float)
    for step in acting:
        weights[way.ops[step]] += logs[step]
    if not weights:
        return None
    name = max(weights, key=lambda op: weights[op])
    if sum(logs[step] for step in ranked) * sign * sign < math.log(BLOWN_UP):
        return None
    alike = tuple(step for step in steps if step in logs and way.ops[step] == name)
    if len(alike) < LEAST_OPS:
        return None
    return Chain(name, alike, math.exp(sign * sum(logs[step] for step in alike)))


def _from_to(case: Case, seed: float, end: float) -> str:
    target, source = name_of(case, case.target), name_of(case, case.source)
    return say(
        "The gradient is {seed} at `{target}`, and for `{source}` the largest number in it is "
        "{end}.",
        seed=plainly(seed),
        target=target,
        source=source,
        end=plainly(end),
    )


def _alike(case: Case, way: Way, chain: Chain, text: str) -> str:
    lines = sorted({line_of(case, way.event[step]) for step in chain.steps})
    return say_many(
        "{count} op such as `{text}` in line {line} multiplied it by {each} each, in all by "
        "{factor}.",
        "{count} ops such as `{text}` in line {line} multiplied it by {each} each, in all by "
        "{factor}.",
        len(chain.steps),
        text=text,
        line=lines[0],
        each=plainly(float(f"{chain.each:.2g}")),
        factor=plainly(float(f"{chain.factor:.2g}")),
    )


def _span(case: Case, way: Way, chain: Chain) -> int:
    """The place of the op nearest to the source."""
    event: int = way.event[chain.steps[-1]]
    return case.recording.located[event].span


def _text(case: Case, way: Way, chain: Chain) -> str:
    return text_of(case, _span(case, way, chain)) or chain.op


def _ends(case: Case, way: Way, chain: Chain) -> tuple[Step, ...]:
    """The gradient before the first and after the last op of the chain."""
    first, last = chain.steps[0], chain.steps[-1]
    told = ((first, way.upstream[first]), (last, way.total[last]))
    return tuple(
        Step(
            line_of(case, way.event[step]),
            say("the largest gradient here is {size}", size=plainly(way.largest[tensor])),
        )
        for step, tensor in told
    )


def _unsquashed(case: Case, way: Way, chain: Chain) -> Fix | None:
    """The line with an activation whose slope is 1 for all that is above 0."""
    span = _span(case, way, chain)
    call, code = case.codes.expression(span), case.codes.of(span)
    if chain.op not in SQUASHING or code is None or not isinstance(call, ast.Call):
        return None
    text = f"{edits.tf_alias(code)}.nn.relu"
    return edits.fix(code, [edits.replaced(code, call.func, text)])


def _bounded(case: Case, way: Way, chain: Chain) -> Fix | None:
    """The line with its result kept between -1 and 1, where it gives one name a new value."""
    span = _span(case, way, chain)
    node, code = case.codes.expression(span), case.codes.of(span)
    if code is None or node is None or not isinstance(code.parent.get(node), ast.Assign):
        return None
    text = f"{edits.tf_alias(code)}.tanh({code.text(node)})"
    return edits.fix(code, [edits.replaced(code, node, text)])
