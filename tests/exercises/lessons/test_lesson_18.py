"""Lesson 18: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def after(rounds, w, x):
    z, derivative = 0.0, 0.0
    for _ in range(rounds):
        new = float(np.tanh(w * z + x))
        z, derivative = new, (1 - new**2) * (z + w * derivative)
    return z, derivative


def along(z, w, x):
    """The derivatives of one step, along w and along z."""
    return (1 - np.tanh(w * z + x) ** 2) * z, (1 - np.tanh(w * z + x) ** 2) * w


def root(rule, *, on_the_tape=False):
    def heron(a):
        z = tf.ones_like(a)
        for _ in range(20):
            z = (z + a / z) / 2.0
        return z if on_the_tape else (z, lambda upstream: rule(upstream, z, a))

    def answer():
        a = tf.Variable(9.0)
        with tf.GradientTape() as tape:
            y = 10.0 * (heron(a) if on_the_tape else tf.custom_gradient(heron)(a))
        return tape, y, a

    return answer


def enough(**changed):
    return lambda: {"count": "no", "loose": 0.0, "exact": "no", "same size": "yes"} | changed


def search(*, rounds=40, add=True, transposed=True):
    def answer(z, w, b, upstream):
        upstream = g = np.array(upstream)
        jacobian = np.array(w) * (1 - np.tanh(np.array(z) @ w + b) ** 2)
        for _ in range(rounds):
            g = add * upstream + g @ (jacobian.T if transposed else jacobian)
        return g

    return answer


FORESEEN = [
    ("18.1", lambda n, w, x: after(n, w, x)[1], 10, ""),
    ("18.1", lambda n, w, x: after(n, w, x)[0], 0, "Ask for its derivative."),
    ("18.1", lambda n, w, x: after(n + 1, w, x)[1], 5, "One round too many."),
    ("18.2", lambda *at: along(*at)[0] / (1 - along(*at)[1]), 10, ""),
    ("18.2", lambda *at: along(*at)[0], 4, "z reacts to w, too"),
    ("18.2", lambda *at: along(*at)[0] / (1 + along(*at)[1]), 6, "1 minus the derivative along z"),
    ("18.2", lambda *at: along(*at)[0] + along(*at)[1], 2, "The two are not added."),
    ("18.3", root(lambda upstream, z, a: upstream / (2.0 * z)), 10, ""),
    ("18.3", root(None, on_the_tape=True), 6, ""),
    ("18.3", root(lambda upstream, z, a: 1.0 / (2.0 * z)), 7, "The upstream is missing"),
    ("18.3", root(lambda upstream, z, a: upstream), 6, "goes on unchanged"),
    ("18.3", root(lambda upstream, z, a: upstream / (2.0 * a)), 7, "not by 2a"),
    ("18.3", root(lambda upstream, z, a: upstream * 2.0 * z), 7, "you multiply"),
    ("18.4", enough(), 10, ""),
    ("18.4", enough(count="yes"), 8, "decisions have no derivative"),
    ("18.4", enough(loose=0.29), 7, "w is multiplied with 0"),
    ("18.4", enough(exact="yes"), 7, "as good as the answer"),
    ("18.4", enough(**{"same size": "no"}), 8, "there is one step on it"),
    ("18.5", search(), 10, ""),
    ("18.5", search(rounds=1), 5, "That is one round."),
    ("18.5", search(rounds=0), 1, "Where is Jᵀ g?"),
    ("18.5", search(add=False), 4, "add it again"),
    ("18.5", search(transposed=False), 5, "J must be transposed"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
