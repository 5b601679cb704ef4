"""Lesson 17: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def scores(steepness, between):
    return tf.reduce_sum(steepness * tf.reduce_sum(between * between, axis=1))


def in_between(*, watch):
    def answer():
        steepness = tf.Variable(0.5)
        real, forged = tf.constant([[3.0, 0.0], [0.0, 1.0]]), tf.constant([[1.0, 2.0], [0.0, -3.0]])
        between = 0.5 * real + 0.5 * forged
        with tf.GradientTape() as tape:
            if watch:
                tape.watch(between)
            score = scores(steepness, between)
        return tape, score, between

    return answer


def lengths(gradients):
    return np.linalg.norm(gradients, axis=1)


def down(*, watch=True, inside=True, reduce=tf.reduce_mean):
    def answer():
        steepness, between = tf.Variable(0.5), tf.constant([[2.0, 1.0], [0.0, -1.0]])
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                if watch:
                    inner.watch(between)
                score = scores(steepness, between)
            if inside:
                gradient = inner.gradient(score, between)
                penalty = reduce(tf.square(tf.norm(gradient, axis=1) - 1.0))
        if not inside:
            gradient = inner.gradient(score, between)
            penalty = reduce(tf.square(tf.norm(gradient, axis=1) - 1.0))
        return outer, penalty, steepness

    return answer


def demo(score=tf.reduce_sum, *, norm=tf.norm, upright=True):
    def answer():
        steepness = tf.Variable(0.5)
        real, forged = tf.constant([[1.0, 0.0], [0.0, 3.0]]), tf.constant([[3.0, 2.0], [-4.0, 1.0]])
        between = 0.5 * real + 0.5 * forged
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(between)
                summed = score(steepness * tf.reduce_sum(between * between, axis=1))
            lengths = norm(inner.gradient(summed, between), axis=1)
            penalty = tf.reduce_mean(tf.square(lengths - 1.0))
            gap = (scores(steepness, real) - scores(steepness, forged)) / 2.0
            loss = 10.0 * penalty - (gap if upright else -gap)
        return outer, loss, steepness

    return answer


BY_NUMPY = np.linalg.norm


def who(**changed):
    right = {"forger": "yes", "critic": "yes", "noise": "no", "from the critic": "no"}
    return lambda: right | changed


FORESEEN = [
    ("17.1", in_between(watch=True), 10, ""),
    ("17.1", in_between(watch=False), 0, "No gradient arrives yet."),
    ("17.2", lambda g: np.mean((lengths(g) - 1) ** 2), 10, ""),
    ("17.2", lambda g: np.mean((lengths(g) ** 2 - 1) ** 2), 5, "The root is missing"),
    ("17.2", lambda g: (np.linalg.norm(g) - 1) ** 2, 3, "Each point has its own."),
    ("17.2", lambda g: np.sum((lengths(g) - 1) ** 2), 6, "The sum; take the mean."),
    ("17.2", lambda g: np.mean((np.asarray(g) - 1) ** 2), 2, "and not each number"),
    ("17.3", down(), 10, ""),
    ("17.3", down(inside=False), 0, "No gradient arrives yet."),
    ("17.3", down(watch=False), 0, "Your code stopped"),
    ("17.3", down(reduce=tf.reduce_sum), 6, "take their mean"),
    ("17.4", demo(), 10, ""),
    ("17.4", demo(tf.reduce_mean, norm=BY_NUMPY, upright=False), 0, "all three faults"),
    ("17.4", demo(norm=BY_NUMPY, upright=False), 0, "all three faults"),
    ("17.4", demo(norm=BY_NUMPY), 3, "its lengths come from NumPy"),
    ("17.4", demo(tf.reduce_mean, upright=False), 4, "The gap is what real points have more"),
    ("17.4", demo(upright=False), 7, "The gap is what real points have more"),
    ("17.4", demo(score=tf.reduce_mean), 7, "ask for the sum of the scores"),
    ("17.5", who(), 10, ""),
    ("17.5", who(forger="no"), 8, "and so does the backward pass"),
    ("17.5", who(critic="no"), 7, "Only no call asks for them here."),
    ("17.5", who(noise="yes"), 8, "A plain tensor is not watched."),
    ("17.5", who(**{"from the critic": "yes"}), 7, "before the outer tape opens"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
