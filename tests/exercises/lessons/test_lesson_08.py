"""Lesson 08: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def heron(a, steps, *, more=0, want_root=False):
    a = tf.Variable(a)
    with tf.GradientTape() as tape:
        root = tf.constant(1.0)
        for _ in range(steps + more):
            root = (root + a / root) / 2.0
    return root if want_root else tape.gradient(root, a)


def true_root(a, _):
    a = tf.Variable(a)
    with tf.GradientTape() as tape:
        root = tf.sqrt(a)
    return tape.gradient(root, a)


def branches(two=5.0, half=1.0, minus=None, one=2.0):
    return lambda: {"at 2": two, "at 0.5": half, "at -1": minus, "at 1": one}


def rounds(**changed):
    right = {
        "records_at_3": 4,
        "slope_at_3": 405.0,
        "records_at_10": 1,
        "slope_at_10": 20.0,
        "slope_of_rounds": None,
    }
    return lambda: {name.replace("_", " "): each for name, each in {**right, **changed}.items()}


def sinc(formula):
    def answer(value):
        x = tf.Variable(value)
        with tf.GradientTape() as tape:
            y = formula(x)
        return tape.gradient(y, x)

    return answer


def around(x):
    return 1.0 - x * x / 6.0 if abs(x) < 0.01 else tf.sin(x) / x


def at_the_point(x):
    return tf.constant(1.0) if x == 0.0 else tf.sin(x) / x


FORESEEN = [
    ("08.1", heron, 10, ""),
    ("08.1", lambda a, n: heron(a, n, want_root=True), 0, "That is the root."),
    ("08.1", lambda a, n: heron(a, n, more=1), 5, "one round too many"),
    ("08.1", true_root, 2, "the derivative of the true root"),
    ("08.2", branches(), 10, ""),
    ("08.2", branches(minus=0.0), 7, "nothing leads back to x"),
    ("08.2", branches(one=5.0), 8, "1 is not greater than 1"),
    ("08.2", branches(two=10.0, half=0.25), 5, "x², with the derivative 2x."),
    ("08.3", rounds(), 10, ""),
    ("08.3", rounds(records_at_3=5), 8, "four multiplications"),
    ("08.3", rounds(slope_at_3=108.0), 7, "its derivative is 5x⁴"),
    ("08.3", rounds(records_at_10=2, slope_at_10=300.0), 7, "100 is no longer below 100"),
    ("08.3", rounds(slope_of_rounds=0.0), 8, "counted by Python"),
    ("08.4", sinc(around), 10, ""),
    ("08.4", sinc(at_the_point), 0, ""),
    ("08.4", sinc(lambda x: 1.0 - x * x / 6.0), 5, "Far from 0 the series needs more terms"),
    ("08.4", sinc(lambda x: tf.sin(x) / x), 0, ""),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
