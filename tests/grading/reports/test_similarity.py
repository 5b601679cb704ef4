"""Submissions are alike by the shape of their code and their ops, whatever things are called."""

from __future__ import annotations

import csv
import json
import re

import pytest

import tapelab as tf
from tapelab.grading.reports.similarity import (
    NOTE,
    Features,
    features_of,
    similar_pairs,
    similarity_page,
    to_csv,
    to_json,
)
from tapelab.recording import to_bytes

GIVEN = '''
import tapelab as tf
import numpy as np

@exercise("03.1")
def slope(x):
    """Return the slope of a parabola at x, and the parabola itself as a second value."""
    with tf.GradientTape() as tape:
        ...
'''
ADA = """
%matplotlib inline
def slope(x):
    total = tf.constant(0.0)
    for step in range(7):
        total = total + tf.sin(x) ** step / (1.0 + step)
    return [total * 2.0, tf.reduce_mean(total, axis=-1) - 3.0]
"""
RENAMED = '''
def steigung(wert: float) -> list:
    """Another word."""
    summe = tf.constant(0.0)   # a comment
    for i in range(7):
        summe = summe + tf.sin(wert) ** i / \\
            (1.0 + i)

    return [summe * 2.0,
            tf.reduce_mean(summe, axis=-1) - 3.0]
'''
OTHER = """
def slope(x):
    powers = tf.range(7, dtype=tf.float32)
    terms = tf.pow(tf.sin(x), powers) / (powers + 1.0)
    return tf.reduce_sum(terms) * 2.0, {"mean": tf.math.cumsum(terms)[-1] - 3.0}
"""


def pairs_of(given=None, **cells):
    found = {name: features_of(texts, ()) for name, texts in cells.items()}
    return similar_pairs(found, given)


def test_renaming_and_layout_change_nothing():
    (pair,) = pairs_of(ada=[ADA], bob=[RENAMED])
    assert pair.code == 1.0
    assert pair.places[0].first == (1, 3)


def test_another_way_to_write_it_is_not_alike():
    assert pairs_of(ada=[ADA], bob=[OTHER]) == ()


def test_what_everybody_began_with_does_not_count():
    given = features_of([GIVEN], ())
    assert pairs_of(ada=[GIVEN, ADA], bob=[GIVEN, OTHER])
    assert pairs_of(given, ada=[GIVEN, ADA], bob=[GIVEN, OTHER]) == ()


def test_what_half_of_a_class_has_does_not_count():
    crowd = {f"s{number}": [ADA] for number in range(8)}
    assert pairs_of(**crowd) == ()
    few = {f"s{number}": [ADA] if number < 2 else [f"x = {number}"] for number in range(8)}
    assert [(pair.first, pair.second) for pair in pairs_of(**few)] == [("s0", "s1")]


def test_the_most_alike_come_first_and_little_in_common_can_be_left_out():
    found = {"ada": features_of([ADA], ()), "bob": features_of([RENAMED], ()),
             "eve": features_of([OTHER, ADA], ()), "zoe": features_of(["x = 1"], ())}  # fmt: skip
    pairs = similar_pairs(found)
    assert [(p.first, p.second) for p in pairs] == [("ada", "bob"), ("ada", "eve"), ("bob", "eve")]
    assert len(similar_pairs(found, least=0.99)) == 1


def test_ops_are_compared_by_name_and_shape_not_by_value_or_name():
    def tape(value, name):
        x = tf.Variable([value, 2.0], name=name)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(tf.sin(x) * x) + x)
        return to_bytes(tape.recording(y, x))

    one, two = (features_of([ADA], [tape(v, n)]) for v, n in ((1.0, "a"), (7.0, "b")))
    (pair,) = similar_pairs({"ada": one, "bob": two})
    assert len(one.ops) == 2
    assert pair.ops == 1.0


def test_without_a_recording_nothing_is_said_of_ops():
    assert pairs_of(ada=[ADA], bob=[RENAMED])[0].ops is None


@pytest.mark.parametrize(
    "source",
    [
        "def",
        "x = '\\d' + \"\\d\"",
        "x = 0x" + "f" * 9000,
        "-" * 9000 + "1",
        "(" * 999,
        "\0",
        "",
        "%%js\nx",
    ],
)
def test_no_cell_stops_the_report(source):
    assert isinstance(features_of([source, ADA], [b"no recording"]), Features)


def test_it_is_reported_with_care():
    pairs = pairs_of(ada=[ADA], bob=[RENAMED])
    page = similarity_page("Sums", pairs)
    for text in (page, to_json(pairs), to_csv(pairs), NOTE):
        assert not re.search(r"cheat|plagiar|copied|suspici|dishonest|fraud", text, re.IGNORECASE)
    assert "Read both before you draw a conclusion." in page
    assert json.loads(to_json(pairs))["pairs"][0]["places"][0]["first"] == [1, 3]
    assert next(csv.DictReader(to_csv(pairs).splitlines()))["code"] == "1.000"
