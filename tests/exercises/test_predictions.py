"""What was predicted in a picture is data: read from it, from a notebook, and checked."""

from __future__ import annotations

import json

import pytest

from tapelab.exercises import Prediction, predicted, predictions
from tapelab.exercises.local import LocalAnswer
from tapelab.views.card import DATA
from tapelab.widgets.score import bundle


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


def test_so_many_adjoints_earn_all_points_and_fewer_their_part():
    check = predicted("Predict the gradients", 6, least=3)
    right = [guess(step, True) for step in (7, 8, 9)]
    assert outcome(check, Live(*right)).points == 6
    some = outcome(check, Live(right[0], guess(8, False), right[2]))
    assert (some.points, some.expected, some.got) == (4, "3", "2")


def test_a_step_counts_with_its_first_answer():
    check = predicted("Predict the gradients", 2, least=1)
    assert outcome(check, Live(guess(7, False), guess(7, True))).points == 0
    assert outcome(check, Live(guess(7, True), guess(7, False))).points == 2


def test_what_was_asked_on_the_way_forward_is_no_adjoint():
    forward = Live(guess(3, True, way="forward"))
    assert outcome(predicted("Gradients", 2, least=1), forward).points == 0
    values = predicted("Values", 2, least=1, of={"way": "forward", "asks": "number"})
    assert outcome(values, forward).points == 2


def test_the_card_below_a_picture_tells_of_each_answer():
    card = bundle([guess(7, True), guess(8, False)])
    assert card["text/plain"].startswith("Predicted 1 of 2 steps.")
    assert "step 8, x: 1, it is 2.0000" in card["text/plain"]
    assert card["text/html"].count("<li>") == 2
    assert bundle([]) == {"text/html": "", "text/plain": "", DATA: {"predictions": []}}
