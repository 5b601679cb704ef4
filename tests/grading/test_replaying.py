"""What tapes record can be run again, whatever the op; what no tape can record is doubted."""

import dataclasses

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises.trial import trial_of
from tapelab.grading.replaying import Doubt, Replay, is_own, ours
from tapelab.grading.settings import settings_of, told_settings
from tapelab.grading.wire import Parcel
from tapelab.recording.events import Asked, Ran

TRIED = [name for name, op in sorted(ours().items()) if name != "string_format"]
"""Its samples are Python numbers, which no call hands to it."""


def _replayed(tape, target, source, change=lambda recording: recording):
    """Send a trial as a worker does, and run it again as a witness does."""
    parcel = Parcel()
    found = trial_of(tape, target, source)
    told = told_settings(tape, parcel)
    assert len(told) == len(found.recording.placed(Ran))
    assert None not in told
    settings = [settings_of(each, parcel) for each in told]
    Replay(change(found.recording), settings).run(found.call)
    return found


@pytest.mark.parametrize("name", TRIED)
def test_an_op_recorded_by_a_tape_is_not_doubted(name):
    op = ours()[name]
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
    with pytest.raises(Doubt, match="another gradient"):
        _replayed(*_square(), change=arrived)


def test_another_result_than_the_op_gives_is_doubted():
    result = _with_value(lambda r: r.placed(Ran)[-1].event.outputs[0])
    with pytest.raises(Doubt, match="square gives something else"):
        _replayed(*_square(), change=result)


def test_numbers_that_a_tape_would_have_kept_are_missed():
    def without(recording):
        taken = np.full_like(recording.columns["tensor.value"], -1)
        return dataclasses.replace(recording, columns={**recording.columns, "tensor.value": taken})

    with pytest.raises(Doubt, match="missing"):
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
    """As `_replayed`, where a setting is a function that cannot be told."""
    found = trial_of(tape, target, source)
    Replay(found.recording, []).run(found.call)
    return found


def test_a_gradient_through_a_function_of_the_learners_is_believed():
    @tf.custom_gradient
    def odd(x):
        return x * 1.0, lambda dy: dy * 7.0

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = odd(x) + tf.sin(x)
    assert _replayed_freely(tape, y, x).connected
