"""What tapes record can be run again, whatever the op; what no tape can record is doubted."""

import dataclasses

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises.tape_trial import trial_of
from tapelab.grading.op_settings import decode_settings, encode_settings
from tapelab.grading.protocol import Payload
from tapelab.grading.replay_verifier import Replay, ReplayMismatch, is_own, our_ops
from tapelab.recording.events import Asked, Cause, Flowed, Ran

TRIED = [name for name, op in sorted(our_ops().items()) if name != "string_format"]
"""Its samples are Python numbers, which no call hands to it."""


def _replayed(tape, target, source, change=lambda recording: recording):
    """Send a trial as a worker does, and run it again as a witness does."""
    payload = Payload()
    found = trial_of(tape, target, source)
    message = encode_settings((tape, target, source), payload)
    assert len(message) == len(found.recording.placed(Ran))
    assert None not in message
    settings = [decode_settings(each, payload) for each in message]
    Replay(change(found.recording), settings).run(found.call)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIED)
def test_an_op_recorded_by_a_tape_is_not_doubted(name):
    op = our_ops()[name]
    arrays, settings = op.samples(np.random.default_rng(1))[0]
    inputs = [tf.constant(each) for each in arrays]
    with tf.GradientTape(persistent=True) as tape:
        for each in inputs:
            if each.dtype.is_floating or each.dtype.is_complex:
                tape.watch(each)
        made = op(*inputs, **settings)
    target = made[0] if isinstance(made, (tuple, list)) else made
    assert not is_own(_replayed(tape, target, inputs[0] if inputs else target).recording.ops[0])


def _square():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.square(x)
    return tape, y, x


def _with_value(of):
    """A change that writes another number into a recording, where `of` says."""

    def change(recording):
        columns = dict(recording.columns)
        values = columns["values"].copy()
        values[int(columns["tensor.value"][of(recording)])] += 1.0
        return dataclasses.replace(recording, columns={**columns, "values": values})

    return change


def test_a_recording_is_believed_as_the_tape_made_it():
    assert _replayed(*_square()).gradient == 4.0


def test_another_gradient_than_the_rules_give_is_doubted():
    arrived = _with_value(lambda r: r.placed(Asked)[-1].event.results[0])
    with pytest.raises(ReplayMismatch, match="another gradient"):
        _replayed(*_square(), change=arrived)


def test_another_result_than_the_op_gives_is_doubted():
    result = _with_value(lambda r: r.placed(Ran)[-1].event.outputs[0])
    with pytest.raises(ReplayMismatch, match="square gives another result"):
        _replayed(*_square(), change=result)


def test_numbers_that_a_tape_would_have_kept_are_missed():
    def without(recording):
        taken = np.full_like(recording.columns["tensor.value"], -1)
        return dataclasses.replace(recording, columns={**recording.columns, "tensor.value": taken})

    with pytest.raises(ReplayMismatch, match="missing"):
        _replayed(*_square(), change=without)


def test_an_op_of_the_learners_is_not_ours_by_its_name():
    @tf.custom_gradient
    def sin(x):
        return x * 3.0, lambda dy: dy * 3.0

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = sin(x)
    ops = {op.name: op for op in _replayed_freely(tape, y, x).recording.ops}
    assert "sin" not in ops or is_own(ops["sin"])


def _replayed_freely(tape, target, source):
    """As `_replayed`, where a setting is a function that a recording cannot hold."""
    found = trial_of(tape, target, source)
    Replay(found.recording, []).run(found.call)
    return found


def _with_field(kind, at, number):
    """A change that writes another number into the last event of a kind."""

    def change(recording):
        fields = recording.columns["event.fields"].copy()
        start = recording.columns["event.start"]
        place = recording.placed(kind)[-1].index
        fields[(start[place + 1] if at < 0 else start[place]) + at] = number(recording)
        return dataclasses.replace(recording, columns={**recording.columns, "event.fields": fields})

    return change


def test_a_none_is_doubted_where_a_path_leads():
    with pytest.raises(ReplayMismatch, match="no gradient is claimed"):
        _replayed(*_square(), change=_with_field(Asked, -1, lambda _: -1))


def _beside(constant):
    """A square of x, and something that is not watched, named in the code."""
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.square(x) * constant
    return tape, y, x


def test_a_none_of_what_nobody_watches_is_believed():
    constant = tf.constant(3.0)
    tape, y, _ = _beside(constant)
    assert not _replayed(tape, y, constant).connected


def test_a_gradient_is_doubted_that_passes_what_nobody_watches():
    constant = tf.constant(3.0)

    def to_the_constant(recording):
        return next(each.event.inputs[1] for each in recording.placed(Ran)
                    if recording.ops[each.event.op].name == "multiply")  # fmt: skip

    with pytest.raises(ReplayMismatch, match="claimed to pass"):
        _replayed(*_beside(constant), change=_with_field(Flowed, 3, to_the_constant))


def test_a_variable_is_itself_in_all_its_states():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        x.assign(5.0)
        y = y + x * x
    assert _replayed(tape, y, x).gradient == 14.0


def test_upstream_of_ones_own_is_part_of_the_question():
    tape, y, x = _square()
    tape.gradient(y, x, output_gradients=tf.constant(10.0))
    assert _replayed(tape, y, x).gradient == 40.0


def test_steps_after_the_answer_have_their_own_settings():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.square(x)
    gradient = tape.gradient(y, x)
    x.assign_sub(tf.cast(tf.constant(1), tf.float32) * gradient)
    assert len(_replayed(tape, y, x).recording.placed(Ran)) == 3


def test_a_gradient_is_not_made_up_beside_a_function_of_the_learners():
    @tf.custom_gradient
    def odd(c):
        return c * 0.0, lambda dy: dy * 7.0

    x, c = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = odd(c) + tf.square(x)
    found = trial_of(tape, y, x)
    forged = _with_value(lambda r: r.placed(Asked)[-1].event.results[0])(found.recording)
    with pytest.raises(ReplayMismatch, match="another gradient"):
        Replay(forged, []).run(found.call)


def test_a_gradient_through_a_function_of_the_learners_is_believed():
    @tf.custom_gradient
    def odd(x):
        return x * 1.0, lambda dy: dy * 7.0

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = odd(x) + tf.sin(x)
    assert _replayed_freely(tape, y, x).connected


def test_taped_steps_that_claim_to_be_replaced_are_doubted():
    """A check that counts ops on the tape would not see them."""

    def replaced(recording):
        columns = dict(recording.columns)
        fields = columns["event.fields"].copy()
        for each in recording.placed(Ran):
            at = columns["event.start"][each.index]
            where = at + list(each.event.__slots__).index("cause")
            assert fields[where] == Cause.TAPED
            fields[where] = Cause.REPLACED
        return dataclasses.replace(recording, columns={**columns, "event.fields": fields})

    with pytest.raises(ReplayMismatch, match="no path leads"):
        _replayed(*_square(), change=replaced)
