"""Lesson 11: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def valves(a=(4.0, None), b=(4.0, 1.0), c=(0.0, 4.0), d=(4.0, 1.0)):
    return lambda: {"a": a, "b": b, "c": c, "d": d}


def both(function, value):
    """Value and derivative of a function."""
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = function(x)
    return {"value": y, "slope": tape.gradient(y, x)}


def on_tape(function):
    """An answer that leaves the question to the judge."""

    def answer(value):
        w = tf.Variable(value)
        with tf.GradientTape() as tape:
            rounded = function(w)
        return tape, rounded, w

    return answer


def straight(w):
    return w + tf.stop_gradient(tf.round(w) - w)


def straight_twice(w):
    return straight(w) + w - tf.stop_gradient(w)


def ruled(forward, derivative):
    """A function with a value and a derivative of one's own."""

    @tf.custom_gradient
    def function(x):
        return forward(x), lambda upstream: upstream * derivative(x)

    return lambda value: both(function, value)


def softplus(x):
    return tf.maximum(x, 0.0) + tf.math.log(1.0 + tf.exp(-tf.abs(x)))


def overflowing(x):
    return tf.math.log(1.0 + tf.exp(x))


def rising(x):
    return 1.0 - 1.0 / (1.0 + tf.exp(x))


def cubed(rule):
    @tf.custom_gradient
    def function(x):
        return x * x * x, lambda upstream: rule(upstream, 3.0 * x * x)

    return lambda value: both(lambda x: 10.0 * function(x), value)["slope"]


def clipped(rule, *, forward=tf.identity):
    @tf.custom_gradient
    def function(x):
        return forward(x), rule

    def answer(values, weights):
        return both(lambda x: tf.reduce_sum(function(x) * tf.constant(weights)), values)

    return answer


def within_one(tensor):
    return tf.clip_by_value(tensor, -1.0, 1.0)


def above_zero(tensor):
    return tf.clip_by_value(tensor, 0.0, 1.0)


def of_length_one(tensor):
    return tensor / tf.norm(tensor)


FORESEEN = [
    ("11.1", valves(), 10, ""),
    ("11.1", valves(a=(4.0, 0.0)), 8, "Both ways are shut"),
    ("11.1", valves(b=(2.0, 1.0)), 9, "A valve never changes a value."),
    ("11.1", valves(b=(4.0, 2.0)), 9, "One of two ways is open"),
    ("11.1", valves(c=(0.0, 0.0)), 8, "the second is shut"),
    ("11.1", valves(d=(4.0, 4.0)), 9, "what is open is the x at the end"),
    ("11.2", on_tape(straight), 10, ""),
    ("11.2", on_tape(tf.identity), 7, "It is not rounded"),
    ("11.2", on_tape(straight_twice), 6, "Two ways are open."),
    ("11.2", on_tape(tf.round), 4, ""),
    ("11.2", lambda w: (None, np.round(w), 1.0), 4, "Return a tape, a target and a source"),
    ("11.3", ruled(softplus, rising), 10, ""),
    ("11.3", ruled(overflowing, rising), 6, ""),
    ("11.3", ruled(softplus, lambda x: 1.0 - rising(x)), 6, "Turned over"),
    ("11.3", ruled(softplus, lambda x: 0.0), 4, "The rule still returns 0."),
    ("11.3", lambda x: both(overflowing, x), 0, ""),
    ("11.4", cubed(lambda upstream, derivative: upstream * derivative), 10, ""),
    ("11.4", cubed(lambda upstream, derivative: derivative), 0, "where is the upstream"),
    ("11.4", cubed(lambda upstream, derivative: upstream + derivative), 3, "are multiplied"),
    ("11.4", cubed(lambda upstream, derivative: upstream), 0, "The upstream alone"),
    ("11.5", clipped(within_one), 10, ""),
    ("11.5", clipped(tf.identity), 3, "Everything comes through."),
    ("11.5", clipped(above_zero), 7, "Down to −1, not to 0."),
    ("11.5", clipped(of_length_one), 6, "That shortens the whole vector"),
    ("11.5", clipped(within_one, forward=within_one), 7, "Clip in the backward pass alone."),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
