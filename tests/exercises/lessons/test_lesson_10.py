"""Lesson 10: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def first(function, *values, along=0):
    """A derivative of a function along one of its arguments."""
    variables = [tf.Variable(value) for value in values]
    with tf.GradientTape() as tape:
        y = function(*variables)
    return tape.gradient(y, variables[along])


def second(function, *values, along=(0, 0), weigh=lambda derivative: derivative):
    """A derivative of a derivative."""
    variables = [tf.Variable(value) for value in values]
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = function(*variables)
        derivative = weigh(inner.gradient(y, variables[along[0]]))
    return outer.gradient(derivative, variables[along[1]])


def wave(x):
    return x * tf.sin(x)


def penalty(*, outside=False, source="w", penal=True):
    def answer():
        w, x = tf.Variable(2.0), tf.Variable(1.5)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.square(w * x)
            if not outside:
                target = inner.gradient(y, x)
                target = tf.square(target - 1.0) if penal else target
        if outside:
            target = tf.square(inner.gradient(y, x) - 1.0)
        return outer, target, {"w": w, "x": x}[source]

    return answer


def powers(x, y):
    return x**2 * y**3


def given(x):
    return tf.reduce_sum(x**4) / 12.0 + x[0] * x[1] * x[2]


def product(x, v):
    return second(given, x, weigh=lambda derivative: tf.reduce_sum(derivative * tf.constant(v)))


def newton(start, steps):
    x = tf.Variable(start)
    for _ in range(steps):
        derivative = first(bowl, x)
        x.assign_sub(derivative / second(bowl, x))
    return x


def bowl(x):
    return x * x + 1.0 / x


FORESEEN = [
    ("10.1", lambda x: second(wave, x), 10, ""),
    ("10.1", lambda x: first(wave, x), 3, "Ask how the derivative changes."),
    ("10.1", lambda x: wave(tf.constant(x)), 0, "That is the value."),
    ("10.2", penalty(), 10, ""),
    ("10.2", penalty(outside=True), 0, "No gradient arrives yet."),
    ("10.2", penalty(source="x"), 3, "ask for w"),
    ("10.2", penalty(penal=False), 2, "without the penalty"),
    ("10.3", lambda x, y: second(powers, x, y, along=(0, 1)), 10, ""),
    ("10.3", lambda x, y: second(powers, x, y, along=(1, 0)), 10, ""),
    ("10.3", lambda x, y: second(powers, x, y), 3, "reacts to x"),
    ("10.3", lambda x, y: second(powers, x, y, along=(1, 1)), 3, "reacts to y"),
    ("10.3", lambda x, y: first(powers, x, y), 2, "Ask once more."),
    ("10.4", product, 10, ""),
    ("10.4", lambda x, _: first(given, x), 2, "That is the gradient."),
    ("10.4", lambda x, _: second(given, x), 3, "v has not been used"),
    ("10.4", lambda x, v: first(given, x) * tf.constant(v), 3, "ask for its gradient"),
    ("10.4", lambda x, v: second(given, x) * tf.constant(v), 3, "before the second backward pass"),
    ("10.5", newton, 10, ""),
    ("10.5", lambda start, _: start, 1, "You have not moved"),
    ("10.5", lambda start, steps: newton(start, steps - 1), 5, "One step is missing."),
    ("10.5", lambda *_: 0.5 ** (1 / 3), 0, "That is the bottom."),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
