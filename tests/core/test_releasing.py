"""What a tape held is gone with it: at once, without a search for garbage."""

import gc
import weakref

import tapelab as tf
from tapelab.core.log import PACKED, RECENT, recent
from tapelab.core.records import OP_RUNS, as_op_run, kind_of, serial_of


def test_a_differentiated_tape_is_freed_without_a_search_for_garbage():
    x = tf.Variable([1.0, 2.0])
    gc.collect()
    gc.disable()
    try:
        with tf.GradientTape() as outer, tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)
        gone = [weakref.ref(each) for each in (outer, tape)]
        del outer, tape
        assert [each() for each in gone] == [None, None]
    finally:
        gc.enable()


def test_the_short_memory_holds_no_large_value_of_a_tape_that_closed():
    x = tf.ones([1000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        for _ in range(3):
            x = tf.reshape(tf.tanh(x * x), [1000])
    kept = [as_op_run(record) for record in recent if kind_of(record) in OP_RUNS][-9:]
    values = [value for run in kept for value in (*run.inputs, run.results)]
    assert len(values) == 21
    assert {type(value).__name__ for value in values} == {"Dropped"}


def test_the_short_memory_is_as_long_after_a_tape_as_before():
    x = tf.constant(1.0)
    for length in (10, RECENT // 2, RECENT + 10, 2 * RECENT):
        with tf.GradientTape() as tape:
            tape.watch(x)
            for _ in range(length):
                last = x * x
    assert RECENT <= len(list(recent)) <= 2 * RECENT
    assert last._id in {serial_of(record) for record in recent}


def test_a_tape_that_died_unasked_keeps_nothing_for_others():
    x = tf.ones([1000])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        del inner
    outer.gradient(y, x)
    ((log, *_),) = outer._windows
    large = [as_op_run(record) for record in log.records if kind_of(record) in OP_RUNS]
    assert [type(value).__name__ for value in large[0].inputs] == ["Dropped", "Dropped"]


def test_the_short_memory_gives_back_what_it_packed():
    recent.clear()
    tensors = [tf.constant(float(number)) * 2.0 for number in range(3 * PACKED)]
    records = [record for record in recent if kind_of(record) in OP_RUNS]
    assert [serial_of(record) for record in records] == [each._id for each in tensors]
    assert [as_op_run(record).results for record in records] == [each._value for each in tensors]


def test_packed_records_of_many_inputs_or_results_are_as_they_were():
    recent.clear()
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    tf.split(tf.concat([x, x, x], 0), 3)
    tf.zeros([])
    before = [record for record in recent if kind_of(record) in OP_RUNS]
    for _ in range(PACKED):
        x = x * 1.0
    after = [record for record in recent if kind_of(record) in OP_RUNS][: len(before)]
    assert list(map(repr, after)) == list(map(repr, before))
    assert {len(run.input_ids) for run in map(as_op_run, after)} >= {1, 3}


def test_what_was_before_a_tape_does_not_grow_with_what_comes_after():
    recent.clear()
    x = tf.constant(1.0) * 2.0
    before = recent.so_far()
    for _ in range(3 * RECENT):
        x = x * 1.0
    assert [kind_of(record) in OP_RUNS for record in before.records()] == [False, True]
