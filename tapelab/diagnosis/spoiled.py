"""Gradients that are infinite or NaN, told by the op at which that began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from tapelab.diagnosis import guards
from tapelab.diagnosis.births import (
    Birth,
    begun_with,
    born,
    born_ahead,
    is_told,
    op_name,
    spread_of,
    unchosen,
)
from tapelab.diagnosis.block import line_of
from tapelab.diagnosis.degenerate import DECOMPOSING
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.magnitudes import grows
from tapelab.diagnosis.names import name_of, shortened, text_of
from tapelab.diagnosis.spoken import plainly
from tapelab.diagnosis.wording import paragraph, say, say_many, sentence
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

NEAR: Final = 1.0
"""What makes an infinity of a value no further from 0 has a pole there; else it grew too large."""


def not_finite(case: Case) -> Iterator[Finding]:
    """The cause of a gradient that is infinite or NaN, or of a target that is NaN all the same."""
    way = case.way
    if way is None or grows(case):
        return
    if way.measures.spoiled[way.result]:
        yield from _gradient_spoiled(case, way)
    elif way.measures.of(case.target).nans and is_told(case, way, case.target):
        birth = born_ahead(case, way, case.target)
        yield _steep(case, way, birth, []) if birth else _from_the_start(case, way, case.target)


def _gradient_spoiled(case: Case, way: Way) -> Iterator[Finding]:
    spread = spread_of(way, case)
    if not spread or way.ops[spread[0]] in {"", *DECOMPOSING}:  # it was put in, or told elsewhere
        return
    step, chooser = spread[0], unchosen(way, spread[0])
    ran = way.ran(step)
    near = (way.upstream[step], *ran.inputs, *ran.outputs)
    if not all(way.measures.known[each] and is_told(case, way, each) for each in near):
        return
    birth = born(case, way, step)
    if birth is None:
        yield _from_the_start(case, way, _spoiled_input(way, step))
    elif chooser is not None:
        yield _of_the_other_branch(case, way, birth, chooser, spread)
    elif birth.made is not None and np.isinf(birth.made) and abs(birth.given) > NEAR:
        yield _overflow(case, birth, spread)
    else:
        yield _steep(case, way, birth, spread)


STEEP_SLOPE: Final = sentence(
    "`{text}` in line {line} received {given}, where its slope is infinite."
)
STEEP_VALUE: Final = sentence(
    "`{text}` in line {line} received {given} and made {made}: there it has no finite value and no "
    "finite slope."
)
TIMES_ZERO: Final = sentence("The gradient that arrived there is 0, and 0 · ∞ is NaN.")


def _steep(case: Case, way: Way, birth: Birth, spread: list[int]) -> Finding:
    """A slope that is infinite, or none, at the value that an op was given."""
    text, line = _text(case, birth.event), line_of(case, birth.event)
    made = None if birth.made is None else plainly(birth.made)
    template = STEEP_SLOPE if made is None else STEEP_VALUE
    return Finding(
        code="INF_LOCAL",
        title=say("The slope of `{text}` is not finite", text=text),
        message=paragraph(
            say(template, text=text, line=line, given=plainly(birth.given), made=made),
            say(TIMES_ZERO) if made is None and _meets_zero(way, birth.step) else "",
            _arrived(case, way),
        ),
        where=case.codes.where(case.recording.located[birth.event].span),
        fix=guards.away_from_the_pole(case, birth.event, birth.given),
        evidence=_evidence(way, birth.event, spread),
        steps=_ledger(case, way, birth.event, spread),
    )


def _meets_zero(way: Way, step: int) -> bool:
    """Whether a step made NaN of a gradient with zeros in it."""
    measures = way.measures
    return bool(measures.of(way.upstream[step]).zeros and measures.of(way.contribution[step]).nans)


def _of_the_other_branch(
    case: Case, way: Way, birth: Birth, unchosen: int, spread: list[int]
) -> Finding:
    """A branch that `where` did not choose, whose infinite slope meets the gradient 0."""
    text = _text(case, birth.event)
    chooser, line = _text(case, way.event[unchosen]), line_of(case, way.event[unchosen])
    return Finding(
        code="ZERO_TIMES_INF",
        title=say("NaN comes out of a branch that was not chosen"),
        message=paragraph(
            say(
                "`{chooser}` in line {line} did not choose `{text}` where it received {given}, but "
                "the gradient goes through both branches.",
                chooser=shortened(chooser),
                line=line,
                text=text,
                given=plainly(birth.given),
            ),
            say("The branch gets the gradient 0, its slope there is not finite, and 0 · ∞ is NaN."),
            _arrived(case, way),
        ),
        where=case.codes.where(case.recording.located[birth.event].span),
        fix=_double_where(case, way, birth.event, unchosen),
        evidence=(way.event[unchosen], *_evidence(way, birth.event, spread)),
        steps=_ledger(case, way, birth.event, spread),
    )


def _double_where(case: Case, way: Way, event: int, unchosen: int) -> Fix | None:
    return guards.safe_inside(case, event, way.event[unchosen], way.position[unchosen])


def _overflow(case: Case, birth: Birth, spread: list[int]) -> Finding:
    """A result that is too large for its dtype."""
    way = case.way
    assert way is not None
    ran = case.recording.event(birth.event)
    assert isinstance(ran, e.Ran)
    text, line = _text(case, birth.event), line_of(case, birth.event)
    return Finding(
        code="OVERFLOW",
        title=say("`{text}` is too large for its dtype", text=text),
        message=paragraph(
            say(
                "`{text}` in line {line} received {given}, and its result does not fit into "
                "{dtype}: it became {made}.",
                text=text,
                line=line,
                given=plainly(birth.given),
                dtype=case.recording.tensor(ran.outputs[0]).dtype,
                made=plainly(birth.made if birth.made is not None else np.inf),
            ),
            _arrived(case, way),
        ),
        where=case.codes.where(case.recording.located[birth.event].span),
        fix=guards.stable(case, birth.event),
        evidence=_evidence(way, birth.event, spread),
        steps=_ledger(case, way, birth.event, spread),
    )


def _spoiled_input(way: Way, step: int) -> int:
    return next(each for each in way.ran(step).inputs if way.measures.spoiled[each])


def _from_the_start(case: Case, way: Way, tensor: int) -> Finding:
    """Numbers that were not finite before any op saw them."""
    given = begun_with(case, way, tensor)
    name = name_of(case, given)
    used = case.flow.out_of.get(given, ())
    return Finding(
        code="INF_LOCAL",
        title=say("`{name}` is not finite to begin with", name=name),
        message=paragraph(
            say("`{name}` holds infinities or NaN before any op uses it.", name=name),
            _arrived(case, way),
        ),
        where=case.codes.where(case.recording.tensor(given).span),
        fix=None,
        evidence=tuple(edge.event for edge in used[:1]),
    )


def _arrived(case: Case, way: Way) -> str:
    """What the source receives in the end."""
    measure, source = way.measures.of(way.result), name_of(case, case.source)
    if not way.is_spoiled:
        target = name_of(case, case.target)
        return say(
            "So `{target}` is NaN, although the gradient for `{source}` is finite.",
            target=target,
            source=source,
        )
    made = plainly(np.nan if measure.nans else np.inf)
    if way.measures.count[way.result] == 1:
        return say("So the gradient for `{source}` is {made}.", source=source, made=made)
    return say_many(
        "So {count} of {all} numbers in the gradient for `{source}` is {made}.",
        "So {count} of {all} numbers in the gradient for `{source}` are {made}.",
        int(measure.nans + measure.infinities),
        all=int(way.measures.count[way.result]),
        source=source,
        made=made,
    )


def _text(case: Case, event: int) -> str:
    return text_of(case, case.recording.located[event].span) or op_name(case, event)


def _evidence(way: Way, event: int, spread: list[int]) -> tuple[int, ...]:
    """The op at fault, and the ops that handed on what it made."""
    return tuple(dict.fromkeys((event, *(way.event[step] for step in spread))))


TOLD: Final = 4
"""A ledger of more ops than this is told by its ends."""


def _ledger(case: Case, way: Way, event: int, spread: list[int]) -> tuple[Step, ...]:
    """Where it was born, what kept it out of the value, and what handed it on to the source."""
    seen = {_line(case, event)}
    spans = case.recording.columns["event.span"]
    steps = [Step(line_of(case, event), say("`{text}` made it", text=_text(case, event)))]
    told = (
        (_healing(way), sentence("`{text}` kept it out of the value")),
        ([way.event[step] for step in spread], sentence("`{text}` handed it on")),
    )
    for events, template in told:
        apart = {int(spans[each]): each for each in reversed(events)}  # of each place the first
        lines = dict.fromkeys(_line(case, each) for each in reversed(apart.values()))
        shown = [each for each in lines if each not in seen]
        seen.update(shown)
        if len(shown) > TOLD:
            shown = [*shown[: TOLD // 2], *shown[-TOLD // 2 :]]
        steps += [Step(line, say(template, text=text)) for line, text in shown]
    return tuple(steps)


def _line(case: Case, event: int) -> tuple[int, str]:
    return line_of(case, event), _text(case, event)


def _healing(way: Way) -> list[int]:
    """The ops on the way that made finite numbers of what was not finite: a `where`, a `clip`."""
    spoiled = way.measures.spoiled
    given = spoiled[np.array(way.tensor)] & ~spoiled[np.array(way.made)]
    return [way.event[step] for step in np.flatnonzero(given).tolist() if way.event[step] >= 0]
