"""Exercises of lesson 03, "Backward, one op at a time"."""

from __future__ import annotations

from typing import Final

import numpy as np

from tapelab.exercises.check import Array
from tapelab.exercises.checks import Slip, order, prediction_table, value
from tapelab.exercises.exercise import Exercise

FILL_IN: Final = Exercise(
    id="03.1",
    title="Fill in the gradients",
    prompt="By hand, for u = a · b, v = u + a, w = v · v at a = 2, b = 3.",
    checks=(
        value(
            "The gradient at v", 2, 16.0, where=("v",),
            slips=(Slip(8.0, "v is used twice in v · v: each use brings 8.", 1),),
        ),
        value("The gradient at u", 2, 16.0, where=("u",)),
        value(
            "The gradient at b", 2, 32.0, where=("b",),
            slips=(Slip(48.0, "The local derivative along b is a."),),
        ),
        value(
            "The gradient at a", 4, 64.0, where=("a",),
            slips=(
                Slip(48.0, "That is the path through u alone; v = u + a brings another 16.", 1),
                Slip(16.0, "That is the path through v = u + a alone; u = a · b brings 48.", 1),
            ),
        ),
    ),
    hints=(
        "Start at the end: the gradient of w with respect to itself is 1.",
        "At every op: upstream × local = contribution. For v · v there are two contributions to v.",
        "Count how often `a` is used. Each use brings a contribution, and they add.",
    ),
)  # fmt: skip

STEP_ORDER: Final = Exercise(
    id="03.2",
    title="In which order?",
    prompt="List the ops in the order in which the gradient passes them in the backward pass.",
    checks=(
        order(
            "The order of the steps", 10, ("add", "sin", "multiply", "exp"), where=(),
            because="What ran last comes back first, and an op waits until all that used its "
            "result have been passed.",
        ),
    ),
    hints=(
        "Write down the order in which the ops ran, then look at it from the end.",
        "`p` is used twice. Its gradient is complete only when both uses have been passed.",
    ),
)  # fmt: skip

NEXT_STEP: Final = Exercise(
    id="03.3",
    title="Predict the next step",
    prompt="For z = x · y + sin(x) at x = 0, y = 4: say what each step brings to x.",
    checks=(
        *prediction_table(
            ("What sin brings", 3, 1.0, "from sin",
             "Upstream is 1 and the local derivative is cos(0) = 1."),
            ("What × brings", 3, 4.0, "from multiply",
             "Upstream is 1 and the local derivative along x is y = 4."),
        ),
        value(
            "What x ends up with", 4, 5.0, where=("at x",),
            slips=(
                Slip(4.0, "The second contribution replaced the first. They add.", 1),
                Slip(1.0, "The second contribution is missing. They add.", 1),
            ),
        ),
    ),
    hints=(
        "upstream × local = contribution. The addition passes 1 on to both sides.",
        "The derivative of sin is cos. The derivative of x · y along x is y.",
        "x is used twice: it ends up with the sum.",
    ),
)  # fmt: skip

_POINTS: Final = (
    (2.0, 0.5, 4.0),
    (np.array([1.0, -2.0, 0.5]), np.array([0.3, 1.2, -0.7]), np.array([2.0, -1.0, 4.0])),
)

THREE_RULES: Final = Exercise(
    id="03.4",
    title="Three rules",
    prompt="Write the gradient rules of ×, sin and ÷ from upstream and the inputs.",
    checks=(
        value(
            "sin(a)", 3, lambda g, a, _: g * np.cos(a), at=_POINTS, where=("sin",),
            slips=(
                Slip(
                    lambda _, a, __: np.cos(a),
                    "The local derivative alone. Multiply by upstream.", 1,
                ),
                Slip(lambda g, a, _: g * np.sin(a), "The derivative of sin is cos."),
            ),
        ),
        value(
            "a × b", 3, lambda g, a, b: np.stack([g * b, g * a]), at=_POINTS, where=("multiply",),
            slips=(
                Slip(lambda _, a, b: np.stack([b, a]),
                     "The local derivatives alone. Multiply by upstream.", 1),
                Slip(lambda g, a, b: np.stack([g * a, g * b]),
                     "Swapped: when a grows, a × b grows as fast as b is large.", 1),
            ),
        ),
        value(
            "a ÷ b", 4, lambda g, a, b: np.stack([g / b, -g * a / b**2]), at=_POINTS,
            where=("divide",),
            slips=(
                Slip(lambda g, a, b: np.stack([g / b, g * a / b**2]),
                     "Almost: when b grows, a ÷ b falls.", 3),
                Slip(lambda _, a, b: np.stack([1 / b, -a / b**2]),
                     "The local derivatives alone. Multiply by upstream.", 2),
            ),
        ),
    ),
    hints=(
        "Every rule has the same form: upstream × local derivative. For two inputs return a pair.",
        "a ÷ b is a · b⁻¹, so its derivative along b is −a · b⁻².",
        "`tf.cos(a)` is the local derivative of sin.",
    ),
)  # fmt: skip

_CHAIN: Final = ([("u", [("x", 2.0)]), ("v", [("u", 3.0)]), ("z", [("v", -1.0)])], "z")
_MEETING: Final = (
    [
        ("u", [("x", 4.0), ("y", 3.0)]),
        ("v", [("x", -0.5)]),
        ("z", [("u", 1.0), ("v", 1.0)]),
    ],
    "z",
)
_SQUARE: Final = ([("y", [("x", 3.0), ("x", 3.0)])], "y")
_OFF_PATH: Final = (
    [("u", [("x", 2.0)]), ("aside", [("x", 100.0), ("w", 1.0)]), ("z", [("u", 5.0)])],
    "z",
)


def _walked(records: Array, target: str) -> float:
    """What arrives at x, by a walk over all records from the last to the first."""
    gradients = {target: 1.0}
    for output, inputs in reversed(records):
        for name, local in inputs if output in gradients else ():
            gradients[name] = gradients.get(name, 0.0) + gradients[output] * local
    return gradients["x"]


def _overwritten(records: Array, target: str) -> float:
    """The same walk, on which the contribution that comes last replaces the others."""
    gradients = {target: 1.0}
    for output, inputs in reversed(records):
        for name, local in inputs if output in gradients else ():
            gradients[name] = gradients[output] * local
    return gradients["x"]


YOUR_OWN_TAPE: Final = Exercise(
    id="03.5",
    title="Your own backward pass",
    prompt="Walk back over a list of records and collect the gradients.",
    checks=(
        value("A chain", 3, _walked, at=(_CHAIN,), where=("x",)),
        value(
            "Two paths meet", 3, _walked, at=(_MEETING,), where=("x",),
            slips=(
                Slip(_overwritten,
                     "The contribution that came second replaced the first. They add.", 1),
            ),
        ),
        value(
            "One op uses x twice", 3, _walked, at=(_SQUARE,), where=("x",),
            slips=(Slip(_overwritten, "x · x uses x twice, and both uses count."),),
        ),
        value(
            "A record off the path", 1, _walked, at=(_OFF_PATH,), where=("x",),
            slips=(Slip(110.0, "`aside` has no part in z, so nothing comes back from it."),),
        ),
    ),
    hints=(
        "The upstream of a record is the gradient its output has by now: `gradients[output]`.",
        "Add into the gradient that is there: `gradients.get(name, 0.0)` is 0 if there is none.",
        "The contribution is `gradients[output] * local`.",
    ),
)  # fmt: skip

EXERCISES: Final = (FILL_IN, STEP_ORDER, NEXT_STEP, THREE_RULES, YOUR_OWN_TAPE)
