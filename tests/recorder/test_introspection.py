"""Looking at a tape from outside: questions it is never put, and what the log tells besides."""

from __future__ import annotations

import numpy as np

import tapelab as tf
from tapelab.core.log import origin_here
from tapelab.recorder.introspection import introspect, introspect_refusal
from tapelab.recorder.relevance import AFTERMATH
from tapelab.recording import events as e
from tapelab.recording.facts import DERIVATIVE, STRAY


def of_kind(recording, kind):
    return [place.event for place in recording.placed(kind)]


def made_as(recording, how):
    return [event for event in of_kind(recording, e.Made) if recording.strings[event.how] == how]


def squared():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape, y, x


def test_the_question_is_in_the_recording_and_not_on_the_tape():
    tape, y, x = squared()
    recording, call, positions = introspect(tape, y, x)
    (event,) = of_kind(recording, e.Asked)
    assert (event.call, call, positions) == (0, 0, (0,))
    assert not tape._gradient_calls


def test_a_question_that_was_put_is_found_again_with_the_places_of_its_sources():
    x, z = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * z
    tape.gradient(y, [x, z])
    recording, call, positions = introspect(tape, y, [z, x])
    assert (call, positions) == (0, (1, 0))
    assert len(of_kind(recording, e.Asked)) == 1


def test_a_refusal_stands_at_its_place_in_the_code():
    tape, y, _ = squared()
    recording, call, _ = introspect_refusal(tape, origin_here())
    (place,) = recording.placed(e.Asked)
    assert place.event.call == call
    assert recording.text_at(place.span) == "origin_here()"
    assert y is not None


def test_a_number_among_the_ends_becomes_a_constant():
    tape, _, x = squared()
    recording, *_ = introspect(tape, np.float32(2.5), x)
    (constant,) = made_as(recording, STRAY)
    assert float(recording.tensor(constant.tensor).value) == 2.5


def test_a_number_that_left_the_tape_is_known_again():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        mean = np.mean(x * 1.0)
    recording, *_ = introspect(tape, mean, x)
    (left,), (back,) = of_kind(recording, e.Left), of_kind(recording, e.Returned)
    assert left.result == back.value
    assert recording.strings[left.how] == "np.mean"


def test_a_ufunc_is_known_by_its_name_in_the_code():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.constant(np.sin(x)))
    recording, *_ = introspect(tape, y, x)
    (left,) = of_kind(recording, e.Left)
    assert recording.strings[left.how] == "np.sin"


def test_a_gradient_that_a_tape_gave_is_recorded_with_what_it_was_derived_from():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x
        gradient = inner.gradient(y, x)
    recording, *_ = introspect(outer, gradient, x)
    (derivative,) = made_as(recording, DERIVATIVE)
    assert recording.tensor(derivative.source).name == "y"
    assert not made_as(outer.recording(gradient, x), DERIVATIVE)


def test_what_becomes_of_a_result_is_recorded():
    tape, y, x = squared()
    gradient = tape.gradient(y, x)
    moved = x - 0.1 * gradient
    recording, *_ = introspect(tape, y, x)
    ran = of_kind(recording, e.Ran)
    assert [recording.ops[event.op].name for event in ran] == ["multiply", "multiply", "subtract"]
    assert moved is not None


def test_the_story_of_an_answer_ends_after_so_many_steps():
    tape, y, x = squared()
    gradient = tape.gradient(y, x)
    for _ in range(2 * AFTERMATH):
        gradient = gradient * 1.5
    recording, *_ = introspect(tape, y, x)
    assert len(of_kind(recording, e.Ran)) == 1 + AFTERMATH


def test_earlier_steps_of_training_are_not_recorded():
    x = tf.Variable(3.0)
    for _ in range(5):
        with tf.GradientTape() as tape:
            y = x * x
        x.assign_sub(0.1 * tape.gradient(y, x))
    recording, *_ = introspect(tape, y, x)
    assert len(made_as(recording, DERIVATIVE)) == 1
    assert len([event for event in of_kind(recording, e.Ran) if event.cause == e.Cause.BEFORE]) == 0


def test_a_list_of_tensors_in_a_variable_keeps_their_history():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        kept = tf.Variable([x * 2.0, 1.0])
        kept.assign([x, x * x])
    recording, *_ = introspect(tape, tf.constant(0.0), x)
    sources = [event.source for event in of_kind(recording, e.Made) if event.source >= 0]
    (assigned,) = of_kind(recording, e.Assigned)
    makers = {output: event.op for event in of_kind(recording, e.Ran) for output in event.outputs}
    names = [recording.ops[makers[each]].name for each in (*sources, assigned.source)]
    assert names == ["stack", "stack"]
    assert kept.numpy().tolist() == [2.0, 4.0]
