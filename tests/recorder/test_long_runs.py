"""A long stretch of ops is entered as it would be one by one."""

import numpy as np
import pytest

import tapelab as tf
from tapelab.recorder import builder, long_runs
from tapelab.recording import events as e


def account(recording):
    """What every event says, without the numbers that tensors go by."""

    def described(tensor):
        if tensor < 0:
            return None
        entry = recording.tensor(tensor)
        value = None if entry.value is None else entry.value.tolist()
        return entry.role, entry.name, entry.span, entry.shape, entry.dtype, value

    kept = []
    for place in recording.located:
        event = place.event
        if isinstance(event, e.Ran):
            fields = event.op, event.group, event.cause, event.inputs, event.outputs
            event = [tuple(map(described, x)) if isinstance(x, tuple) else x for x in fields]
        elif isinstance(event, e.Flowed):
            steps = event.tensor, event.upstream, event.contribution, event.sum
            event = [event.event, event.position, *map(described, steps)]
        else:
            event = type(event)
        kept.append((place.span, place.thread, event))
    return kept


def mixed():
    """Numbers, vectors, large arrays, composites, pauses and an op with two results."""
    x, data = tf.Variable(1.5), tf.constant(np.linspace(0.0, 1.0, 300, dtype=np.float32))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.constant([1.0, 2.0]) * x
        for step in range(40):
            y = tf.sin(y) + tf.nn.softmax(y)
            if step == 20:
                first, second = tf.unstack(y)
                y = tf.stack([second, first])
                with tape.stop_recording():
                    y.numpy()
                    doubled = y * 2.0
        y = tf.reduce_sum(y) * tf.reduce_sum(data * x) + tf.reduce_sum(doubled)
    return tape, y, x


@pytest.fixture
def differentiated():
    tape, y, x = mixed()
    tape.gradient(y, x)
    return tape


def test_each_op_and_each_backward_step_is_recorded_the_same(differentiated, monkeypatch):
    monkeypatch.setattr(long_runs, "LONG", 10**9)
    one_by_one = account(builder.build_recording(differentiated))
    monkeypatch.setattr(long_runs, "LONG", 2)
    monkeypatch.setattr(builder, "MOST_DERIVATIVES", 0)
    assert account(builder.build_recording(differentiated)) == one_by_one


def test_only_long_stretches_of_ops_with_one_result_are_entered_together(
    differentiated, monkeypatch
):
    entered = []
    original = builder.RecordingBuilder.enter_ops

    def spy(self, runs):
        entered.append(runs)
        original(self, runs)

    monkeypatch.setattr(builder.RecordingBuilder, "enter_ops", spy)
    builder.build_recording(differentiated)
    assert entered
    assert all(len(runs) >= long_runs.LONG for runs in entered)
    assert all(type(run.result_ids) is int for runs in entered for run in runs)
