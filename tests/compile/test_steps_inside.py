"""Training steps, loops and gradients inside a compiled function."""

from __future__ import annotations

import gc
import threading
import tracemalloc

import numpy as np
import pytest

from tapelab.compile.subgraph import Subgraph
from tapelab.core.log import recent
from tests.compile.epochs import epoch_of, pairs, weights
from tests.compile.programs_of import calls, numbers, programs


def test_a_training_step_is_one_program(tf):
    x, y = tf.constant([[1.0, 2.0], [3.0, -1.0]]), tf.constant([1, 0])

    def trained(decorate):
        w, b = tf.Variable(tf.ones([2, 3]) * 0.5), tf.Variable(tf.zeros([3]))

        @decorate
        def step(x, y):
            with tf.GradientTape() as tape:
                scores = tf.nn.relu(x @ w + b)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, scores)
                loss = tf.reduce_mean(losses)
            for each, derivative in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
                each.assign_sub(0.1 * derivative)
            return loss

        losses = [float(step(x, y)) for _ in range(6)]
        return step, losses, w.numpy().tolist(), b.numpy().tolist()

    step, *found = trained(tf.function)
    _, *expected = trained(lambda function: function)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-5, atol=1e-7)
    assert len(programs(step)) == 1


def test_a_gradient_of_ones_own_is_part_of_a_program(tf):
    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda upstream: upstream * tf.clip_by_value(2.0 * x, -1.0, 1.0)

    @tf.function
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x) * 3.0
        return tape.gradient(y, x)

    found = calls(derivative, *numbers(tf, 0.1, 2.0, 2.0, -5.0))
    assert found == pytest.approx([0.6, 3.0, 3.0, -3.0])
    assert len(programs(derivative)) == 1


def test_rows_picked_by_number_send_their_gradients_where_they_came_from(tf):
    @tf.function
    def derivative(table, rows):
        with tf.GradientTape() as tape:
            tape.watch(table)
            y = tf.reduce_sum(tf.gather(table, rows) ** 2) + tf.reduce_sum(tf.gather(table, rows))
        return tf.convert_to_tensor(tape.gradient(y, table))

    table = tf.constant([[1.0], [2.0], [3.0]])
    for rows in ([0, 0], [0, 0], [1, 1], [2, 0]):
        expected = np.zeros([3, 1])
        np.add.at(expected, rows, 2 * table.numpy()[rows] + 1)
        assert np.array_equal(derivative(table, tf.constant(rows)), expected)
    assert len(programs(derivative)) == 1


def test_the_largest_entries_are_found_anew(tf):
    @tf.function
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            top, _ = tf.math.top_k(x, 1)
            y = tf.reduce_sum(top * 2.0) + tf.reduce_sum(tf.sort(x) * [0.0, 0.0, 1.0])
        return tape.gradient(y, x)

    rows = ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 3.0, 2.0])
    found = [derivative(tf.constant(row)).numpy().argmax() for row in rows]
    assert found == [2, 2, 0, 1]
    assert len(programs(derivative)) == 1


def test_embeddings_are_trained_by_a_program(tf):
    table = tf.Variable(tf.ones([4, 2]))
    optimizer = tf.keras.optimizers.SGD(0.5)

    @tf.function
    def step(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, rows))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    for rows in ([0, 1], [0, 1], [2, 2], [3, 0]):
        step(tf.constant(rows))
    assert table.numpy()[:, 0].tolist() == [-0.5, 0.0, 0.0, 0.5]
    assert len(programs(step)) == 1


def test_ten_thousand_calls_hold_no_more_than_ten(tf):
    w = tf.Variable(tf.ones([16, 16]))

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.tanh(x @ w) ** 2)
        w.assign_sub(0.01 * tape.gradient(loss, w))
        return loss

    def held(count):
        x = tf.ones([16, 16])
        for _ in range(count):
            step(x)
        recent.clear()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    held(10)
    tracemalloc.start()
    try:
        few = held(10)
        assert held(10_000) < few + 20_000
    finally:
        tracemalloc.stop()


def test_the_body_of_a_loop_is_a_program_of_its_own(tf):
    w, count = tf.Variable(0.0), tf.Variable(0)

    @tf.function
    def trained(x, y, steps):
        loss = tf.constant(0.0)
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x - y) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            count.assign_add(1)
            if loss < 1e-3:
                break
        return loss

    x = tf.constant([1.0, 2.0])
    found = []
    for steps in (3, 50):
        w.assign(0.0)
        count.assign(0)
        found.append([float(trained(x, 2.0 * x, tf.constant(steps))), w.numpy(), count.numpy()])
    w.assign(0.0)
    count.assign(0)
    last = float(trained.python_function(x, 2.0 * x, 50))
    assert found[1] == [last, w.numpy(), count.numpy()]
    bodies = [
        leaf
        for trace in trained._traces.values()
        for node in trace._graph.nodes
        for leaf in node.args
        if isinstance(leaf, Subgraph)
    ]
    assert sum(len(body.execution.programs) for body in bodies) > 0


def test_an_epoch_over_a_dataset_trains_by_a_program(tf):
    x = np.arange(1.0, 13.0, dtype=np.float32)
    epoch, dataset = epoch_of(tf, 0.01), pairs(tf, x)
    found = [float(epoch(dataset)) for _ in range(2)]
    np.testing.assert_allclose(found, weights(x, 0.01, epochs=2), rtol=1e-5)
    (node,) = [
        node for trace in epoch._traces.values() for node in trace._graph.nodes
        if node.function.__name__ == "each_item"
    ]  # fmt: skip
    assert len(node.args[1].execution.programs) == 1


def test_threads_share_a_program(tf):
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def derivative(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(w * x) ** 2)
        return tape.gradient(loss, w)

    found = {}

    def work(number):
        x = tf.constant([0.1 * number, 0.2])
        found[number] = [derivative(x).numpy().tolist() for _ in range(50)]

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for number, rows in found.items():
        expected = derivative.python_function(tf.constant([0.1 * number, 0.2])).numpy()
        np.testing.assert_allclose(rows, [expected] * 50, rtol=1e-5)
    assert len(found) == 4
    assert len(programs(derivative)) == 1
