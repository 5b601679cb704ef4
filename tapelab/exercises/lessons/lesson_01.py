"""Exercises of lesson 01, "Derivatives three ways"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.checks import Slip, prediction_table, value
from tapelab.exercises.exercise import Exercise


def _bendy(x: float) -> Any:
    return np.sin(x) * np.exp(x)


def _derivative(x: float) -> Any:
    return np.cos(x) * np.exp(x) + np.sin(x) * np.exp(x)


def _central(x: float, h: float) -> Any:
    return (_bendy(x + h) - _bendy(x - h)) / (2 * h)


def _forward(x: float, h: float) -> Any:
    return (_bendy(x + h) - _bendy(x)) / h


CENTRAL: Final = Exercise(
    id="01.1",
    title="To both sides",
    prompt="Return the central difference of `bendy` at x, with the step h.",
    checks=(
        value(
            "A large step", 5, _central, at=((1.0, 0.25), (0.3, 0.5)), tolerance=1e-9,
            slips=(
                Slip(_forward, "That is the forward difference: it goes to one side alone.", 1),
                Slip(lambda x, h: 2 * _central(x, h),
                     "Twice too much: from x − h to x + h it is a way of 2h.", 2),
                Slip(lambda x, h: h * h * _central(x, h),
                     "Divide by 2h as a whole: `/ (2 * h)`.", 2),
                Slip(
                    lambda x, _: _derivative(x),
                    "That is the true derivative. Use differences alone.", 1,
                ),
            ),
        ),
        value("A small step", 5, lambda x, _: _derivative(x), at=((1.0, 1e-5), (-2.0, 1e-5)),
              tolerance=1e-8),
    ),
    hints=(
        "Two values of `bendy`: a step to the right of x, and a step to the left.",
        "How far is it from one to the other? Divide by that.",
    ),
)  # fmt: skip

BEST_STEPS: Final = Exercise(
    id="01.2",
    title="The best step",
    prompt="Choose the exponent of the best step among −2, −5, −8 and −13.",
    checks=prediction_table(
        ("The forward difference", 4, -8, "forward",
         "h and 1e-16 / h are equal, and their sum is least, at h = 1e-8."),
        ("The central difference", 3, -5, "central",
         "h² and 1e-16 / h are equal where h³ is 1e-16: a little above 1e-6."),
        ("In float32", 3, -2, "float32", "h² and 1e-7 / h are equal where h³ is 1e-7: near 5e-3."),
    ),
    hints=(
        "The sum of two such errors is least about where both are equal.",
        "Put the four steps into both errors and see where the larger one is smallest.",
    ),
)  # fmt: skip

_PLACES: Final = ((1.0,), (-0.5,), (2.5,))

COMPLEX_STEP: Final = Exercise(
    id="01.3",
    title="The complex step",
    prompt="Find the derivative of `bendy` from the imaginary part of one complex run.",
    checks=(
        value(
            "The derivative", 6, _derivative, at=_PLACES,
            slips=(
                Slip(lambda _: 0.0,
                     "Almost nothing: the step has to be imaginary, and to be divided by."),
                Slip(
                    _bendy, "That is the value of `bendy`. The derivative is in the imaginary part."
                ),
            ),
        ),
        value("To the last digits", 4, _derivative, at=_PLACES, tolerance=1e-13, dtype="float64"),
    ),
    hints=(
        "`tf.complex(x, h)` is x + ih.",
        "Run `bendy` on it, take `tf.math.imag` of the result, and divide by h.",
    ),
)  # fmt: skip

_PAIRS: Final = (((3.0, 1.0), (4.0, 0.0)), ((2.0, 1.0), (5.0, -3.0)))


def _product(a: tuple[float, float], b: tuple[float, float]) -> float:
    return a[0] * b[0]


def _product_derivative(a: tuple[float, float], b: tuple[float, float]) -> float:
    return a[1] * b[0] + a[0] * b[1]


DUAL: Final = Exercise(
    id="01.4",
    title="Multiply dual numbers",
    prompt="Return value and derivative of a product, from values and derivatives of its factors.",
    checks=(
        value(
            "The derivative of a product", 10, _product_derivative, at=_PAIRS, where=(1,),
            slips=(
                Slip(lambda a, b: a[1] * b[1],
                     "The derivative of a product is not the product of the derivatives.", 1),
                Slip(lambda a, b: a[1] + b[1], "That is what a sum carries.", 1),
                Slip(lambda a, b: a[1] * a[0] + b[1] * b[0],
                     "Swapped: what `a` gains counts `b` times.", 3),
                Slip(lambda a, b: a[1] * b[0], "The gain of `b` is missing.", 3),
            ),
        ),
    ),
    hints=(
        "Let `a` alone grow: the product grows `b` times as fast. Now let `b` alone grow.",
        "Both gains add: it is the product rule.",
    ),
)  # fmt: skip

COST: Final = Exercise(
    id="01.5",
    title="What does it cost?",
    prompt="Say how often each way runs a model of 1000 weights forward.",
    checks=prediction_table(
        ("Forward difference", 2, 1001, "forward difference",
         "One run for each weight, and one at the point itself."),
        ("Central difference", 2, 2000, "central difference",
         "Two runs for each weight, and none at the point itself."),
        ("Dual numbers", 3, 1000, "dual numbers",
         "Each run carries the derivative along one weight, and the value on top."),
        ("A tape", 3, 1, "tape", "It runs forward once and comes back once, with all derivatives."),
    ),
    hints=(
        "How many derivatives does one run give, and how many are wanted?",
        "A dual number carries the value, too, so the point itself needs no run of its own.",
    ),
)  # fmt: skip

EXERCISES: Final = (CENTRAL, BEST_STEPS, COMPLEX_STEP, DUAL, COST)
