"""Lesson 14: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def arrives(sigmoid=0.25**10, tanh=1.0, relu=1.0, residual=1.1**10):
    return lambda: {"sigmoid": sigmoid, "tanh": tanh, "relu": relu, "residual": residual}


def chain(layer, *, once=0.0):
    def answer(value, layers):
        x = tf.Variable(value)
        with tf.GradientTape() as tape:
            h = x
            for _ in range(layers):
                h = layer(h)
            y = h + once * x
        return tape.gradient(y, x)

    return answer


def together(first, second, longest):
    shortened, _ = tf.clip_by_global_norm([tf.constant(first), tf.constant(second)], longest)
    return {"first": shortened[0], "second": shortened[1]}


def each_alone(first, second, longest):
    return {
        "first": tf.clip_by_norm(tf.constant(first), longest),
        "second": tf.clip_by_norm(tf.constant(second), longest),
    }


def number_by_number(first, second, longest):
    return {
        "first": np.clip(first, -longest, longest),
        "second": together(first, second, longest)["second"],
    }


def always(first, second, longest):
    length = np.sqrt(np.sum(np.square(first)) + np.sum(np.square(second)))
    return {
        "first": np.asarray(first) * longest / length,
        "second": np.asarray(second) * longest / length,
    }


def dead(inputs):
    return tf.reduce_sum(tf.cast(tf.reduce_all(tf.constant(inputs) <= 0.0, axis=0), tf.int32))


def closed_below(inputs):
    return int(np.sum(np.all(np.asarray(inputs) < 0, 0)))


def closed_for_some(inputs):
    return int(np.sum(np.any(np.asarray(inputs) <= 0, 0)))


def closed_examples(inputs):
    return int(np.sum(np.all(np.asarray(inputs) <= 0, 1)))


FORESEEN = [
    ("14.1", arrives(), 10, ""),
    ("14.1", arrives(sigmoid=0.025), 7, "the derivatives are multiplied, ten times"),
    ("14.1", arrives(sigmoid=0.25), 7, "That is one layer; there are ten."),
    ("14.1", arrives(sigmoid=2.5), 6, "multiplied, not added"),
    ("14.1", arrives(residual=2.0), 9, "each layer has the factor 1.1"),
    ("14.1", arrives(residual=1e-10), 8, "The way around is missing"),
    ("14.2", lambda width: 1 / width**0.5, 10, ""),
    ("14.2", lambda width: 1 / width, 4, "The root is missing"),
    ("14.2", lambda width: width**0.5, 3, "wide layers need small weights"),
    ("14.2", lambda width: 0.1, 0, "for 100 neurons alone"),
    ("14.3", chain(lambda h: h + tf.sigmoid(h)), 10, ""),
    ("14.3", chain(tf.sigmoid), 0, "Nothing goes around yet."),
    ("14.3", chain(tf.sigmoid, once=1.0), 4, "give each layer one of its own"),
    ("14.4", together, 10, ""),
    ("14.4", each_alone, 4, "then one of both turns against the other"),
    ("14.4", number_by_number, 6, "that changes the direction"),
    ("14.4", always, 3, "What is short enough stays as it is."),
    ("14.5", dead, 10, ""),
    ("14.5", closed_below, 7, "A unit whose input is exactly 0"),
    ("14.5", closed_for_some, 3, "Closed for some examples is no harm"),
    ("14.5", closed_examples, 4, "the other axis"),
    ("14.5", lambda inputs: int(np.sum(np.asarray(inputs) <= 0)), 2, "Count units"),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
