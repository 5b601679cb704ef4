"""The backward pass as columns: its steps to the source, and what is known of their numbers."""

import numpy as np

import tapelab as tf
from tapelab.diagnosis.case import Analysis, Case


def backward_steps_of(tape, y, x):
    recording = tape.recording(y, x)
    return Case.of_call(Analysis(recording), 0).backward


def test_only_steps_that_lead_to_the_source_are_listed():
    x, other = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.sin(x) * tf.exp(other)
    backward = backward_steps_of(tape, y, x)
    assert backward.ops == ["", "multiply", "sin"]


def test_the_steps_go_from_the_target_to_the_source():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.exp(tf.sin(x))
    backward = backward_steps_of(tape, y, x)
    assert backward.ops == ["", "exp", "sin"]
    assert backward.made[1:] == backward.tensor[:2]
    assert backward.upstream[1:] == backward.contribution[:2]


def test_a_tensor_knows_the_steps_that_lead_to_it_and_on_from_it():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        h = tf.sin(x)
        y = h * 3.0 + h
    backward = backward_steps_of(tape, y, x)
    (source,) = {backward.tensor[step] for step in backward.through({"sin"})}
    (inner,) = {backward.made[step] for step in backward.through({"sin"})}
    assert [backward.ops[step] for step in backward.into[inner]] == ["add", "multiply"]
    assert [backward.ops[step] for step in backward.out_of[inner]] == ["sin"]
    assert [backward.ops[step] for step in backward.into[source]] == ["sin"]


def test_the_strongest_way_is_followed():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.sin(x) * 1e-3 + tf.exp(x)
    backward = backward_steps_of(tape, y, x)
    assert [backward.ops[step] for step in backward.back_from(backward.tensor[-1])] == [
        "",
        "add",
        "exp",
    ]


def test_results_of_an_op_that_makes_several_lead_on():
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        _, second = tf.split(x, 2)
        y = tf.reduce_sum(second**2)
    backward = backward_steps_of(tape, y, x)
    assert backward.ops[-1] == "split"


def test_zero_and_non_finite_are_known_of_the_gradient_that_arrived():
    x = tf.Variable([1.0, 0.0])
    with tf.GradientTape(persistent=True) as tape:
        flat, steep = tf.reduce_sum(x * 0.0), tf.reduce_sum(tf.sqrt(x))
    assert backward_steps_of(tape, flat, x).is_zero
    other = Case.of_call(Analysis(tape.recording(steep, x)), 1).backward
    assert other.is_non_finite
    assert not other.is_zero


def test_a_jacobian_is_followed_along_its_last_row():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.sin(x)
    tape.jacobian(y, x)
    backward = Case.of_call(Analysis(tape.recording()), 0).backward
    assert backward.ops == ["", "sin"]
    assert np.array_equal(backward.value(backward.upstream[1]), [0.0, 1.0])


def test_where_no_gradient_arrives_there_is_no_way():
    x, other = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = other * 2.0
    assert backward_steps_of(tape, y, x) is None
