"""Lesson 00: the wrong answers one can foresee, each with its points and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.registry import find


def frost(row):
    row = tf.constant(row)
    first = tf.tensor_scatter_nd_update(row, [[0]], [0.0])
    return {"mask": tf.where(row < 0.0, 0.0, row), "first": first}


def frost_the_other_way_round(row):
    row = tf.constant(row)
    return {"mask": tf.where(row < 0.0, row, 0.0), "first": row[1:]}


def frost_made_a_tensor_and_lost_it(row):
    row = tf.constant(row)
    tf.tensor_scatter_nd_update(row, [[0]], [0.0])
    return {"mask": tf.abs(row), "first": row}


def picked(scores, labels):
    last = tf.gather(scores, [3, 2])
    return {"last two": last, "right": tf.gather(scores, labels, batch_dims=1)}


def picked_by_places(scores, labels):
    places = tf.stack([tf.range(4), tf.constant(labels)], axis=1)
    return {"last two": tf.constant(scores)[:-3:-1], "right": tf.gather_nd(scores, places)}


def picked_as_in_numpy(scores, labels):
    right = tf.gather(scores, labels, axis=1)
    return {"last two": tf.constant(scores)[2:], "right": right}


def picked_the_winners(scores, _):
    return {"last two": tf.gather(scores, [1, 0]), "right": tf.reduce_max(scores, axis=1)}


def fall(start, speed, *, steps=3, up=False):
    position = tf.Variable(start)
    for _ in range(steps):
        position.assign_add(speed if up else -speed)
    return position, position


def name_taken_away(start, speed):
    position = box = tf.Variable(start)
    for _ in range(3):
        position = position - speed
    return box, position


def baskets(rows):
    rows = tf.ragged.constant(rows)
    return {"means": tf.reduce_mean(rows, axis=1), "mean": tf.reduce_mean(rows.values)}


def baskets_mean_of_means(rows):
    rows = tf.ragged.constant(rows)
    means = tf.reduce_mean(rows, axis=1)
    return {"means": tf.reduce_sum(rows, axis=1), "mean": tf.reduce_mean(means)}


def shares(votes):
    votes = tf.cast(votes, tf.float32)
    return votes / tf.reduce_sum(votes)


FORESEEN = [
    ("00.1", frost, 10, ""),
    ("00.1", lambda row: {"mask": np.maximum(row, 0), "first": [0.0, *row[1:]]}, 10, ""),
    ("00.1", frost_the_other_way_round, 3, "takes `a` where it is true"),
    ("00.1", frost_the_other_way_round, 3, "The first temperature is gone"),
    ("00.1", frost_made_a_tensor_and_lost_it, 1, "`tensor_scatter_nd_update` makes a new"),
    ("00.1", frost_made_a_tensor_and_lost_it, 1, "−3 degrees became 3"),
    ("00.2", picked, 10, ""),
    ("00.2", picked_by_places, 10, ""),
    ("00.2", picked_as_in_numpy, 4, "Each row has one of its own."),
    ("00.2", picked_as_in_numpy, 4, "The last one comes first."),
    ("00.2", picked_the_winners, 2, "whichever class it belongs to"),
    ("00.3", fall, 10, ""),
    ("00.3", name_taken_away, 0, "The box has not moved"),
    ("00.3", name_taken_away, 0, "`position` means a tensor by now"),
    ("00.3", lambda start, speed: fall(start, speed, steps=1), 4, "one step of three"),
    ("00.3", lambda start, speed: fall(start, speed, up=True), 5, "The box moves up."),
    ("00.3", lambda start, speed: (start, True), 0, "The box has not moved"),
    ("00.3", lambda start, speed: (4.0, 4.0), 0, ""),
    ("00.4", baskets, 10, ""),
    ("00.4", baskets_mean_of_means, 4, "a thing in a small basket counts for more"),
    ("00.4", baskets_mean_of_means, 4, "divide by how much is in each basket"),
    ("00.4", lambda rows: {"means": tf.constant(rows), "mean": ...}, 0, "ValueError"),
    ("00.5", shares, 10, ""),
    ("00.5", lambda votes: votes / tf.reduce_sum(votes), 8, "the dtype is not"),
    ("00.5", lambda votes: votes // tf.reduce_sum(votes), 2, "Cast before you divide."),
    ("00.5", lambda votes: 100 * shares(votes), 3, "Those are percents."),
]  # fmt: skip
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "points", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, points, said):
    verdict = judge(find(number), answer)
    assert verdict.points == points
    assert any(said in each.outcome.text for each in verdict.judged)
