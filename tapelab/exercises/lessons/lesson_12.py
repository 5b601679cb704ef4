"""Exercises of lesson 12, "Gradient checking"."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np

from tapelab.exercises.answer import Answer
from tapelab.exercises.check import Array, Check, Outcome
from tapelab.exercises.checks import Slip, drawn, prediction_table, value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.value_text import listed
from tapelab.exercises.values import Code

_PAIRS: Final = (
    ([1.0, 2.0], [1.0, 2.5]),
    ([1000.0, 0.001], [1000.5, 0.002]),
    ([0.0, -3.0], [0.0, 3.0]),
)


def _apart(a: Array, b: Array) -> Any:
    return np.abs(np.subtract(a, b))


def _scale(a: Array, b: Array) -> Any:
    return np.maximum(np.maximum(np.abs(a), np.abs(b)), 1e-8)


ERROR: Final = Exercise(
    id="12.1",
    title="How far apart?",
    prompt="Return the largest relative error between two gradients.",
    checks=(
        value(
            "The relative error", 10, lambda a, b: np.max(_apart(a, b) / _scale(a, b)), at=_PAIRS,
            slips=(
                Slip(lambda a, b: np.max(_apart(a, b)),
                     "The largest difference. Divide by how large the numbers are.", 3),
                Slip(lambda a, b: np.mean(_apart(a, b) / _scale(a, b)),
                     "The mean hides the worst one: take the largest.", 5),
                Slip(lambda a, b: np.max(_apart(a, b)) / np.max(_scale(a, b)),
                     "Divide number by number, and then take the largest.", 5),
                Slip(lambda a, b: np.max(_apart(a, b) / np.maximum(np.abs(a), 1e-8)),
                     "Divided by the first one alone: take the larger of both.", 6),
            ),
        ),
    ),
    hints=(
        "`tf.maximum(tf.abs(a), tf.abs(b))` is as large as the larger one, number by number.",
        "Keep it from being 0 with another `tf.maximum(…, 1e-8)`.",
        "`tf.reduce_max` of the quotients.",
    ),
)  # fmt: skip

JUDGED: Final = Exercise(
    id="12.2",
    title="Right or wrong?",
    prompt="Judge four checks: right, wrong or cannot tell.",
    checks=prediction_table(
        ("Check a", 2, "right", "a", "3e-10 is what a right rule comes down to in float64."),
        ("Check b", 2, "wrong", "b",
         "Two percent are far above what float64 and this step would explain."),
        ("Check c", 3, "cannot tell", "c",
         "In float32 a step of 1e-6 is lost in rounding: right rules look like this."),
        ("Check d", 3, "wrong", "d",
         "1e-9 beside 1e-9 is a relative error of about 1: nothing agrees."),
    ),
    hints=(
        "Which error would a right rule have, with this dtype and this step? See the plot.",
        "A small difference between small numbers says nothing before you divide.",
    ),
)  # fmt: skip

_RIGHT: Final = {
    "square": "x * x, lambda g: g * 2.0 * x",
    "tanh": "tf.tanh(x), lambda g: g * (1.0 - tf.tanh(x) ** 2)",
    "softsign": "x / (1.0 + tf.abs(x)), lambda g: g / tf.square(1.0 + tf.abs(x))",
    "mean": "tf.reduce_mean(x), lambda g: g * tf.ones_like(x) / 3.0",
    "normed": "x / tf.norm(x), "
    "lambda g: (g - x * tf.reduce_sum(g * x) / tf.reduce_sum(x * x)) / tf.norm(x)",
    "softplus": "tf.math.softplus(x), lambda g: g * tf.sigmoid(x)",
}
_WRONG: Final = {
    "square": "x * x, lambda g: g * x",
    "tanh": "tf.tanh(x), lambda g: g * (1.0 - tf.tanh(x))",
    "softsign": "x / (1.0 + tf.abs(x)), lambda g: g / (1.0 + tf.abs(x))",
    "mean": "tf.reduce_mean(x), lambda g: g * tf.ones_like(x)",
    "normed": "x / tf.norm(x), lambda g: g / tf.norm(x)",
    "softplus": "tf.math.softplus(x), lambda g: g * tf.tanh(x)",
}
"""What each function of the lesson returns with its rule: value and gradient."""

LIARS: Final = ("tanh", "mean", "normed")
_HONEST: Final = tuple(name for name in _RIGHT if name not in LIARS)
_WORTH: Final = (10, 7, 4)
"""The points for so many mistakes; with more of them, one might as well have guessed."""


def _rules(liars: Collection[str]) -> tuple[dict[str, Code]]:
    """All six functions, with a wrong rule where one of these names is."""
    returned = {name: (_WRONG if name in liars else _RIGHT)[name] for name in _RIGHT}
    return ({name: Code(f"tf.custom_gradient(lambda x: ({each}))")
             for name, each in returned.items()},)  # fmt: skip


def _any_rules(numbers: np.random.Generator) -> tuple[dict[str, Code]]:
    return _rules(numbers.choice(list(_RIGHT), 3, replace=False).tolist())


def _liars_among(rules: dict[str, Code]) -> list[str]:
    return [name for name, code in rules.items() if code == _rules(_WRONG)[0][name]]


_SETS: Final = (_rules(LIARS), _rules(_HONEST))
"""The rules of the lesson, and then the others: who knows the names by heart is wrong there."""


def _names_the_liars() -> Check:
    """Points for finding the wrong rules, whichever they are; each mistake costs three."""

    def judge(answer: Answer) -> Outcome:
        outcomes = [_named(answer, given) for given in (*_SETS, *drawn(answer, _SETS, _any_rules))]
        return min(outcomes, key=lambda each: each.points)

    return Check("The wrong rules", 10, judge)


def _named(answer: Answer, given: tuple[dict[str, Code]]) -> Outcome:
    got = [each for each in answer.part((), *given) if isinstance(each, str)]
    liars = _liars_among(given[0])
    missed = [name for name in liars if name not in got]
    blamed = [name for name in given[0] if name in got and name not in liars]
    said = [
        "" if given == _SETS[0] else "Among other rules:",
        f"{len(missed)} of the wrong ones got through." if missed else "",
        f"The rule of {listed(blamed)} is right." if blamed else "",
    ]
    mistakes = len(missed) + len(blamed)
    points = _WORTH[mistakes] if mistakes < len(_WORTH) else 0
    return Outcome(points, " ".join(filter(None, said)) if mistakes else "")


FOUND: Final = Exercise(
    id="12.3",
    title="Find them",
    prompt="Check six rules, and name the three wrong ones.",
    checks=(_names_the_liars(),),
    hints=(
        "Make one number of it: `tf.reduce_sum(weights * f(x))`, and check that.",
        "`by_tape` and `nudged` both take a function and a point.",
        "Compare what both give, and keep the names of those that are far apart.",
    ),
)

KINK: Final = Exercise(
    id="12.4",
    title="At the kink",
    prompt="Predict what the tape and a central difference say at a kink.",
    checks=prediction_table(
        ("The tape, relu", 2, 0.0, "tape",
         "The rule of relu lets the gradient through where x is greater than 0."),
        ("The difference, relu", 2, 0.5, "central", "relu(h) is h and relu(−h) is 0: h / 2h."),
        ("The tape, abs", 2, 0.0, "abs tape",
         "The rule of abs multiplies with the sign of x, and the sign of 0 is 0."),
        ("The difference, abs", 2, 0.0, "abs central", "|h| and |−h| are the same."),
        ("Near the kink", 2, 0.75, "near",
         "relu(0.003) is 0.003, relu(−0.001) is 0: 0.003 / 0.004."),
    ),
    hints=(
        "Put the two points of the central difference into the function.",
        "A tape does not look at both sides: it has a rule. Try it.",
    ),
)  # fmt: skip

EXERCISES: Final = (ERROR, JUDGED, FOUND, KINK)
