"""Control flow and TensorArray where eager code differs from graphs, and learners' programs."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf


def test_a_predicate_that_is_no_truth_value_says_how_to_make_one():
    with pytest.raises(TypeError, match=r"pred must be Tensor of type bool.*Compare it, as x > 0"):
        tf.case([(tf.constant(2.0), lambda: 1)], default=lambda: 2)


def test_a_branch_that_was_called_already_says_what_to_write():
    with pytest.raises(TypeError, match=r"'true_fn' must be callable. It is 3; try lambda: 3."):
        tf.cond(True, 3, lambda: 4)


def test_a_case_without_a_branch_says_which_predicates_there_were():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[False, False\]. Give a default="):
        tf.case([(tf.constant(False), lambda: 1), (tf.constant(False), lambda: 2)])


def test_only_the_branch_that_ran_is_on_the_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.cond(x > 0, lambda: tf.sin(x), lambda: tf.cos(x))
    names = {op.name for op in tape.recording(y).ops}
    assert "sin" in names
    assert "cos" not in names


def test_a_vectorized_function_may_branch_in_python():
    y = tf.vectorized_map(lambda a: a if a > 1 else -a, tf.constant([1.0, 2.0]))
    assert y.numpy().tolist() == [-1.0, 2.0]


def test_a_map_warns_once_of_parallel_iterations(logged):
    from tapelab.control_flow import map_ops

    map_ops._warn_of_parallel_iterations.cache_clear()
    for _ in range(2):
        tf.map_fn(lambda a: a, tf.constant([1.0]), parallel_iterations=4)
    assert len(logged) == 1
    assert logged[0].startswith("Setting parallel_iterations > 1 has no effect")


def test_a_full_tensor_array_says_how_to_let_it_grow():
    with pytest.raises(tf.errors.OutOfRangeError, match=r"size is: 1. Try dynamic_size=True."):
        tf.TensorArray(tf.float32, 1).write(1, 1.0)


def test_a_closed_tensor_array_holds_nothing():
    array = tf.TensorArray(tf.float32, 1, element_shape=[]).write(0, 5.0)
    array.close()
    assert float(array.read(0)) == 0.0


def test_newton_in_a_while_loop_differentiates_through_its_rounds():
    a = tf.Variable(9.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        root, _ = tf.while_loop(
            lambda x, i: i < 20,
            lambda x, i: ((x + a / x) / 2.0, i + 1),
            (tf.constant(1.0, tf.float64), tf.constant(0)),
        )
    np.testing.assert_allclose(root, 3.0)
    np.testing.assert_allclose(tape.gradient(root, a), 1 / 6)


def test_a_recurrent_network_in_a_tensor_array_equals_the_same_in_a_scan():
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.normal(size=(3, 3)).astype(np.float32))
    xs = tf.constant(rng.normal(size=(5, 3)).astype(np.float32))

    def step(h, x):
        return tf.tanh(tf.linalg.matvec(w, h) + x)

    def by_array():
        states, h = tf.TensorArray(tf.float32, size=5), tf.zeros([3])
        for t in tf.range(5):
            h = step(h, xs[t])
            states = states.write(t, h)
        return states.stack()

    results = []
    for run in (by_array, lambda: tf.scan(step, xs, initializer=tf.zeros([3]))):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(run() ** 2)
        results.append(tape.gradient(loss, w).numpy())
    np.testing.assert_allclose(results[0], results[1], rtol=1e-5)
    assert np.abs(results[0]).max() > 0.1
