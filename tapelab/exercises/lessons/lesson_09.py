"""Exercises of lesson 09, "Forward and reverse: JVP and VJP"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, prediction, prediction_table, value
from tapelab.exercises.exercise import Exercise

_WALKS: Final = (([1.0, -2.0], [0.5, 0.25]), ([0.3, 0.7], [-1.0, 2.0]))


def _uphill(place: Array) -> Any:
    x, y = place
    return np.array([2 * x + y, 6 * y + x])


def _along(place: Array, direction: Array) -> Any:
    return _uphill(place) @ np.asarray(direction)


ALONG: Final = Exercise(
    id="09.1",
    title="In which direction does it grow?",
    prompt="Return how fast the height grows along a direction, from one run forward.",
    checks=(
        value(
            "The derivative along a direction", 10, _along, at=_WALKS,
            slips=(
                Slip(lambda place, _: _uphill(place),
                     "That is the whole gradient, from a tape. Go along one direction.", 2),
                Slip(lambda place, v: _along(place, v) / np.linalg.norm(v),
                     "Divided by its length: take the direction as it is.", 6),
            ),
        ),
    ),
    hints=(
        "The accumulator gets the place and the direction, as in the cell above.",
        "Compute `bowl(place)` inside its block, and ask `accumulator.jvp(height)`.",
    ),
)  # fmt: skip

DIRECTION: Final = Exercise(
    id="09.2",
    title="Choose the direction",
    prompt="Say which direction needs fewer sweeps for all derivatives, and how many.",
    checks=prediction_table(
        ("The loss", 2, "reverse", ("loss", 0), "One output: one sweep back gives the only row."),
        ("The sweeps of the loss", 1, 1, ("loss", 1), "One row, one sweep."),
        ("The arm", 2, "forward", ("arm", 0), "Two inputs: two sweeps forward give both columns."),
        ("The sweeps of the arm", 1, 2, ("arm", 1), "Two columns, two sweeps."),
        ("The weather", 3, "reverse", ("weather", 0), "5 rows are fewer than 12 columns."),
        ("The sweeps of the weather", 1, 5, ("weather", 1), "Five rows, five sweeps."),
    ),
    hints=(
        "Forward: a sweep for each input. Reverse: a sweep for each output.",
        "Take whichever number is smaller.",
    ),
)  # fmt: skip

_PLACES: Final = (([2.0, 0.5, 1.0],), ([-1.0, 1.5, 0.25],))


def _table(place: Array) -> Any:
    x, y, z = place
    a, b = x * y, np.sin(y) + z
    of_a, of_b = np.array([y, x, 0.0]), np.array([0.0, np.cos(y), 1.0])
    return np.stack([of_a * b + a * of_b, of_a + of_b])


_TURNED: Final = Slip(lambda place: _table(place).T, "Turned over: a row for each output.", 2)

TABLE: Final = Exercise(
    id="09.3",
    title="The table from either side",
    prompt="Put the Jacobian together from JVPs, and once more from VJPs.",
    checks=(
        value("From columns", 5, _table, at=_PLACES, where=("columns",), slips=(_TURNED,)),
        value("From rows", 5, _table, at=_PLACES, where=("rows",), slips=(_TURNED,)),
    ),
    hints=(
        "`tf.eye(3)` has the three directions as its rows: `for direction in tf.eye(3)`.",
        "A JVP is a column: stack them with axis=1. A VJP is a row: axis=0.",
        "Two questions to one tape: make it persistent.",
    ),
)

_TESTED: Final = (([0.5, 2.0], [1.0, -1.0], [0.2, 0.7]),)


def _both(f: Callable[[Array], Array], rule: Callable[[Array], Array], *at: Any) -> Any:
    """The two sides of the dot-product test at a point, with weights and a direction."""
    x, u, v = map(np.array, at)
    nudged = (f(x + 0.01 * v) - f(x - 0.01 * v)) / 0.02
    return np.array([u @ nudged, (u * rule(x)) @ v])


def _both_of_waves(*at: Any) -> Any:
    return _both(np.sin, np.cos, *at)


def _both_of_cubes(*at: Any) -> Any:
    return _both(lambda x: x**3, lambda x: 3 * x, *at)


LIAR: Final = Exercise(
    id="09.4",
    title="One of them lies",
    prompt="Run the dot-product test on three rules, and name the wrong one.",
    checks=(
        value("Where they agree", 4, _both_of_waves, at=_TESTED, where=("waves",)),
        value("Where they differ", 3, _both_of_cubes, at=_TESTED, where=("cubes",)),
        prediction(
            "The liar", 3, "cubes", at=_TESTED[0], where=("liar",),
            because="The derivative of x³ is 3x², and the rule of `cubes` says 3x.",
        ),
    ),
    hints=(
        "`f(x + h * v)` and `f(x - h * v)`: their difference divided by 2h is J v.",
        "(u J) is `tape.gradient(y, x, output_gradients=u)`.",
        "Multiply with the other vector and add: `tf.reduce_sum(u * nudged)`.",
    ),
)  # fmt: skip

EXERCISES: Final = (ALONG, DIRECTION, TABLE, LIAR)
