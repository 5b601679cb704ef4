"""Lesson 07: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def columns(scaled=(5.0, 5.0), table=(60.0, 60.0), normed=(0.0, 0.0)):
    return lambda: {"scaled": [*scaled], "table": [*table], "normed": [*normed]}


def bias(upstream):
    return {
        "bias": tf.reduce_sum(upstream, 0),
        "column": tf.reduce_sum(upstream, 1, keepdims=True),
        "scalar": tf.reduce_sum(upstream),
    }


def bias_along_the_other_axis(upstream):
    return bias(upstream) | {"bias": tf.reduce_sum(upstream, 1)}


def bias_averaged(upstream):
    return bias(upstream) | {"bias": tf.reduce_mean(upstream, 0), "column": np.sum(upstream, 1)}


def loss(of):
    def answer():
        w = tf.Variable(1.5)
        x = tf.constant([[1.0], [2.0], [3.0]])
        label = tf.constant([2.0, 4.0, 6.0])
        with tf.GradientTape() as tape:
            y = of(w * x, label)
        return tape, y, w

    return answer


def nine(p, label):
    return tf.reduce_mean(tf.square(p - label))


def product(u, a, b):
    u, a, b = map(tf.constant, (u, a, b))
    return {"A": u @ tf.transpose(b), "B": tf.transpose(a) @ u}


def product_without_turning(u, a, b):
    return {"A": np.asarray(u) @ np.asarray(b), "B": np.asarray(a) @ np.asarray(u)}


def product_half(u, a, b):
    return {"A": product(u, a, b)["A"], "B": ...}


def counts(gradient=32 * 784, jacobian=32 * 10 * 32 * 784, batch=32 * 10 * 784, zeros=7_777_280):
    message = {"gradient": gradient, "jacobian": jacobian, "batch_jacobian": batch, "zeros": zeros}
    return lambda: message


FORESEEN = [
    ("07.1", columns(), 10, ""),
    ("07.1", columns(scaled=(5.0, 10.0)), 8, "Those are the values."),
    ("07.1", columns(table=(20.0, 20.0)), 8, "The three contributions of a row add"),
    ("07.1", columns(normed=(1 / 3, 1 / 3)), 8, "The sum in the denominator reacts, too."),
    ("07.1", columns(normed=(2 / 9, 1 / 9)), 8, "add each column"),
    ("07.2", bias, 10, ""),
    ("07.2", bias_along_the_other_axis, 7, "its shape is (columns,)"),
    ("07.2", bias_averaged, 7, "they are not averaged"),
    ("07.2", bias_averaged, 7, "keepdims=True"),
    ("07.3", loss(lambda p, label: tf.reduce_mean(tf.square(p[:, 0] - label))), 10, ""),
    ("07.3", loss(lambda p, label: tf.reduce_mean(tf.square(p - label[:, None]))), 10, ""),
    ("07.3", loss(nine), 0, "nine differences"),
    ("07.3", loss(lambda p, label: tf.reduce_sum(tf.square(p[:, 0] - label))), 5, "their mean"),
    ("07.4", product, 10, ""),
    ("07.4", product_without_turning, 0, "Your code stopped"),
    ("07.4", product_half, 5, "Nothing here yet."),
    ("07.5", counts(), 10, ""),
    ("07.5", counts(gradient=32 * 10 * 784), 8, "as large as its source"),
    ("07.5", counts(jacobian=32 * 10 * 784), 7, "for each of them 32 · 784 inputs"),
    ("07.5", counts(batch=32 * 784), 7, "784 inputs of its own"),
    ("07.5", counts(zeros=0), 8, "31 · 784 numbers of other pictures"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
