"""Exercises of lesson 06, "State, NumPy and other exits"."""

from __future__ import annotations

from typing import Final

from tapelab.exercises.checks import Slip, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import arrives

SAVING: Final = Exercise(
    id="06.1",
    title="Three years of saving",
    prompt="Let the history of the balance stay on the tape.",
    checks=(
        arrives(
            "The gradient of the rate", 10, 395.0, target=166.2,
            slips=(
                Slip(142.0, "The last year alone: the years before it are still assigned.", 2),
                Slip(363.0, "Interest on interest, but no savings: add 10 every year.", 4),
            ),
        ),
    ),
    hints=(
        "A name may mean another tensor in every round: `balance = balance * …`.",
        "Start with `balance = tf.constant(100.0)` and write `=` where `assign` was.",
    ),
)  # fmt: skip

PODIUM: Final = Exercise(
    id="06.2",
    title="The podium",
    prompt="Sort on the tape.",
    checks=(
        arrives(
            "The gradient of the results", 10, (3.0, 1.0, 2.0), target=14.0,
            slips=(
                Slip((1.0, 2.0, 3.0), "Nothing is sorted: every result keeps its place.", 3),
                Slip((1.0, 3.0, 2.0), "The best one counts once: sort the other way.", 5),
            ),
        ),
    ),
    hints=(
        "Which line is not of TensorFlow?",
        "`tf.sort` does what `np.sort` does, on the tape. Leave `.numpy()` out.",
    ),
)  # fmt: skip

LOSS: Final = Exercise(
    id="06.3",
    title="A loss instead of a metric",
    prompt="Train with the mean squared distance between p and label.",
    checks=(
        arrives(
            "The gradient of w", 10, -0.064911, target=0.1589,
            slips=(
                Slip(-0.259643, "The sum of the squares; take their mean.", 6),
            ),
        ),
    ),
    hints=(
        "How far is `p` from `label`? No rounding, no comparing.",
        "`tf.square(p - label)` for each of them, then `tf.reduce_mean`.",
    ),
)  # fmt: skip

SLOTS: Final = Exercise(
    id="06.4",
    title="Fill the slots",
    prompt="Make one tensor of w, w² and w³.",
    checks=(
        arrives(
            "The gradient of w", 10, 17.0, target=14.0,
            slips=(
                Slip(4.0, "w² alone arrives.", 2),
                Slip(12.0, "w³ alone arrives.", 2),
                Slip(16.0, "The first slot does not arrive yet.", 4),
            ),
        ),
    ),
    hints=(
        "A tensor is made at once, from all that belongs into it.",
        "`tf.stack([w, w * w, w * w * w])`, inside the block.",
    ),
)  # fmt: skip


def _of_both(weight: float) -> tuple[float, float]:
    """The derivatives of (2 · weight + bias)² at a bias of 1: of the bias, and of the weight."""
    of_bias = 2 * (2 * weight + 1)
    return of_bias, 2 * of_bias


FOUND: Final = Exercise(
    id="06.5",
    title="Found again",
    prompt="Let the model find the variable of its layer.",
    checks=(
        value(
            "Both gradients", 10, _of_both, at=((3.0,), (-1.5,)),
            slips=(
                Slip(lambda weight: _of_both(weight)[::-1],
                     "The weight comes first here; keep the order of the model.", 8),
                Slip(lambda weight: _of_both(weight)[:1], "Only the bias is found."),
            ),
        ),
    ),
    hints=(
        "Into which objects does `tf.Module` look?",
        "A layer that is a `tf.Module` itself is found: `class Layer(tf.Module):`.",
    ),
)  # fmt: skip

EXERCISES: Final = (SAVING, PODIUM, LOSS, SLOTS, FOUND)
