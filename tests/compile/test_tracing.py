"""What tracing leaves behind: a plain graph, and nothing else."""

from __future__ import annotations

import dataclasses
import threading

import pytest

import tapelab
from tapelab.compile.call_graph import Graph, Node, Slot
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor


def graph_of(tf, function, *specs):
    return tf.function(function).get_concrete_function(*specs)._graph


def test_a_trace_is_closed_by_an_error(tf):
    def broken(x):
        raise KeyError(x)

    with pytest.raises(KeyError):
        tf.function(broken)(tf.constant(1.0))
    assert thread.trace is None
    assert tf.square(tf.constant(3.0)).numpy() == 9.0


def test_functions_that_were_taken_out_of_the_namespace_are_written_down_too(tf):
    names = {}
    exec("from tapelab import range as r, size\ndef f(x): return r(size(x))", names)
    f = tf.function(names["f"], input_signature=[tf.TensorSpec([None])])
    assert [f([1.0, 2.0]).shape[0], f([1.0, 2.0, 3.0]).shape[0]] == [2, 3]
    assert names["size"] is tapelab.size


def test_a_thread_beside_a_trace_runs_eagerly(tf):
    results = []

    def beside(x):
        other = threading.Thread(target=lambda: results.append((tf.constant(2.0) * 3).numpy()))
        other.start()
        other.join()
        return x

    tf.function(beside)(tf.constant(1.0))
    assert results == [6.0]


def test_a_graph_is_plain_data(tf):
    graph = graph_of(tf, lambda x: tf.square(x) + 1.0, tf.TensorSpec([2]))
    assert isinstance(graph, Graph)
    assert [node.name for node in graph.nodes] == ["Square", "add"]
    square, add = graph.nodes
    assert dataclasses.is_dataclass(Node)
    assert square.args == graph.inputs
    assert add.args == (square.results[0], 1.0)
    assert graph.outputs == add.results[0]
    assert isinstance(graph.outputs, Slot)


def test_a_graph_keeps_no_example(tf):
    graph = graph_of(tf, lambda x: tf.reduce_sum(x * x), tf.TensorSpec([None]))
    kept = [leaf for node in graph.nodes for leaf in (*node.args, *node.kwargs.values())]
    assert not any(isinstance(leaf, Tensor) for leaf in kept)


def test_a_node_knows_the_line_it_was_written_on(tf):
    def lines(x):
        y = x + 1.0
        return y * 2.0

    first, second = graph_of(tf, lines, tf.TensorSpec([])).nodes
    assert first.place.code.co_filename == second.place.code.co_filename == __file__
    assert first.place.code.co_name == "lines"


def test_tracing_writes_no_variable(tf):
    v = tf.Variable(1.0)
    tf.function(lambda x: v.assign_add(x)).get_concrete_function(tf.TensorSpec([]))
    assert v.numpy() == 1.0


def test_tracing_an_inner_function_writes_no_variable_either(tf):
    v = tf.Variable(1.0)
    inner = tf.function(lambda x: v.assign_add(x * x))
    tf.function(lambda x: inner(x)).get_concrete_function(tf.TensorSpec([]))
    assert v.numpy() == 1.0


def test_tracing_prints_nothing_of_tf_print(tf, capfd):
    inner = tf.function(lambda x: tf.print("inner", x))
    tf.function(lambda x: (tf.print("outer"), inner(x))).get_concrete_function(tf.TensorSpec([]))
    assert capfd.readouterr() == ("", "")


def test_tracing_calls_no_python_function(tf):
    called = []
    inner = tf.function(lambda x: tf.py_function(called.append, [x], []))
    tf.function(lambda x: inner(x)).get_concrete_function(tf.TensorSpec([]))
    assert called == []


def test_tracing_takes_no_element_of_an_iterator(tf):
    numbers = iter(tf.data.Dataset.range(3))
    taken = tf.function(lambda: next(numbers))
    taken.get_concrete_function()
    assert [taken().numpy(), taken().numpy()] == [0, 1]


def test_tracing_draws_no_random_number(tf):
    tf.random.set_seed(1)
    expected = [tf.random.normal([2]).numpy().tolist() for _ in range(2)]
    tf.random.set_seed(1)
    first = tf.random.normal([2]).numpy().tolist()
    tf.function(lambda: tf.random.normal([2])).get_concrete_function()
    assert [first, tf.random.normal([2]).numpy().tolist()] == expected


def test_a_tape_around_a_call_does_not_see_the_trace(tf):
    f = tf.function(lambda x: x * x)
    x = tf.constant(3.0)
    counts = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        counts.append([op.name for op in tape.recording(y).ops])
    assert counts == [["multiply"], ["multiply"]]


def test_lengths_that_depend_on_numbers_are_open(tf):
    shapes = []

    def masked(x):
        shapes.extend([x[x > 0].shape, tf.range(tf.size(x[x > 0])).shape, tf.unique(x)[0].shape])
        return x

    tf.function(masked)(tf.constant([1.0, 2.0, 3.0]))
    assert [shape.as_list() for shape in shapes] == [[None]] * 3


def test_what_fails_in_one_branch_only_is_no_error(tf):
    @tf.function
    def safe(x, i):
        y = tf.constant(-1.0)
        if i < tf.size(x):
            y = x[i]
        return y

    x = tf.constant([1.0, 2.0])
    assert [safe(x, tf.constant(i)).numpy() for i in (1, 5)] == [2.0, -1.0]


def test_often_retracing_is_warned_of_twice(tf, logged):
    f = tf.function(lambda x: x)
    for number in range(8):
        f(number)
    assert [message[:26] for message in logged] == [
        "5 out of the last 5 calls ", "6 out of the last 6 calls ",
    ]  # fmt: skip


def test_an_object_may_die_that_has_a_function_as_method(tf):
    import gc
    import weakref

    class Adder:
        @tf.function
        def add(self, x):
            return x + 1.0

    adder = Adder()
    adder.add(tf.constant(1.0))
    alive = weakref.ref(adder)
    del adder
    gc.collect()
    assert alive() is None


def test_a_trace_keeps_no_copy_of_a_variable_alive(tf):
    import gc
    import weakref

    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x: v * x)
    f(tf.constant(2.0))
    state = weakref.ref(v._cell.state)
    v.assign([3.0, 4.0])
    gc.collect()
    assert state() is None


def test_a_trace_keeps_no_large_examples(tf):
    f = tf.function(lambda x: tf.tanh(x * 2.0) + 1.0)
    f(tf.ones([600, 600]))
    (trace,) = f._traces.values()
    assert not trace._trace._shape_cache.known
    assert trace.outputs[0].shape == (600, 600)
    assert {each._value.strides for each in trace.outputs[0]._examples} == {(0, 0)}
