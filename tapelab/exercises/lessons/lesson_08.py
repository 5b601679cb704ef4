"""Exercises of lesson 08, "Control flow and loops"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.checks import Slip, prediction_table, value
from tapelab.exercises.exercise import Exercise

_HERONS: Final = ((2.0, 1), (2.0, 3), (9.0, 6))


def _heron(a: float, steps: int) -> tuple[float, float]:
    """The root after so many rounds, and its derivative."""
    root, derivative = 1.0, 0.0
    for _ in range(steps):
        root, derivative = (
            (root + a / root) / 2,
            (derivative + 1 / root - a * derivative / root**2) / 2,
        )
    return root, derivative


HERON: Final = Exercise(
    id="08.1",
    title="The derivative of Heron's method",
    prompt="Differentiate the loop itself, with the rounds that it does.",
    checks=(
        value(
            "The derivative of the program", 10, lambda a, steps: _heron(a, steps)[1], at=_HERONS,
            slips=(
                Slip(
                    lambda a, steps: _heron(a, steps)[0],
                    "That is the root. Ask for its derivative.",
                ),
                Slip(lambda a, _: 1 / (2 * np.sqrt(a)),
                     "That is the derivative of the true root. Differentiate the rounds.", 2),
                Slip(lambda a, steps: _heron(a, steps + 1)[1], "That is one round too many.", 5),
            ),
        ),
    ),
    hints=(
        "Open the tape before the loop, ask after it.",
        "A round is `root = (root + a / root) / 2.0`.",
    ),
)  # fmt: skip

BRANCHES: Final = Exercise(
    id="08.2",
    title="Which branch?",
    prompt="Predict the derivative of `stairs`: a number or None.",
    checks=prediction_table(
        ("At 2", 2, 5.0, "at 2", "5x, with the derivative 5."),
        ("At 0.5", 3, 1.0, "at 0.5", "x², with the derivative 2x."),
        ("At −1", 3, None, "at -1",
         "The branch that ran returns a constant: nothing leads back to x."),
        ("At 1", 2, 2.0, "at 1",
         "1 is not greater than 1, so the second branch runs: x², with the derivative 2."),
    ),
    hints=(
        "Which branch runs? Only that one is on the tape.",
        "A derivative of 0 needs a path, too.",
    ),
)  # fmt: skip

ROUNDS: Final = Exercise(
    id="08.3",
    title="Round by round",
    prompt="Predict records and derivatives of a loop that decides for itself when to stop.",
    checks=prediction_table(
        ("Records at 3", 2, 4, "records at 3", "3, 9, 27, 81, 243: four multiplications."),
        ("The derivative at 3", 3, 405.0, "slope at 3",
         "With four rounds y is x⁵, and its derivative is 5x⁴."),
        ("Records at 10", 1, 1, "records at 10",
         "10 and 100: after one round 100 is no longer below 100."),
        ("The derivative at 10", 2, 20.0, "slope at 10",
         "With one round y is x², and its derivative is 2x."),
        ("The derivative of rounds", 2, None, "slope of rounds",
         "`rounds` is counted by Python: no path leads from it to x."),
    ),
    hints=(
        "Write down y after every round, until it is 100 or more.",
        "y starts as x itself: after n rounds it is x to the power of n + 1.",
    ),
)  # fmt: skip


def _derivative_of_sinc(x: float) -> Any:
    return np.where(abs(x) < 1e-4, -x / 3, (x * np.cos(x) - np.sin(x)) / (x * x + 1e-300))


SINC: Final = Exercise(
    id="08.4",
    title="Right around zero",
    prompt="Give the single point a formula, so that it has a derivative.",
    checks=(
        value(
            "The derivative at 0 and elsewhere", 10, _derivative_of_sinc,
            at=((0.0,), (2.0,), (-0.5,)),
            slips=(
                Slip(lambda x: -x / 3,
                     "At 0 it is right. Far from 0 the series needs more terms: divide there.", 5),
            ),
        ),
    ),
    hints=(
        "What should run at 0, so that a path leads back to x?",
        "`1.0 - x * x / 6.0` has the right value and the right derivative, close to 0.",
        "Let the condition say how close: `abs(value) < 0.01`.",
    ),
)  # fmt: skip

EXERCISES: Final = (HERON, BRANCHES, ROUNDS, SINC)
