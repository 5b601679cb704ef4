"""Which functions run by a program from their third call on, and which stay with their replay."""

from __future__ import annotations

import pytest

import tapelab
from tests.compile.programs_of import CALLS, calls, numbers, programs


def test_a_function_has_a_program_after_its_second_call(tf):
    f = tf.function(lambda x: tf.sin(x) * x)
    f(tf.constant(1.0))
    assert not programs(f)
    f(tf.constant(2.0))
    assert len(programs(f)) == 1
    assert f(tf.constant(3.0)) == tf.sin(3.0) * 3.0


def test_each_shape_gets_a_program_of_its_own(tf):
    f = tf.function(
        lambda x: tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32),
        input_signature=[tf.TensorSpec([None], tf.float32)],
    )
    for length in (1, 2, 3) * 3:
        assert f(tf.range(float(length))) == (length - 1) / 2
    assert len(programs(f)) == 3
    assert f.experimental_get_tracing_count() == 1


def test_python_that_looks_at_numbers_is_run_anew(tf):
    f = tf.function(lambda x: tf.py_function(lambda v: float(v) + 1.0, [x], tf.float32))
    assert calls(f, *numbers(tf, 1.0, 2.0, 3.0, 4.0)) == [2.0, 3.0, 4.0, 5.0]
    assert not programs(f)


def test_what_is_printed_is_printed_each_time(tf, capfd):
    @tf.function
    def f(x):
        tf.print("x is", x)
        return x

    calls(f, *numbers(tf, 1, 2, 3, 4))
    assert capfd.readouterr().err == "".join(f"x is {n}\n" for n in (1, 2, 3, 4))


def test_an_assertion_holds_at_each_call_of_a_program(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="no such number")
        return x * 2.0

    assert calls(f, *numbers(tf, 1.0, 2.0, 3.0)) == [2.0, 4.0, 6.0]
    assert len(programs(f)) == 1
    with pytest.raises(tapelab.errors.InvalidArgumentError, match="no such number"):
        f(tf.constant(-1.0))
    assert calls(f, *numbers(tf, 4.0)) == [8.0]


def test_an_assertion_of_a_variable_is_looked_at_where_it_stands(tf):
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        v.assign(x)
        tf.debugging.assert_positive(v)

    for number in (1.0, 2.0, 3.0):
        f(tf.constant(number))
    with pytest.raises(tapelab.errors.InvalidArgumentError):
        f(tf.constant(-1.0))


def test_plain_arguments_and_defaults_keep_their_traces_apart(tf):
    f = tf.function(lambda x, power=2, negative=False: (-1.0 if negative else 1.0) * x**power)
    x = tf.constant(3.0)
    for _ in range(CALLS):
        assert calls(f, (x,), (x, 3), (x, 3, True), (x, 2)) == [9.0, 27.0, -27.0, 9.0]
        assert f(x, negative=True) == -9.0
    assert f.experimental_get_tracing_count() == 4


def test_one_tensor_given_twice_stays_two_arguments(tf):
    f = tf.function(lambda a, b: a - 2.0 * b)
    one, two = tf.constant(1.0), tf.constant(2.0)
    assert calls(f, (one, one), (one, one), (two, one), (one, two)) == [-1.0, -1.0, 0.0, -3.0]


def test_results_keep_their_structure(tf):
    f = tf.function(lambda x: {"all": (x, [x + 1.0, None]), "sum": tf.reduce_sum(x)})
    for _ in range(CALLS):
        found = f(tf.constant([1.0, 2.0]))
        assert list(found) == ["all", "sum"]
        assert type(found["all"]) is tuple
        assert found["all"][1][1] is None
        assert found["sum"] == 3.0
    assert len(programs(f)) == 1


def test_functions_in_functions_become_one_program(tf):
    inner = tf.function(lambda x: tf.tanh(x) * 2.0)
    outer = tf.function(lambda x: inner(x) + inner(x))
    expected = float(tf.tanh(0.5) * 4.0)
    assert calls(outer, *numbers(tf, 0.5, 0.5, 0.5)) == [expected] * 3
    names = [each.op.name for each in programs(outer)[0].program.instructions]
    assert names == ["tanh", "multiply", "add"]


def test_running_eagerly_goes_past_the_program(tf):
    ran = []

    @tf.function
    def f(x):
        ran.append(1)
        return x + 1.0

    calls(f, *numbers(tf, 1.0, 1.0, 1.0))
    traced = len(ran)
    tf.config.run_functions_eagerly(True)
    try:
        calls(f, *numbers(tf, 1.0, 1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(ran) == traced + 2
