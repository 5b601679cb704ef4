"""Functions in which numbers decide: a program for each way to go, up to so many."""

from __future__ import annotations

from tapelab.compile.guards import GuardedPrograms
from tests.compile.programs_of import calls, numbers, programs, reasons


def test_a_branch_by_numbers_is_taken_anew_at_each_call(tf):
    f = tf.function(lambda x: tf.cond(x > 0, lambda: x * 2.0, lambda: x - 1.0))
    assert calls(f, *numbers(tf, 1.0, 2.0, 3.0, -3.0, 4.0)) == [2.0, 4.0, 6.0, -4.0, 8.0]
    assert len(programs(f)) == 2


def test_a_loop_runs_anew_as_often_as_its_argument_says(tf):
    @tf.function
    def f(n):
        total = tf.constant(0)
        for i in tf.range(n):
            total += i
        return total

    assert calls(f, *numbers(tf, 3, 3, 3, 5, 0)) == [3, 3, 3, 10, 0]
    assert len(programs(f)) == 3


def test_a_length_by_numbers_is_worked_out_anew(tf):
    f = tf.function(lambda x, n: tf.reshape(x, [n, -1]))
    x = tf.range(6.0)
    shapes = [f(x, tf.constant(n)).shape.as_list() for n in (2, 2, 2, 3, 1)]
    assert shapes == [[2, 3], [2, 3], [2, 3], [3, 2], [1, 6]]


def test_each_way_to_go_has_a_program_and_the_last_one_is_tried_first(tf):
    f = tf.function(lambda x: tf.cond(x > 0, lambda: x * 2.0, lambda: x - 1.0))
    calls(f, *numbers(tf, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0))
    ((ways,),) = [
        [each for each in trace.execution._known.values() if isinstance(each, GuardedPrograms)]
        for trace in f._traces.values()
    ]
    names = [[each.op.name for each in program.program.instructions] for program in ways.programs]
    assert names == [["greater", "guard", "subtract"], ["greater", "guard", "multiply"]]


def test_a_switch_goes_by_its_number(tf):
    f = tf.function(lambda x, n: tf.switch_case(n, [lambda: x, lambda: x * 2.0, lambda: -x]))
    x = tf.constant(3.0)
    found = calls(f, *[(x, tf.constant(n)) for n in (0, 0, 1, 1, 2, 2, 7, 0)])
    assert found == [3.0, 3.0, 6.0, 6.0, -3.0, -3.0, -3.0, 3.0]
    assert len(programs(f)) == 4


def test_a_loop_ends_where_its_numbers_say(tf):
    @tf.function
    def halved(x):
        rounds = tf.constant(0)
        while x > 1.0:
            x, rounds = x / 2.0, rounds + 1
        return rounds

    assert calls(halved, *numbers(tf, 8.0, 7.0, 6.0, 2.0, 0.5, 8.0, 3.0)) == [3, 3, 3, 1, 0, 3, 2]
    assert len(programs(halved)) == 4


def test_too_many_ways_to_go_are_replayed(tf):
    f = tf.function(lambda x, n: x[n])
    x = tf.range(12.0)
    assert calls(f, *[(x, tf.constant(n)) for n in (*range(12), *range(12))]) == [*range(12)] * 2
    assert reasons(f) == ["numbers decide in too many ways"]


def test_gradients_inside_follow_the_branch_that_is_taken(tf):
    @tf.function
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(tf.reduce_sum(x) > 0, lambda: x * x, lambda: -x)
        return tape.gradient(y, x)

    rows = [[1.0], [2.0], [-1.0], [-2.0], [3.0], [-3.0]]
    found = calls(derivative, *numbers(tf, *rows))
    assert found == [[2.0], [4.0], [-1.0], [-1.0], [6.0], [-1.0]]
    assert len(programs(derivative)) == 2


def test_gradients_from_outside_follow_the_branch_that_is_taken(tf):
    w = tf.Variable(2.0)
    f = tf.function(lambda x: tf.cond(x > 0, lambda: w * x * x, lambda: -x))
    found = []
    for number in (1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 4.0):
        x = tf.constant(number)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        read = len(tape.watched_variables())
        found.append([float(tape.gradient(y, x)), read])
    expected = [[4.0, 1], [8.0, 1], [12.0, 1], [-1.0, 0], [-1.0, 0], [-1.0, 0], [16.0, 1]]
    assert found == expected
    assert len(programs(f)) == 2


def test_a_wrong_guess_draws_and_writes_nothing(tf):
    def run(decorate):
        tf.random.set_seed(5)
        count, layer = tf.Variable(0.0), tf.keras.layers.Dropout(0.5, seed=1)
        generator = tf.random.Generator.from_seed(2)

        def f(x):
            count.assign_add(1.0)
            noise = layer(tf.ones([3]), training=True) + tf.random.normal([3], seed=3)
            if x > 0:
                return noise + generator.normal([3]) + count
            return noise * tf.random.uniform([3], seed=1)

        step = decorate(f)
        found = [step(tf.constant(x)).numpy().tolist() for x in (1.0, 1.0, -1.0, 1.0, -1.0, 1.0)]
        return found, float(count), step

    found, count, step = run(tf.function)
    assert (found, count) == run(lambda f: f)[:2]
    assert len(programs(step)) == 2
