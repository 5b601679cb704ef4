"""Lesson 03: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find

BY_HAND = {"v": 16.0, "u": 16.0, "b": 32.0, "a": 64.0}
STEPS = {"from sin": 1.0, "from multiply": 4.0, "at x": 5.0}


def rules(g, a, b):
    g, a, b = tf.constant(g), tf.constant(a), tf.constant(b)
    return {"sin": g * tf.cos(a), "multiply": (g * b, g * a), "divide": (g / b, -g * a / (b * b))}


def without_upstream(g, a, b):
    return rules(g * 0.0 + 1.0, a, b)


def swapped(g, a, b):
    return {**rules(g, a, b), "multiply": rules(g, b, a)["multiply"]}


def without_minus(g, a, b):
    first, second = rules(g, a, b)["divide"]
    return {**rules(g, a, b), "divide": (first, -second)}


def sin_for_cos(g, a, b):
    return {**rules(g, a, b), "sin": g * tf.sin(tf.constant(a))}


def walk(*, add, off_path):
    """A backward pass that adds or overwrites, and gives 0 or 1 to what lies off the path."""

    def backward(records, target):
        gradients = {target: 1.0}
        for output, inputs in reversed(records):
            upstream = gradients.get(output, off_path)
            for name, local in inputs:
                so_far = gradients.get(name, 0.0) if add else 0.0
                gradients[name] = so_far + upstream * local
        return gradients

    return backward


def crashing_off_the_path(records, target):
    gradients = {target: 1.0}
    for output, inputs in reversed(records):
        for name, local in inputs:
            gradients[name] = gradients.get(name, 0.0) + gradients[output] * local
    return gradients


def only_the_start(records, target):
    return {target: 1.0}


FORESEEN = [
    ("03.1", lambda: BY_HAND, 10, ""),
    ("03.1", lambda: {**BY_HAND, "a": 48.0}, 7, "That is the path through u alone"),
    ("03.1", lambda: {**BY_HAND, "a": 16.0}, 7, "That is the path through v = u + a alone"),
    ("03.1", lambda: {**BY_HAND, "v": 8.0}, 9, "v is used twice"),
    ("03.1", lambda: {**BY_HAND, "b": 48.0}, 8, "The local derivative along b is a."),
    ("03.2", lambda: ["add", "sin", "multiply", "exp"], 10, ""),
    ("03.2", lambda: ["add", "exp", "sin", "multiply"], 6, "What ran last comes back first"),
    ("03.2", lambda: ["exp", "multiply", "sin", "add"], 0, "What ran last comes back first"),
    ("03.2", lambda: "add, sin, multiply, exp", 0, "A str is not a number or a tensor."),
    ("03.3", lambda: STEPS, 10, ""),
    ("03.3", lambda: {**STEPS, "at x": 4.0}, 7, "The second contribution replaced the first."),
    ("03.3", lambda: {**STEPS, "from sin": 0.0}, 7, "the local derivative is cos(0) = 1"),
    ("03.4", rules, 10, ""),
    ("03.4", without_upstream, 4, "Multiply by upstream."),
    ("03.4", swapped, 8, "Swapped: when a grows"),
    ("03.4", without_minus, 9, "Almost: when b grows, a ÷ b falls."),
    ("03.4", sin_for_cos, 7, "The derivative of sin is cos."),
    ("03.5", walk(add=True, off_path=0.0), 10, ""),
    ("03.5", walk(add=False, off_path=0.0), 5, "The contribution that came second replaced"),
    ("03.5", walk(add=True, off_path=1.0), 9, "`aside` has no part in z"),
    ("03.5", crashing_off_the_path, 9, "KeyError: 'aside'"),
    ("03.5", only_the_start, 0, "The entry 'x' is missing."),
]
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
