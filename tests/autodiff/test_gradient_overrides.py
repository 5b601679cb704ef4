"""Gradients that a learner writes: what the tape, its recording and its picture make of them."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.records import OP_RUNS, as_op_run, kind_of
from tapelab.recording import from_bytes, to_bytes
from tapelab.recording.events import Cause, Ran
from tapelab.views.text_view import picture


@tf.custom_gradient
def log1pexp(x):
    """The logarithm of one plus an exponential."""
    e = tf.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


def causes(recording):
    """Tell of each op that ran why it is on the tape, or is not."""
    ran = [place.event for place in recording.located if isinstance(place.event, Ran)]
    return [(recording.ops[event.op].name, Cause(event.cause).name) for event in ran]


def taped(recording):
    return [name for name, cause in causes(recording) if cause == "TAPED"]


def test_a_whole_body_is_one_step_on_the_tape_and_its_ops_are_off_it():
    x = tf.Variable(100.0)
    with tf.GradientTape() as tape:
        y = log1pexp(x) * 2.0
    tape.gradient(y, x)
    assert causes(tape.recording()) == [
        ("exp", "REPLACED"),
        ("add", "REPLACED"),
        ("log", "REPLACED"),
        ("log1pexp", "TAPED"),
        ("multiply", "TAPED"),
    ]


def test_the_step_says_what_the_learner_said_of_the_function():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = log1pexp(x)
    op = next(op for op in tape.recording(y).ops if op.name == "log1pexp")
    assert op.sentence == "The logarithm of one plus an exponential."
    assert op.inputs == ("x",)
    assert op.rules[0].sentence.startswith("The gradient function that was given in place of")
    assert op.rules[0].because == ""


PICTURE = """\
                               value      gradient
  1  watch     x            100.0000        2.0000  log1pexp
     eˣ        e                  +∞  off the tape  log1pexp
     +         1 + e              +∞  off the tape  log1pexp
     ln        log1pexp(x)        +∞  off the tape  log1pexp
  2  log1pexp  log1pexp(x)        +∞        2.0000  {here}
  3  ×         y                  +∞        1.0000  {here}

gradient of y
  x  2.0000

backward pass
  start     to y            1.0000
  ×         to log1pexp(x)  1.0000 × 2.0000  = 2.0000
  log1pexp  to x            2.0000           = 2.0000
