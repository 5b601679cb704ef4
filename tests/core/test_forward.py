"""How tangents travel: beside which tapes, what is kept, and what the log tells of them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.log import recent, thread
from tapelab.core.records import OpRun, kind_of, view
from tapelab.recording.events import Cause, Ran


def test_after_the_block_ops_run_as_if_there_had_been_no_accumulator():
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, 1.0), pytest.raises(ZeroDivisionError):
        _ = tf.sin(x) * (1 / 0)
    assert thread.records is recent
    assert thread.active_tapes == ()
    assert thread.tapes == []


def test_an_error_in_a_tangent_leaves_the_accumulator_in_order():
    x = tf.constant([[[1.0]]])
    with tf.autodiff.ForwardAccumulator(x, x) as acc:
        with pytest.raises(LookupError):
            tf.image.adjust_contrast(x, 2.0)
        y = x * 3.0
    assert float(acc.jvp(y)) == 3.0
    assert thread.active_tapes == ()


def test_a_tape_that_opens_and_closes_inside_leaves_the_accumulator_active():
    x = tf.Variable(2.0)
    with tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
        with tf.GradientTape() as tape:
            y = x * x
        gradient = tape.gradient(y, x)
        z = gradient * x
    assert [float(each) for each in acc.jvp([y, gradient, z])] == [4.0, 2.0, 8.0]


def test_an_accumulator_that_opens_and_closes_inside_leaves_the_tape_recording():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
            y = x**3
        z = acc.jvp(y) * x
    assert float(tape.gradient(z, x)) == 36.0


def test_a_paused_tape_records_no_tangent_either():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
        with tape.stop_recording():
            y = x**3
        z = x**3
    assert float(acc.jvp(y)) == 12.0
    assert tape.gradient(acc.jvp([y, z])[1], x).numpy() == 12.0


def test_large_values_are_not_kept_where_no_tape_needs_them():
    x = tf.constant(np.ones(1000, np.float32))
    recent.clear()
    with tf.autodiff.ForwardAccumulator(x, x):
        tf.sin(x)
    runs = [view(OpRun, record) for record in recent if kind_of(record) is OpRun]
    values = [value for run in runs for value in run.inputs]
    assert values
    assert not any(isinstance(value, np.ndarray) for value in values)


def test_tangents_belong_to_the_thread_of_their_accumulator():
    x = tf.constant(2.0)
    results = []
    with tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
        worker = threading.Thread(target=lambda: results.append(x * 3.0))
        worker.start()
        worker.join()
    assert acc.jvp(results[0]) is None


def test_the_hessian_times_a_vector_is_the_jvp_of_a_gradient_along_it():
    a = np.array([[2.0, 1.0], [1.0, 6.0]])
    x, v = tf.Variable([1.0, -1.0], dtype=tf.float64), tf.constant([3.0, 5.0], tf.float64)
    with tf.autodiff.ForwardAccumulator(x, v) as acc:
        with tf.GradientTape() as tape:
            y = tf.tensordot(x, tf.linalg.matvec(a, x), 1) / 2.0
        gradient = tape.gradient(y, x)
    assert acc.jvp(gradient).numpy().tolist() == (a @ v.numpy()).tolist()


def test_rows_that_are_picked_move_like_their_table():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    step = tf.constant([[1.0, 0.0], [0.0, 10.0]])
    with tf.autodiff.ForwardAccumulator(table, step) as acc:
        with tf.GradientTape() as tape:
            rows = tf.gather(table, [1, 1, 0])
            y = tf.reduce_sum(rows * rows)
        gradient = tape.gradient(y, table)
    assert acc.jvp(rows * 1.0) is None, "what is computed after the block stands still"
    moved = acc.jvp(gradient)
    assert isinstance(moved, tf.IndexedSlices)
    assert tf.convert_to_tensor(moved).numpy().tolist() == [[2.0, 0.0], [0.0, 40.0]]


def test_an_outer_accumulator_sees_the_tangents_of_an_inner_one_and_not_the_other_way_round():
    x, w = tf.constant(3.0), tf.constant(5.0)
    outer = tf.autodiff.ForwardAccumulator(w, 1.0)
    with outer, tf.autodiff.ForwardAccumulator(x, 1.0) as inner:
        y = x * x * w
    assert float(outer.jvp(inner.jvp(y))) == 6.0
    assert inner.jvp(outer.jvp(y)) is None


def test_a_tape_around_shows_tangents_as_what_they_are():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
        y = tf.sin(x)
    tape.gradient(acc.jvp(y), x)
    recording = tape.recording()
    ran = [place.event for place in recording.located if isinstance(place.event, Ran)]
    names = [recording.tensor(event.outputs[0]).name for event in ran]
    assert names == ["y", "tangent of sin", "tangent of sin"]
    assert {event.cause for event in ran} == {Cause.TAPED}
    assert "tangent of sin" in {group.name for group in recording.groups}


def test_a_tape_inside_records_nothing_of_the_tangents():
    x = tf.Variable(2.0)
    with tf.autodiff.ForwardAccumulator(x, 1.0), tf.GradientTape() as tape:
        y = tf.sin(x) * x
    recording = tape.recording(y, x)
    ran = [place.event for place in recording.located if isinstance(place.event, Ran)]
    taped = [recording.ops[e.op].name for e in ran if e.cause == Cause.TAPED]
    assert taped == ["sin", "multiply"]


def test_an_op_that_works_element_by_element_costs_no_tape(monkeypatch):
    def refuse(*_):
        raise AssertionError("a rule was transposed")

    monkeypatch.setattr("tapelab.core.forward._transposed", refuse)
    x = tf.Variable([[1.0, 2.0]])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = tf.reduce_sum(tf.matmul(tf.exp(x) * 2.0 + 1.0, tf.transpose(x)))
    assert acc.jvp(y).shape == ()


def test_a_function_with_a_tape_inside_may_be_traced_while_an_accumulator_is_active():
    @tf.function
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
        dy_dx = derivative(x)
    assert [float(dy_dx), float(acc.jvp(dy_dx))] == [12.0, 12.0]


def test_an_accumulator_may_stand_around_a_compiled_function_and_in_it():
    @tf.function
    def cubed(x):
        return x**3

    @tf.function
    def moved(x):
        with tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x**3
            gradient = tape.gradient(y, x)
        return acc.jvp([y, gradient])

    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
        y = cubed(x)
    assert float(acc.jvp(y)) == 12.0
    assert [float(each) for each in moved(x)] == [12.0, 12.0]
    assert [float(each) for each in moved(tf.constant(3.0))] == [27.0, 18.0]


def test_accumulators_in_a_compiled_function_nest():
    @tf.function
    def second(x):
        outer = tf.autodiff.ForwardAccumulator(x, 1.0)
        with outer, tf.autodiff.ForwardAccumulator(x, 1.0) as inner:
            y = x**3
        return outer.jvp(inner.jvp(y))

    assert [float(second(tf.constant(value))) for value in (2.0, 5.0)] == [12.0, 30.0]


@pytest.mark.parametrize("name", ["matmul", "gather", "exp"])
def test_a_function_with_the_name_of_an_op_keeps_its_own_gradient(name):
    def flat(x):
        return tf.round(x), lambda dy: dy * 7.0

    flat.__name__ = name
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
        y = tf.custom_gradient(flat)(x)
    assert float(acc.jvp(y)) == 7.0


def test_a_chain_of_many_ops_needs_no_recursion():
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, 1.0) as acc:
        y = x
        for _ in range(3000):
            y = y + 1.0
    assert float(acc.jvp(y)) == 1.0
