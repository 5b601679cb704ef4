"""A gradient is held against finite differences, at points that the learner cannot know."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises.check import Slip
from tapelab.exercises.gradients import agrees, numerical_gradient
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.verdict import outcome


def reference(x, w):
    return np.sin(x) @ w


SHAPES = ((2, 3), (3,))
ALONG_W = agrees(
    "along w", 4, reference, SHAPES, along=1,
    slips=(Slip(lambda x, w: np.cos(x).sum(0), "That is cos.", 1),),
)  # fmt: skip
OWN = agrees("own", 4, ("value",), ((3,),), where=("gradient",))


def along_w(x, w):
    w = tf.Variable(w)
    with tf.GradientTape() as tape:
        y = tf.linalg.matvec(tf.sin(x), w)
    return tape.gradient(y, w)


@pytest.mark.parametrize("along", [0, 1])
def test_the_derivative_from_five_points_is_accurate_to_many_digits(along):
    x, w = np.array([[0.3, -1.0, 2.0]]), np.array([1.0, -2.0, 0.5])
    right = (np.cos(x) * w, np.sin(x)[0])[along]
    assert np.allclose(numerical_gradient(reference, [x, w], along), right, atol=1e-8)


def test_a_right_gradient_earns_all_points(found):
    assert found(ALONG_W, along_w).points == 4
    assert found(ALONG_W, lambda x, w: along_w(x, w).numpy().tolist()).points == 4


@pytest.mark.parametrize(
    ("answer", "points", "text"),
    [
        (lambda x, w: -along_w(x, w), 2, "The sign is the wrong way round."),
        (lambda x, w: tf.reduce_sum(tf.cos(x), 0), 1, "That is cos."),
        (lambda x, w: 2.0 * along_w(x, w), 0, ""),
        (lambda x, w: tf.sin(x), 0,
         "A gradient has the shape of its source, (3,); this one has (2, 3)."),
    ],
)  # fmt: skip
def test_a_wrong_gradient_is_reported_apart(found, answer, points, text):
    wrong = found(ALONG_W, answer)
    assert (wrong.points, wrong.text) == (points, text)


def test_a_function_can_be_held_against_its_own_values(found):
    def answer(x, factor=2.0):
        return {"value": x * x * x, "gradient": 3.0 * x * x if factor else x}

    assert found(OWN, answer).points == 4
    assert found(OWN, lambda x: answer(x, 0.0)).points == 0


def test_points_are_drawn_from_the_seed_of_the_judge():
    seen = []

    def answer(x, w):
        seen.append(float(x[0, 0]))
        return along_w(x, w)

    for seed in (1, 1, 2):
        outcome(ALONG_W, LocalAnswer(answer, seed=seed))
    first, again, other = seen[:3], seen[3:6], seen[6:]
    assert first == again
    assert not set(first) & set(other)
