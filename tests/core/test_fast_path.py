"""The fast path of frequent ops gives what the slow path gives, and records the same."""

import gc

import pytest

import tapelab as tf
from tapelab.core.large_values import dropped
from tapelab.core.log import thread
from tapelab.core.op import REGISTRY
from tapelab.core.records import (
    OP_RUNS,
    BinaryOpRun,
    OpRun,
    UnaryOpRun,
    as_op_run,
    kind_of,
    origin_of,
)
from tapelab.ops.arithmetic import multiply
from tapelab.recording import events as e


def ops_on(tape):
    records = [record for log, *_ in tape._windows for record in log.records]
    return [record for record in records if kind_of(record) in OP_RUNS]


def kinds_on(tape):
    return [kind_of(record) for record in ops_on(tape)]


def test_operators_and_functions_of_floats_go_the_short_way():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        tf.tanh(2.0 * x) - x
    assert kinds_on(tape) == [BinaryOpRun, UnaryOpRun, BinaryOpRun]


def test_integers_and_halves_take_the_slow_path():
    x = tf.constant([1.0, 2.0], tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        x * x
        tf.constant(2) * tf.constant(3)
    assert kinds_on(tape) == [OpRun, OpRun]


def test_both_ways_write_the_same():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = multiply(x, x)
    short, long = map(as_op_run, ops_on(tape))
    assert short.op is long.op
    assert short.input_ids == long.input_ids
    assert short.result_ids == y._id
    assert long.result_ids == z._id
    assert (short.settings, short.tapes) == (long.settings, long.tapes)


@pytest.mark.parametrize("function", [tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum])
def test_functions_of_two_tensors_go_the_short_way_with_the_numbers_of_the_long_one(function):
    x, y = tf.constant([1.0, 5.0, 3.0]), tf.constant([[2.0], [3.0]])
    op = REGISTRY[function.__name__]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        short, long = function(x, y), op(x, y)
    assert kinds_on(tape) == [BinaryOpRun, OpRun]
    assert short.numpy().tolist() == long.numpy().tolist()
    for one, other in zip(tape.gradient(short, [x, y]), tape.gradient(long, [x, y]), strict=True):
        assert one.numpy().tolist() == other.numpy().tolist()


def test_a_variable_that_goes_the_short_way_is_read_and_watched():
    x, w = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = x * w + w
    assert kinds_on(tape) == [BinaryOpRun, BinaryOpRun]
    kinds = [type(s.event).__name__ for s in tape.recording()]
    assert kinds.count("Read") == 1
    assert kinds.index("Watched") < kinds.index("Read") < kinds.index("Ran")
    assert tape.gradient(y, w).numpy().tolist() == [2, 3]


def test_a_variable_is_read_before_the_tensor_beside_it_is_looked_at():
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v / w
    assert [each.name for each in tape.watched_variables()] == [v.name, w.name]
    assert [each.numpy() for each in tape.gradient(y, [v, w])] == pytest.approx([1 / 3, -2 / 9])


def test_a_number_beside_a_tensor_keeps_its_side():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = 1 / x, x / 4.0
    assert tape.gradient(y, x).numpy() == pytest.approx(-0.25)
    assert tape.gradient(z, x).numpy() == pytest.approx(0.25)


def test_an_inner_tape_records_only_what_it_watches():
    x, w = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        before = x * x
        with tf.GradientTape() as inner:
            inner.watch(w)
            y = before * x
            z = y * w
        after = z * before
    assert inner.gradient(z, [x, w])[0] is None
    assert outer.gradient(after, x).numpy() == pytest.approx(3 * 5 * 2.0**4)


def test_what_is_computed_while_a_tape_is_stopped_is_cut_off():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            cut = y * x
        z = y * x
        after = cut * 2.0
    assert tape.gradient(z, x).numpy() == 12
    assert tape.gradient(after, x) is None


def test_a_tape_that_was_reset_does_not_know_earlier_tensors():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        z = y * x
    assert tape.gradient(z, x) is None


def test_a_wall_is_seen_behind_a_product():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(x) * 3.0
        z = y * y
    assert tape.gradient(z, x) is None


def test_the_place_is_that_of_this_call_and_not_of_another_at_the_same_offset():
    x = tf.constant(2.0)
    first, second = (eval(f"lambda a: a * a  # {name}") for name in "ab")
    with tf.GradientTape() as tape:
        tape.watch(x)
        first(x), second(x), first(x)
    places = [origin_of(record).code for record in ops_on(tape)]
    assert places == [first.__code__, second.__code__, first.__code__]
    assert places[0] is first.__code__
    assert places[1] is second.__code__


def test_backward_steps_are_reported_as_they_were_though_more_is_watched_later():
    x, w = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * w
        tape.gradient(y, x)
        tape.watch(w)
    flows = tape._gradient_calls[0].report.read()
    assert {flow.tensor for flow in flows} == {y._id, x._id}


def test_the_backward_pass_ends_in_the_very_values_that_were_returned():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x + x
    gradient = tape.gradient(y, x)
    (call,) = [s.event for s in tape.recording() if isinstance(s.event, e.Asked)]
    last = [s.event for s in tape.recording() if isinstance(s.event, e.Flowed)][-1]
    assert call.results[0] == last.sum
    assert gradient.numpy().tolist() == [3, 5]


def test_large_values_are_released_after_the_gradient_call():
    x = tf.ones([1000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x * x)
    tape.gradient(y, x)
    runs = list(map(as_op_run, ops_on(tape)))
    kept = [value for run in runs for value in (*run.inputs, run.results)]
    assert all(type(value).__name__ == "Dropped" for value in kept)


def test_off_the_tape_no_large_value_is_remembered():
    x = tf.ones([1000])
    x * x
    assert type(as_op_run(thread.records[-1]).results).__name__ == "Dropped"


def test_the_collector_is_as_it_was_after_the_last_tape():
    before = gc.get_threshold()
    with tf.GradientTape():
        with tf.GradientTape():
            assert gc.get_threshold()[0] > before[0]
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before


@pytest.mark.parametrize("name", ["matmul", "reduce_sum", "reduce_mean"])
def test_functions_with_settings_go_the_short_way_where_none_is_given(name):
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    given, op = ((x, x) if name == "matmul" else (x,)), REGISTRY[name]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        short, long = getattr(tf, name)(*given), op(*given, **op.defaults)
    one, other = ops_on(tape)
    flattened = BinaryOpRun if name == "matmul" else UnaryOpRun
    assert [kind_of(one), kind_of(other)] == [flattened, OpRun]
    assert as_op_run(one).settings == as_op_run(other).settings, "both tell of the same settings"
    assert short.numpy().tolist() == long.numpy().tolist()
    assert tape.gradient(short, x).numpy().tolist() == tape.gradient(long, x).numpy().tolist()


def test_functions_with_settings_go_the_long_way_where_one_is_given():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        tf.matmul(x, x, transpose_b=True)
        tf.reduce_sum(x, 0)
        tf.reduce_mean(input_tensor=x)
    assert kinds_on(tape) == [OpRun, OpRun, OpRun]


def test_products_of_matrices_in_batches_sum_what_was_broadcast():
    one, many = tf.ones([2, 3]), tf.ones([4, 3, 2])
    with tf.GradientTape() as tape:
        tape.watch([one, many])
        y = one @ many
    assert [each.shape for each in tape.gradient(y, [one, many])] == [[2, 3], [4, 3, 2]]


def test_a_vector_is_refused_on_the_short_way_too():
    with pytest.raises(tf.errors.InvalidArgumentError, match="ndims must be >= 2"):
        tf.matmul(tf.ones([2, 2]), tf.ones([2]))


def test_what_a_small_sum_was_made_of_is_released_if_it_was_large():
    x = tf.ones([1000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x)
    (log, *_), *_ = tape._windows
    assert log.large_records
    tape.gradient(y, x)
    assert as_op_run(ops_on(tape)[0]).inputs == (dropped((1000,), x._value.dtype),)


def test_steps_with_large_values_are_reported_with_their_shapes():
    x, b = tf.ones([30, 10]), tf.ones([10])
    with tf.GradientTape() as tape:
        tape.watch([x, b])
        y = tf.reduce_sum(tf.tanh(x * 2.0 + b))
    bias = tape.gradient(y, [x, b])[1]
    (answer,) = tape._gradient_calls
    steps = answer.report.read()
    large = dropped((30, 10), x._value.dtype)
    assert [flow.sum for flow in steps[1:]] == [large, large, large, bias._value, large]
    assert all(flow.upstream == large for flow in steps[2:])
    assert steps[1].upstream == 1.0
