"""What a recording tells: the account of one tape, without anything alive in it."""

import gc
import weakref

import numpy as np
import pytest

import tapelab as tf
from tapelab.recording import events as e
from tapelab.recording import from_bytes, to_bytes


def events_of(recording, kind):
    return [each.event for each in recording if isinstance(each.event, kind)]


def op_names(recording):
    return [recording.ops[event.op].name for event in events_of(recording, e.Ran)]


def causes(recording):
    return [e.Cause(event.cause).name for event in events_of(recording, e.Ran)]


def test_the_backward_pass_is_recorded_step_by_step_with_its_values():
    x = tf.Variable(3.0)
    y = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        z = x * y + x
    recording = tape.recording(z)

    def number(index):
        return None if index < 0 else recording.tensor(index).value.item()

    steps = [
        (number(f.upstream), number(f.local), number(f.contribution), number(f.sum))
        for f in events_of(recording, e.Flowed)
    ]
    assert steps == [
        (1.0, None, 1.0, 1.0),
        (1.0, 1.0, 1.0, 1.0),
        (1.0, 1.0, 1.0, 1.0),
        (1.0, 4.0, 4.0, 5.0),
        (1.0, 3.0, 3.0, 3.0),
    ]


def test_building_a_recording_does_not_use_the_tape_up():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.recording(y)
    assert tape.gradient(y, x).numpy() == 6.0


def test_after_gradient_the_recording_contains_that_gradient():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    calls = events_of(tape.recording(y), e.Asked)
    assert [a.method for a in calls] == [e.Method.GRADIENT]


def test_an_unconnected_source_has_no_result():
    x, y = tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        z = x * x
    tape.gradient(z, [x, y])
    (call,) = events_of(tape.recording(), e.Asked)
    assert call.results[0] >= 0
    assert call.results[1] == -1


def test_why_an_op_is_not_on_the_tape_is_recorded():
    c = tf.constant(2.0)
    v = tf.Variable(3.0)
    before = c * c
    with tf.GradientTape() as tape:
        unwatched = before * c
        with tape.stop_recording():
            v * v
        v * unwatched
    after = v * 2.0
    tape.gradient(after, v)
    assert causes(tape.recording()) == ["BEFORE", "UNWATCHED", "PAUSED", "TAPED", "AFTER"]


def test_what_has_nothing_to_do_with_the_tape_is_left_out():
    tf.constant(1.0) * 5.0
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x * x
    assert op_names(tape.recording()) == ["multiply"]


def test_the_maker_of_a_source_from_before_the_tape_is_recorded():
    x = tf.Variable(2.0)
    x = x + 1.0
    with tf.GradientTape() as tape:
        y = x * 2.0
    assert tape.gradient(y, x) is None
    recording = tape.recording()
    assert op_names(recording) == ["add", "multiply"]
    assert causes(recording) == ["BEFORE", "UNWATCHED"]


def test_an_assignment_names_its_source():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x.assign_add(y * 2.0)
        z = x * x
    recording = tape.recording(z)
    (assigned,) = events_of(recording, e.Assigned)
    assert e.How(assigned.how) is e.How.ASSIGN_ADD
    assert recording.tensor(assigned.source).value.item() == 6.0
    assert recording.tensor(assigned.state).value.item() == 8.0


def test_nested_tapes_have_each_their_own_account():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x
        first = inner.gradient(y, x)
    outer.gradient(first, x)
    assert op_names(inner.recording()) == ["multiply"]
    assert set(causes(inner.recording())) == {"TAPED"}
    assert op_names(outer.recording())[0] == "multiply"
    assert len(op_names(outer.recording())) > 1


def test_large_values_are_not_kept_and_never_invented():
    x = tf.Variable(np.ones(1000, np.float32))
    with tf.GradientTape() as tape:
        y = x * x
    recording = tape.recording(y)
    ran = events_of(recording, e.Ran)[0]
    assert recording.tensor(ran.outputs[0]).value is None
    assert recording.tensor(ran.outputs[0]).shape == (1000,)


