"""Watching and recording: statements 1 to 10 of the tape's semantics, by number."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest


def test_s01_a_variable_is_watched_when_it_is_read_inside_the_block(tf):
    x = tf.Variable(3.0)
    unread = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert [v is x for v in tape.watched_variables()] == [True]
    dx, d_unread = tape.gradient(y, [x, unread])
    assert float(dx) == 6.0
    assert d_unread is None


def test_s01_creating_a_variable_inside_the_block_does_not_watch_it(tf):
    with tf.GradientTape() as tape:
        tf.Variable(3.0)
    assert tape.watched_variables() == ()


@pytest.mark.parametrize("read", ["value", "read_value", "identity", "convert", "index"])
def test_s01_every_way_of_reading_a_variable_watches_it(tf, read):
    x = tf.Variable([3.0, 4.0])
    ways = {
        "value": x.value,
        "read_value": x.read_value,
        "identity": lambda: tf.identity(x),
        "convert": lambda: tf.convert_to_tensor(x),
        "index": lambda: x[0:2],
    }
    with tf.GradientTape() as tape:
        y = 2.0 * ways[read]()
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]


def test_s01_a_tensor_is_never_watched_on_its_own(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_s02_a_variable_that_is_not_trainable_gives_none(tf):
    x = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.watched_variables() == ()
    assert tape.gradient(y, x) is None


def test_s02_a_variable_that_is_not_trainable_can_be_watched_by_hand(tf):
    x = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert [v is x for v in tape.watched_variables()] == [True]
    assert float(tape.gradient(y, x)) == 6.0


def test_s03_without_automatic_watching_only_watch_counts(tf):
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        z = x * y
    dx, dy = tape.gradient(z, [x, y])
    assert float(dx) == 4.0
    assert dy is None


def test_s04_watch_accepts_any_nest_of_tensors_and_variables(tf):
    a, b, c = tf.constant(1.0), tf.Variable(2.0, trainable=False), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch({"first": a, "rest": [b, (c,)]})
        y = a + 10.0 * b + 100.0 * c
    assert [float(g) for g in tape.gradient(y, [a, b, c])] == [1.0, 10.0, 100.0]


@pytest.mark.parametrize("plain", [3.0, 3, np.float32(3.0), np.ones(2, np.float32), "text"])
def test_s04_watching_a_plain_value_raises_value_error(tf, plain):
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="Passed in object"):
        tape.watch(plain)


def test_s04_watching_an_integer_logs_one_warning_and_is_ignored(tf, logged):
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None
    assert len(logged) == 1
    assert "The dtype of the watched tensor must be floating (e.g. tf.float32)" in logged[0]
    assert "got tf.int32" in logged[0]


def test_s05_ops_before_the_watch_are_not_recorded(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        before = x * x
        tape.watch(x)
        after = x * 5.0
        y = before + after
    assert float(tape.gradient(y, x)) == 5.0


def test_s05_ops_outside_the_block_are_not_recorded(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    z = y * 2.0
    assert tape.gradient(z, x) is None


def test_s05_watching_after_the_block_does_nothing(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.watch(x)
    assert tape.gradient(y, x) is None


def test_s05_watching_before_the_tape_was_entered_raises_attribute_error(tf):
    with pytest.raises(AttributeError):
        tf.GradientTape().watch(tf.constant(3.0))


def test_s06_watching_an_intermediate_does_not_cut_the_path(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.watch(y)
        z = y * y
    dx, dy = tape.gradient(z, [x, y])
    assert float(dx) == 108.0
    assert float(dy) == 18.0


def test_s06_a_recorded_intermediate_is_a_source_without_watch(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        z = y * y
    assert float(tape.gradient(z, y)) == 18.0


def test_s07_watched_variables_follow_creation_order_and_include_integers(tf):
    first = tf.Variable(1.0, name="first")
    count = tf.Variable(2, name="count")
    last = tf.Variable(3.0, name="last")
    with tf.GradientTape() as tape:
        last * first
        count + 1
    assert [v.name for v in tape.watched_variables()] == ["first:0", "count:0", "last:0"]
    assert isinstance(tape.watched_variables(), tuple)


def test_s08_what_is_computed_under_stop_recording_is_a_constant(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            factor = x * 10.0
        z = factor * y
    assert float(tape.gradient(z, x)) == 180.0


def test_s08_variables_read_under_stop_recording_are_not_watched(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape, tape.stop_recording():
        x * x
    assert tape.watched_variables() == ()


def test_s08_stop_recording_and_reset_of_a_finished_tape_raise_value_error(tf):
    with tf.GradientTape() as tape:
        pass
    with pytest.raises(ValueError, match="Tape is not recording"), tape.stop_recording():
        pass
    with pytest.raises(ValueError, match="not recording"):
        tape.reset()


def test_s08_a_tape_that_was_never_entered_cannot_stop_or_reset(tf):
    tape = tf.GradientTape()
    with pytest.raises(RuntimeError, match="not recording"), tape.stop_recording():
        pass
    with pytest.raises(ValueError, match="not recording"):
        tape.reset()


def test_s08_reset_forgets_ops_and_watched_variables(tf):
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        forgotten = x * x
        tape.reset()
        kept = y * y
    assert [v is y for v in tape.watched_variables()] == [True]
    dx, dy = tape.gradient([forgotten, kept], [x, y])
    assert dx is None
    assert float(dy) == 8.0


def test_s09_an_exception_in_the_block_still_pops_the_tape(tf):
    x = tf.Variable(3.0)
    tape = tf.GradientTape()
    squares = []

    def record_and_fail():
        squares.append(x * x)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), tape:
        record_and_fail()
    z = squares[0] * 2.0
    assert tape.gradient(z, x) is None
    with tape:
        pass  # it is not active any more


def test_s09_entering_an_active_tape_raises_value_error(tf):
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="still recording"), tape:
        pass


def test_s09_entering_a_finished_tape_again_continues_it(tf):
    x = tf.Variable(3.0)
    tape = tf.GradientTape()
    with tape:
        y = x * x
    with tape:
        z = y * y
    assert float(tape.gradient(z, x)) == 108.0


def test_s10_a_tape_belongs_to_the_thread_that_entered_it(tf):
    x = tf.Variable(3.0)
    elsewhere = []
    with tf.GradientTape() as tape:
        worker = threading.Thread(target=lambda: elsewhere.append(x * x))
        worker.start()
        worker.join()
        here = x * 5.0
    assert tape.gradient(elsewhere[0] + here, x) is None
    assert float(elsewhere[0]) == 9.0


def test_s10_threads_differentiate_side_by_side(tf):
    shared = tf.Variable(2.0)

    def second_derivative(value):
        x = tf.Variable(value)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = shared * x**3
            gradient = inner.gradient(y, x)
        return float(outer.gradient(gradient, x))

    values = [float(n % 7) for n in range(64)]
    with ThreadPoolExecutor(max_workers=8) as pool:
        assert list(pool.map(second_derivative, values)) == [12.0 * x for x in values]


def test_s10_side_by_side_tapes_must_each_watch_a_constant(tf):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape() as one, tf.GradientTape() as other:
        one.watch(x)
        y = x * x * v
    assert float(one.gradient(y, x)) == 12.0
    dx, dv = other.gradient(y, [x, v])
    assert dx is None
    assert float(dv) == 9.0


def test_s10_a_variable_goes_to_every_active_tape_that_watches_by_itself(tf):
    v = tf.Variable(2.0)
    with (
        tf.GradientTape() as one,
        tf.GradientTape(watch_accessed_variables=False) as two,
        tf.GradientTape() as three,
    ):
        y = v * v
    assert float(one.gradient(y, v)) == 4.0
    assert two.gradient(y, v) is None
    assert float(three.gradient(y, v)) == 4.0
