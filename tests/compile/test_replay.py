"""What a call of a traced function does: the same as its Python code, step by step."""

from __future__ import annotations

import traceback

import pytest

import tapelab
from tapelab.core.log import thread


def groups_of(tape, y):
    recording = tape.recording(y)
    return [group.name for group in recording.groups]


def test_the_ops_of_a_call_stand_under_the_name_of_the_function(tf):
    @tf.function
    def model(x):
        return tf.square(x) + 1.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model(x)
    assert groups_of(tape, y) == ["model"]


def test_functions_in_functions_are_groups_in_groups(tf):
    @tf.function
    def inner(x):
        return x * x

    @tf.function
    def outer(x):
        return inner(x) + 1.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    assert groups_of(tape, y) == ["outer", "inner"]


def test_the_picture_shows_the_lines_inside(tf, capsys):
    w = tf.Variable(2.0, name="w")

    @tf.function
    def model(x):
        h = w * x
        return tf.square(h)

    with tf.GradientTape() as tape:
        y = model(tf.constant(3.0)) + 1.0
    tape.gradient(y, w)
    text = str(tapelab.show(tape))
    capsys.readouterr()
    assert "h = w * x" in text
    assert "return tf.square(h)" in text
    assert "36.0000" in text


def test_a_gradient_inside_is_the_same_each_time(tf):
    @tf.function
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * x
        return tape.gradient(y, x)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x) * x
    assert derivative(x).numpy() == derivative(x).numpy() == tape.gradient(y, x).numpy()


def test_an_error_at_replay_points_to_the_line_inside(tf):
    @tf.function
    def pick(x, i):
        return tf.gather(x, i)

    pick(tf.constant([1.0]), tf.constant(0))
    with pytest.raises(tapelab.errors.InvalidArgumentError) as caught:
        pick(tf.constant([1.0]), tf.constant(5))
    lines = traceback.extract_tb(caught.value.__traceback__)
    assert any("return tf.gather(x, i)" in (frame.line or "") for frame in lines)


def test_an_error_at_replay_leaves_no_tape_open(tf):
    @tf.function
    def pick(x, i):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, i)
        return tape.gradient(y, x)

    pick(tf.constant([1.0]), tf.constant(0))
    with pytest.raises(tapelab.errors.InvalidArgumentError):
        pick(tf.constant([1.0]), tf.constant(5))
    assert thread.tapes == []
    assert thread.scope is None


def test_prints_and_writes_come_in_the_order_of_the_code(tf, capfd):
    v = tf.Variable(0)

    @tf.function
    def step():
        tf.print("before", v)
        v.assign_add(1)
        tf.print("after", v)

    step()
    step()
    assert capfd.readouterr().err == "before 0\nafter 1\nbefore 1\nafter 2\n"


def test_a_loop_runs_as_often_as_its_argument_says(tf):
    @tf.function
    def count(n):
        total = tf.constant(0)
        for i in tf.range(n):
            total += i
        return total

    assert [count(tf.constant(n)).numpy() for n in (0, 1, 5, 10)] == [0, 0, 10, 45]
    assert count.experimental_get_tracing_count() == 1


def test_any_length_goes_with_an_open_signature(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def standardized(x):
        count = tf.cast(tf.shape(x)[0], tf.float32)
        mean = tf.reduce_sum(x, 0) / count
        spread = tf.sqrt(tf.reduce_mean((x - mean) ** 2, 0) + 1.0)
        return tf.reshape((x - mean) / spread, [-1])

    for rows, columns in ((1, 1), (2, 3), (7, 2), (30, 5)):
        x = tf.reshape(tf.range(float(rows * columns)), [rows, columns])
        eager = standardized.python_function(x)
        assert tf.reduce_all(standardized(x) == eager)
    assert standardized.experimental_get_tracing_count() == 1


def test_what_another_thread_calls_is_recorded_there(tf):
    import threading

    f = tf.function(lambda x: x * x)
    found = []

    def work():
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found.append(tape.gradient(y, x).numpy())

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [6.0, 6.0, 6.0]


def test_a_pause_inside_a_function_holds_at_replay(tf):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = y * 3.0
        return tape.gradient(y, x), tape.gradient(z, x) is None

    derivative, cut = f(tf.constant(2.0))
    assert derivative.numpy() == 4.0
    assert cut.numpy()


def test_a_loop_over_whole_numbers_leaves_only_its_body_on_the_tape(tf):
    @tf.function
    def power(x, n):
        y = tf.constant(1.0)
        for _ in tf.range(n):
            y = y * x
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, tf.constant(3))
    assert [op.name for op in tape.recording(y).ops] == ["multiply"]


def test_a_loop_goes_over_words(tf):
    @tf.function
    def joined(words):
        line = tf.constant("")
        for word in words:
            line = line + word
        return line

    assert joined(tf.constant(["a", "b", "c"])).numpy() == b"abc"
