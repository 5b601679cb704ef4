"""Exercises of lesson 00, "Tensors and variables"."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, value
from tapelab.exercises.exercise import Exercise

_ROWS: Final = (([12.5, -3.0, 7.5, -8.0],), ([-1.0, 2.0, -0.5],))


def _thawed(row: list[float]) -> Any:
    return np.maximum(row, 0.0)


def _first_is_zero(row: list[float]) -> Any:
    return np.where(np.arange(len(row)) == 0, 0.0, row)


FROST: Final = Exercise(
    id="00.1",
    title="No more frost",
    prompt="Set numbers to zero without writing into the tensor: by a mask, and by a place.",
    checks=(
        value(
            "By a mask", 5, _thawed, at=_ROWS, where=("mask",),
            slips=(
                Slip(lambda row: np.minimum(row, 0.0),
                     "The other way round: `tf.where(mask, a, b)` takes `a` where it is true.", 2),
                Slip(lambda row: row, "Nothing is replaced yet."),
                Slip(np.abs, "−3 degrees became 3; they should become 0."),
            ),
        ),
        value(
            "By a place", 5, _first_is_zero, at=_ROWS, where=("first",),
            slips=(
                Slip(lambda row: row, "`tensor_scatter_nd_update` makes a new tensor.", 1),
                Slip(lambda row: row[1:], "The first temperature is gone; it should be 0.", 1),
            ),
        ),
    ),
    hints=(
        "`row < 0.0` is a tensor of true and false, as long as `row`.",
        "`tf.where(row < 0.0, 0.0, row)` reads: where it freezes take 0, elsewhere what is there.",
        "The place of the first number is `[0]`, and the list of all places is `[[0]]`.",
    ),
)  # fmt: skip

_SCORES: Final = (
    [[0.1, 0.7, 0.2], [0.5, 0.3, 0.4], [0.9, 0.6, 0.8], [1.0, 1.1, 1.2]],
    [1, 0, 0, 2],
)
_OTHER_SCORES: Final = (
    [[3.0, 1.0, 2.0], [6.0, 4.0, 5.0], [9.0, 7.0, 8.0], [0.0, 0.5, 0.25]],
    [2, 2, 1, 0],
)


def _last_two(scores: Array, _: Array) -> Any:
    return np.asarray(scores)[[3, 2]]


def _right(scores: Array, labels: Array) -> Any:
    return np.asarray(scores)[np.arange(4), labels]


WHO_ANSWERED_WHAT: Final = Exercise(
    id="00.2",
    title="Who answered what?",
    prompt="Pick the last two rows backwards, and from each row the score of its right class.",
    checks=(
        value(
            "The last two", 4, _last_two, at=(_SCORES, _OTHER_SCORES), where=("last two",),
            slips=(
                Slip(lambda s, _: np.asarray(s)[[2, 3]], "The last one comes first.", 2),
                Slip(lambda s, _: np.asarray(s)[::-1][2:], "Those are the first two.", 1),
            ),
        ),
        value(
            "The right class", 6, _right, at=(_SCORES, _OTHER_SCORES), where=("right",),
            slips=(
                Slip(lambda s, y: np.asarray(s)[:, y],
                     "`axis=1` picks all labels from every row. Each row has one of its own.", 2),
                Slip(lambda s, _: np.max(s, axis=1),
                     "That is the highest score, whichever class it belongs to.", 1),
            ),
        ),
    ),
    hints=(
        "`tf.gather(scores, [3, 2])` picks two rows.",
        "One place for each row: `tf.gather(scores, labels, batch_dims=1)`.",
        "Or with places: `tf.stack([tf.range(4), labels], axis=1)` and `tf.gather_nd`.",
    ),
)  # fmt: skip

_FALLS: Final = ((10.0, 2.0), (0.0, -1.5))


def _fallen(start: float, speed: float) -> float:
    return start - 3 * speed


THREE_STEPS: Final = Exercise(
    id="00.3",
    title="Three steps downhill",
    prompt="Mend the loop, so that the box itself moves.",
    checks=(
        value(
            "What is in the box", 7, _fallen, at=_FALLS, where=(0,),
            slips=(
                Slip(lambda start, _: start,
                     "The box has not moved: `=` ties the name to a new tensor."),
                Slip(lambda start, speed: start - speed, "That is one step of three.", 2),
                Slip(lambda start, speed: start + 3 * speed, "The box moves up.", 3),
            ),
        ),
        value(
            "The name still means the box", 3, lambda *fall: [_fallen(*fall)] * 2, at=_FALLS,
            slips=(
                Slip(lambda start, speed: [start, _fallen(start, speed)],
                     "`position` means a tensor by now, and not the box."),
                Slip(lambda start, speed: [start - speed] * 2, "", 2),
                Slip(lambda start, speed: [start + 3 * speed] * 2, "", 2),
            ),
        ),
    ),
    hints=(
        "What is `type(position)` after the first round?",
        "`assign_add` puts a new value into the box. There is one for subtraction, too.",
        "`position.assign_sub(speed)`, and no `=` at all.",
    ),
)  # fmt: skip

_BASKETS: Final = (
    ([[3.0, 1.0, 2.0], [5.0], [4.0, 4.0]],),
    ([[1.0, 2.0], [3.0, 4.0, 5.0, 6.0]],),
)


def _means(rows: list[list[float]]) -> Any:
    return np.array([np.mean(row) for row in rows])


def _mean(rows: list[list[float]]) -> Any:
    return np.mean(np.concatenate(rows))


BASKETS: Final = Exercise(
    id="00.4",
    title="Baskets",
    prompt="Take the mean of each basket, and the mean of everything that was bought.",
    checks=(
        value(
            "Each basket", 5, _means, at=_BASKETS, where=("means",),
            slips=(Slip(lambda rows: np.array([sum(row) for row in rows]),
                        "Those are the sums; divide by how much is in each basket.", 2),),
        ),
        value(
            "Everything", 5, _mean, at=_BASKETS, where=("mean",),
            slips=(
                Slip(lambda rows: _means(rows).mean(),
                     "The mean of the means: a thing in a small basket counts for more.", 2),
            ),
        ),
    ),
    hints=(
        "`tf.constant` wants rows of one length. `tf.ragged.constant` does not.",
        "`tf.reduce_mean(rows, axis=1)` goes along each row.",
        "`rows.values` are all numbers, one after the other.",
    ),
)  # fmt: skip

_VOTES: Final = (([3, 1, 4],), ([10, 30],))


def _shares(votes: list[int]) -> Any:
    return np.asarray(votes) / np.sum(votes)


def _counted(numbers: np.random.Generator) -> tuple[list[int]]:
    return (numbers.integers(1, 100, size=3).tolist(),)


SHARES: Final = Exercise(
    id="00.5",
    title="Votes",
    prompt="Return the share of each candidate, in the dtype that gradients like.",
    checks=(
        value(
            "The shares", 6, _shares, at=_VOTES, draw=_counted,
            slips=(
                Slip(lambda votes: np.zeros(len(votes)),
                     "The integer division dropped the remainder. Cast before you divide.", 2),
                Slip(lambda votes: 100 * _shares(votes), "Those are percents.", 3),
            ),
        ),
        value("As float32", 4, _shares, at=_VOTES, draw=_counted, dtype="float32"),
    ),
    hints=(
        "Between two integers, `/` gives a float64.",
        "`tf.cast(votes, tf.float32)` makes a float32 of them, before or after the division.",
    ),
)  # fmt: skip

EXERCISES: Final = (FROST, WHO_ANSWERED_WHAT, THREE_STEPS, BASKETS, SHARES)
