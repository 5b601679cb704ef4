"""Lesson 05: each snippet broken, half mended and mended; wrong causes; zero against None."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises import judge
from tapelab.exercises.lessons.lesson_05 import CAUSES, SNIPPETS
from tapelab.exercises.registry import find


def on_tape(compute, x):
    with tf.GradientTape() as tape:
        y = compute(x)
    return tape, y, x


def square(x):
    return x * x


def a_constant(watched):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        if watched:
            tape.watch(x)
        y = x * x
    return tape, y, x


def one_step(stay):
    x = tf.Variable(2.0)
    if stay is None:
        x = x + 1.0
    elif stay:
        x.assign_add(1.0)
    return on_tape(square, x)


def too_early_or_late(early=False, late=False):
    x = tf.Variable(2.0)
    h = x * x
    with tf.GradientTape() as tape:
        h = h if early else x * x
        y = 3.0 * h
    return tape, 3.0 * h if late else y, x


def a_pause(paused):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with tape.stop_recording() if paused else nullcontext():
            h = x * x
        y = 3.0 * h
    return tape, y, x


def a_copy(used):
    def compute(x):
        computed_with = tf.Variable(x) if used else x
        return 2.0 * computed_with * computed_with

    return on_tape(compute, tf.Variable(3.0))


def the_highest(of):
    scores = [1.0, 4.0, 2.0]
    return on_tape(lambda x: tf.gather(of or x, tf.argmax(x)), tf.Variable(scores))


def root_mean_square(mean):
    return on_tape(lambda x: tf.sqrt(mean(x * x)), tf.Variable([1.0, 2.0, 4.0]))


def a_total(by_assign):
    total = tf.Variable(0.0)

    def compute(x):
        return 2.0 * (total.assign_add(x * x) if by_assign else total + x * x)

    return on_tape(compute, tf.Variable(3.0))


BROKEN = {
    "05.1": lambda: a_constant(watched=False),
    "05.2": lambda: on_tape(lambda x: x * x * x, tf.Variable(3.0, trainable=False)),
    "05.3": lambda: one_step(None),
    "05.4": lambda: on_tape(square, tf.Variable(3)),
    "05.5": lambda: too_early_or_late(early=True),
    "05.6": lambda: too_early_or_late(late=True),
    "05.7": lambda: a_pause(paused=True),
    "05.8": lambda: root_mean_square(np.mean),
    "05.9": lambda: a_copy(used=True),
    "05.10": lambda: a_total(by_assign=True),
    "05.11": lambda: on_tape(lambda x: 3.0 * tf.stop_gradient(x * x), tf.Variable(3.0)),
    "05.12": lambda: the_highest(of=[1.0, 4.0, 2.0]),
}
MENDED = {
    "05.1": lambda: a_constant(watched=True),
    "05.2": lambda: on_tape(lambda x: x * x * x, tf.Variable(3.0)),
    "05.3": lambda: one_step(stay=True),
    "05.4": lambda: on_tape(square, tf.Variable(3.0)),
    "05.5": too_early_or_late,
    "05.6": too_early_or_late,
    "05.7": lambda: a_pause(paused=False),
    "05.8": lambda: root_mean_square(tf.reduce_mean),
    "05.9": lambda: a_copy(used=False),
    "05.10": lambda: a_total(by_assign=False),
    "05.11": lambda: on_tape(lambda x: 3.0 * (x * x), tf.Variable(3.0)),
    "05.12": lambda: the_highest(of=None),
}
CAUSE = dict(zip(BROKEN, (
    *("NOT_WATCHED", "NOT_TRAINABLE", "REBOUND_TO_TENSOR", "INT_DTYPE", "BEFORE_TAPE"),
    *("AFTER_TAPE", "RECORDING_PAUSED", "LEFT_ENGINE", "COPIED_VALUE", "STATE_READ", "STOPPED"),
    "NON_DIFFERENTIABLE",
), strict=True))  # fmt: skip
NUMBERS = [each.id for each in SNIPPETS]


def points(number, cause, make):
    return judge(find(number), lambda: (cause, *make())).points


def test_the_twelve_causes_are_all_there():
    assert sorted(CAUSE.values()) == sorted(CAUSES)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_snippet_as_shipped_earns_nothing(number):
    assert points(number, ..., BROKEN[number]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_the_cause_alone_earns_two_points_and_the_mended_code_three(number):
    assert points(number, CAUSE[number], BROKEN[number]) == 2
    assert points(number, ..., MENDED[number]) == 3
    assert points(number, CAUSE[number].lower(), MENDED[number]) == 5


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_another_cause_or_a_word_that_is_none_earns_nothing(number):
    others = [cause for cause in (*CAUSES, "MAGIC", 7) if cause != CAUSE[number]]
    assert {points(number, cause, BROKEN[number]) for cause in others} == {0}


@pytest.mark.parametrize("number", NUMBERS)
def test_the_diagnosis_gives_the_cause_that_the_exercise_wants(number):
    tape, y, x = BROKEN[number]()
    assert [each.code for each in tf.explain(tape, y, x).findings][:1] == [CAUSE[number]]


def test_mending_that_drops_a_part_earns_one_point():
    assert points("05.3", ..., lambda: one_step(stay=False)) == 1
    assert points("05.10", ..., lambda: on_tape(square, tf.Variable(3.0))) == 1


def leaving(value):
    return on_tape(lambda x: tf.constant((x * x).numpy()), tf.Variable(value))


def stopping(value):
    return on_tape(lambda x: tf.stop_gradient(x * x), tf.Variable(value))


def nine(value):
    return on_tape(lambda x: tf.constant(9.0), tf.Variable(value))


FIVE = {"a": 0.0, "b": None, "c": 0.0, "d": 0.0, "e": None}
PARTIAL = {"partial": "b", "the tape says": 3.0, "mathematics says": 6.0}


def snippet(number, cause):
    """A snippet that is not mended, with a cause."""
    return lambda: (cause, *BROKEN[number]())


FORESEEN = [
    ("05.1", snippet("05.1", "NOT_TRAINABLE"), 0, "Not this one."),
    ("05.1", snippet("05.1", "NOT_WATCHED"), 2, "No gradient arrives yet."),
    ("05.2", snippet("05.2", "NOT_WATCHED"), 0, "Not this one."),
    ("05.3", snippet("05.3", "NOT_WATCHED"), 0, "Not this one."),
    (
        "05.3",
        lambda: ("REBOUND_TO_TENSOR", *one_step(stay=False)),
        3,
        "the step to the right is gone",
    ),
    ("05.4", snippet("05.4", "NOT_WATCHED"), 0, "Not this one."),
    ("05.5", snippet("05.5", "AFTER_TAPE"), 0, "Not this one."),
    ("05.6", snippet("05.6", "BEFORE_TAPE"), 0, "Not this one."),
    ("05.7", snippet("05.7", "STOPPED"), 0, "Not this one."),
    ("05.8", snippet("05.8", "NON_DIFFERENTIABLE"), 0, "Not this one."),
    ("05.9", snippet("05.9", "STATE_READ"), 0, "Not this one."),
    ("05.10", snippet("05.10", "REBOUND_TO_TENSOR"), 0, "Not this one."),
    ("05.10", lambda: ("STATE_READ", *on_tape(square, tf.Variable(3.0))), 3, "another one now"),
    ("05.11", snippet("05.11", "RECORDING_PAUSED"), 0, "Not this one."),
    ("05.12", snippet("05.12", "INT_DTYPE"), 0, "Not this one."),
    ("05.13", leaving, 10, ""),
    ("05.13", stopping, 6, "It is None, for another reason."),
    ("05.13", lambda value: on_tape(square, tf.Variable(value)), 4, "A gradient arrives"),
    ("05.13", lambda x: on_tape(lambda x: tf.constant(x.numpy()), tf.Variable(x)), 6, ""),
    ("05.13", lambda x: on_tape(lambda x: tf.constant(float(x) ** 2), tf.Variable(x)), 10, ""),
    ("05.13", lambda x: on_tape(lambda x: tf.Variable(int(x) ** 2), tf.Variable(x)), 0, ""),
    ("05.13", nine, 0, "It is None, for another reason."),
    ("05.14", lambda: FIVE, 10, ""),
    ("05.14", lambda: dict.fromkeys(FIVE, 0.0), 6, "There is no path from y to x"),
    ("05.14", lambda: dict.fromkeys(FIVE), 4, "There is a path, and its derivative is 0 here."),
    ("05.14", lambda: {**FIVE, "d": ...}, 8, "Nothing here yet."),
    ("05.14", lambda: {**FIVE, "b": "None"}, 8, "There is no path from y to x"),
    ("05.15", lambda: PARTIAL, 10, ""),
    ("05.15", lambda: {**PARTIAL, "partial": "c"}, 6, "program c is None"),
    ("05.15", lambda: {**PARTIAL, "the tape says": 6.0}, 7, "Only the first factor"),
]
"""Exercise, answer, what it earns, and a part of what is said to it."""


@pytest.mark.parametrize(("number", "answer", "earned", "said"), FORESEEN)
def test_a_foreseen_answer_earns_its_points(number, answer, earned, said):
    verdict = judge(find(number), answer)
    assert verdict.points == earned
    assert any(said in each.outcome.text for each in verdict.judged)


@pytest.mark.parametrize(
    ("compute", "start", "truth"),
    [
        (square, 0.0, FIVE["a"]),
        (lambda x: 2.0 * tf.Variable(2.0), 1.0, FIVE["b"]),
        (lambda x: 0.0 * x, 3.0, FIVE["c"]),
        (lambda x: tf.maximum(x, 0.0), -1.0, FIVE["d"]),
        (lambda x: tf.stop_gradient(x) + tf.Variable(2.0), 1.0, FIVE["e"]),
        (lambda x: x * tf.stop_gradient(x), 3.0, PARTIAL["the tape says"]),
    ],
)
def test_the_tape_answers_as_the_predictions_say(compute, start, truth):
    tape, y, x = on_tape(compute, tf.Variable(start))
    gradient = tape.gradient(y, x)
    assert (gradient if gradient is None else float(gradient)) == truth
