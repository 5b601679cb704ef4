"""Lesson 06: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def requests(compute, value):
    """What an answer returns that computes y from x on a tape."""

    def answer():
        x = tf.Variable(value)
        with tf.GradientTape() as tape:
            y = compute(x)
        return tape, y, x

    return answer


def saving(rate, *, save=10.0):
    balance = tf.constant(100.0)
    for _ in range(3):
        balance = balance * (1.0 + rate) + save
    return balance


def saving_in_a_box(rate):
    balance = tf.Variable(100.0)
    for _ in range(3):
        balance.assign(balance * (1.0 + rate) + 10.0)
    return 1.0 * balance


def saving_in_a_box_to_the_last(rate):
    balance = tf.Variable(100.0)
    for _ in range(2):
        balance.assign(balance * (1.0 + rate) + 10.0)
    return balance * (1.0 + rate) + 10.0


def podium(ranked):
    weights = tf.constant([1.0, 2.0, 3.0])
    return requests(lambda results: tf.reduce_sum(ranked(results) * weights), [3.0, 1.0, 2.0])


def downwards(results):
    return tf.sort(results, direction="DESCENDING")


def loss(of):
    x = tf.constant([-2.0, -1.0, 1.0, 3.0])
    label = tf.constant([0.0, 1.0, 1.0, 1.0])
    return requests(lambda w: of(tf.sigmoid(w * x), label), 0.5)


def counted(p, label):
    return tf.reduce_mean(tf.cast(tf.equal(tf.round(p), label), tf.float32))


def mean_square(p, label):
    return tf.reduce_mean(tf.square(p - label))


def sum_square(p, label):
    return tf.reduce_sum(tf.square(p - label))


def mean_distance(p, label):
    return tf.reduce_mean(tf.abs(p - label))


def slots(*kept):
    def fill(w):
        powers = (w, w * w, w * w * w)
        return tf.reduce_sum(
            tf.stack([p if at in kept else p.numpy() for at, p in enumerate(powers)])
        )

    return requests(fill, 2.0)


def model(layer, *, weight_first=False):
    def answer(weight):
        class Layer(layer):
            def __init__(self):
                self.weight = tf.Variable(weight)

        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.layer = Layer()
                self.bias = tf.Variable(1.0)

        made = Model()
        with tf.GradientTape() as tape:
            y = tf.square(made.layer.weight * 2.0 + made.bias)
        both = [made.layer.weight, made.bias]
        return tape.gradient(y, both if weight_first else made.trainable_variables)

    return answer


FORESEEN = [
    ("06.1", requests(saving, 0.1), 10, ""),
    ("06.1", requests(saving_in_a_box, 0.1), 0, "No gradient arrives yet."),
    ("06.1", requests(saving_in_a_box_to_the_last, 0.1), 2, "The last year alone"),
    ("06.1", requests(lambda rate: saving(rate, save=0.0), 0.1), 4, "add 10 every year"),
    ("06.1", requests(lambda rate: 395.0 * rate, 0.1), 5, "the function is another one now"),
    ("06.2", podium(tf.sort), 10, ""),
    ("06.2", podium(np.sort), 0, "No gradient arrives yet."),
    ("06.2", podium(lambda results: results), 3, "Nothing is sorted"),
    ("06.2", podium(downwards), 5, "sort the other way"),
    ("06.3", loss(mean_square), 10, ""),
    ("06.3", loss(counted), 0, "No gradient arrives yet."),
    ("06.3", loss(sum_square), 6, "take their mean"),
    ("06.3", loss(mean_distance), 5, "the function is another one now"),
    ("06.4", slots(0, 1, 2), 10, ""),
    ("06.4", slots(), 0, "No gradient arrives yet."),
    ("06.4", slots(1), 2, "w² alone arrives."),
    ("06.4", slots(2), 2, "w³ alone arrives."),
    ("06.4", slots(1, 2), 4, "The first slot does not arrive yet."),
    ("06.5", model(tf.Module), 10, ""),
    ("06.5", model(object), 0, "Only the bias is found."),
    ("06.5", model(object, weight_first=True), 8, "keep the order of the model"),
    ("06.5", lambda weight: (14.0, 28.0), 0, ""),
    ("06.5", lambda weight: (28.0, 14.0), 0, "keep the order of the model"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
