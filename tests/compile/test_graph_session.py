"""Graphs and sessions: nothing runs until a session asks, and then only what is needed."""

from __future__ import annotations

import pytest

import tapelab


def test_a_session_runs_only_what_a_fetch_needs(tf, capfd):
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        tf.py_function(lambda value: print("ran", value), [x], [])
        y = x * 2
        with tf.compat.v1.Session() as session:
            assert session.run(y, {x: 4.0}) == 8.0
    assert capfd.readouterr().out == ""


def test_two_graphs_are_apart(tf):
    with tf.Graph().as_default():
        one = tf.compat.v1.placeholder(tf.float32, [])
    with tf.Graph().as_default(), pytest.raises(TypeError, match="out of scope"):
        one + 1


def test_an_operation_can_be_fetched_for_its_effect(tf):
    with tf.Graph().as_default():
        v = tf.compat.v1.Variable(1.0)
        up = v.assign_add(2.0)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run([up, up])
            assert session.run(v) == 3.0


def test_names_of_version_2_are_offered_as_well(tf):
    assert tf.compat.v1.reduce_sum is tapelab.reduce_sum
    with pytest.raises(AttributeError, match="nothing_like_it"):
        tf.compat.v1.nothing_like_it  # noqa: B018  asking raises


def test_eager_execution_cannot_be_switched_off(tf):
    with pytest.raises(RuntimeError, match=r"tf\.Graph"):
        tf.compat.v1.disable_eager_execution()
