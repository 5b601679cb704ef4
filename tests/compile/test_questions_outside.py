"""Every question that a tape outside may be asked is answered as for eager code."""

from __future__ import annotations

import pytest

import tapelab
from tests.compile.outside import assert_same, layers, repeated


def on_one_tape(function, x, variables):
    with tapelab.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, [x, *variables])


def second_order(function, x, variables):
    with tapelab.GradientTape() as outer:
        outer.watch(x)
        with tapelab.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        derivative = tape.gradient(y, x)
        size = tapelab.reduce_sum(derivative * derivative)
    return outer.gradient(size, [x, *variables])


def a_tape_that_came_later(function, x, variables):
    with tapelab.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    with tapelab.GradientTape() as later:
        later.watch(x)
        derivative = tape.gradient(y, x)
    return derivative, later.gradient(derivative, x), tape.gradient(y, variables)


def inside_its_own_block(function, x, variables):
    with tapelab.GradientTape(persistent=True) as tape:
        tape.watch(x)
        derivative = tape.gradient(function(x), x)
        size = tapelab.reduce_sum(derivative * derivative)
    return tape.gradient(size, [x, *variables])


def several_times(function, x, variables):
    with tapelab.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
        z = y * 2.0
    return tape.gradient(y, x), tape.gradient(z, variables), tape.gradient([y, z], [x])


def jacobians(function, x, variables):
    with tapelab.GradientTape() as tape:
        tape.watch(x)
        y = tapelab.stack([function(x), function(2.0 * x)])
    return tape.jacobian(y, [x, *variables])


def forwards(function, x, variables):
    with tapelab.autodiff.ForwardAccumulator(x, tapelab.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def forwards_over_backwards(function, x, variables):
    with tapelab.autodiff.ForwardAccumulator(x, tapelab.ones_like(x)) as accumulator:
        with tapelab.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        derivative = tape.gradient(y, x)
    return derivative, accumulator.jvp(derivative)


def with_a_pause(function, x, variables):
    with tapelab.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        with tape.stop_recording():
            z = function(x)
    return tape.gradient(y * z, [x, *variables]), z


def after_a_pause(function, x, variables):
    with tapelab.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            z = function(x)
        y = function(x) * z
    return tape.gradient(y, [x, *variables])


def without_reads(function, x, variables):
    with tapelab.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(variables[0])
        y = function(x)
    return tape.gradient(y, [x, *variables])


def nothing_followed(function, x, variables):
    with tapelab.GradientTape(watch_accessed_variables=False) as tape:
        y = function(x)
    return tape.gradient(y, [x, *variables])


def after_a_reset(function, x, variables):
    with tapelab.GradientTape() as tape:
        function(x)
        tape.reset()
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, [x, *variables])


def calls_in_a_row(function, x, variables):
    with tapelab.GradientTape() as tape:
        tape.watch(x)
        y = function(function(x) * x) + function(x)
    return tape.gradient(y, [x, *variables])


def an_inner_source(function, x, variables):
    with tapelab.GradientTape(persistent=True) as tape:
        tape.watch(x)
        inner = function(x) * x
        y = function(inner)
    return tape.gradient(y, [inner, x]), tape.gradient(y, y), tape.gradient(inner, y)


def zeros_for_none(function, x, variables):
    with tapelab.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, [x, *variables], unconnected_gradients="zero")


def seeded(function, x, variables):
    with tapelab.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=tapelab.constant(3.0))


def behind_a_wall(function, x, variables):
    with tapelab.GradientTape() as tape:
        tape.watch(x)
        y = function(tapelab.stop_gradient(x) + x)
    return tape.gradient(y, [x, *variables])


def stepping(function, x, variables):
    losses = []
    for _ in range(3):
        with tapelab.GradientTape() as tape:
            losses.append(function(x))
        for v, derivative in zip(variables, tape.gradient(losses[-1], variables), strict=True):
            v.assign_sub(0.1 * derivative)
    return losses, [v.read_value() for v in variables]


QUESTIONS = (
    *(on_one_tape, second_order, a_tape_that_came_later, inside_its_own_block, several_times),
    *(jacobians, forwards, forwards_over_backwards, with_a_pause, after_a_pause, without_reads),
    *(nothing_followed, after_a_reset, calls_in_a_row, an_inner_source, zeros_for_none, seeded),
    *(behind_a_wall,),
)


@pytest.mark.parametrize("width", [3, 80])
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_as_for_eager_code(tf, question, width):
    model, x, variables = layers(tf, width=width)
    function = tf.function(model)
    expected = question(model, x, variables)
    repeated(function, lambda each: on_one_tape(each, x, variables))
    for _ in range(3):
        assert_same(tf, question(function, x, variables), expected)


def test_training_goes_as_in_eager_code(tf):
    found = []
    for decorate in (lambda function: function, tf.function):
        model, x, variables = layers(tf)
        function = decorate(model)
        found.append([stepping(function, x, variables) for _ in range(3)])
    assert_same(tf, found[1], found[0])
