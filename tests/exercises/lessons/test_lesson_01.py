"""Lesson 01: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def bendy(x):
    return tf.sin(x) * tf.exp(x)


def derivative(x):
    return np.cos(x) * np.exp(x) + np.sin(x) * np.exp(x)


def central(x, h):
    x = tf.constant(x, tf.float64)
    return (bendy(x + h) - bendy(x - h)) / (2 * h)


def forward(x, h):
    x = tf.constant(x, tf.float64)
    return (bendy(x + h) - bendy(x)) / h


def without_brackets(x, h):
    x = tf.constant(x, tf.float64)
    return (bendy(x + h) - bendy(x - h)) / 2 * h


def complex_step(x, h=1e-30):
    x = tf.constant(x, tf.float64)
    h = tf.constant(h, tf.float64)
    return tf.math.imag(bendy(tf.complex(x, h))) / h


def real_step(x):
    x = tf.constant(x, tf.float64)
    return tf.math.imag(bendy(tf.complex(x + 1e-30, tf.zeros_like(x)))) / 1e-30


def rounded_once(x):
    return tf.cast(complex_step(x), tf.float32)


def costs(forward=1001, central=2000, dual=1000, tape=1):
    names = ("forward difference", "central difference", "dual numbers", "tape")
    return dict(zip(names, (forward, central, dual, tape), strict=True))


FORESEEN = [
    ("01.1", central, 10, ""),
    ("01.1", forward, 1, "That is the forward difference"),
    ("01.1", lambda x, h: 2 * central(x, h), 2, "it is a way of 2h"),
    ("01.1", without_brackets, 2, "Divide by 2h as a whole"),
    ("01.1", lambda x, h: derivative(x), 6, "Use differences alone."),
    ("01.2", lambda: {"forward": -8, "central": -5, "float32": -2}, 10, ""),
    ("01.2", lambda: {"forward": -13, "central": -5, "float32": -2}, 6, "at h = 1e-8"),
    ("01.2", lambda: {"forward": -8, "central": -8, "float32": -2}, 7, "a little above 1e-6"),
    ("01.2", lambda: {"forward": -8, "central": -5, "float32": -5}, 7, "near 5e-3"),
    ("01.3", complex_step, 10, ""),
    ("01.3", lambda x: complex_step(x) * 1e-30, 0, "and to be divided by"),
    ("01.3", real_step, 0, "the step has to be imaginary"),
    ("01.3", lambda x: bendy(tf.constant(x)), 0, "The derivative is in the imaginary part."),
    ("01.3", rounded_once, 6, ""),
    ("01.4", lambda a, b: (a[0] * b[0], a[1] * b[0] + a[0] * b[1]), 10, ""),
    ("01.4", lambda a, b: (a[0] * b[0], a[1] * b[1]), 1, "is not the product of the derivatives"),
    ("01.4", lambda a, b: (a[0] * b[0], a[1] + b[1]), 1, "what a sum carries"),
    ("01.4", lambda a, b: (a[0] * b[0], a[1] * a[0] + b[1] * b[0]), 3, "counts `b` times"),
    ("01.4", lambda a, b: (a[0] * b[0], a[1] * b[0]), 3, "The gain of `b` is missing."),
    ("01.4", lambda a, b: (a[0] * b[0], ...), 0, "Nothing here yet."),
    ("01.5", costs, 10, ""),
    ("01.5", lambda: costs(forward=1000), 8, "one at the point itself"),
    ("01.5", lambda: costs(central=2001), 8, "none at the point itself"),
    ("01.5", lambda: costs(dual=1001), 7, "and the value on top"),
    ("01.5", lambda: costs(tape=1000), 7, "comes back once, with all derivatives"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
