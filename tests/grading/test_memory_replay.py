"""The memory of a tape is measured again, whatever a recording says of it."""

from __future__ import annotations

import dataclasses
from contextlib import closing

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.tape_checks import memory_at_most
from tapelab.exercises.tape_trial import trial_of
from tapelab.exercises.verdict import outcome
from tapelab.grading.assignment import Assignment, Limits
from tapelab.grading.grader import RemoteAnswer
from tapelab.grading.memory_replay import MemoryReplay
from tapelab.grading.op_settings import decode_settings, encode_settings
from tapelab.grading.protocol import Payload
from tapelab.grading.sandbox.backends import BACKENDS
from tapelab.grading.submission import Cell, Submission
from tapelab.grading.worker_session import WorkerSession
from tapelab.recording.events import Ran


def replayed(tape, target, source, change=lambda recording: recording):
    """What a recording says that a tape holds, and what the replay of it finds."""
    payload = Payload()
    trial = trial_of(tape, target, source)
    encoded = encode_settings((tape, target, source), payload)
    settings = [decode_settings(each, payload) for each in encoded]
    changed = dataclasses.replace(trial, recording=change(trial.recording))
    peak = MemoryReplay(changed.recording, settings).peak(trial.call, trial.position)
    return changed.memory, peak


@tf.custom_gradient
def scaled(x):
    """Double a tensor, with a gradient of its own."""
    return x * 2.0, lambda dy: dy * 3.0


@tf.recompute_grad
def waves(x):
    """Take ten sines of a tensor, which the backward pass computes again."""
    for _ in range(10):
        x = tf.sin(x)
    return x


LARGE = np.linspace(-1.0, 1.0, 1000, dtype=np.float32)
PROGRAMS = {
    "few numbers": lambda x: x[0] * x[1] + tf.sin(x[2]),
    "many numbers": lambda x: tf.reduce_mean(tf.square(tf.sin(x) + x)),
    "views of one buffer": lambda x: tf.reduce_sum(tf.transpose(tf.reshape(x, (10, 100))) @ (
        tf.ones((10, 3)))),
    "a gradient of its own": lambda x: tf.reduce_sum(scaled(tf.sin(x))),
    "computed again": lambda x: tf.reduce_sum(waves(waves(x))),
    "a mask that is not kept": lambda x: tf.reduce_sum(tf.boolean_mask(x * 2.0, LARGE > 0.5)),
    "places that are not kept": lambda x: tf.reduce_sum(tf.gather(x, np.arange(1000) % 7)),
    "a compiled function": lambda x: tf.function(lambda z: tf.reduce_sum(tf.sin(z) * z))(x),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("persistent", [False, True])
def test_an_honest_tape_holds_as_much_when_it_is_replayed(name, persistent):
    x = tf.Variable(LARGE[:10] if name == "few numbers" else LARGE)
    with tf.GradientTape(persistent=persistent) as tape:
        y = PROGRAMS[name](x)
    recorded, peak = replayed(tape, y, x)
    assert recorded == peak


def large_tape():
    """A tape that holds six times 4000 bytes."""
    x = tf.Variable(LARGE)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sin(tf.sin(tf.sin(tf.sin(x)))))
    return tape, y, x


def in_one_buffer(recording):
    """A recording that says that all its tensors lie in one byte."""
    count = len(recording.columns["tensor.shape"])
    share = {
        "share.tensor": np.arange(count, dtype="<i4"),
        "share.buffer": np.zeros(count, "<i4"),
        "share.bytes": np.ones(1, "<f8"),
    }
    return dataclasses.replace(recording, columns={**recording.columns, **share})


def of_one_element(recording):
    """A recording that says that the sines of many numbers are one number each."""
    columns = {**recording.columns, "tensor.shape": recording.columns["tensor.shape"].copy()}
    results = [index for each in recording.placed(Ran) for index in each.event.outputs]
    columns["tensor.shape"][results] = recording.shapes.index(())
    columns["tensor.value"] = recording.columns["tensor.value"].copy()
    columns["tensor.value"][results] = 0
    return dataclasses.replace(recording, columns=columns)


@pytest.mark.parametrize(("forge", "least"), [(in_one_buffer, 20_000), (of_one_element, 20_000)])
def test_a_recording_that_says_less_is_measured_again(forge, least):
    recorded, peak = replayed(*large_tape(), change=forge)
    assert recorded < 10_000
    assert peak >= least


FORGED = """
import dataclasses
import numpy as np
import tapelab as tf
from tapelab.grading import worker

honest = worker.to_bytes

def forged(recording):
    count = len(recording.columns["tensor.shape"])
    share = {"share.tensor": np.arange(count, dtype="<i4"),
             "share.buffer": np.zeros(count, "<i4"), "share.bytes": np.ones(1, "<f8")}
    return honest(dataclasses.replace(recording, columns={**recording.columns, **share}))

@tf.exercise("1")
def answer():
    x = tf.Variable(np.linspace(-1.0, 1.0, 1000, dtype=np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sin(tf.sin(tf.sin(tf.sin(x)))))
    return tape, y, x
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "most", "points"),
    [("", 30_000, 3), ("", 10_000, 0), ("worker.to_bytes = forged", 10_000, 0),
     ("worker.to_bytes = forged", 30_000, 3)],
)  # fmt: skip
def test_a_check_of_memory_reads_what_the_replay_measured(more, most, points):
    check = memory_at_most("It fits", 3, most)
    exercise = Exercise("1", "Memory", "", (check,))
    assignment = Assignment.of("memory", (exercise,), limits=Limits(seconds=60.0))
    submission = Submission("ada", "", (Cell("1", FORGED, {}), Cell("2", more, {})))
    with closing(WorkerSession(submission, assignment, BACKENDS[-1], 0)) as session:
        assert outcome(check, RemoteAnswer(exercise, session)).points == points


def test_memory_that_nobody_can_measure_earns_nothing_and_says_so():
    class Unmeasured:
        def trial(self, *_):
            tape, y, x = large_tape()
            return dataclasses.replace(trial_of(tape, y, x), replay=lambda: -1)

    seen = outcome(memory_at_most("It fits", 3, 10**6), Unmeasured())
    assert seen.points == 0
    assert seen.text.startswith("The memory of this tape cannot be verified")
