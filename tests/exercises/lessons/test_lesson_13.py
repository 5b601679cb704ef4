"""Lesson 13: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def gradient(function, value):
    """The gradient of the sum of a function."""
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(function(x))
    return tape.gradient(y, x)


def reciprocal(*, inside=True, outside=True, sign=1.0):
    def function(x):
        safe = tf.where(x == 0.0, 1.0, x) if inside else x
        return tf.where(x == 0.0, 0.0, sign / safe) if outside else sign / safe

    return both(lambda x: tf.reduce_sum(function(x)), "sum")


def both(function, first="value"):
    def answer(values):
        x = tf.Variable(values)
        with tf.GradientTape() as tape:
            y = function(x)
        return {first: y, "gradient": tape.gradient(y, x)}

    return answer


def naive_sum(x):
    return tf.math.log(tf.reduce_sum(tf.exp(x)))


def sum_without_adding_again(x):
    return tf.math.log(tf.reduce_sum(tf.exp(x - tf.reduce_max(x))))


def yes(z):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(z), logits=z)


def no(z):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(z), logits=-z)


def naive_yes(z):
    return -tf.math.log(tf.sigmoid(z))


def length(w):
    squares = tf.reduce_sum(w * w)
    safe = tf.where(squares > 0.0, squares, 1.0)
    return tf.where(squares > 0.0, tf.sqrt(safe), 0.0)


def length_with(epsilon, w):
    return tf.sqrt(tf.reduce_sum(w * w) + epsilon)


def scaled(by, *, late=False):
    def answer(small):
        x = tf.Variable(1.0, dtype=tf.float16)
        with tf.GradientTape() as tape:
            loss = tf.cast(x * tf.constant(small, tf.float16), tf.float32) * 1e-4 * by
        found = tape.gradient(loss, x)
        if late:
            return tf.cast(found / by, tf.float32)
        return tf.cast(found, tf.float32) / by

    return answer


FORESEEN = [
    ("13.1", reciprocal(), 10, ""),
    ("13.1", reciprocal(inside=False), 3, "the division has seen the zero"),
    ("13.1", reciprocal(outside=False), 7, "choose the result, too"),
    ("13.1", reciprocal(sign=-1.0), 3, "The sign is turned over."),
    ("13.2", both(tf.reduce_logsumexp), 10, ""),
    ("13.2", both(naive_sum), 0, ""),
    ("13.2", both(sum_without_adding_again), 5, "The largest was taken out; add it again."),
    ("13.2", both(sum_without_adding_again), 5, "and so do its derivatives"),
    ("13.3", both(yes, "loss"), 10, ""),
    ("13.3", both(naive_yes, "loss"), 0, ""),
    ("13.3", both(no, "loss"), 0, ""),
    ("13.4", lambda w: gradient(length, w), 10, ""),
    ("13.4", lambda w: gradient(tf.norm, w), 0, "keep the zero out of the root"),
    ("13.4", lambda w: gradient(lambda w: w * w, w), 3, "of the squared length"),
    ("13.4", lambda w: gradient(lambda w: length_with(1e-9, w), w), 10, ""),
    ("13.4", lambda w: gradient(lambda w: length_with(1e-3, w), w), 6, "A large epsilon changes"),
    ("13.5", scaled(16384.0), 10, ""),
    ("13.5", scaled(1.0), 0, "too small for float16"),
    ("13.5", scaled(16384.0, late=True), 0, "too small for float16"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
