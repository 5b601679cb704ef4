"""Which functions run by a program from their third call on, and which stay with their replay."""

from __future__ import annotations

import gc
import threading
import tracemalloc

import numpy as np
import pytest

import tapelab
from tapelab.compiling.routines import Routine
from tapelab.engine.log import recent
from tapelab.engine.records import one_by_one

CALLS = 4


def reasons(function):
    return [each for trace in function._traces.values() for each in trace.execution.reasons]


def programs(function):
    return [each for trace in function._traces.values() for each in trace.execution.programs]


def calls(function, *rows):
    """What a function returns for rows of arguments, one after the other."""
    return [np.asarray(function(*row)).tolist() for row in rows]


def numbers(tf, *values):
    return [(tf.constant(each),) for each in values]


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
            for each, slope in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
                each.assign_sub(0.1 * slope)
            return loss

        losses = [float(step(x, y)) for _ in range(6)]
        return step, losses, w.numpy().tolist(), b.numpy().tolist()

    step, *found = trained(tf.function)
    _, *expected = trained(lambda function: function)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-5, atol=1e-7)
    assert len(programs(step)) == 1


def test_a_branch_by_numbers_is_taken_anew_at_each_call(tf):
    f = tf.function(lambda x: tf.cond(x > 0, lambda: x * 2.0, lambda: x - 1.0))
    assert calls(f, *numbers(tf, 1.0, 2.0, 3.0, -3.0, 4.0)) == [2.0, 4.0, 6.0, -4.0, 8.0]
    assert any("choose" in each for each in reasons(f))


def test_a_loop_runs_anew_as_often_as_its_argument_says(tf):
    @tf.function
    def f(n):
        total = tf.constant(0)
        for i in tf.range(n):
            total += i
        return total

    assert calls(f, *numbers(tf, 3, 3, 3, 5, 0)) == [3, 3, 3, 10, 0]
    assert not programs(f)


def test_a_length_by_numbers_is_worked_out_anew(tf):
    f = tf.function(lambda x, n: tf.reshape(x, [n, -1]))
    x = tf.range(6.0)
    shapes = [f(x, tf.constant(n)).shape.as_list() for n in (2, 2, 2, 3, 1)]
    assert shapes == [[2, 3], [2, 3], [2, 3], [3, 2], [1, 6]]


def test_python_that_looks_at_numbers_is_run_anew(tf):
    f = tf.function(lambda x: tf.py_function(lambda v: float(v) + 1.0, [x], tf.float32))
    assert calls(f, *numbers(tf, 1.0, 2.0, 3.0, 4.0)) == [2.0, 3.0, 4.0, 5.0]
    assert not programs(f)


def test_random_numbers_are_drawn_anew(tf):
    f = tf.function(lambda: tf.random.normal([3]))
    g = tf.function(lambda x: tf.nn.dropout(x, 0.5))
    drawn = [tuple(f().numpy().tolist()) for _ in range(CALLS)]
    assert len(set(drawn)) == CALLS
    masks = [tuple(g(tf.ones([64])).numpy().tolist()) for _ in range(CALLS)]
    assert len(set(masks)) == CALLS
    assert len(programs(f)) == 1


def test_equal_seeds_give_equal_numbers_by_a_program(tf):
    def drawn(decorate):
        f = decorate(lambda x: x * tf.random.normal([2]) + tf.random.uniform([2], seed=4))
        found = []
        for _ in range(2):
            tf.random.set_seed(3)
            found += [f(tf.constant(2.0)).numpy().tolist() for _ in range(CALLS)]
        return found, f

    expected, _ = drawn(lambda function: function)
    found, f = drawn(tf.function)
    assert found == expected
    assert len(programs(f)) == 1


def test_a_layer_that_drops_entries_drops_others_each_time(tf):
    layer = tf.keras.layers.Dropout(0.5, seed=1)
    f = tf.function(lambda x: layer(x, training=True))
    x = tf.ones([64])
    masks = [tuple(f(x).numpy().tolist()) for _ in range(CALLS)]
    twin = tf.keras.layers.Dropout(0.5, seed=1)
    assert masks == [tuple(twin(x, training=True).numpy().tolist()) for _ in range(CALLS)]
    assert len(programs(f)) == 1


def test_what_is_printed_is_printed_each_time(tf, capfd):
    @tf.function
    def f(x):
        tf.print("x is", x)
        return x

    calls(f, *numbers(tf, 1, 2, 3, 4))
    assert capfd.readouterr().err == "".join(f"x is {n}\n" for n in (1, 2, 3, 4))


def test_an_assertion_holds_at_each_call(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x)
        return x * 2.0

    assert calls(f, *numbers(tf, 1.0, 2.0, 3.0)) == [2.0, 4.0, 6.0]
    with pytest.raises(tapelab.errors.InvalidArgumentError):
        f(tf.constant(-1.0))


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


def test_what_python_assigns_is_told_from_the_state_it_leads_to(tf):
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


def test_a_function_without_results_returns_none(tf):
    v = tf.Variable(0.0)

    @tf.function
    def f():
        v.assign_add(1.0)

    assert [f() for _ in range(CALLS)] == [None] * CALLS
    assert v.numpy() == CALLS


