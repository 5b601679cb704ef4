"""`tf.why()`: about the last gradient that was requested in this thread."""

import gc
import threading

import pytest

import tapelab as tf
from tapelab.core.log import RECENT_CALLS, thread


@pytest.fixture(autouse=True)
def no_gradient_calls():
    thread.recent_calls.clear()


def codes(explanation):
    return [finding.code for finding in explanation.findings]


def request(stop):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = stop(x) * 2.0
    tape.gradient(y, x)
    return tape


def test_it_explains_the_last_gradient():
    tapes = [request(tf.round), request(tf.stop_gradient)]
    assert codes(tf.why()) == ["STOPPED"]
    assert tapes


def test_a_whole_gradient_after_it_does_not_hide_it():
    tapes = [request(tf.stop_gradient), request(tf.sin)]
    assert codes(tf.why()) == ["STOPPED"]
    assert tapes


def test_a_whole_gradient_alone_is_said_to_be_whole():
    tape = request(tf.sin)
    explanation = tf.why()
    assert explanation.findings == ()
    assert str(explanation).startswith("A path leads from y to x")
    assert tape


def test_no_gradient_was_requested():
    assert str(tf.why()).startswith("There was no gradient call in this thread so far.")


def test_the_tape_is_not_kept_alive():
    request(tf.stop_gradient)
    gc.collect()
    assert str(tf.why()).startswith(
        "The tape of tape.gradient(y, x) in line 25 was deleted, and its records with it."
    )


def test_of_an_earlier_tape_it_says_that_it_is_one():
    kept = request(tf.round)
    request(tf.stop_gradient)
    gc.collect()
    assert codes(tf.why()) == ["NON_DIFFERENTIABLE"]
    assert "was deleted" in str(tf.why())
    assert "This is about an earlier one: Why the gradient of y" in str(tf.why())
    assert kept


def test_an_earlier_tape_that_is_gone_is_not_spoken_of():
    request(tf.stop_gradient)
    kept = request(tf.round)
    gc.collect()
    assert str(tf.why()).startswith("Why the gradient of y")
    assert kept


def test_another_thread_asks_for_itself():
    tape, said = request(tf.stop_gradient), []
    worker = threading.Thread(target=lambda: said.append(str(tf.why())))
    worker.start()
    worker.join()
    assert said[0].startswith("There was no gradient call")
    assert tape


def test_several_sources_are_all_explained():
    x, z = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * z
    tape.gradient(y, [x, z])
    assert [codes(part) for part in tf.why().parts] == [["STOPPED"], []]


def test_explaining_and_showing_are_no_questions():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x)
    tf.explain(tape, y, x)
    tape.recording(y, x)
    assert not thread.recent_calls


def test_only_a_few_questions_are_remembered():
    tapes = [request(tf.sin) for _ in range(RECENT_CALLS + 3)]
    assert len(thread.recent_calls) == RECENT_CALLS < len(tapes)
