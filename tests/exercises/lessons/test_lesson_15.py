"""Lesson 15: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def sizes(**changed):
    right = {"deeper": 84_000, "doubled": 168_000, "batch": 401_408, "weights": 313_600}
    return lambda: right | changed


def kept(**changed):
    right = {"a": "kept", "b": "freed", "c": "kept", "d": "freed", "e": "freed"}
    return lambda: right | changed


def layers(*, wrap, function=tf.sin, blocks=6, numbers=200):
    def ten(h):
        for _ in range(10):
            h = function(h)
        return h

    ten = tf.recompute_grad(ten) if wrap else ten

    def answer():
        x = tf.Variable(tf.fill([numbers], 0.5))
        with tf.GradientTape() as tape:
            h = x
            for _ in range(blocks):
                h = ten(h)
            y = tf.reduce_sum(h)
        return tape, y, x

    return answer


def blocks(two=52, ten=20, fifty=52, best=20):
    return lambda: {"of 2": two, "of 10": ten, "of 50": fifty, "best for 400": best}


FORESEEN = [
    ("15.1", sizes(), 10, ""),
    ("15.1", sizes(deeper=80_000), 7, "The source and 20 results"),
    ("15.1", sizes(doubled=84_000), 8, "A float64 has 8 bytes"),
    ("15.1", sizes(batch=301_056), 7, "four times: the source and three results"),
    ("15.1", sizes(weights=32 * 313_600), 8, "however large the batch is"),
    ("15.2", kept(), 10, ""),
    ("15.2", kept(a="freed"), 8, "as long as somebody has it"),
    ("15.2", kept(b="kept"), 8, "It has answered once"),
    ("15.2", kept(c="freed"), 8, "waits for the question"),
    ("15.2", kept(d="kept"), 8, "A bare number has no history"),
    ("15.2", kept(e="kept"), 8, "No gradient can be taken from it any more."),
    ("15.3", layers(wrap=True), 10, ""),
    ("15.3", layers(wrap=False), 4, ""),
    ("15.3", layers(wrap=False, blocks=1), 8, "the function is another one now"),
    ("15.3", layers(wrap=True, numbers=1000), 2, "it has another shape"),
    ("15.4", blocks(), 10, ""),
    ("15.4", blocks(two=50), 8, "100 / 2 + 2."),
    ("15.4", blocks(ten=10, fifty=2), 6, "100 / 10 + 10."),
    ("15.4", blocks(best=200), 6, "k · k = 400"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
