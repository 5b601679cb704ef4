"""Variables that a compiled function reads and writes."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab
from tapelab.core.records import Assignment, expanded
from tests.compile.outside import count_records
from tests.compile.programs_of import CALLS, calls, numbers, programs


def test_an_error_in_a_program_writes_into_no_variable_twice(tf):
    count = tf.Variable(0)

    @tf.function
    def pick(x, i):
        count.assign_add(1)
        return tf.gather(x, i)

    x = tf.constant([5.0, 6.0])
    assert [float(pick(x, tf.constant(i))) for i in (0, 1, 0)] == [5.0, 6.0, 5.0]
    with pytest.raises(tapelab.errors.InvalidArgumentError):
        pick(x, tf.constant(7))
    assert count.numpy() == 4
    assert float(pick(x, tf.constant(1))) == 6.0
    assert len(programs(pick)) == 1


def test_what_python_assigns_differs_from_the_state_it_leads_to(tf):
    total, steps = tf.Variable(10.0), tf.Variable(0)

    @tf.function
    def f(x):
        total.assign_add(1.5)
        steps.assign_add(1)
        total.assign_sub(x)
        return total.read_value()

    assert calls(f, *numbers(tf, 1.0, 1.0, 2.0, 0.5)) == [10.5, 11.0, 10.5, 11.5]
    assert steps.numpy() == 4


def test_a_variable_that_is_given_is_the_one_that_is_changed(tf):
    one, other = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function
    def double(v):
        v.assign(v * 2.0)
        return v.read_value()

    assert calls(double, (one,), (one,), (one,), (other,), (other,), (other,)) == [
        *(2.0, 4.0, 8.0), *(20.0, 40.0, 80.0),
    ]  # fmt: skip
    assert (one.numpy(), other.numpy()) == (8.0, 80.0)


def test_a_variable_written_between_calls_is_read_anew(tf):
    w = tf.Variable(2.0)
    f = tf.function(lambda x: w * x)
    x = tf.constant(3.0)
    assert calls(f, (x,), (x,), (x,)) == [6.0, 6.0, 6.0]
    w.assign(5.0)
    assert calls(f, (x,)) == [15.0]


def test_a_function_without_results_returns_none(tf):
    v = tf.Variable(0.0)

    @tf.function
    def f():
        v.assign_add(1.0)

    assert [f() for _ in range(CALLS)] == [None] * CALLS
    assert v.numpy() == CALLS


def test_parts_of_variables_are_written_by_a_program(tf):
    def run(decorate):
        v, w = tf.Variable(tf.zeros([3, 2])), tf.Variable(tf.ones([4]))

        def f(x, i):
            v.scatter_add(tf.IndexedSlices(x, i))
            v.scatter_nd_update(tf.stack([i[:1], i[1:]], 1), x[0, :1])
            w[1:3].assign(x[0])
            w.scatter_nd_max([[0], [3]], x[1])
            return v * 1.0

        step = decorate(f)
        rows = np.random.default_rng(1).normal(size=(CALLS, 2, 2)).astype("f")
        given = [(tf.constant(x), tf.constant([n % 3, (n + 1) % 2])) for n, x in enumerate(rows)]
        return [step(*each).numpy().tolist() for each in given], w.numpy().tolist(), step

    *found, step = run(tf.function)
    assert found == list(run(lambda f: f)[:2])
    assert len(programs(step)) == 1


def test_a_row_that_is_not_there_is_refused_in_a_program(tf):
    v = tf.Variable(tf.zeros([3]))

    @tf.function
    def f(i):
        v.scatter_nd_add(i, [1.0])

    for _ in range(3):
        f(tf.constant([[1]]))
    with pytest.raises(tapelab.errors.InvalidArgumentError, match="are not all within"):
        f(tf.constant([[3]]))
    assert v.numpy().tolist() == [0.0, 3.0, 0.0]


def test_moving_averages_are_kept_under_a_tape(tf):
    def run(decorate):
        tf.keras.utils.set_random_seed(1)
        layer = tf.keras.layers.BatchNormalization()
        layer.build([None, 2])
        f = decorate(lambda x: layer(x, training=True))
        found = []
        for at in range(CALLS):
            x = tf.constant([[1.0, 2.0], [3.0 * at, -4.0], [5.0, at]])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(f(x) ** 3.0)
            watched = [v.name.rpartition("/")[2] for v in tape.watched_variables()]
            found += [each.numpy() for each in tape.gradient(loss, layer.trainable_variables)]
            found += [each.numpy() for each in layer.variables]
        return found, watched, count_records(tape)

    (found, watched, was_recorded), (expected, names, _) = run(tf.function), run(lambda f: f)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    assert watched == names
    assert was_recorded == 1


def test_what_is_written_under_a_tape_is_written_once(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        return x * 2.0

    x = tf.constant(3.0)
    for at in range(CALLS):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert tape.gradient(y, x) == 2.0
        assert v.numpy() == at + 2.0
    assert count_records(tape) == 1
    records = expanded(tape._windows[0][0].records)
    assigned = [each for each in records if isinstance(each, Assignment)]
    assert [each.tensor for each in assigned] == [v._cell.state._id]
