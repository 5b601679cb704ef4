"""What calls by a program tell of themselves: to the log, to tapes, to explanations."""

from __future__ import annotations

import tapelab
from tapelab.core.log import recent
from tapelab.core.records import ProgramCall, expanded, serial_of, view
from tests.compile.programs_of import CALLS, calls


def test_a_tape_outside_sees_the_ops_of_each_call(tf):
    f = tf.function(lambda x: tf.square(x) + 1.0)
    x = tf.constant(3.0)
    calls(f, (x,), (x,), (x,))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [op.name for op in tape.recording(y).ops] == ["square", "add"]
    assert tape.gradient(y, x) == 6.0


def test_a_call_by_a_program_is_one_record_of_all_that_ran(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        v.assign_add(x * 2.0)

    for _ in range(CALLS):
        f(tf.constant([0.5, 0.5]))
    called = recent[-1]
    run, assigned = expanded([called])
    assert run.op.name == "multiply"
    assert run.input_ids[0] == view(ProgramCall, called).input_ids[0]
    assert serial_of(called) < run.serial < assigned.tensor == v._cell.state._id
    assert assigned.variable is v._cell.identity
    assert assigned.value.tolist() == [5.0, 6.0]


def explanation(tf, calls_before):
    x = tf.Variable(2.0, name="x")

    @tf.function
    def f(a):
        h = a * x
        return tf.square(h)

    for _ in range(calls_before):
        y = f(tf.constant(3.0))
    with tf.GradientTape() as tape:
        z = y * 2.0
    return str(tapelab.explain(tape, z, x))


def test_what_a_program_did_before_the_tape_is_explained_as_its_replay_would_be(tf):
    description = explanation(tf, CALLS)
    assert description == explanation(tf, 1)
    assert "ran before the tape" in description


def test_what_a_program_assigned_is_explained_as_its_replay_would_be(tf):
    def description(calls_before):
        x, v = tf.Variable(2.0, name="x"), tf.Variable(1.0, name="v")

        @tf.function
        def update(a):
            v.assign(a * x)

        for _ in range(calls_before):
            update(tf.constant(3.0))
        with tf.GradientTape() as tape:
            z = v * 2.0
        return str(tapelab.explain(tape, z, x))

    assert description(CALLS) == description(1)
    assert "6.0" in description(CALLS)


def test_a_result_stands_at_the_line_of_its_own_call(tf):
    f = tf.function(lambda x: tf.square(x) + 1.0)
    x = tf.constant(3.0)
    calls(f, (x,), (x,), (x,), (x,))

    def line(tensor):
        scope = tensor._origin.scope
        spans = list(scope.code.co_positions())
        return spans[scope.instruction // 2][0]

    one = f(x)
    other = f(x)
    assert line(other) == line(one) + 1
    description = [run for run in expanded(list(recent)[-2:]) if run.op.name == "add"]
    lines = [line(_Made(run.origin)) for run in description]
    assert lines == [line(one), line(other)]


class _Made:
    def __init__(self, origin):
        self._origin = origin


def test_a_cut_in_a_function_called_from_two_lines_is_explained(tf):
    @tf.function
    def f(x):
        h = tf.stop_gradient(x)
        return h * 2.0

    def description(calls_before):
        v = tf.Variable(3.0, name="v")
        for _ in range(calls_before):
            f(tf.constant(1.0))
        y = f(v)
        with tf.GradientTape() as tape:
            z = f(v) * y
        return str(tapelab.explain(tape, z, v))

    assert description(0) == description(CALLS)
    assert "h = tf.stop_gradient(x)" in description(CALLS)
    assert "y = f(v)" in description(CALLS)


def test_a_cut_in_the_body_of_a_loop_is_explained(tf):
    @tf.function
    def f(x):
        for _ in tf.range(2):
            x = tf.stop_gradient(x) * 2.0
        return x

    def description(calls_before):
        v = tf.Variable(3.0, name="v")
        for _ in range(calls_before):
            f(tf.constant(1.0))
        with tf.GradientTape() as tape:
            y = f(v)
        return str(tapelab.explain(tape, y, v))

    assert description(0) == description(CALLS)
    assert "x = tf.stop_gradient(x) * 2.0" in description(CALLS)
