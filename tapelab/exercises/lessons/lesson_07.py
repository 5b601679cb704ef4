"""Exercises of lesson 07, "Shapes, broadcasting, Jacobians"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, prediction_table, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import arrives

COLUMNS: Final = Exercise(
    id="07.1",
    title="Sums of columns",
    prompt="Predict the gradient of three vectors and tables: two numbers each.",
    checks=(
        value(
            "Scaled", 3, (5.0, 5.0), where=("scaled",),
            slips=(Slip((5.0, 10.0), "Those are the values. Each derivative is 5.", 1),),
        ),
        value(
            "A table", 4, (60.0, 60.0), where=("table",),
            slips=(Slip((20.0, 20.0), "The three contributions of a row add; no mean.", 2),),
        ),
        value(
            "Normed", 3, (0.0, 0.0), where=("normed",),
            slips=(
                Slip((1 / 3, 1 / 3), "The sum in the denominator reacts, too.", 1),
                Slip(
                    (2 / 9, 1 / 9), "The derivatives along the diagonal alone: add each column.", 1
                ),
            ),
        ),
    ),
    hints=(
        "`tape.gradient` tells how the sum of all numbers of y reacts.",
        "The sum of the normed vector is 1, whatever `a` is.",
    ),
)  # fmt: skip

_UPSTREAMS: Final = (
    ([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]],),
    ([[0.5], [-1.5], [2.0]],),
)

BIAS: Final = Exercise(
    id="07.2",
    title="The rule of a bias",
    prompt="Return what arrives at a row, at a column and at a single number.",
    checks=(
        value(
            "A row", 4, lambda u: np.sum(u, 0), at=_UPSTREAMS, where=("bias",),
            slips=(
                Slip(lambda u: np.sum(u, 1), "Along the other axis: its shape is (columns,).", 1),
                Slip(lambda u: np.mean(u, 0), "Contributions add, they are not averaged.", 2),
            ),
        ),
        value(
            "A column", 3, lambda u: np.sum(u, 1, keepdims=True), at=_UPSTREAMS, where=("column",),
            slips=(Slip(lambda u: np.sum(u, 1), "It should be (rows, 1): keepdims=True.", 2),),
        ),
        value("A single number", 3, np.sum, at=_UPSTREAMS, where=("scalar",)),
    ),
    hints=(
        "Along which axis was it copied? Along that one the contributions add.",
        "`tf.reduce_sum(upstream, axis=0)` adds the rows.",
        "`keepdims=True` leaves an axis of length 1 behind.",
    ),
)  # fmt: skip

THREE: Final = Exercise(
    id="07.3",
    title="Three and not nine",
    prompt="Let each prediction meet its own label.",
    checks=(
        arrives(
            "The gradient of w", 10, -14 / 3, target=7 / 6,
            slips=(
                Slip(-2.0, "Still nine differences: look at the shape of `p - label`."),
                Slip(-14.0, "The sum of the squares; the loss is their mean.", 5),
            ),
        ),
    ),
    hints=(
        "`p` has the shape (3, 1), `label` has (3,). Which of both will you change?",
        "`p[:, 0]`, `tf.squeeze(p, 1)` or `label[:, tf.newaxis]`: each of them is right.",
    ),
)  # fmt: skip


def _drawn(seed: int, n: int, k: int, m: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    shapes = ((n, m), (n, k), (k, m))
    return tuple(rng.normal(size=shape).astype("float32").tolist() for shape in shapes)


def _turned(matrix: Array) -> Any:
    return np.asarray(matrix).T


_PRODUCTS: Final = (_drawn(1, 2, 3, 4), _drawn(2, 3, 3, 3))

PRODUCT: Final = Exercise(
    id="07.4",
    title="Find it by its shape",
    prompt="Return what arrives at both factors of a matrix product.",
    checks=(
        value("At A", 5, lambda u, _, b: u @ _turned(b), at=_PRODUCTS, where=("A",)),
        value("At B", 5, lambda u, a, _: _turned(a) @ np.asarray(u), at=_PRODUCTS, where=("B",)),
    ),
    hints=(
        "(n, m) times (m, k) is (n, k). Which of the three matrices can be turned into (m, k)?",
        "A gets `upstream @ tf.transpose(b)`. B is its mirror image.",
    ),
)

COUNT: Final = Exercise(
    id="07.5",
    title="Count the derivatives",
    prompt="Say how many numbers the gradient and both Jacobians hold.",
    checks=prediction_table(
        ("The gradient", 2, 25_088, "gradient", "It is as large as its source: 32 · 784."),
        ("The Jacobian", 3, 8_028_160, "jacobian",
         "32 · 10 outputs, and for each of them 32 · 784 inputs."),
        ("batch_jacobian", 3, 250_880, "batch_jacobian",
         "For each of 32 pictures 10 outputs, and 784 inputs of its own."),
        ("Zeros", 2, 7_777_280, "zeros",
         "Each output does not react to the 31 · 784 numbers of other pictures."),
    ),
    hints=(
        "The shape of the Jacobian is the shape of y followed by the shape of x.",
        "You need not multiply: `32 * 10 * 784` is an answer.",
    ),
)  # fmt: skip

EXERCISES: Final = (COLUMNS, BIAS, THREE, PRODUCT, COUNT)
