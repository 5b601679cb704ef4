"""Exercises of lesson 13, "Infinity, NaN and zero"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, value
from tapelab.exercises.exercise import Exercise

_WITH_ZERO: Final = (([2.0, 0.0, -0.5],), ([0.0, 4.0],))


def _reciprocal_derivative(x: Array) -> Any:
    x = np.asarray(x)
    return np.where(x == 0, 0.0, -1 / np.where(x == 0, 1.0, x) ** 2)


def _reciprocal_sum(x: Array) -> Any:
    return sum(1 / each for each in x if each)


TWICE: Final = Exercise(
    id="13.1",
    title="Choose twice",
    prompt="Keep the zero out of the division, and out of the result.",
    checks=(
        value(
            "The gradient", 7, _reciprocal_derivative, at=_WITH_ZERO, where=("gradient",),
            slips=(
                Slip(lambda x: np.where(np.asarray(x) == 0, np.nan, _reciprocal_derivative(x)),
                     "Still NaN at 0: the division has seen the zero."),
                Slip(lambda x: -_reciprocal_derivative(x), "The sign is turned over.", 3),
            ),
        ),
        value(
            "The sum", 3, _reciprocal_sum, at=_WITH_ZERO, where=("sum",),
            slips=(
                Slip(lambda x: _reciprocal_sum(x) + 1.0,
                     "At 0 the harmless input comes through: choose the result, too."),
            ),
        ),
    ),
    hints=(
        "Which number does the division see where x is 0?",
        "`safe = tf.where(x == 0.0, 1.0, x)` is never 0. Divide by that.",
        "And choose once more: `tf.where(x == 0.0, 0.0, 1.0 / safe)`.",
    ),
)  # fmt: skip

_SCORES: Final = (([1.0, 2.0, 3.0],), ([10.0, 100.0],), ([-200.0, -201.0],))


def _log_sum_exp(x: Array) -> Any:
    return np.max(x) + np.log(np.sum(np.exp(x - np.max(x))))


def _softmax(x: Array) -> Any:
    return np.exp(x - _log_sum_exp(x))


SUM: Final = Exercise(
    id="13.2",
    title="Log-sum-exp",
    prompt="Take the largest number out before you exponentiate.",
    checks=(
        value(
            "The value", 5, _log_sum_exp, at=_SCORES, where=("value",),
            slips=(Slip(lambda x: _log_sum_exp(x) - np.max(x),
                        "The largest was taken out; add it again.", 3),),
        ),
        value(
            "The gradient", 5, _softmax, at=_SCORES, where=("gradient",),
            slips=(
                Slip(lambda x: _softmax(x) - np.eye(len(x))[np.argmax(x)],
                     "The largest belongs to the sum again, and so do its derivatives.", 2),
            ),
        ),
    ),
    hints=(
        "`m = tf.reduce_max(x)`; then no number of `x - m` is larger than 0.",
        "Two sums of one hundredth power: m + log Σ e^(x − m).",
    ),
)  # fmt: skip

_SURE: Final = (([-2.0, 0.0, 3.0],), ([-200.0, 200.0],))


def _loss(z: Array) -> Any:
    return np.logaddexp(0.0, -np.asarray(z))


def _pull(z: Array) -> Any:
    return -np.exp(-np.logaddexp(0.0, np.asarray(z)))


SCORE: Final = Exercise(
    id="13.3",
    title="From the score",
    prompt="Return loss and gradient of a “yes”, right even for very wrong scores.",
    checks=(
        value("The loss", 5, _loss, at=_SURE, where=("loss",)),
        value(
            "The gradient", 5, _pull, at=_SURE, where=("gradient",),
            slips=(Slip(lambda z: -_pull(z), "Turned over: the score of a “yes” should rise.", 2),),
        ),
    ),
    hints=(
        "sigmoid and log belong together: let one function do both.",
        "`tf.nn.sigmoid_cross_entropy_with_logits(labels=label, logits=z)`.",
    ),
)  # fmt: skip

_VECTORS: Final = (([0.0, 0.0],), ([3.0, -4.0],), ([0.15, -0.2],))


def _pointing(w: Array) -> Any:
    w = np.asarray(w)
    return w / (np.linalg.norm(w) or 1.0)


NOTHING: Final = Exercise(
    id="13.4",
    title="The length of nothing",
    prompt="Give the length of the zero vector the gradient 0.",
    checks=(
        value(
            "The gradient of the length", 10, _pointing, at=_VECTORS,
            slips=(
                Slip(lambda w: w / np.sqrt(np.sum(np.square(w)) + 1e-3),
                     "A large epsilon changes the length of everything else, too.", 6),
                Slip(lambda w: 2 * np.asarray(w), "That is the gradient of the squared length.", 3),
                Slip(lambda w: _pointing(w) if np.any(w) else np.full(2, np.nan),
                     "Still NaN: keep the zero out of the root."),
            ),
        ),
    ),
    hints=(
        "Which number may the root never see?",
        "Choose twice, as in 13.1: a safe square for the root, and the result.",
    ),
)  # fmt: skip


def _tiny(small: float) -> float:
    return float(np.float16(small)) * 1e-4


SCALING: Final = Exercise(
    id="13.5",
    title="Loss scaling",
    prompt="Scale the loss, take the gradient, and scale back in float32.",
    checks=(
        value(
            "The gradient", 10, _tiny, at=((1e-4,), (2e-4,)), tolerance=2e-9, dtype="float32",
            slips=(Slip(0.0, "It is lost: too small for float16 in the backward pass."),),
        ),
    ),
    hints=(
        "Multiply the loss by a large number inside the block.",
        "The gradient is a float16: `tf.cast` it first, and divide then.",
        "A power of two changes no digit: `1024.0 * 16.0`.",
    ),
)  # fmt: skip

EXERCISES: Final = (TWICE, SUM, SCORE, NOTHING, SCALING)
