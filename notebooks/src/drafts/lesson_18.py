"""Exercises of lesson 18, "Capstone: the derivative of an answer"."""

from __future__ import annotations

from typing import Final

import numpy as np

from tapelab.exercises.checks import Slip, prediction, value
from tapelab.exercises.exercise import Exercise

_RUNS: Final = ((1, 0.5, 0.3), (3, 0.5, 0.3), (6, -0.8, 1.0))


def _after(rounds: int, w: float, x: float) -> tuple[float, float]:
    """The answer after so many rounds, and its slope along w."""
    z, slope = 0.0, 0.0
    for _ in range(rounds):
        new = float(np.tanh(w * z + x))
        z, slope = new, (1 - new**2) * (z + w * slope)
    return z, slope


ROUNDS: Final = Exercise(
    id="18.1",
    title="Too few rounds",
    prompt="Return the slope of the program after some rounds.",
    checks=(
        value(
            "The slope", 10, lambda n, w, x: _after(n, w, x)[1], at=_RUNS,
            slips=(
                Slip(lambda n, w, x: _after(n, w, x)[0], "That is the answer. Ask for its slope."),
                Slip(lambda n, w, x: _after(n + 1, w, x)[1], "One round too many.", 5),
            ),
        ),
    ),
    hints=(
        "The loop belongs inside the block of the tape.",
        "After one round the slope is 0: w was multiplied with 0.",
    ),
)  # fmt: skip


def _answer(w: float, x: float) -> float:
    return _after(200, w, x)[0]


_ANSWERS: Final = tuple((_answer(w, x), w, x) for w, x in ((0.5, 0.3), (-0.8, 1.0), (0.9, 0.2)))


def _along_z(z: float, w: float, x: float) -> float:
    return float((1 - np.tanh(w * z + x) ** 2) * w)


def _along_w(z: float, w: float, x: float) -> float:
    return float((1 - np.tanh(w * z + x) ** 2) * z)


def _implicit(z: float, w: float, x: float) -> float:
    return _along_w(z, w, x) / (1 - _along_z(z, w, x))


ONE_STEP: Final = Exercise(
    id="18.2",
    title="From one step",
    prompt="Return the slope of the answer from one step on a tape.",
    checks=(
        value(
            "The slope of the answer", 10, _implicit, at=_ANSWERS,
            slips=(
                Slip(_along_w, "The slope of one step alone: z reacts to w, too.", 4),
                Slip(lambda *at: _along_w(*at) / (1 + _along_z(*at)),
                     "Solve once more: 1 minus the slope along z.", 6),
                Slip(lambda *at: _along_w(*at) + _along_z(*at), "The two are not added.", 2),
            ),
        ),
    ),
    hints=(
        "One tape, one step, two sources: z has to be watched.",
        "`along_w / (1.0 - along_z)`.",
    ),
)  # fmt: skip

ROOT: Final = Exercise(
    id="18.3",
    title="A root without a trace",
    prompt="Give Heron's method the rule of its answer.",
    checks=(
        value(
            "The slope of 10 · √a", 10, lambda a: 5 / np.sqrt(a), at=((2.0,), (9.0,), (0.25,)),
            slips=(
                Slip(lambda a: 0.5 / np.sqrt(a), "The upstream is missing: it is 10 here.", 3),
                Slip(lambda a: 5 / a, "1 / (2z), and z is the root.", 4),
                Slip(lambda a: 20 * np.sqrt(a), "Divide by 2z; you multiply.", 3),
            ),
        ),
    ),
    hints=(
        "What comes in is the upstream; what goes out is upstream × slope.",
        "`lambda upstream: upstream / (2.0 * z)`.",
    ),
)  # fmt: skip

ENOUGH: Final = Exercise(
    id="18.4",
    title="Good enough?",
    prompt="Predict what holds for a solver that stops early: yes or no.",
    checks=(
        prediction(
            "The count", 2, "no", where=("count",),
            because="It is counted by Python, and decisions have no slope.",
        ),
        prediction(
            "A loose unrolled slope", 3, "no", where=("loose",),
            because="It stops after the first round, in which w was multiplied with 0.",
        ),
        prediction(
            "A loose implicit slope", 3, "no", where=("implicit",),
            because="The equation does not hold yet: the formula is as good as the answer.",
        ),
        prediction(
            "Memory", 2, "no", where=("memory",),
            because="The search runs off the tape; there is one step on it.",
        ),
    ),
    hints=(
        "The first round goes from 0 to 0.29: is that a change below 0.5?",
        "For which z has the formula been derived?",
    ),
)  # fmt: skip

EXERCISES: Final = (ROUNDS, ONE_STEP, ROOT, ENOUGH)
