"""Lesson 09: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def bowl(x):
    return tf.square(x[0]) + 3.0 * tf.square(x[1]) + x[0] * x[1]


def along(place, direction, *, unit=False):
    place, direction = tf.constant(place), tf.constant(direction)
    direction = direction / tf.norm(direction) if unit else direction
    with tf.autodiff.ForwardAccumulator(place, direction) as accumulator:
        height = bowl(place)
    return accumulator.jvp(height)


def whole_gradient(place, _):
    place = tf.constant(place)
    with tf.GradientTape() as tape:
        tape.watch(place)
        height = bowl(place)
    return tape.gradient(height, place)


def directions(loss=("reverse", 1), arm=("forward", 2), weather=("reverse", 5)):
    return lambda: {"loss": loss, "arm": arm, "weather": weather}


def machine(x):
    a = x[0] * x[1]
    b = tf.sin(x[1]) + x[2]
    return tf.stack([a * b, a + b])


def table(place, *, columns_along=1):
    place = tf.constant(place)
    with tf.GradientTape() as tape:
        tape.watch(place)
        y = machine(place)
    rows = tape.jacobian(y, place)
    return {"columns": rows if columns_along else tf.transpose(rows), "rows": rows}


def both(f, rule, u, v, x, h=0.01):
    nudged = (f(x + h * v) - f(x - h * v)) / (2 * h)
    return tf.reduce_sum(u * nudged), tf.reduce_sum(u * rule(x) * v)


def dot_products(liar="cubes"):
    def answer(x, u, v):
        x, u, v = tf.constant(x), tf.constant(u), tf.constant(v)
        cubes = both(lambda x: x**3, lambda x: 3.0 * x, u, v, x)
        return {"liar": liar, "waves": both(tf.sin, tf.cos, u, v, x), "cubes": cubes}

    return answer


NOT_YET = {"waves": (..., ...), "cubes": (..., ...)}
KNOWN = {name: tuple(map(float, both)) for name, both in
         dot_products()([0.5, 2.0], [1.0, -1.0], [0.2, 0.7]).items() if name != "liar"}  # fmt: skip
"""What comes out at the place that a learner sees."""

FORESEEN = [
    ("09.1", along, 10, ""),
    ("09.1", lambda place, v: along(place, v, unit=True), 6, "take the direction as it is"),
    ("09.1", whole_gradient, 2, "That is the whole gradient"),
    ("09.1", lambda place, _: bowl(tf.constant(place)), 0, ""),
    ("09.2", directions(), 10, ""),
    ("09.2", directions(loss=("forward", 1_000_000)), 7, "one sweep back gives the only row"),
    ("09.2", directions(arm=("reverse", 1000)), 7, "two sweeps forward give both columns"),
    ("09.2", directions(weather=("forward", 12)), 6, "5 rows are fewer than 12 columns"),
    ("09.2", directions(weather=("reverse", 12)), 9, "Five rows, five sweeps."),
    ("09.3", table, 10, ""),
    ("09.3", lambda place: table(place, columns_along=0), 7, "a row for each output"),
    ("09.3", lambda place: {"columns": ..., "rows": table(place)["rows"]}, 5, "Nothing here"),
    ("09.4", dot_products(), 10, ""),
    ("09.4", dot_products(liar="waves"), 7, "the rule of `cubes` says 3x"),
    ("09.4", lambda x, u, v: {**NOT_YET, "liar": "cubes"}, 3, ""),
    ("09.4", lambda x, u, v: {**KNOWN, "liar": "cubes"}, 3, ""),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
