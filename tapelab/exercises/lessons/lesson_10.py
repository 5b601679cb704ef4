"""Exercises of lesson 10, "Nested tapes and curvature"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import arrives

WAVE: Final = Exercise(
    id="10.1",
    title="The bend of a wave",
    prompt="Return the second derivative of x · sin(x).",
    checks=(
        value(
            "The bend", 10, lambda x: 2 * np.cos(x) - x * np.sin(x), at=((0.5,), (2.0,), (-1.0,)),
            slips=(
                Slip(lambda x: np.sin(x) + x * np.cos(x),
                     "That is the derivative. Ask how the derivative changes.", 3),
                Slip(lambda x: x * np.sin(x), "That is the value."),
            ),
        ),
    ),
    hints=(
        "Two tapes, one inside the other, as in the first cell.",
        "The inner one answers inside the block of the outer one.",
    ),
)  # fmt: skip

CLOSED: Final = Exercise(
    id="10.2",
    title="It was closed",
    prompt="Let the outer tape record the backward pass of the inner one.",
    checks=(
        arrives(
            "The gradient of the weight", 10, 264.0, target=121.0,
            slips=(
                Slip(176.0, "Along the derivative, not along the weight: ask for w.", 3),
                Slip(12.0, "That is the derivative with respect to w, without the penalty.", 2),
            ),
        ),
    ),
    hints=(
        "Which of the lines run while the outer tape is open?",
        "Indent both lines below the inner block, as far as `with … as inner`.",
    ),
)  # fmt: skip

MIXED: Final = Exercise(
    id="10.3",
    title="Mixed",
    prompt="Return how the derivative along x reacts to y.",
    checks=(
        value(
            "The mixed derivative", 10, lambda x, y: 6 * x * y**2, at=((2.0, 3.0), (-1.0, 0.5)),
            slips=(
                Slip(lambda _, y: 2 * y**3, "That is how the derivative along x reacts to x.", 3),
                Slip(
                    lambda x, y: 6 * x**2 * y, "That is how the derivative along y reacts to y.", 3
                ),
                Slip(
                    lambda x, y: 2 * x * y**3, "That is the derivative along x. Ask once more.", 2
                ),
            ),
        ),
    ),
    hints=(
        "The inner tape is asked for x, the outer one for y.",
        "It makes no difference which of both comes first.",
    ),
)  # fmt: skip

_AT: Final = (
    ([1.0, 2.0, -1.0], [1.0, 0.0, 0.0]),
    ([0.5, -1.0, 2.0], [0.3, 1.0, -2.0]),
)


def _table(x: Array) -> Any:
    a, b, c = x
    return np.array([[a * a, c, b], [c, b * b, a], [b, a, c * c]])


def _derivative(x: Array) -> Any:
    a, b, c = x
    return np.array([a**3 / 3 + b * c, b**3 / 3 + a * c, c**3 / 3 + a * b])


TIMES: Final = Exercise(
    id="10.4",
    title="Hessian times vector",
    prompt="Return the Hessian times v, from two backward passes.",
    checks=(
        value(
            "The product", 10, lambda x, v: _table(x) @ np.asarray(v), at=_AT,
            slips=(
                Slip(
                    lambda x, _: _derivative(x), "That is the gradient. It goes on from there.", 2
                ),
                Slip(lambda x, _: _table(x).sum(0),
                     "The sum over all columns: v has not been used.", 3),
                Slip(lambda x, v: _derivative(x) * np.asarray(v), "The gradient times v: take the "
                     "sum, and ask for its gradient.", 3),
                Slip(lambda x, v: _table(x).sum(0) * np.asarray(v),
                     "Multiply with v before the second backward pass, not after it.", 3),
            ),
        ),
    ),
    hints=(
        "The gradient of `f` at x is a vector. Multiply it with v and add: a number.",
        "That number is computed inside the block of the outer tape.",
        "Its gradient with respect to x is the answer.",
    ),
)  # fmt: skip

_WALKS: Final = ((1.0, 2), (2.0, 3), (0.5, 6))


def _walked(start: float, steps: int) -> float:
    x = start
    for _ in range(steps):
        x -= (2 * x - 1 / x**2) / (2 + 2 / x**3)
    return x


NEWTON: Final = Exercise(
    id="10.5",
    title="Newton's step",
    prompt="Walk down x² + 1/x by Newton's steps.",
    checks=(
        value(
            "Where you are", 10, _walked, at=_WALKS, tolerance=1e-4,
            slips=(
                Slip(lambda start, _: start, "You have not moved: `x.assign_sub(step)`.", 1),
                Slip(lambda start, steps: _walked(start, steps - 1), "One step is missing.", 5),
                Slip(lambda *_: 0.5 ** (1 / 3),
                     "That is the bottom. Return where so many steps lead."),
            ),
        ),
    ),
    hints=(
        "In every round: a derivative and a bend, from two new tapes.",
        "The step is derivative / bend, and `x.assign_sub` goes to the other side.",
    ),
)  # fmt: skip

EXERCISES: Final = (WAVE, CLOSED, MIXED, TIMES, NEWTON)
