"""What a tape outside holds of the calls of a compiled function, and what it shows of them."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest

import tapelab
from tapelab.core.log import thread
from tapelab.recording import events as e
from tests.compile.outside import calls_on, count_records, layers


def pictures(tf, function, x, variables, calls):
    """What can be seen of a tape: the events by kind, the groups, the lines of an explanation."""
    for _ in range(calls):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            loss = y * y
        was_recorded = count_records(tape)
        derivatives = tape.gradient(loss, [x, *variables])
    recording = tape.recording()
    events = [each.event for each in recording]
    ops = [event for event in events if isinstance(event, e.Ran)]
    flows = [event for event in events if isinstance(event, e.Flowed)]
    names = [(recording.ops[each.op].name, each.cause, len(each.inputs)) for each in ops]
    steps = [(flow.event >= 0, flow.position) for flow in flows]
    kinds = sorted(type(event).__name__ for event in events)
    groups = [group.name for group in recording.groups]
    text = str(tapelab.explain(tape, loss, x))
    return was_recorded, (names, steps, kinds, groups, text, len(derivatives))


@pytest.mark.parametrize("width", [3, 80])
def test_pictures_and_explanations_are_those_of_a_replay(tf, width):
    model, x, variables = layers(tf, width=width)
    function = tf.function(model)
    before, expected = pictures(tf, function, x, variables, 1)
    after, found = pictures(tf, function, x, variables, 5)
    assert (before, after) == (0, 1)
    assert found == expected


def test_each_call_is_a_group_at_its_own_place(tf):
    model, x, _ = layers(tf)
    function = tf.function(model)
    for _ in range(4):
        with tf.GradientTape() as tape:
            one = function(x)
            other = function(x)
    recording = tape.recording(one + other)
    lines = [recording.span(group.span).line for group in recording.groups if group.span >= 0]
    assert count_records(tape) == 2
    assert lines[1] == lines[0] + 1


def test_a_recording_of_small_numbers_has_them_all(tf):
    x = tf.constant([1.0, 2.0])
    function = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * 2.0))
    for _ in range(5):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        tape.gradient(y, x)
    assert count_records(tape) == 1
    events = [each.event for each in tape.recording()]
    of = tape.recording().tensor
    made = [of(event.outputs[0]).value for event in events if isinstance(event, e.Ran)]
    sums = [of(event.sum).value for event in events if isinstance(event, e.Flowed)]
    np.testing.assert_allclose(made[0], np.exp([1.0, 2.0]), rtol=1e-6)
    np.testing.assert_allclose(sums[-1], 2.0 * np.exp([1.0, 2.0]), rtol=1e-6)


def test_making_a_way_back_leaves_the_last_question_alone(tf):
    model, x, variables = layers(tf)
    function = tf.function(model)
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = function(x)
        tape.gradient(loss, variables)
        assert thread.recent_calls[-1][0]() is tape


def test_a_variable_is_read_once_where_a_call_reads_it(tf):
    model, x, variables = layers(tf)
    function = tf.function(model)
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = function(x) + function(x)
        assert [id(v) for v in tape.watched_variables()] == [id(v) for v in variables]
        tape.gradient(loss, variables)
    reads = [each.event for each in tape.recording() if isinstance(each.event, e.Read)]
    assert len(reads) == 2


def test_a_thousand_calls_hold_no_memory(tf):
    model, x, variables = layers(tf, rows=64, width=64)
    function = tf.function(model)

    def steps(count):
        for _ in range(count):
            with tf.GradientTape() as tape:
                loss = function(x)
            tape.gradient(loss, variables)

    steps(100)
    gc.collect()
    tracemalloc.start()
    steps(20)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    steps(1000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 4_000_000


def test_what_a_call_saved_is_let_go_of_with_the_answer(tf):
    model, x, variables = layers(tf, rows=64, width=64)
    function = tf.function(model)
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = function(x)
        saved = [len(call.saved) for call in calls_on(tape)]
        tape.gradient(loss, variables)
    assert saved[0] > 0
    assert not calls_on(tape)[0].saved
