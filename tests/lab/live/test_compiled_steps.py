"""Compiled training steps in the panel: all are counted, some are recorded as if interpreted."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.compile.compiled_program import on_compiled, programs
from tapelab.lab.live import compiled_steps

STEPS = 40


@pytest.fixture
def now(monkeypatch):
    """A clock that stands still; to add to its one entry is to wait."""
    clock = [1_000.0]
    monkeypatch.setattr(compiled_steps.time, "monotonic", lambda: clock[0])
    return clock


@pytest.fixture
def active_history(now, active_history):
    return active_history


def training():
    w = tf.Variable([[1.0], [2.0]], name="w")

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w))
        w.assign_sub(0.01 * tape.gradient(loss, w))
        return loss

    return step, w


X = tf.constant([[1.0, 0.5], [0.25, 2.0]])


def test_every_compiled_step_is_counted(active_history):
    step, _ = training()
    for _ in range(STEPS):
        step(X)
    active_history.measure()
    assert active_history.run.step == STEPS
    assert 0 < active_history.run.counted < STEPS  # the traced ones were recorded


def test_after_a_while_one_step_is_interpreted_with_its_loss_its_norms_and_its_tape(
    active_history, now
):
    step, _ = training()
    for _ in range(STEPS):
        step(X)
    active_history.measure()
    before = active_history.run.rows[-1][0]
    now[0] += 60.0
    active_history.measure()
    loss = step(X)
    step(X)
    active_history.measure()
    number, measured, norms, _ = active_history.run.rows[-1]
    assert (before < STEPS, number, measured) == (True, STEPS + 1, pytest.approx(float(loss)))
    assert norms[0] > 0.0
    assert active_history.run.step == STEPS + 2
    names = [op.name for op in active_history.run.tapes.tape(STEPS + 1).recording().ops]
    assert "matmul" in names


def test_no_more_are_interpreted_than_time_allows(active_history, now):
    step, _ = training()
    for _ in range(STEPS):
        step(X)
        active_history.measure()
    assert len(active_history.run.rows) < 5


def test_what_is_learnt_is_the_same_whether_somebody_looks_or_not(active_history, now):
    results = []
    for looked_at in (True, False):
        if not looked_at:
            active_history.stop()
        step, w = training()
        for _ in range(STEPS):
            step(X)
            now[0] += 0.01
            active_history.measure()
        results.append(w.numpy())
    np.testing.assert_allclose(*results, rtol=1e-6)
    assert not np.allclose(results[0], [[1.0], [2.0]])


def test_programs_made_before_anybody_looked_are_counted_too(active_history):
    active_history.stop()
    step, _ = training()
    for _ in range(STEPS):
        step(X)
    active_history.listen(50, 20.0)
    before = active_history.run.step
    for _ in range(STEPS):
        step(X)
    active_history.measure()
    assert active_history.run.step == before + STEPS


def test_two_losses_in_one_function_are_two_steps(active_history):
    w = tf.Variable(1.0, name="w")

    @tf.function
    def both():
        for target in (tf.square, tf.sin):
            with tf.GradientTape() as tape:
                loss = target(w)
            w.assign_sub(0.1 * tape.gradient(loss, w))

    for _ in range(STEPS):
        both()
    active_history.measure()
    assert active_history.run.step == 2 * STEPS


def test_a_function_that_asks_no_tape_is_left_alone(active_history):
    @tf.function
    def plain(x):
        return tf.sin(x) + 1.0

    before = set(programs)
    for _ in range(4):
        plain(X)
    made = [each for number, each in programs.items() if number not in before]
    assert len(made) == 1
    assert type(made[0].call) is not compiled_steps.Tap


def test_numbers_may_decide_otherwise_meanwhile(active_history, now):
    w = tf.Variable(1.0, name="w")

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.square(w) * x if x > 0.0 else tf.sin(w)
        return tape.gradient(loss, w)

    for at in range(STEPS):
        gradient = step(tf.constant(float(at % 2)))
        assert gradient.numpy() == pytest.approx(2.0 if at % 2 else np.cos(1.0), rel=1e-6)
        now[0] += 0.1
        active_history.measure()
    assert active_history.run.step == STEPS


def test_nothing_is_left_in_front_of_programs_when_nobody_looks(active_history):
    step, _ = training()
    for _ in range(4):
        step(X)
    assert any(type(each.call) is compiled_steps.Tap for each in programs.values())
    active_history.stop()
    assert not any(type(each.call) is compiled_steps.Tap for each in programs.values())
    assert on_compiled == []
