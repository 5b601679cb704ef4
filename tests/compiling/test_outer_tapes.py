"""Gradients of compiled functions from a tape outside: the same answers, compiled both ways."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest

import tapelab
from tapelab.engine.log import thread
from tapelab.engine.records import HEARD
from tapelab.recording import events as e
from tests.compiling import drawn

CALLS = 5


def hears(tape):
    """How many calls stand on a tape as one record each."""
    return sum(record[0] == HEARD for log, *_ in tape._windows for record in log.records)


def repeated(function, ask, calls=CALLS):
    """The last answer of several, and the tape that gave it."""
    return [ask(function) for _ in range(calls)][-1]


def flat(tf, answer):
    """The parts of an answer as arrays; None stays None."""
    parts = tf.nest.flatten(answer)
    return [None if each is None else np.asarray(tf.convert_to_tensor(each)) for each in parts]


def assert_same(tf, found, expected):
    for ours, theirs in zip(flat(tf, found), flat(tf, expected), strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours.dtype == theirs.dtype
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)


def layers(tf, rows=6, width=40):
    """A small network, its variables, and inputs."""
    numbers = np.random.default_rng(0)
    w = tf.Variable(numbers.normal(size=(5, width)).astype("f"))
    b = tf.Variable(numbers.normal(size=width).astype("f"))
    x = tf.constant(numbers.normal(size=(rows, 5)).astype("f"))
    return (lambda given: tf.reduce_mean(tf.tanh(given @ w + b) ** 2.0)), x, (w, b)


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
        assert hears(tape) == (2 if call else 1), call
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
    call = next(r for log, *_ in tape._windows for r in log.records if r[0] == HEARD)[8]
    assert call.parts is not None
    monkeypatch.setattr(type(call.way), "told", None)  # nobody needs the ops inside
    assert_same(tf, tape.gradient(loss, variables), expected)


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
        slope = tape.gradient(y, x)
        size = tapelab.reduce_sum(slope * slope)
    return outer.gradient(size, [x, *variables])


def a_tape_that_came_later(function, x, variables):
    with tapelab.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    with tapelab.GradientTape() as later:
        later.watch(x)
        slope = tape.gradient(y, x)
    return slope, later.gradient(slope, x), tape.gradient(y, variables)


def inside_its_own_block(function, x, variables):
    with tapelab.GradientTape(persistent=True) as tape:
        tape.watch(x)
        slope = tape.gradient(function(x), x)
        size = tapelab.reduce_sum(slope * slope)
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
        slope = tape.gradient(y, x)
    return slope, accumulator.jvp(slope)


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
        for v, slope in zip(variables, tape.gradient(losses[-1], variables), strict=True):
            v.assign_sub(0.1 * slope)
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


def answers_for(tf, function, ask):
    return repeated(function, ask), repeated(tf.function(function), ask)


def test_one_of_several_outputs_may_be_asked(tf):
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


def test_a_gradient_of_ones_own_is_asked(tf):
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
        slope = tape.gradient(y, x)
    assert float(counter) == 5.0
    np.testing.assert_array_equal(slope, [5.0, 5.0])


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


def pictures(tf, function, x, variables, calls):
    """What can be seen of a tape: the events by kind, the groups, the lines of an explanation."""
    for _ in range(calls):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            loss = y * y
        heard = hears(tape)
        slopes = tape.gradient(loss, [x, *variables])
    recording = tape.recording()
    events = [each.event for each in recording]
    ops = [event for event in events if isinstance(event, e.Ran)]
    flows = [event for event in events if isinstance(event, e.Flowed)]
    names = [(recording.ops[each.op].name, each.cause, len(each.inputs)) for each in ops]
    steps = [(flow.event >= 0, flow.position) for flow in flows]
    kinds = sorted(type(event).__name__ for event in events)
    groups = [group.name for group in recording.groups]
    told = str(tapelab.explain(tape, loss, x))
    return heard, (names, steps, kinds, groups, told, len(slopes))


@pytest.mark.parametrize("width", [3, 80])
def test_pictures_and_explanations_are_those_of_a_replay(tf, width):
    model, x, variables = layers(tf, width=width)
    function = tf.function(model)
    before, expected = pictures(tf, function, x, variables, 1)
    after, found = pictures(tf, function, x, variables, 5)
    assert (before, after) == (0, 1)
    assert found == expected


def test_each_call_is_a_group_at_its_own_place(tf):
    model, x, _ = layers(tf)
    function = tf.function(model)
    for _ in range(4):
        with tf.GradientTape() as tape:
            one = function(x)
            other = function(x)
    recording = tape.recording(one + other)
    lines = [recording.span(group.span).line for group in recording.groups if group.parent < 0]
    assert hears(tape) == 2
    assert lines[1] == lines[0] + 1


def test_a_recording_of_small_numbers_has_them_all(tf):
    x = tf.constant([1.0, 2.0])
    function = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * 2.0))
    for _ in range(5):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        tape.gradient(y, x)
    assert hears(tape) == 1
    events = [each.event for each in tape.recording()]
    of = tape.recording().tensor
    made = [of(event.outputs[0]).value for event in events if isinstance(event, e.Ran)]
    sums = [of(event.sum).value for event in events if isinstance(event, e.Flowed)]
    np.testing.assert_allclose(made[0], np.exp([1.0, 2.0]), rtol=1e-6)
    np.testing.assert_allclose(sums[-1], 2.0 * np.exp([1.0, 2.0]), rtol=1e-6)


def test_making_a_way_back_leaves_the_last_question_alone(tf):
    model, x, variables = layers(tf)
    function = tf.function(model)
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = function(x)
        tape.gradient(loss, variables)
        assert thread.asked[-1][0]() is tape


def test_calls_whose_way_back_no_program_serves_are_replayed(tf):
    x = tf.constant(np.ones((7, 3), "f"))
    function = tf.function(lambda given: tf.exp(given) * 2.0)
    found = []
    for _ in range(8):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.gather(function(x), [1, 4, 1]))
        found.append(hears(tape))
        tape.gradient(loss, x)
    assert found == [0, 1, 1, 1, 0, 0, 0, 0]


def test_a_variable_is_read_once_where_a_call_reads_it(tf):
    model, x, variables = layers(tf)
    function = tf.function(model)
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = function(x) + function(x)
        assert [id(v) for v in tape.watched_variables()] == [id(v) for v in variables]
        tape.gradient(loss, variables)
    reads = [each.event for each in tape.recording() if isinstance(each.event, e.Read)]
    assert len(reads) == 2


def test_a_thousand_calls_hold_no_memory(tf):
    model, x, variables = layers(tf, rows=64, width=64)
    function = tf.function(model)

    def steps(count):
        for _ in range(count):
            with tf.GradientTape() as tape:
                loss = function(x)
            tape.gradient(loss, variables)

    steps(100)
    gc.collect()
    tracemalloc.start()
    steps(20)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    steps(1000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 4_000_000


def test_what_a_call_saved_is_let_go_of_with_the_answer(tf):
    model, x, variables = layers(tf, rows=64, width=64)
    function = tf.function(model)
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = function(x)
        calls = [r[8] for log, *_ in tape._windows for r in log.records if r[0] == HEARD]
        saved = [len(call.saved) for call in calls]
        tape.gradient(loss, variables)
    assert saved[0] > 0
    calls = [r[8] for log, *_ in tape._windows for r in log.records if r[0] == HEARD]
    assert not calls[0].saved
