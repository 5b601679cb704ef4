"""Exercises of lesson 14, "Deep chains"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, value
from tapelab.exercises.exercise import Exercise

ARRIVES: Final = Exercise(
    id="14.1",
    title="What arrives?",
    prompt="Estimate what ten layers leave of an upstream of 1.",
    checks=(
        value(
            "Sigmoid", 4, 0.25**10, where=("sigmoid",), tolerance=1e-8,
            slips=(
                Slip(0.025, "A tenth of 1/4: the derivatives are multiplied, ten times.", 1),
                Slip(0.25, "That is one layer; there are ten.", 1),
                Slip(2.5, "The derivatives are multiplied, not added."),
            ),
        ),
        value("tanh", 2, 1.0, where=("tanh",)),
        value("relu", 2, 1.0, where=("relu",)),
        value(
            "Residual", 2, 1.1**10, where=("residual",), tolerance=0.02,
            slips=(
                Slip(2.0, "1 + 10 · 0.1 is close; each layer has the factor 1.1.", 1),
                Slip(1e-10, "The way around is missing: the derivative of h + f(h) is 1 + f′."),
            ),
        ),
    ),
    hints=(
        "Ten equal factors: a power of ten.",
        "The derivative of h + 0.1 · relu(h) is 1 + 0.1.",
    ),
)  # fmt: skip


def _wide(numbers: np.random.Generator) -> tuple[int]:
    return (int(numbers.integers(2, 3000)),)


SPREAD: Final = Exercise(
    id="14.2",
    title="A good beginning",
    prompt="Return the spread that keeps the size of a gradient.",
    checks=(
        value(
            "The spread", 10, lambda width: 1 / np.sqrt(width), at=((100,), (4,), (2500,)),
            draw=_wide,
            slips=(
                Slip(lambda width: 1 / width, "The root is missing: it is variances that add.", 4),
                Slip(np.sqrt, "The other way round: wide layers need small weights.", 3),
                Slip(0.1, "That is right for 100 neurons alone."),
            ),
        ),
    ),
    hints=(
        "√width · spread = 1. Solve it for the spread.",
        "`width**0.5` is the root.",
    ),
)  # fmt: skip


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def _chain(value: float, layers: int, *, around: float) -> float:
    """What arrives at the start of a chain of sigmoids, with a way around them or without."""
    h, derivative = value, 1.0
    for _ in range(layers):
        s = _sigmoid(h)
        h, derivative = around * h + s, derivative * (around + s * (1 - s))
    return derivative


RESIDUAL: Final = Exercise(
    id="14.3",
    title="A residual chain",
    prompt="Give each layer a way around it.",
    checks=(
        value(
            "What arrives", 10, lambda x, n: _chain(x, n, around=1.0), at=((0.5, 3), (-1.0, 20)),
            slips=(
                Slip(lambda x, n: _chain(x, n, around=0.0), "Nothing goes around yet."),
                Slip(lambda x, n: _chain(x, n, around=0.0) + 1.0,
                     "One way around all of them; give each layer one of its own.", 4),
            ),
        ),
    ),
    hints=(
        "What does a layer return now, and what should it add that to?",
        "`h = h + tf.sigmoid(h)`.",
    ),
)  # fmt: skip

_LONG: Final = (
    ([3.0, 4.0], [0.0, 12.0], 1.3),
    ([0.3, 0.0], [0.0, 0.4], 1.0),
    ([6.0], [2.0, -3.0, 0.0], 3.5),
)


def _length(first: Array, second: Array) -> Any:
    return np.sqrt(np.sum(np.square(first)) + np.sum(np.square(second)))


def _factor(first: Array, second: Array, longest: float) -> Any:
    return min(1.0, longest / _length(first, second))


def _first(first: Array, second: Array, longest: float) -> Any:
    return np.asarray(first) * _factor(first, second, longest)


def _second(first: Array, second: Array, longest: float) -> Any:
    return np.asarray(second) * _factor(first, second, longest)


def _alone(gradient: Array, longest: float) -> Any:
    return np.asarray(gradient) * min(1.0, longest / np.linalg.norm(gradient))


TOGETHER: Final = Exercise(
    id="14.4",
    title="Clip by the common length",
    prompt="Shorten two gradients together.",
    checks=(
        value(
            "The first", 5, _first, at=_LONG, where=("first",),
            slips=(
                Slip(lambda a, _, longest: _alone(a, longest),
                     "Each by itself: then one of both turns against the other.", 2),
                Slip(lambda a, _, longest: np.clip(a, -longest, longest),
                     "Number by number: that changes the direction.", 1),
            ),
        ),
        value(
            "The second", 5, _second, at=_LONG, where=("second",),
            slips=(
                Slip(lambda _, b, longest: _alone(b, longest),
                     "Each by itself: then one of both turns against the other.", 2),
                Slip(lambda a, b, longest: np.asarray(b) * longest / _length(a, b),
                     "What is short enough stays as it is.", 3),
            ),
        ),
    ),
    hints=(
        "The common length: `tf.sqrt` of all squares of both, added up.",
        "Multiply both by the same factor, `longest / length`.",
        "Never by more than 1: `tf.minimum(1.0, longest / length)`.",
    ),
)  # fmt: skip

_LAYERS: Final = (
    ([[-1.0, -2.0, -3.0, 0.0, -1.0], [-0.5, -2.0, -1.0, 0.0, 0.0], [1.0, 1.0, -2.0, -4.0, -2.0]],),
    ([[-1.0, -1.0], [-1.0, 3.0]],),
)


def _closed(numbers: np.random.Generator) -> tuple[Any]:
    """Inputs of many units for four examples, most of them negative or 0."""
    shape = (4, int(numbers.integers(20, 60)))
    return (numbers.choice([-2.0, -1.0, 0.0, 1.0], shape, p=[0.4, 0.3, 0.2, 0.1]).tolist(),)


DEAD: Final = Exercise(
    id="14.5",
    title="Count the dead",
    prompt="Count the units that are closed for every example.",
    checks=(
        value(
            "How many are dead", 10, lambda x: np.sum(np.all(np.asarray(x) <= 0, 0)), at=_LAYERS,
            draw=_closed,
            slips=(
                Slip(lambda x: np.sum(np.all(np.asarray(x) < 0, 0)),
                     "A unit whose input is exactly 0 passes nothing, either.", 7),
                Slip(lambda x: np.sum(np.any(np.asarray(x) <= 0, 0)),
                     "Closed for some examples is no harm: for all of them.", 3),
                Slip(lambda x: np.sum(np.all(np.asarray(x) <= 0, 1)),
                     "Those are examples for which all units are closed: the other axis.", 4),
                Slip(lambda x: np.sum(np.asarray(x) <= 0), "Count units, not numbers.", 2),
            ),
        ),
    ),
    hints=(
        "`inputs <= 0.0` says for every example and unit whether it is closed.",
        "`tf.reduce_all(…, axis=0)` asks whether a whole column is true.",
        "`tf.cast(…, tf.int32)` turns true into 1.",
    ),
)  # fmt: skip

EXERCISES: Final = (ARRIVES, SPREAD, RESIDUAL, TOGETHER, DEAD)
