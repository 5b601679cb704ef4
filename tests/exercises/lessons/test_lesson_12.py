"""Lesson 12: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def apart(a, b):
    return np.abs(np.subtract(a, b))


def scale(a, b):
    return np.maximum(np.maximum(np.abs(a), np.abs(b)), 1e-8)


def judged(a="right", b="wrong", c="cannot tell", d="wrong"):
    return lambda: {"a": a, "b": b, "c": c, "d": d}


def kinks(**changed):
    right = {"tape": 0.0, "central": 0.5, "abs tape": 0.0, "abs central": 0.0, "near": 0.75}
    return lambda: right | changed


def found(rules):
    """The names of the wrong rules, each tried with a dot product along a direction."""
    x, weights = (
        tf.constant([0.5, -1.0, 2.0], tf.float64),
        tf.constant([1.0, -0.5, 0.3], tf.float64),
    )
    wrong = []
    for name, f in rules.items():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(weights * f(x))
        ahead, back = (tf.reduce_sum(weights * f(x + h * weights)) for h in (1e-5, -1e-5))
        nudged = (ahead - back) / 2e-5
        if abs(nudged - tf.reduce_sum(tape.gradient(y, x) * weights)) > 1e-4:
            wrong.append(name)
    return wrong


def honest(rules):
    return [name for name in rules if name not in found(rules)]


FORESEEN = [
    ("12.1", lambda a, b: np.max(apart(a, b) / scale(a, b)), 10, ""),
    ("12.1", lambda a, b: np.max(apart(a, b)), 3, "Divide by how large the numbers are."),
    ("12.1", lambda a, b: np.mean(apart(a, b) / scale(a, b)), 5, "hides the worst one"),
    ("12.1", lambda a, b: np.max(apart(a, b) / np.maximum(np.abs(a), 1e-8)), 6, "of both"),
    ("12.1", lambda a, b: np.max(apart(a, b)) / np.max(scale(a, b)), 5, "number by"),
    ("12.2", judged(), 10, ""),
    ("12.2", judged(a="cannot tell"), 8, "what a right rule comes down to"),
    ("12.2", judged(b="right"), 8, "Two percent are far above"),
    ("12.2", judged(c="wrong"), 7, "lost in rounding"),
    ("12.2", judged(d="right"), 7, "nothing agrees"),
    ("12.3", found, 10, ""),
    ("12.3", lambda rules: found(rules)[::-1], 10, ""),
    ("12.3", lambda rules: found(rules)[1:], 7, "1 of the wrong ones got through."),
    ("12.3", lambda rules: found(rules)[2:], 4, "2 of the wrong ones got through."),
    ("12.3", lambda rules: [*found(rules), honest(rules)[0]], 7, "The rule of `square` is right."),
    ("12.3", honest, 0, "3 of the wrong ones got through."),
    ("12.3", lambda rules: list(rules), 0, "`square`, `softsign` and `softplus` is right."),
    ("12.3", lambda rules: [], 0, "3 of the wrong ones got through."),
    ("12.3", lambda rules: "tanh", 0, ""),
    ("12.3", lambda rules: ["tanh", "mean", "normed"], 0, "Among other rules"),
    ("12.4", kinks(), 10, ""),
    ("12.4", kinks(tape=1.0), 8, "where x is greater than 0"),
    ("12.4", kinks(central=0.0), 8, "h / 2h"),
    ("12.4", kinks(**{"abs tape": 1.0}), 8, "the sign of 0 is 0"),
    ("12.4", kinks(**{"abs central": 0.5}), 8, "are the same"),
    ("12.4", kinks(near=1.0), 8, "0.003 / 0.004"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