def test_nothing_alive_is_in_a_recording():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    recording = tape.recording(y)
    gone = weakref.ref(y), weakref.ref(x), weakref.ref(tape)
    del x, y, tape
    gc.collect()
    assert [each() for each in gone] == [None, None, None]
    assert from_bytes(to_bytes(recording)) == recording


def test_a_tape_that_was_never_entered_has_an_empty_account():
    assert len(tf.GradientTape().recording()) == 0


@pytest.mark.slow
@pytest.mark.parametrize("length", [100_000])
def test_a_chain_of_a_hundred_thousand_ops_needs_no_recursion(length):
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 1.0
        for _ in range(length - 1):
            y = y * x
    assert tape.gradient(y, x).numpy() == length
    assert len(events_of(tape.recording(), e.Ran)) == length


def names_of_results(recording):
    outputs = [each.outputs[0] for each in events_of(recording, e.Ran)]
    return [(recording.tensor(each).name, recording.tensor(each).named) for each in outputs]


def test_of_the_ops_of_a_composite_only_the_last_has_the_name_the_learner_gave():
    x = tf.Variable([1.0, 2.0, 4.0])
    with tf.GradientTape() as tape:
        spread = tf.math.reduce_std(x)
    *inner, last = names_of_results(tape.recording(spread))
    assert last == ("spread", True)
    assert inner
    assert not any(named for _, named in inner)


def test_of_the_ops_of_an_inner_backward_pass_only_the_last_has_the_name_the_learner_gave():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        gradient = inner.gradient(y, x)
    recording = outer.recording(gradient)
    assert names_of_results(recording)[-1] == ("gradient", True)
    assert [name for name, named in names_of_results(recording) if named] == ["y", "gradient"]


def test_how_variables_were_trained_before_is_left_out():
    w = tf.Variable(1.0)
    for _ in range(20):
        with tf.GradientTape() as earlier:
            cost = w * w
        w.assign(w - 0.1 * earlier.gradient(cost, w))
    with tf.GradientTape() as tape:
        y = w * 3.0
    assert op_names(tape.recording(y)) == ["multiply"]


def test_a_source_that_went_into_a_variable_before_is_recorded():
    x = tf.Variable(2.0)
    w = tf.Variable(0.0)
    w.assign(x * 5.0)
    with tf.GradientTape() as tape:
        y = w * 3.0
    assert tape.gradient(y, x) is None
    assert op_names(tape.recording()) == ["multiply", "multiply"]


def test_what_a_layer_makes_for_itself_is_not_called_after_its_result():
    layer = tf.keras.layers.SimpleRNN(2)
    sequence = tf.ones([1, 3, 2])
    layer(sequence)
    with tf.GradientTape() as tape:
        answer = layer(sequence)
    recording = tape.recording(answer)
    names = [recording.tensor(at).name for at in range(len(recording.columns["tensor.role"]))]
    assert "tf.zeros" in names
    assert names.count("answer") == 1


def test_what_an_op_was_given_beside_its_inputs_is_recorded_with_it():
    x = tf.Variable(tf.ones([2, 4, 3]))
    with tf.GradientTape() as tape:
        y = tf.matmul(x, x, transpose_b=True)
        z = tf.reduce_mean(tf.sin(y)[:, 1:], axis=[1])
    recording = from_bytes(to_bytes(tape.recording(z, x)))
    runs = {
        recording.ops[at.event.op].name: recording.settings_of.get(at.index)
        for at in recording.placed(e.Ran)
    }
    assert runs == {
        "matmul": {"transpose_a": False, "transpose_b": True},
        "sin": None,
        "strided_slice": {"key": [{"slice": [None, None, None]}, {"slice": [1, None, None]}]},
        "reduce_mean": {"axis": [1], "keepdims": False},
    }


def test_equal_settings_are_kept_once_and_those_of_a_long_loop_as_well():
    x = tf.Variable(tf.ones([2, 2]))
    with tf.GradientTape() as tape:
        y = x
        for _ in range(100):
            y = tf.nn.softmax(y)
    recording = tape.recording(y, x)
    assert recording.settings == ({"axis": -1},)
    assert len(recording.settings_of) == 100


def test_settings_that_are_no_plain_data_are_left_out():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.float64)
    assert tape.recording(y, x).settings == ()
