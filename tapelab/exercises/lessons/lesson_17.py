"""Exercises of lesson 17, "Capstone: two models against each other"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, prediction_table, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import arrives

BETWEEN: Final = Exercise(
    id="17.1",
    title="The gradient in between",
    prompt="Let the gradient arrive at points that were computed.",
    checks=(
        arrives("The gradient in between", 10, [[2.0, 1.0], [0.0, -1.0]], target=3.0),
    ),
    hints=(
        "`between` is no variable: what makes the tape watch it?",
        "`tape.watch(between)`, before the scores are computed.",
    ),
)  # fmt: skip

_TABLES: Final = (
    ([[3.0, 4.0], [0.0, 1.0]],),
    ([[0.6, 0.8], [1.0, 0.0], [2.0, 0.0]],),
)


def _lengths(gradients: Array) -> Any:
    return np.linalg.norm(gradients, axis=1)


PENALTY: Final = Exercise(
    id="17.2",
    title="How far from one",
    prompt="Return the penalty for a table of gradients.",
    checks=(
        value(
            "The penalty", 10, lambda g: np.mean((_lengths(g) - 1) ** 2), at=_TABLES,
            slips=(
                Slip(lambda g: np.mean((_lengths(g) ** 2 - 1) ** 2),
                     "The root is missing: the length is the root of the sum of squares.", 5),
                Slip(lambda g: (np.linalg.norm(g) - 1) ** 2,
                     "That is one length for the whole table. Each point has its own.", 3),
                Slip(lambda g: np.sum((_lengths(g) - 1) ** 2), "The sum; take the mean.", 6),
                Slip(lambda g: np.mean((np.asarray(g) - 1) ** 2),
                     "The length of each row, and not each number, should be 1.", 2),
            ),
        ),
    ),
    hints=(
        "A row is a gradient. Its length: `tf.norm(gradients, axis=1)`.",
        "Subtract 1, square, and take the mean over the points.",
    ),
)  # fmt: skip


def _of_steepness() -> float:
    """The derivative of the mean of (2 · steepness · radius − 1)² at a steepness of 0.5."""
    radius = np.sqrt([5.0, 1.0])
    return float(np.mean(2 * (2 * 0.5 * radius - 1) * 2 * radius))


WEIGHTS: Final = Exercise(
    id="17.3",
    title="Down to the weights",
    prompt="Let the penalty reach the weights of the critic.",
    checks=(
        arrives(
            "The gradient of the steepness", 10, _of_steepness(), target=0.76393,
            slips=(Slip(2 * _of_steepness(), "The sum over the points; take their mean.", 6),),
        ),
    ),
    hints=(
        "Which lines run while the outer tape is open? Indent those that have to.",
        "`between` is a constant: `inner.watch(between)`.",
        "The penalty is the mean of `tf.square(tf.norm(derivatives, axis=1) - 1.0)`.",
    ),
)  # fmt: skip


def _of_the_demo(*, penalty: bool, summed: bool, upright: bool) -> float:
    """The derivative of the loss of 17.4 at a steepness of 0.5, some of its faults mended."""
    radius = np.sqrt([5.0, 8.0])
    share = 1.0 if summed else 0.5
    of_penalty = np.mean(2 * (2 * 0.5 * radius * share - 1) * 2 * radius * share)
    of_gap = np.mean([1.0, 9.0]) - np.mean([13.0, 17.0])
    return float(10 * of_penalty * penalty - (of_gap if upright else -of_gap))


_ON_THE_TAPE: Final = "The penalty is still a bare number: its lengths come from NumPy."
_SUMMED: Final = (
    "Each derivative is divided by the number of points: ask for the sum of the scores."
)
_UPRIGHT: Final = "The gap is what real points have more than forged ones."

DEMO: Final = Exercise(
    id="17.4",
    title="The demo that lies",
    prompt="Mend the three faults in the step of a critic.",
    checks=(
        arrives(
            "The gradient of the steepness", 10,
            _of_the_demo(penalty=True, summed=True, upright=True), target=29.35505,
            slips=(
                Slip(_of_the_demo(penalty=False, summed=False, upright=False),
                     "A gradient arrives, and all three faults are still there."),
                Slip(_of_the_demo(penalty=False, summed=False, upright=True), _ON_THE_TAPE, 3),
                Slip(_of_the_demo(penalty=True, summed=False, upright=False),
                     f"{_SUMMED} {_UPRIGHT}", 4),
                Slip(_of_the_demo(penalty=True, summed=True, upright=False), _UPRIGHT, 7),
                Slip(_of_the_demo(penalty=True, summed=False, upright=True), _SUMMED, 7),
            ),
        ),
    ),
    hints=(
        "Lesson 05: which line leaves the engine? Its value is right, and its gradient is lost.",
        "The derivative at one point must not depend on how many other points there are.",
        "The critic makes `loss` small, so `gap` must be large when real points score higher.",
    ),
)  # fmt: skip

WHO: Final = Exercise(
    id="17.5",
    title="Who learns what?",
    prompt="Predict where a gradient would arrive: yes or no.",
    checks=prediction_table(
        ("The forger", 2, "yes", "forger",
         "Its points go through the critic, and so does the backward pass."),
        ("The critic", 3, "yes", "critic",
         "Its weights are trainable and were read. Only no call asks for them here."),
        ("The noise", 2, "no", "noise", "A plain tensor is not watched."),
        ("From the critic's step", 3, "no", "from the critic",
         "The forged points are made before the outer tape opens."),
    ),
    hints=(
        "A tape follows every trainable variable that is read inside its block.",
        "Look where `run(forger, …)` stands in both functions.",
    ),
)  # fmt: skip

EXERCISES: Final = (BETWEEN, PENALTY, WEIGHTS, DEMO, WHO)
