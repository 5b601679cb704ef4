"""Where the first infinity or NaN on the way back was born, and what handed it on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tapelab.diagnosis import guards
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.way import Way


class Birth(NamedTuple):
    """The op that made the first number that is not finite, and what it was given.

    `step` is the step back at which the gradient became so, -1 where it is finite; `made` is what
    the op made of `given`, nothing where its result is finite and only its slope is not.
    """

    step: int
    event: int
    given: float
    made: float | None


def spread_of(way: Way, case: Case) -> list[int]:
    """The steps from the birth to the source over which what is not finite was handed on."""
    spoiled = way.measures.spoiled
    steps: list[int] = []
    pending = [tensor for tensor in way.into if case.is_source(tensor)]
    while True:
        into = (step for tensor in pending for step in way.into.get(tensor, ()))
        bad = next((step for step in into if spoiled[way.contribution[step]]), None)
        if bad is None or (steps and bad >= steps[-1]):
            return steps[::-1]
        steps.append(bad)
        if not spoiled[way.upstream[bad]]:
            return steps[::-1]
        pending = [way.made[bad]]


def unchosen(way: Way, step: int) -> int | None:
    """The step of a `where` that sent the zeros to a step, because it chose the other branch."""
    measures = way.measures
    if not measures.of(way.contribution[step]).nans:
        return None
    tensor, seen = way.made[step], set[int]()
    while tensor not in seen and measures.of(way.upstream[step]).zeros:
        seen.add(tensor)
        into = way.into.get(tensor, ())
        for each in into:
            if way.ops[each] == "where":
                return each
        if not into:
            return None
        step = into[0]
        tensor = way.made[step]
    return None


def born(case: Case, way: Way, step: int) -> Birth | None:
    """Where the numbers that spoiled a step back came from; None where no op made them."""
    ran = way.ran(step)
    bad = next((each for each in ran.inputs if way.measures.spoiled[each]), None)
    if bad is not None:
        return born_ahead(case, way, bad, step)
    result = next((each for each in ran.outputs if way.measures.spoiled[each]), None)
    if result is not None:
        return _of_value(case, way, step, way.event[step], ran)
    given = ran.inputs[way.position[step]]
    return Birth(step, way.event[step], _at_fault(case, way, given, way.contribution[step]), None)


def born_ahead(case: Case, way: Way, tensor: int, step: int = -1) -> Birth | None:
    """Where the numbers that spoiled a tensor came from; None where no op made them."""
    event = case.flow.maker_of.get(begun_with(case, way, tensor), -1)
    ran = case.recording.event(event) if event >= 0 else None
    return _of_value(case, way, step, event, ran) if isinstance(ran, e.Ran) else None


def begun_with(case: Case, way: Way, tensor: int) -> int:
    """The first tensor that was spoiled, of those that another one was made of."""
    seen = set[int]()
    while tensor not in seen:
        seen.add(tensor)
        event = case.flow.maker_of.get(tensor, -1)
        ran = case.recording.event(event) if event >= 0 else None
        given = ran.inputs if isinstance(ran, e.Ran) else ()
        tensor = next((each for each in given if way.measures.spoiled[each]), tensor)
    return tensor


def is_told(case: Case, way: Way, tensor: int) -> bool:
    """Whether the numbers are known that a spoiled tensor was made of; else nobody can say more."""
    event = case.flow.maker_of.get(begun_with(case, way, tensor), -1)
    ran = case.recording.event(event) if event >= 0 else None
    given = ran.inputs if isinstance(ran, e.Ran) else ()
    return all(way.measures.known[each] or not way.measures.count[each] for each in given)


def _of_value(case: Case, way: Way, step: int, event: int, ran: e.Ran) -> Birth:
    """The birth in an op that made what is not finite of finite numbers."""
    result = next(each for each in ran.outputs if way.measures.spoiled[each])
    blamed, found = ran.inputs[_blamed(case, ran)], way.value(result)
    if found is None:
        value = np.nan if way.measures.of(result).nans else np.inf
    else:
        value = found[~np.isfinite(found)].reshape(-1)[0]
    return Birth(step, event, _at_fault(case, way, blamed, result), float(np.real(value)))


def _blamed(case: Case, ran: e.Ran) -> int:
    """The input by whose value an op leaves the finite numbers: of a fraction, what is below."""
    return 1 if case.recording.ops[ran.op].name in guards.BELOW else 0


def _at_fault(case: Case, way: Way, given: int, bad: int) -> float:
    """The element of an input at the place where another tensor is not finite.

    Where they differ in shape, it is the one closest to 0 or furthest from it, whatever that op
    cannot bear.
    """
    value, other = way.value(given), way.value(bad)
    maker = case.flow.maker_of.get(bad, -1)
    least = maker < 0 or op_name(case, maker) in guards.STEEP
    if value is None or not value.size:
        measure = way.measures.of(given)
        furthest = max(measure.least, measure.greatest, key=abs)
        return 0.0 if least and measure.zeros else furthest
    if other is not None and other.shape == value.shape:
        return float(np.real(value[~np.isfinite(other)].reshape(-1)[0]))
    worst = np.argmin if least else np.argmax
    return float(np.real(value.reshape(-1)[worst(np.abs(value))]))


def op_name(case: Case, event: int) -> str:
    ran = case.recording.event(event)
    assert isinstance(ran, e.Ran)
    return case.recording.ops[ran.op].name
