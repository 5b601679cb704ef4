"""Exercises of lesson 15, "Tape memory"."""

from __future__ import annotations

from typing import Final

import numpy as np

from tapelab.exercises.checks import prediction_table
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import arrives, memory_at_most

BYTES: Final = Exercise(
    id="15.1",
    title="How many bytes?",
    prompt="Predict what a tape holds, in bytes.",
    checks=prediction_table(
        ("Deeper", 3, 84_000, "deeper",
         "The source and 20 results, 1000 numbers each, 4 bytes each."),
        ("Doubled", 2, 168_000, "doubled", "A float64 has 8 bytes: twice as many."),
        ("A batch", 3, 401_408, "batch",
         "32 · 28 · 28 numbers, four times: the source and three results."),
        ("The weights", 2, 313_600, "weights",
         "784 · 100 numbers of 4 bytes, however large the batch is."),
    ),
    hints=(
        "Count the values first, the source among them; then numbers; then bytes.",
        "You need not multiply: `21 * 1000 * 4` is an answer.",
    ),
)  # fmt: skip

KEPT: Final = Exercise(
    id="15.2",
    title="Kept or freed?",
    prompt="Say whether the values on the way are still in memory.",
    checks=prediction_table(
        ("A persistent tape", 2, "kept", "a", "It may be asked again as long as somebody has it."),
        ("A tape that was asked", 2, "freed", "b",
         "It has answered once, and releases everything."),
        ("A tape without a gradient call", 2, "kept", "c", "It still waits for the question."),
        ("A loss in a list", 2, "freed", "d",
         "A bare number has no history that could hold anything."),
        ("Deleted", 2, "freed", "e", "No gradient can be taken from it any more."),
    ),
    hints=(
        "Could somebody still ask this tape for a gradient?",
        "An ordinary tape answers once.",
    ),
)  # fmt: skip


def _waves() -> tuple[float, float]:
    """Value and derivative of sixty sines, one after the other, at 0.5."""
    h, derivative = 0.5, 1.0
    for _ in range(60):
        h, derivative = float(np.sin(h)), derivative * float(np.cos(h))
    return h, derivative


_END, _DERIVATIVE = _waves()


FIT: Final = Exercise(
    id="15.3",
    title="It has to fit",
    prompt="Bring the memory of a tape below 12 000 bytes.",
    checks=(
        arrives("The gradient is the same", 4, np.full(200, _DERIVATIVE), target=200 * _END),
        memory_at_most("It fits", 6, 12_000),
    ),
    hints=(
        "Which values could be computed again, and need not be kept?",
        "`ten_layers = tf.recompute_grad(ten_layers)`, and return tape, y and x.",
    ),
)

BLOCK: Final = Exercise(
    id="15.4",
    title="The best block",
    prompt="Reckon how many values are in memory, and find the best block.",
    checks=prediction_table(
        ("Blocks of 2", 2, 52, "of 2", "100 / 2 + 2."),
        ("Blocks of 10", 2, 20, "of 10", "100 / 10 + 10."),
        ("Blocks of 50", 2, 52, "of 50", "100 / 50 + 50."),
        ("The best for 400", 4, 20, "best for 400",
         "400 / k + k is least where both parts are equal: k · k = 400."),
    ),
    hints=(
        "One value for each block, and those of one block.",
        "The sum of two numbers with a fixed product is least where they are equal.",
    ),
)  # fmt: skip

EXERCISES: Final = (BYTES, KEPT, FIT, BLOCK)