def test_functions_in_functions_become_one_program(tf):
    inner = tf.function(lambda x: tf.tanh(x) * 2.0)
    outer = tf.function(lambda x: inner(x) + inner(x))
    expected = float(tf.tanh(0.5) * 4.0)
    assert calls(outer, *numbers(tf, 0.5, 0.5, 0.5)) == [expected] * 3
    names = [each.op.name for each in programs(outer)[0].program.instructions]
    assert names == ["tanh", "multiply", "add"]


def test_a_gradient_of_ones_own_is_part_of_a_program(tf):
    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda upstream: upstream * tf.clip_by_value(2.0 * x, -1.0, 1.0)

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x) * 3.0
        return tape.gradient(y, x)

    assert calls(slope, *numbers(tf, 0.1, 2.0, 2.0, -5.0)) == pytest.approx([0.6, 3.0, 3.0, -3.0])
    assert len(programs(slope)) == 1


def test_rows_picked_by_number_send_their_gradients_where_they_came_from(tf):
    @tf.function
    def slope(table, rows):
        with tf.GradientTape() as tape:
            tape.watch(table)
            y = tf.reduce_sum(tf.gather(table, rows) ** 2) + tf.reduce_sum(tf.gather(table, rows))
        return tf.convert_to_tensor(tape.gradient(y, table))

    table = tf.constant([[1.0], [2.0], [3.0]])
    for rows in ([0, 0], [0, 0], [1, 1], [2, 0]):
        expected = np.zeros([3, 1])
        np.add.at(expected, rows, 2 * table.numpy()[rows] + 1)
        assert np.array_equal(slope(table, tf.constant(rows)), expected)
    assert len(programs(slope)) == 1


def test_the_largest_entries_are_found_anew(tf):
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            top, _ = tf.math.top_k(x, 1)
            y = tf.reduce_sum(top * 2.0) + tf.reduce_sum(tf.sort(x) * [0.0, 0.0, 1.0])
        return tape.gradient(y, x)

    rows = ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 3.0, 2.0])
    found = [slope(tf.constant(row)).numpy().argmax() for row in rows]
    assert found == [2, 2, 0, 1]
    assert len(programs(slope)) == 1


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


def test_a_tape_outside_sees_the_ops_of_each_call(tf):
    f = tf.function(lambda x: tf.square(x) + 1.0)
    x = tf.constant(3.0)
    calls(f, (x,), (x,), (x,))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [op.name for op in tape.recording(y).ops] == ["square", "add"]
    assert tape.gradient(y, x) == 6.0


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


def test_a_call_by_a_program_is_one_record_that_tells_of_all_that_ran(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        v.assign_add(x * 2.0)

    for _ in range(CALLS):
        f(tf.constant([0.5, 0.5]))
    called = recent[-1]
    ran, assigned = one_by_one([called])
    assert ran[3].op.name == "multiply"
    assert ran[4][0] == called[5][0]
    assert called[1] < ran[1] < assigned[7] == v._cell.state._id
    assert assigned[4] is v._cell.identity
    assert assigned[8].tolist() == [5.0, 6.0]


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
    told = explanation(tf, CALLS)
    assert told == explanation(tf, 1)
    assert "ran before the tape" in told


def test_what_a_program_assigned_is_explained_as_its_replay_would_be(tf):
    def told(calls_before):
        x, v = tf.Variable(2.0, name="x"), tf.Variable(1.0, name="v")

        @tf.function
        def update(a):
            v.assign(a * x)

        for _ in range(calls_before):
            update(tf.constant(3.0))
        with tf.GradientTape() as tape:
            z = v * 2.0
        return str(tapelab.explain(tape, z, x))

    assert told(CALLS) == told(1)
    assert "6.0" in told(CALLS)


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
        if isinstance(leaf, Routine)
    ]
    assert sum(len(body.execution.programs) for body in bodies) > 0


def test_an_epoch_over_a_dataset_trains_by_a_program(tf):
    w = tf.Variable(0.0)

    @tf.function
    def epoch(dataset):
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x - y) ** 2)
            w.assign_sub(0.01 * tape.gradient(loss, w))
        return w.read_value()

    x = np.arange(1.0, 13.0, dtype=np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, 2 * x)).batch(2)
    found = [float(epoch(dataset)) for _ in range(2)]
    expected, weight = [], np.float32(0)
    for _ in range(2):
        for at in range(0, 12, 2):
            batch = x[at : at + 2]
            weight = weight - 0.01 * np.mean(2 * (weight * batch - 2 * batch) * batch)
        expected.append(float(weight))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    (node,) = [
        node for trace in epoch._traces.values() for node in trace._graph.nodes
        if node.function.__name__ == "each_item"
    ]  # fmt: skip
    assert len(node.args[1].execution.programs) == 1


def test_threads_share_a_program(tf):
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(w * x) ** 2)
        return tape.gradient(loss, w)

    found = {}

    def work(number):
        x = tf.constant([0.1 * number, 0.2])
        found[number] = [slope(x).numpy().tolist() for _ in range(50)]

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for number, rows in found.items():
        expected = slope.python_function(tf.constant([0.1 * number, 0.2])).numpy()
        np.testing.assert_allclose(rows, [expected] * 50, rtol=1e-5)
    assert len(found) == 4
    assert len(programs(slope)) == 1
