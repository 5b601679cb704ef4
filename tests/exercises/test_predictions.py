"""What was predicted in a picture is data: read from it, from a notebook, and checked."""

from __future__ import annotations

import json

import pytest

import tapelab as tf
from tapelab.exercises import Prediction, predicted, predictions
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.predictions import question
from tapelab.views.card import DATA
from tapelab.views.timeline import Model
from tapelab.widgets.explorer import bundle


def guess(step, right, way="backward", asks="number"):
    return {
        "step": step,
        "way": way,
        "asks": asks,
        "of": "x",
        "said": "1",
        "truth": "1.0000" if right else "2.0000",
        "right": right,
    }


class Live:
    def __init__(self, *guesses):
        self.predictions = list(guesses)


def outcome(check, returned):
    return check.judge(LocalAnswer(lambda: returned))


def test_a_live_picture_its_list_and_what_was_read_already_are_read_alike():
    live = Live(guess(7, True), guess(8, False))
    read = predictions(live)
    assert read == predictions(live.predictions) == predictions(read)
    assert read[1] == Prediction(8, "backward", "number", "x", "1", "2.0000", False)


def test_a_saved_notebook_is_read_without_its_kernel(tmp_path):
    card = bundle([guess(7, True), guess(8, False)])
    output = {"output_type": "display_data", "metadata": {}, "data": card}
    other = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "3"}}
    file = tmp_path / "lesson.ipynb"
    file.write_text(json.dumps({"cells": [{"outputs": [other, output]}, {"source": "text"}]}))
    assert [each.right for each in predictions(file)] == [True, False]


def test_what_is_no_picture_is_refused():
    with pytest.raises(TypeError, match=r"got int\. Try predictions\(widget\)"):
        predictions(3)


def program():
    x = tf.Variable(3.0, name="x")
    v = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
        z = tf.reduce_sum(v * y) + tf.sin(x)
    return tape.recording(z)


def said(step, what, way="backward", asks="number", right=True):
    message = {"step": step, "way": way, "asks": asks, "of": "x", "said": what, "truth": what}
    return {**message, "right": right}


SAID = said(8, "1"), said(9, " 1.0 "), said(10, "−0,99"), said(12, "3/1"), said(13, "9")
"""All that comes back as single numbers; step 7 asks nothing, step 11 for a vector."""
GRADIENTS = predicted("Gradients", 6, least=3, program=program)


def test_so_many_gradients_earn_all_points_and_fewer_their_part():
    assert outcome(GRADIENTS, Live(*SAID[:3])).points == 6
    some = outcome(GRADIENTS, Live(SAID[0], said(9, "2"), SAID[2]))
    assert (some.points, some.expected, some.got) == (4, "3", "2")


def test_what_the_picture_says_is_right_counts_for_nothing():
    lies = [said(step, "17", right=True) for step in range(1, 16)]
    assert outcome(GRADIENTS, Live(*lies)).points == 0
    modest = [{**each, "right": False, "truth": "17"} for each in SAID]
    assert outcome(GRADIENTS, Live(*modest)).points == 6


def test_a_step_that_is_not_there_is_never_right():
    odd = [said(step, "1") for step in (-1, 0, 7, 15, 99, "8", None, 8.0, True)]
    assert outcome(GRADIENTS, Live(*odd)).points == 0


def test_a_step_counts_with_its_first_answer():
    check = predicted("Gradients", 2, least=1, program=program)
    assert outcome(check, Live(said(8, "7"), said(8, "1"))).points == 0
    assert outcome(check, Live(said(8, "1"), said(8, "7"))).points == 2


def test_what_was_requested_in_the_forward_pass_is_no_gradient():
    forward = Live(said(2, "9", way="forward"), said(2, "9"))
    assert outcome(GRADIENTS, forward).points == 0
    values = predicted(
        "Values", 2, least=1, of={"way": "forward", "asks": "number"}, program=program
    )
    assert outcome(values, forward).points == 2


@pytest.mark.parametrize(
    ("step", "asks", "what", "right"),
    [
        (11, "vector", "[1, 1]", True), (11, "vector", "1 1.0", True), (11, "vector", "1", True),
        (11, "vector", "1;2", False), (11, "vector", "1 1 1", False), (11, "number", "1", False),
        (3, "vector", "[9. 18.]", True), (3, "op", "× v * y", True), (3, "op", "× y", False),
        (13, "number", "9.05", True), (13, "number", "9.2", False), (13, "number", "None", False),
        (13, "number", "", False), (13, "number", "9/0", False), (13, "shape", "", False),
    ],
)  # fmt: skip
def test_an_answer_is_read_as_the_picture_reads_it(step, asks, what, right):
    assert question(Model.of(program()), step).is_right(asks, what) is right


def test_nothing_arrives_where_nothing_passes_and_of_many_numbers_the_shape_is_requested():
    x = tf.Variable(tf.ones([3, 4]))
    with tf.GradientTape() as tape:
        z = tf.reduce_sum(x * tf.stop_gradient(2.0 * x))
    model = Model.of(tape.recording(z))
    requests = [each for step in range(len(model)) if (each := question(model, step + 1))]
    assert any(each.is_right("number", " none ") for each in requests)
    assert any(each.is_right("shape", "3 × 4") for each in requests)


def test_the_card_below_a_picture_says_of_each_answer():
    card = bundle([guess(7, True), guess(8, False)])
    assert card["text/plain"].startswith("Predicted 1 of 2 steps.")
    assert "step 8, x: 1, it is 2.0000" in card["text/plain"]
    assert card["text/html"].count("<li>") == 2
    assert bundle([]) == {"text/html": "", "text/plain": "", DATA: {"predictions": []}}
