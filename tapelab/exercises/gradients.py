"""Checks of gradients against finite differences, at points that the judge draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.exercises.answer import Answer, Where
from tapelab.exercises.check import Check, Outcome, Slip
from tapelab.exercises.checks import TOLERANCE
from tapelab.exercises.plain import close, plain
from tapelab.exercises.value_conversion import tensor
from tapelab.exercises.value_text import both_spelled
from tapelab.locales import say

Array = NDArray[Any]
Function = Callable[..., Any]

STEP: Final = 1e-2
"""With five points the error is of its fourth power; a smaller one drowns in float32."""
STENCIL: Final = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))


def agrees(
    title: str, points: float, of: Function | Where, shapes: Sequence[tuple[int, ...]], *,
    along: int = 0, low: float = -2.0, high: float = 2.0, times: int = 3, where: Where = (),
    dtype: str = "float32", tolerance: float = TOLERANCE, slips: Sequence[Slip] = (),
) -> Check:  # fmt: skip
    """The gradient that the learner's function returns is the derivative of the sum of `of`.

    The function is called with tensors of these `shapes`, drawn between `low` and `high`, and the
    gradient is that along argument number `along`. `of` is a function of NumPy arrays, or the way
    to the value in what the learner's own function returns. Slips are functions of the inputs.
    """

    def judge(answer: Answer) -> Outcome:
        for inputs in _drawn(answer, title, shapes, low, high, times):
            given = [tensor(each, dtype) for each in inputs]
            got = plain(answer.part(where, *given))
            value = of if callable(of) else _own(answer, of, dtype)
            right = numerical_gradient(value, inputs, along)
            if not close(got, right, tolerance):
                return _wrong(points, got, right, inputs, slips, tolerance)
        return check.full()

    check = Check(title, points, judge, slips=tuple(slips), where=where)
    return check


def numerical_gradient(of: Function, inputs: Sequence[Array], along: int = 0) -> Array:
    """The derivative of the sum of a function by an argument, from five points for each element."""
    at = np.asarray(inputs[along], float)
    gradient = np.zeros(at.shape)
    for place in np.ndindex(at.shape):
        for steps, weight in STENCIL:
            moved = at.copy()
            moved[place] += steps * STEP
            given = [*inputs[:along], moved, *inputs[along + 1 :]]
            gradient[place] += weight * float(np.sum(of(*given))) / STEP
    return gradient


def _drawn(
    answer: Answer, title: str, shapes: Sequence[tuple[int, ...]], low: float, high: float,
    times: int,
) -> Iterator[list[Array]]:  # fmt: skip
    """Points of float32, so that the learner gets exactly the numbers that are judged."""
    numbers = answer.draws(title)
    for _ in range(times):
        drawn = (numbers.uniform(low, high, shape) for shape in shapes)
        yield [each.astype(np.float32).astype(float) for each in map(np.asarray, drawn)]


def _own(answer: Answer, where: Where, dtype: str) -> Function:
    def value(*inputs: Array) -> Array:
        return plain(answer.part(where, *(tensor(each, dtype) for each in inputs)))

    return value


def _wrong(
    points: float, got: Array, right: Array, inputs: Sequence[Array],
    slips: Sequence[Slip], tolerance: float,
) -> Outcome:  # fmt: skip
    outcome = Outcome(0, "", *both_spelled(right, got), arrays=(right, got))
    for slip in slips:
        if close(got, np.asarray(slip.value(*inputs)), tolerance):
            return replace(outcome, points=slip.points, text=slip.text)
    if got.shape != right.shape:
        text = say(
            "A gradient has the shape of its source, {right}; this one has {got}.",
            right=right.shape,
            got=got.shape,
        )
        return replace(outcome, text=text, arrays=None)
    if close(-got, right, tolerance):
        return replace(outcome, points=points // 2, text=say("The sign is the wrong way round."))
    return outcome
