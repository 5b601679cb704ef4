"""A recording is taken without the garbage collector; afterwards all is as it was."""

from __future__ import annotations

import gc

import pytest

import tapelab as tf
from tapelab.core.garbage_collection import gc_paused


@pytest.fixture(autouse=True)
def _collecting():
    yield
    gc.enable()


def test_nothing_is_collected_meanwhile_and_again_afterwards():
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_collects_again_after_an_error():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(AttributeError):
        tape.recording(y, 3)
    assert gc.isenabled()


def test_who_collects_by_hand_is_left_alone():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    gc.disable()
    tape.recording(y)
    assert not gc.isenabled()


def test_a_long_recording_is_taken_without_a_collection():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(2000):
            y = tf.sin(y)
    begun = []

    def note(phase, _):
        begun.extend([phase] * (phase == "start"))

    gc.collect()
    gc.callbacks.append(note)
    try:
        tape.recording(y)
    finally:
        gc.callbacks.remove(note)
    assert len(begun) <= 2  # on the way in and on the way out
