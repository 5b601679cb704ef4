"""Gradients of compiled functions from a tape outside: the same answers, compiled both ways."""

from __future__ import annotations

import numpy as np
import pytest

from tests.compile import drawn
from tests.compile.outside import (
    CALLS,
    answers_for,
    assert_same,
    calls_on,
    count_records,
    layers,
    repeated,
)


def calling_of(tf, seed):
    """A drawn computation of two tensors and two variables, and arguments for it."""
    program = drawn.drawn(seed)
    v, w, counter = drawn.states(tf, program, seed)

    def function(x, y):
        values = {"x": x, "y": y, "v": v, "w": w}
        return drawn.body(tf, program, values, counter)

    return function, drawn.inputs(tf, program, seed, CALLS), (v, w)


@pytest.mark.parametrize("seed", range(24))
def test_gradients_of_drawn_functions_are_those_of_eager_code(tf, seed):
    answers = []
    for decorate in (lambda function: function, tf.function):
        function, given, variables = calling_of(tf, seed)
        function, found = decorate(function), []
        tf.random.set_seed(seed)
        for x, y in given:
            with tf.GradientTape() as tape:
                tape.watch(x)
                result = function(x, y)
                loss = tf.reduce_sum(result * result)
            found += [result, *tape.gradient(loss, [x, y, *variables])]
        answers.append(found)
    assert_same(tf, answers[1], answers[0])


def test_calls_stand_on_the_tape_as_one_record_each(tf):
    model, x, variables = layers(tf)
    function = tf.function(model)
    for call in range(4):
        with tf.GradientTape() as tape:
            loss = function(x) + function(x)
        assert count_records(tape) == (2 if call else 1), call
        tape.gradient(loss, variables)


def test_the_way_back_is_compiled(tf, monkeypatch):
    model, x, variables = layers(tf)
    function = tf.function(model)

    def ask(function):
        with tf.GradientTape() as tape:
            loss = function(x)
        return tape, tape.gradient(loss, variables)

    expected = ask(model)[1]
    repeated(function, ask)
    with tf.GradientTape() as tape:
        loss = function(x)
    call = calls_on(tape)[0]
    assert call.parts is not None
    monkeypatch.setattr(type(call.taped_inputs), "op_runs", None)
    assert_same(tf, tape.gradient(loss, variables), expected)


def test_one_of_several_outputs_may_be_the_target(tf):
    def function(x):
        return {"sum": tf.reduce_sum(tf.sin(x)), "parts": (tf.square(x), tf.cast(x, tf.int32))}

    x = tf.constant([1.0, 2.0, 3.0])

    def ask(function, pick):
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = function(x)
        return tape.gradient(pick(found), x)

    compiled = tf.function(function)
    for pick in (
        lambda y: y["sum"], lambda y: y["parts"][0], lambda y: [y["sum"], y["parts"][0]],
        lambda y: y["parts"][1], lambda y: y["sum"],
    ):  # fmt: skip
        for _ in range(3):
            assert_same(tf, [ask(compiled, pick)], [ask(function, pick)])


def test_an_output_may_be_the_source_of_another(tf):
    def function(x):
        y = tf.sin(x)
        return y, tf.square(y)

    x = tf.constant([1.0, 2.0])

    def ask(function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, z = function(x)
        return tape.gradient(z, [y, x])

    assert_same(tf, *answers_for(tf, function, ask))


def test_an_unused_input_has_no_gradient(tf):
    def function(x, y):
        return tf.exp(x) + tf.stop_gradient(tf.exp(y)), tf.shape(y)

    x, y = tf.constant([1.0]), tf.constant([2.0])

    def ask(function):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            result, _ = function(x, y)
        return tape.gradient(result, [x, y])

    assert_same(tf, *answers_for(tf, function, ask))
    assert ask(tf.function(function))[1] is None


def test_what_is_given_back_as_it_came_stays_the_same_tensor(tf):
    def function(x, y):
        return x, x * y, y

    x, y = tf.constant([1.0]), tf.constant([2.0])

    def ask(function):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            one, product, _ = function(x, y)
            loss = one * product
        return tape.gradient(loss, [x, y])

    assert_same(tf, *answers_for(tf, function, ask))


def test_one_tensor_may_be_given_twice(tf):
    x = tf.constant([1.0, 2.0])

    def ask(function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, x)
        return tape.gradient(y, x)

    assert_same(tf, *answers_for(tf, lambda a, b: a * tf.exp(b), ask))


def test_rows_of_a_table_keep_their_places(tf):
    table = tf.Variable(np.ones((7, 3), "f"))

    def ask(function):
        with tf.GradientTape() as tape:
            loss = function(tf.constant([1, 4, 1]))
        return tape.gradient(loss, table)

    def function(ids):
        return tf.reduce_sum(tf.gather(table, ids) ** 2.0)

    found, expected = answers_for(tf, function, ask)[::-1]
    assert type(found) is type(expected) is tf.IndexedSlices
    assert_same(tf, [found], [expected])


def test_a_gradient_of_rows_flows_into_a_call(tf):
    x = tf.constant(np.ones((7, 3), "f"))

    def ask(function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.gather(function(x), [1, 4, 1]) ** 2.0)
        return tape.gradient(loss, x)

    assert_same(tf, *answers_for(tf, lambda given: tf.exp(given) * 2.0, ask))


def test_a_custom_gradient_clips(tf):
    @tf.custom_gradient
    def clipped(x):
        return x * 1.0, lambda dy: tf.clip_by_norm(dy, 0.5)

    x = tf.constant([3.0, 4.0])

    def ask(function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x))
        return tape.gradient(y, x)

    assert_same(tf, *answers_for(tf, lambda given: clipped(given * 2.0) * 3.0, ask))


def test_assignments_draws_and_prints_happen_once_a_call(tf):
    counter, x = tf.Variable(0.0), tf.constant([1.0, 2.0])

    @tf.function
    def function(x):
        counter.assign_add(1.0)
        return tf.reduce_sum(x * counter) + tf.random.normal([])

    for _ in range(5):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        derivative = tape.gradient(y, x)
    assert float(counter) == 5.0
    np.testing.assert_array_equal(derivative, [5.0, 5.0])


def test_captured_tensors_and_functions_in_functions_are_followed(tf):
    c = tf.constant([0.5, 2.0])
    inner = tf.function(lambda x: tf.sin(x) * c)

    def ask(function):
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = tf.reduce_sum(function(c * 3.0))
        return tape.gradient(y, c)

    assert_same(tf, *answers_for(tf, lambda x: inner(x) * inner(x + c), ask))


def test_an_op_without_a_gradient_is_refused_as_in_eager_code(tf):
    x = tf.constant([3.0, 1.0])
    function = tf.function(lambda x: tf.math.bessel_i0e(x) * tf.nn.relu6(x))

    def ask(function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    assert_same(tf, [repeated(function, ask)], [ask(function.python_function)])


def test_calls_whose_way_back_no_program_serves_are_replayed(tf):
    x = tf.constant(np.ones((7, 3), "f"))
    function = tf.function(lambda given: tf.exp(given) * 2.0)
    found = []
    for _ in range(8):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.gather(function(x), [1, 4, 1]))
        found.append(count_records(tape))
        tape.gradient(loss, x)
    assert found == [0, 1, 1, 1, 0, 0, 0, 0]
