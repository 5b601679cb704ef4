"""Exercises of lesson 18, "Capstone: the derivative of an answer"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, prediction_table, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import arrives, at_most

_RUNS: Final = ((1, 0.5, 0.3), (3, 0.5, 0.3), (6, -0.8, 1.0))


def _after(rounds: int, w: float, x: float) -> tuple[float, float]:
    """The answer after so many rounds, and its derivative along w."""
    z, derivative = 0.0, 0.0
    for _ in range(rounds):
        new = float(np.tanh(w * z + x))
        z, derivative = new, (1 - new**2) * (z + w * derivative)
    return z, derivative


ROUNDS: Final = Exercise(
    id="18.1",
    title="Too few rounds",
    prompt="Return the derivative of the program after some rounds.",
    checks=(
        value(
            "The derivative", 10, lambda n, w, x: _after(n, w, x)[1], at=_RUNS,
            slips=(
                Slip(
                    lambda n, w, x: _after(n, w, x)[0],
                    "That is the answer. Ask for its derivative.",
                ),
                Slip(lambda n, w, x: _after(n + 1, w, x)[1], "One round too many.", 5),
            ),
        ),
    ),
    hints=(
        "The loop belongs inside the block of the tape.",
        "After one round the derivative is 0: w was multiplied with 0.",
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
    prompt="Return the derivative of the answer from one step on a tape.",
    checks=(
        value(
            "The derivative of the answer", 10, _implicit, at=_ANSWERS,
            slips=(
                Slip(_along_w, "The derivative of one step alone: z reacts to w, too.", 4),
                Slip(lambda *at: _along_w(*at) / (1 + _along_z(*at)),
                     "Solve once more: 1 minus the derivative along z.", 6),
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
        arrives(
            "The gradient of 10 · √a", 6, 10 / 6, target=30.0,
            slips=(
                Slip(1 / 6, "The upstream is missing: it is 10 here.", 3),
                Slip(10.0, "The upstream goes on unchanged; divide it by 2z.", 2),
                Slip(10 / 18, "Divide by 2z, and not by 2a.", 3),
                Slip(60.0, "Divide by 2z; you multiply.", 3),
            ),
        ),
        at_most("A single op for all rounds", 4, 2),
    ),
    hints=(
        "`@tf.custom_gradient` before `def` lets the tape see the solver as one op.",
        "What comes in is the upstream; what goes out is upstream × derivative.",
        "`return z, lambda upstream: upstream / (2.0 * z)`.",
    ),
)  # fmt: skip

ENOUGH: Final = Exercise(
    id="18.4",
    title="Good enough?",
    prompt="Predict what holds for a solver that stops early.",
    checks=prediction_table(
        ("The count", 2, "no", "count",
         "It is counted by Python, and decisions have no derivative."),
        ("A loose unrolled derivative", 3, 0.0, "loose",
         "It stops after the first round, in which w is multiplied with 0."),
        ("A loose implicit derivative", 3, "no", "exact",
         "The equation does not hold yet: the formula is as good as the answer."),
        ("The size of the tape", 2, "yes", "same size",
         "The search runs off the tape; there is one step on it."),
    ),
    hints=(
        "The first round goes from 0 to tanh(0.3), about 0.29: is that a change below 0.5?",
        "For which z has the formula been derived?",
    ),
)  # fmt: skip


def _settled(weights: Array, bias: Array) -> Any:
    z = np.zeros_like(bias)
    for _ in range(200):
        z = np.tanh(z @ weights + bias)
    return z


def _gradients(weights: ArrayLike, bias: ArrayLike, upstream: ArrayLike) -> tuple[Any, ...]:
    return _settled(np.array(weights), np.array(bias)).tolist(), weights, bias, upstream


_ROWS: Final = (
    _gradients([[0.5, -0.4], [0.2, 0.3]], [[0.3, -0.2]], [[1.0, 0.0]]),
    _gradients(
        [[0.1, 0.6, 0.0], [-0.5, 0.2, 0.3], [0.4, 0.0, -0.3]],
        [[0.2, -0.1, 0.5]], [[1.0, -2.0, 0.5]],
    ),
)  # fmt: skip


def _jacobian(z: Array, weights: Array, bias: Array) -> Any:
    """The derivative of each number of one step, a column, along each number of z, a row."""
    return np.asarray(weights) * (1 - np.tanh(np.asarray(z) @ weights + bias) ** 2)


def _solved(z: Array, weights: Array, bias: Array, upstream: Array) -> Any:
    """The g for which g = upstream + g Jᵀ, all of them rows."""
    jacobian = _jacobian(z, weights, bias)
    return np.linalg.solve(np.eye(len(jacobian)) - jacobian, np.transpose(upstream)).T


def _solved_forward(z: Array, weights: Array, bias: Array, upstream: Array) -> Any:
    jacobian = _jacobian(z, weights, bias)
    return np.linalg.solve(np.eye(len(jacobian)) - jacobian.T, np.transpose(upstream)).T


def _one_round(z: Array, weights: Array, bias: Array, upstream: Array) -> Any:
    return upstream + upstream @ _jacobian(z, weights, bias).T


def _without_upstream(z: Array, weights: Array, bias: Array, upstream: Array) -> Any:
    return upstream @ np.linalg.matrix_power(_jacobian(z, weights, bias).T, 40)


SEARCHED: Final = Exercise(
    id="18.5",
    title="Iterate in the backward pass",
    prompt="Search for the g that satisfies g = upstream + Jᵀ g.",
    checks=(
        value(
            "What goes on to f", 10, _solved, at=_ROWS,
            slips=(
                Slip(_one_round, "That is one round. Go on until it stays.", 5),
                Slip(_without_upstream, "Each round begins with the upstream: add it again.", 4),
                Slip(lambda z, weights, bias, upstream: upstream,
                     "That is the upstream. Where is Jᵀ g?", 1),
                Slip(_solved_forward, "J must be transposed: ask the tape, it does so.", 5),
            ),
        ),
    ),
    hints=(
        "Each round puts the g of the last one in: upstream, plus what the tape says for g.",
        "Forty times `g = upstream + tape.gradient(f, z, output_gradients=g)`; return `g`.",
    ),
)  # fmt: skip

EXERCISES: Final = (ROUNDS, ONE_STEP, ROOT, ENOUGH, SEARCHED)