"""


def test_the_picture_shows_the_step_and_the_body_beside_the_tape():
    x = tf.Variable(100.0)
    with tf.GradientTape() as tape:
        y = log1pexp(x) * 2.0
    tape.gradient(y, x)
    here = "test_the_picture_shows_the_step_and_the_body_beside_the_tape"
    assert picture(tape.recording()).endswith(PICTURE.format(here=here))


def test_a_recording_with_such_a_step_comes_back_from_its_bytes():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = log1pexp(x)
    recording = tape.recording(y, x)
    assert from_bytes(to_bytes(recording)) == recording


def test_what_a_second_order_takes_from_the_body_is_on_the_outer_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = log1pexp(x)
        gradient = inner.gradient(y, x)
    outer.gradient(gradient, x)
    assert ("exp", "TAPED") in causes(outer.recording())
    assert ("log", "REPLACED") in causes(outer.recording())
    assert ("exp", "REPLACED") in causes(inner.recording())


def test_a_variable_of_the_body_is_an_input_of_the_step_under_its_name():
    w = tf.Variable(5.0, name="weight")

    @tf.custom_gradient
    def scaled(x):
        return x * w, lambda dy, variables: (dy * w, [dy * x])

    with tf.GradientTape() as tape:
        y = scaled(tf.Variable(2.0))
    step = next(op for op in tape.recording(y).ops if op.name == "scaled")
    assert step.inputs == ("x", "weight")


def test_nested_arguments_are_inputs_with_numbers():
    @tf.custom_gradient
    def total(xs):
        return tf.add_n(xs), lambda dy: [dy, dy]

    with tf.GradientTape() as tape:
        y = total([tf.Variable(1.0), tf.Variable(2.0)])
    step = next(op for op in tape.recording(y).ops if op.name == "total")
    assert step.inputs == ("xs0", "xs1")


def test_a_gradient_that_is_none_is_explained_by_the_function_that_returned_it():
    @tf.custom_gradient
    def half_blind(x, y):
        return x * y, lambda dy: (dy, None)

    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = half_blind(a, b)
    assert tape.gradient(z, [a, b])[1] is None
    assert str(tf.explain(tape, z, a)).startswith("A path leads from z to a")
    explanation = " ".join(str(tf.explain(tape, z, b)).split())
    assert "The gradient function of half_blind returned None for y" in explanation
    assert "is used inside" not in explanation


def test_a_tensor_that_the_body_takes_from_outside_is_explained_as_a_missing_argument():
    x, w = tf.constant(2.0), tf.constant(3.0)

    @tf.custom_gradient
    def scaled(a):
        return a * w, lambda dy: dy * w

    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = scaled(x)
    assert tape.gradient(y, [x, w])[1] is None
    explanation = " ".join(str(tf.explain(tape, y, w)).split())
    assert "w is used inside scaled, which the tape records as one op" in explanation
    assert "is used inside" not in str(tf.explain(tape, y, x))


def test_a_wrong_count_says_what_to_return():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.custom_gradient(lambda x: (x * 1.0, lambda dy: (dy, dy)))(x)
    with pytest.raises(ValueError, match="Return one per argument, or None for an argument"):
        tape.gradient(y, x)


def test_the_backward_pass_of_such_a_step_may_be_repeated():
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = log1pexp(x)
    assert tape.gradient(y, x) == tape.gradient(y, x)


def test_after_its_gradient_call_the_tape_releases_the_gradient_function():
    class Kept:
        pass

    kept = Kept()
    alive = weakref.ref(kept)

    def made(held):
        @tf.custom_gradient
        def f(x):
            def grad(dy, held=held):
                return dy if held else None

            return x * 2.0, grad

        return f

    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = made(kept)(x)
    del kept
    gc.collect()
    assert alive() is not None
    tape.gradient(y, x)
    gc.collect()
    assert alive() is None
    assert tape.recording(y, x).tape.consumed


def test_a_step_off_every_tape_keeps_nothing_of_its_gradient_function():
    def f(x):
        large = np.zeros(1000)
        deaths.append(weakref.ref(large))
        return x * 2.0, lambda dy: dy * large[0]

    deaths = []
    tf.custom_gradient(f)(tf.constant(1.0))
    gc.collect()
    assert deaths[0]() is None


def test_it_works_on_another_thread():
    gradients = []

    def work():
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            y = log1pexp(x)
        gradients.append(float(tape.gradient(y, x)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert gradients == [0.5]


def kept_bytes(tape):
    """Count what the log of a tape holds in large arrays."""
    arrays = {}
    for log, *_ in tape._windows:
        for record in log.records:
            if kind_of(record) in OP_RUNS:
                run = as_op_run(record)
                values = (*run.inputs, *[value for _, value in run.result_pairs])
                arrays.update((id(v), v.nbytes) for v in values if isinstance(v, np.ndarray))
    return sum(arrays.values())


def deep(x):
    for _ in range(10):
        x = tf.tanh(x)
    return x


def test_recompute_grad_holds_the_ends_of_the_body_and_nothing_in_between():
    x = tf.Variable(np.linspace(-1.0, 1.0, 1000, dtype=np.float32))
    held, gradients = {}, {}
    for name, f in (("kept", deep), ("recomputed", tf.recompute_grad(deep))):
        with tf.GradientTape() as tape:
            y = f(x)
        held[name] = kept_bytes(tape)
        gradients[name] = tape.gradient(y, x).numpy()
    np.testing.assert_allclose(gradients["recomputed"], gradients["kept"], rtol=1e-6)
    assert held["recomputed"] == 2 * 4000
    assert held["kept"] >= 11 * 4000


def test_the_body_of_recompute_grad_ran_while_recording_was_paused():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda a: tf.sin(a) * 2.0)(x)
    recording = tape.recording(y)
    assert taped(recording) == ["lambda"]
    assert ("sin", "PAUSED") in causes(recording)


def test_a_layer_of_a_course_with_a_reversed_gradient_learns_backwards():
    class GradientReversal(tf.Module):
        def __init__(self, strength):
            super().__init__()
            self.strength = strength

        def __call__(self, x):
            @tf.custom_gradient
            def reverse(x):
                return tf.identity(x), lambda dy: -self.strength * dy

            return reverse(x)

    w, layer = tf.Variable([1.0, -2.0]), GradientReversal(0.5)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(w * 3.0) ** 2)
    assert tape.gradient(loss, w).numpy().tolist() == [-9.0, 18.0]
