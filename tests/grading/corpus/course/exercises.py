"""A small course for the corpora of attacks and of honest submissions."""

import numpy as np

import tapelab as tf
from tapelab.exercises import Check, Exercise, Outcome, predicted
from tapelab.exercises.checks import value
from tapelab.exercises.plain import close, plain
from tapelab.exercises.tape_checks import arrives, avoids, flows_through, none_because, uses
from tapelab.grading.assignment import Limits

SECRET = 80_217.25


def _anywhere(answer):
    """Points are drawn by the judge: what a learner wrote down beforehand does not pass."""
    for x in answer.draws("anywhere").uniform(-9, 9, 3).tolist():
        got = plain(answer.result(x))
        if not close(got, np.asarray(x * x), 1e-3):
            return Outcome(0, "Not the square.", str(x * x), str(got))
    return Outcome(8)


SQUARE = Exercise(
    "1", "Square", "Return the square of a number.",
    (
        value("At two places", 2, lambda v: v * v, at=((3.0,), (-1.5,))),
        Check("Anywhere", 8, _anywhere).private(),
    ),
    ("x · x",),
)  # fmt: skip
TAPE = Exercise(
    "2", "Tape", "Return a tape, y = x² + sin(x) and x = 2.",
    (
        arrives("The gradient", 4, 4.0 + np.cos(2.0)),
        uses("A sine", 3, "sin"),
        avoids("No division", 3, "divide"),
    ),
    ("Watch x.",),
)  # fmt: skip
HIDDEN = Exercise(
    "3", "Secret", "This number cannot be known.",
    (value("The number", 10, SECRET).private(),),
    ("Ask the teacher.",),
)  # fmt: skip
LEFT = Exercise(
    "4", "Left", "Return tape, y and x, once with None and once by way of middle.",
    (
        none_because("None, for this reason", 6, ("LEFT_ENGINE",)),
        flows_through("By way of middle", 4, "middle", ends=(3, 4, 5)),
    ),
    ("float(x) leaves the tape.",),
)  # fmt: skip


def _program():
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        z = x * x + tf.sin(x)
    return tape.recording(z)


PICTURE = Exercise(
    "5", "Predict", "Return the picture of z = x² + sin(x) at 3, and predict in it.",
    (predicted("What comes back", 8, least=4, program=_program),),
    ("Upstream times local.",),
)  # fmt: skip

EXERCISES = (SQUARE, TAPE, HIDDEN, LEFT, PICTURE)
LIMITS = Limits(seconds=4.0)
