"""Exercises of lesson 11, "Stop, custom and surrogate gradients"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, prediction_table, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import arrives

_KEPT: Final = "A valve never changes a value."

VALVES: Final = Exercise(
    id="11.1",
    title="Value and gradient",
    prompt="Predict value and derivative of four programs with valves, at x = 2.",
    checks=prediction_table(
        ("The value of a", 1, 4.0, ("a", 0), _KEPT),
        ("The derivative of a", 2, None, ("a", 1), "Both ways are shut: no path leads back."),
        ("The value of b", 1, 4.0, ("b", 0), _KEPT),
        ("The derivative of b", 1, 1.0, ("b", 1),
         "One of two ways is open, with the derivative 1."),
        ("The value of c", 1, 0.0, ("c", 0), _KEPT),
        ("The derivative of c", 2, 4.0, ("c", 1),
         "The first x · x is open, 2x; the second is shut."),
        ("The value of d", 1, 4.0, ("d", 0), _KEPT),
        ("The derivative of d", 1, 1.0, ("d", 1),
         "All of x · x − x is shut; what is open is the x at the end."),
    ),
    hints=(
        "For the value, cross out every S. For the derivative, treat S(…) as a number.",
        "With no path at all it is None, and not 0.",
    ),
)  # fmt: skip

_WEIGHTS: Final = ((1.7,), (-0.2,), (2.4,))

THROUGH: Final = Exercise(
    id="11.2",
    title="Straight through",
    prompt="Round forward, and let the gradient pass as if nothing had been rounded.",
    checks=(
        value(
            "The value is rounded", 4, np.round, at=_WEIGHTS, where=(1,),
            slips=(Slip(lambda w: w, "It is not rounded: what should come out forward?", 1),),
        ),
        arrives(
            "The derivative is 1", 6, 1.0, at=_WEIGHTS,
            slips=(Slip(2.0, "Two ways are open. One of both w belongs behind the valve.", 2),),
        ),
    ),
    hints=(
        "The recipe: S(what you want forward − what you want back) + what you want back.",
        "Forward you want `tf.round(w)`, back you want `w`.",
    ),
)  # fmt: skip

_LARGE: Final = ((1.0,), (-2.0,), (100.0,), (-100.0,))


def _softplus(x: float) -> Any:
    return np.logaddexp(0.0, x)


def _sigmoid(x: float) -> Any:
    return np.exp(-np.logaddexp(0.0, -x))


SAFE: Final = Exercise(
    id="11.3",
    title="log(1 + eˣ), safely",
    prompt="Write value and rule so that nothing overflows.",
    checks=(
        value("The value", 4, _softplus, at=_LARGE, where=("value",)),
        value(
            "The derivative", 6, _sigmoid, at=_LARGE, where=("slope",),
            slips=(
                Slip(lambda x: 1 - _sigmoid(x), "Turned over: it should rise from 0 to 1.", 2),
                Slip(0.0, "The rule still returns 0."),
            ),
        ),
    ),
    hints=(
        "`tf.exp(-tf.abs(x))` is never larger than 1.",
        "The rule gets the upstream: `upstream * (1.0 - 1.0 / (1.0 + tf.exp(x)))`.",
        "1 / infinity is 0, and harmless. Infinity / infinity is not.",
    ),
)  # fmt: skip

LINK: Final = Exercise(
    id="11.4",
    title="A link is missing",
    prompt="Mend the rule, so that it fits into a chain.",
    checks=(
        value(
            "The derivative of 10 · x³", 10, lambda x: 30 * x * x, at=((2.0,), (-0.5,)),
            slips=(
                Slip(lambda x: 3 * x * x, "The factor 10 is lost: where is the upstream?"),
                Slip(lambda x: 3 * x * x + 10, "Upstream and derivative are multiplied.", 3),
                Slip(10.0, "The upstream alone; the local derivative belongs to it."),
            ),
        ),
    ),
    hints=(
        "What is the upstream here? What should become of it?",
        "upstream × local = contribution.",
    ),
)  # fmt: skip

_STEEP: Final = (
    ([1.0, 2.0, 3.0], [0.5, 20.0, -7.0]),
    ([-1.0, 0.0], [1.0, -0.25]),
)


def _flat(_: Array, weights: Array) -> Any:
    return np.clip(weights, -1, 1)


CLIPPED: Final = Exercise(
    id="11.5",
    title="Not more than one",
    prompt="Leave the value alone, and clip what comes back.",
    checks=(
        value(
            "The value is as it was", 3, np.dot, at=_STEEP, where=("value",),
            slips=(Slip(lambda x, w: np.dot(np.clip(x, -1, 1), w),
                        "The value was clipped. Clip in the backward pass alone."),),
        ),
        value(
            "The gradient is clipped", 7, _flat, at=_STEEP, where=("slope",),
            slips=(
                Slip(lambda _, w: np.asarray(w), "Everything comes through."),
                Slip(lambda _, w: np.clip(w, 0, 1), "Down to −1, not to 0.", 4),
                Slip(lambda _, w: np.asarray(w) / np.linalg.norm(w),
                     "That shortens the whole vector; cut off each number.", 3),
            ),
        ),
    ),
    hints=(
        "`tf.identity(x)` forward is right already.",
        "The rule cuts what it is given: `tf.clip_by_value(upstream, -1.0, 1.0)`.",
    ),
)  # fmt: skip

EXERCISES: Final = (VALVES, THROUGH, SAFE, LINK, CLIPPED)
