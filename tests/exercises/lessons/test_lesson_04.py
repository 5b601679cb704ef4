"""Lesson 04: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def photo(*watched):
    def answer():
        contrast = tf.constant(1.5)
        photo = tf.constant([0.25, 0.5, 1.0])
        with tf.GradientTape() as tape:
            for name in watched:
                tape.watch({"contrast": contrast, "photo": photo}[name])
            bright = contrast * photo
            brightness = tf.reduce_sum(bright * bright)
        return tape, brightness, contrast

    return answer


def frozen(*, trunk, head):
    def answer():
        tensors = (
            tf.Variable(2.0, trainable=trunk, name="trunk"),
            tf.Variable(5.0, trainable=head, name="head"),
        )
        with tf.GradientTape() as tape:
            y = tensors[1] * tf.square(tensors[0])
        return tape, y, tensors[1]

    return answer


def middle(*, guess, also=()):
    def answer():
        values = {"first": 2.0, "second": 3.0, "third": 5.0}
        layers = [tf.Variable(value, name=name) for name, value in values.items()]
        x = tf.constant(1.5)
        with tf.GradientTape(watch_accessed_variables=guess) as tape:
            tape.watch([layers[1], *(layers[at] for at in also)])
            y = layers[2] * (layers[1] * (layers[0] * x))
        return tape, y, layers[1]

    return answer


def cube(*, watch, plus=True):
    def answer():
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            if watch == "early":
                tape.watch(x)
            y = x * x * x
            if watch == "late":
                tape.watch(x)
            y = y + x if plus else y
        return tape, y, x

    return answer


def two_tapes(**changed):
    right = {"one c": 64.0, "two c": None, "two square": 16.0, "one v": 16.0, "two v": 16.0}
    message = right | {name.replace("_", " "): guess for name, guess in changed.items()}
    return lambda: {
        f"{name.split()[0]}.gradient(y, {name.split()[1]})": guess
        for name, guess in message.items()
    }


FORESEEN = [
    ("04.1", photo("contrast"), 10, ""),
    ("04.1", photo(), 0, "No gradient arrives yet."),
    ("04.1", photo("photo"), 0, "`contrast` is not watched."),
    ("04.1", photo("contrast", "photo"), 8, "`photo` need not be watched."),
    ("04.2", frozen(trunk=False, head=True), 10, ""),
    ("04.2", frozen(trunk=True, head=True), 7, "`trunk` need not be watched."),
    ("04.2", frozen(trunk=True, head=False), 0, "`head` is not watched."),
    ("04.3", middle(guess=False), 10, ""),
    ("04.3", middle(guess=True), 5, "`first` and `third` need not be watched."),
    ("04.3", middle(guess=False, also=[2]), 8, "`third` need not be watched."),
    ("04.3", lambda: 15.0, 0, "Return a tuple of values; this is a float."),
    ("04.4", cube(watch="early"), 10, ""),
    ("04.4", cube(watch="late"), 2, "the cube ran before the watch"),
    ("04.4", cube(watch="early", plus=False), 4, "`y` is the cube plus x"),
    ("04.4", cube(watch="never"), 0, "No gradient arrives yet."),
    ("04.5", two_tapes(), 10, ""),
    ("04.5", two_tapes(two_c=0.0), 8, "Tape two does not watch c"),
    ("04.5", two_tapes(two_square=8.0), 8, "with the derivative 2 · square · v"),
    ("04.5", two_tapes(one_c=32.0, two_v=None), 6, "both follow it"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
