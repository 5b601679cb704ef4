"""Exercises of lesson 04, "What the tape watches"."""

from __future__ import annotations

from typing import Final

from tapelab.exercises.checks import Slip, prediction_table
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import arrives, at_most, watches

PHOTO: Final = Exercise(
    id="04.1",
    title="The price of a photo",
    prompt="Let the tape follow the contrast, and not the photo.",
    checks=(
        arrives("The gradient of the contrast", 6, 3.9375, target=2.953125),
        watches("Nothing else is watched", 4, ["contrast"]),
    ),
    hints=(
        "`contrast` is a constant. Who tells the tape to follow it?",
        "`tape.watch(contrast)`, before it is used. One tensor, not a list of both.",
    ),
)

TRUNK: Final = Exercise(
    id="04.2",
    title="Freeze the trunk",
    prompt="Let the tape follow the head alone, without a call of watch.",
    checks=(
        arrives("The gradient of the head", 4, 4.0, target=20.0),
        watches("The trunk is frozen", 6, ["head"]),
    ),
    hints=(
        "What do you tell a variable, when it is made, so that it is not trained?",
        '`tf.Variable(2.0, trainable=False, name="trunk")`, and return tape, y and head.',
    ),
)

MIDDLE: Final = Exercise(
    id="04.3",
    title="The middle one",
    prompt="Let the tape follow the variable `second`, and nothing else.",
    checks=(
        arrives("The gradient of second", 3, 15.0, target=45.0),
        watches("Nothing else is watched", 4, ["second"]),
        at_most("Two multiplications are on the tape", 3, 2),
    ),
    hints=(
        "A tape can watch nothing by itself: look at the cell above.",
        "`watch_accessed_variables=False`, then `tape.watch(second)` inside the block.",
        "`first * x` has nothing to do with `second`: it runs off the tape.",
    ),
)

TOO_LATE: Final = Exercise(
    id="04.4",
    title="Too late",
    prompt="Mend the function, so that the whole gradient arrives.",
    checks=(
        arrives(
            "The whole gradient", 10, 13.0, target=10.0,
            slips=(
                Slip(1.0, "Still the late part alone: the cube ran before the watch.", 2),
                Slip(12.0, "The cube alone; `y` is the cube plus x.", 4),
            ),
        ),
    ),
    hints=(
        "Which line is the last one that the tape did not see?",
        "`tape.watch(x)` belongs to the top of the block. Then return tape, y and x.",
    ),
)  # fmt: skip

TWO_TAPES: Final = Exercise(
    id="04.5",
    title="Two tapes",
    prompt="Predict what each tape answers: a number or None.",
    checks=prediction_table(
        ("Tape one, c", 2, 64.0, "one.gradient(y, c)",
         "y is c⁴ · v, with the derivative 4c³ · v: tape one follows c all the way."),
        ("Tape two, c", 2, None, "two.gradient(y, c)",
         "Tape two does not watch c, and it opened after c was squared."),
        ("Tape two, square", 2, 16.0, "two.gradient(y, square)",
         "From square on, y is square² · v, with the derivative 2 · square · v."),
        ("Tape one, v", 2, 16.0, "one.gradient(y, v)",
         "v is read while both tapes are open, so both follow it."),
        ("Tape two, v", 2, 16.0, "two.gradient(y, v)",
         "v is read while both tapes are open, so both follow it."),
    ),
    hints=(
        "For each tape, write down what it watches, and from which line on.",
        "A trainable variable is watched by every tape that is open when it is read.",
        "`c` is 2, so `square` is 4 and `y` is 32.",
    ),
)  # fmt: skip

EXERCISES: Final = (PHOTO, TRUNK, MIDDLE, TOO_LATE, TWO_TAPES)
