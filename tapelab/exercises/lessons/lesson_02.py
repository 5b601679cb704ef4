"""Exercises of lesson 02, "The first tape"."""

from __future__ import annotations

from typing import Final

from tapelab.exercises.checks import Slip, prediction_table, value
from tapelab.exercises.exercise import Exercise

_PLACES: Final = ((3.0,), (-1.5,))
_PAIRS: Final = ((3.0, 4.0), (2.5, -1.0))

DERIVATIVE_OF_SQUARE: Final = Exercise(
    id="02.1",
    title="x², anywhere",
    prompt="Return the derivative of x² at a given value of x, taken from a tape.",
    checks=(
        value(
            "The derivative of x²", 6, lambda v: 2 * v, at=_PLACES,
            slips=(
                Slip(lambda v: v * v, "That is x² itself. Ask the tape for its derivative."),
                Slip(lambda _: 6.0, "That is the derivative at 3; use the value you are given."),
            ),
        ),
        value("It is flat at the bottom", 2, lambda v: 2 * v, at=((0.0,), (1.0,))),
        value("A single float32", 2, lambda v: 2 * v, at=((5.0,),), dtype="float32"),
    ),
    hints=(
        "A tape watches a `tf.Variable` from its first use inside the block.",
        "Make a variable of `value`, compute `x * x` in the tape's block, ask after the block.",
        "Return what `tape.gradient` returns, not `y`.",
    ),
)  # fmt: skip

BOTH_DERIVATIVES: Final = Exercise(
    id="02.2",
    title="x·y, both derivatives at once",
    prompt="Return both derivatives of x·y in one dict, from a single question to the tape.",
    checks=(
        value(
            "The derivative along x", 5, lambda _, y: y, at=_PAIRS, where=("x",),
            slips=(Slip(lambda x, _: x, "Swapped: when x grows, x·y grows y times as fast.", 1),),
        ),
        value(
            "The derivative along y", 5, lambda x, _: x, at=_PAIRS, where=("y",),
            slips=(Slip(lambda _, y: y, "Swapped: when y grows, x·y grows x times as fast.", 1),),
        ),
    ),
    hints=(
        "The answer has the form of the question: ask with a list, and a list comes back.",
        'Ask with a dict: `tape.gradient(z, {"x": x, "y": y})`.',
    ),
)  # fmt: skip

HOW_MANY_RECORDS: Final = Exercise(
    id="02.3",
    title="How many records?",
    prompt="Predict how many ops each program leaves on the tape.",
    checks=prediction_table(
        ("Program a", 3, 3, "a", "Two multiplications and one addition. Reading `x` is no op."),
        ("Program b", 4, 1, "b",
         "No tape watches `c`, so `c * c` runs off the tape. The addition meets `x`."),
        ("Program c", 3, 5, "c", "The tape knows no loops: each round leaves a record of its own."),
    ),
    hints=(
        "An op goes on the tape if an input of it is watched, or came from something watched.",
        "Ask of every `+` and `*` that runs: does `x` have a part in it?",
    ),
)  # fmt: skip

ASK_TWICE: Final = Exercise(
    id="02.4",
    title="Ask twice",
    prompt="Mend the function, so that the tape answers both questions.",
    checks=(
        value(
            "The derivative of y", 4, lambda v: 2 * v, at=_PLACES, where=(0,),
            slips=(Slip(lambda v: 2 * v + 4 * v**3,
                        "That is the derivative of y + z: a list of targets is summed.", 1),),
        ),
        value(
            "The derivative of z", 6, lambda v: 4 * v**3, at=_PLACES, where=(1,),
            slips=(
                Slip(lambda v: 2 * v**2, "That is the derivative of z along y. Ask along x."),
                Slip(lambda v: 2 * v + 4 * v**3,
                     "That is the derivative of y + z: a list of targets is summed.", 2),
            ),
        ),
    ),
    hints=(
        "Read the last line of the error: what does it say about the kind of tape?",
        "`tf.GradientTape(persistent=True)` keeps what it recorded until you delete it.",
    ),
)  # fmt: skip

EXERCISES: Final = (DERIVATIVE_OF_SQUARE, BOTH_DERIVATIVES, HOW_MANY_RECORDS, ASK_TWICE)
