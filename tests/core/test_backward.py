"""The backward pass: the fast path gives what the general loop gives, in few calls of Python."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from tapelab import ops
from tapelab.core import backward
from tapelab.core.fast_path import binary_fast_path
from tapelab.core.op import REGISTRY
from tapelab.core.op_declaration import OTHER_INPUT, UNCHANGED
from tapelab.core.records import BinaryOpRun, kind_of
from tapelab.core.tensor import constant_of
from tapelab.ops.arithmetic import add, multiply, subtract
from tapelab.ops.public import ON_FLOATS
from tests.ops import checks
from tools import generate_fast_path

for _module in pkgutil.iter_modules(ops.__path__, "tapelab.ops."):
    importlib.import_module(_module.name)

ONCE = {"gamma_sample", "igamma", "igammac"}
"""Ops that can be differentiated once only."""
DIFFERENTIABLE = sorted(name for name, op in REGISTRY.items() if op.pattern == "differentiable")
PAIRS = sorted(ON_FLOATS, key=lambda op: op.name)
SHAPES = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((), (2, 3)), ((2, 1), (1, 3)), ((300,), (300,))]
MATRICES = [((2, 3), (3, 4)), ((2, 2, 3), (3, 1)), ((1, 2, 3), (2, 3, 2)), ((20, 20), (20, 20))]


def visit_all(steps, cotangents, kept, tracked, add_step, visit, kind=None):
    """Stand for a fast path: leave every step to the general loop."""
    for step in steps:
        visit(step)


@contextmanager
def general_loop_only():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(backward, "propagate_arrays", visit_all)
        patched.setattr(backward, "propagate_tensors", visit_all)
        yield


def continuous(tensors):
    return [each for each in tensors if each._array.dtype.kind in "fc"]


def first_order(tf, function, sources):
    """The gradients of a function and the steps they took."""
    with tf.GradientTape() as tape:
        tape.watch(sources)
        results = continuous(function())
    gradients = tape.gradient(results, sources)
    return [gradients, tape._gradient_calls[0].report.read()]


def second_order(tf, function, sources):
    """The gradients of the gradients, the ops that were recorded for them and their steps."""
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as inner:
            inner.watch(sources)
            results = continuous(function())
        gradients = inner.gradient(results, sources)
        totals = [tf.reduce_sum(tf.math.real(tf.convert_to_tensor(each)))
                  for each in gradients if each is not None]  # fmt: skip
    recorded = [event.event for event in outer.recording() if hasattr(event.event, "outputs")]
    names = [(op.op, op.inputs, op.outputs) for op in recorded]
    second_gradients = outer.gradient(totals, sources, unconnected_gradients="zero")
    return [gradients, inner._gradient_calls[0].report.read(), names, second_gradients]


def plain(value):
    """Numbers and structure without the ids of tensors, which differ from run to run."""
    if isinstance(value, (list, tuple)):
        fields = value[1:2] + value[3:] if type(value).__name__ == "BackwardStep" else value
        return [plain(each) for each in fields]
    if hasattr(value, "_array"):
        return plain(value._array)
    if hasattr(value, "_rows"):
        return [plain(value._rows), plain(np.asarray(value._indices))]
    if isinstance(value, (np.ndarray, np.generic)):
        return [str(value.dtype), value.shape, value.tobytes()]
    return value


def assert_both_give_the_same(take, *given):
    fast = plain(take(*given))
    with general_loop_only():
        assert plain(take(*given)) == fast


def samples(name):
    for arrays, chosen in checks.sampled(REGISTRY[name]):
        yield [constant_of(array) for array in arrays], chosen


def of_op(op, inputs, chosen):
    def function():
        results = op(*inputs, **chosen)
        return results if op.multi else (results,)

    return function


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_an_op_has_the_gradients_and_steps_of_the_general_loop(tf, name):
    for inputs, chosen in samples(name):
        function = of_op(REGISTRY[name], inputs, chosen)
        assert_both_give_the_same(first_order, tf, function, continuous(inputs))


@pytest.mark.parametrize("name", sorted({*DIFFERENTIABLE} - ONCE))
def test_a_recorded_pass_records_what_the_general_loop_records(tf, name):
    inputs, chosen = next(samples(name))
    function = of_op(REGISTRY[name], inputs, chosen)
    assert_both_give_the_same(second_order, tf, function, continuous(inputs))


def pairs(shapes, dtype):
    rng = np.random.default_rng(7)
    return [constant_of(rng.normal(size=shape).astype(dtype)[()]) for shape in shapes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("take", [first_order, second_order])
@pytest.mark.parametrize("op", PAIRS, ids=lambda op: op.name)
def test_a_flattened_run_is_propagated_like_any_other(tf, op, take, dtype):
    fast = binary_fast_path(op, *ON_FLOATS[op], op)
    for shapes in MATRICES if op.name == "matmul" else SHAPES:
        x, y = sources = pairs(shapes, dtype)

        def function(x=x, y=y):
            results = [fast(x, y), fast(y, x) if op.name != "matmul" else fast(x, y)]
            return [*results, x * 2.0]  # x is used again, so contributions meet

        with tf.GradientTape() as tape:
            tape.watch(sources)
            function()
        kinds = [kind_of(record) for record in tape._windows[0][0].records]
        assert kinds.count(BinaryOpRun) == 3
        assert_both_give_the_same(take, tf, function, sources)


def test_a_factor_says_what_the_rule_does_and_spares_the_call():
    assert multiply.vjps_on_floats == (OTHER_INPUT, OTHER_INPUT)
    assert add.vjps_on_floats == (UNCHANGED, UNCHANGED)
    assert subtract.vjps_on_floats == (UNCHANGED, subtract.vjps[1])


def test_a_wrong_factor_would_be_noticed(tf, monkeypatch):
    monkeypatch.setattr(add, "vjps_on_floats", (OTHER_INPUT, UNCHANGED))
    x, y = pairs(((3,), (3,)), np.float32)
    with pytest.raises(AssertionError):
        assert_both_give_the_same(first_order, tf, lambda: [x + y], [x, y])


def test_a_difference_in_the_recorded_ops_would_be_noticed(tf, monkeypatch):
    x, y = pairs(((3,), (3,)), np.float32)

    def without_last(steps, *fields):
        visit_all(list(steps)[:-1], *fields)

    monkeypatch.setattr(backward, "propagate_tensors", without_last)
    with pytest.raises(AssertionError):
        assert_both_give_the_same(second_order, tf, lambda: [x * y + x], [x, y])


def test_the_fast_path_is_what_its_template_gives():
    assert generate_fast_path.MODULE.read_text(encoding="utf-8") == generate_fast_path.generated()


CALLS = 40
"""At most so many calls of Python take a gradient through 4 ops, rules and results included."""


def scalars(tf):
    x = tf.constant(0.5)
    return [x], lambda: tf.tanh(tf.sin(x) * x + x)


def vectors(tf):
    x = tf.constant([0.5, 1.5, -1.0])
    return [x], lambda: tf.reduce_sum(tf.square(x * 2.0 + 1.0))


def variables(tf):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    return [x, y], lambda: tf.sin(x * y) + tf.exp(x)


def layer(tf):
    w, b = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([1.0, 2.0])
    x = tf.constant([[1.0, 2.0]])
    return [w, b], lambda: tf.reduce_sum(tf.tanh(x @ w + b))


@pytest.mark.parametrize("program", [scalars, vectors, variables, layer])
def test_a_gradient_through_four_ops_takes_few_calls(tf, program):
    sources, function = program(tf)
    assert calls_of_gradient(tf, function, sources) <= CALLS


def calls_of_gradient(tf, function, sources):
    """How many functions of Python `tape.gradient` enters, after a first time."""
    calls = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(sources)
            target = function()
        calls.clear()
        sys.setprofile(lambda frame, event, _: event == "call" and calls.append(frame.f_code))
        try:
            tape.gradient(target, sources)
        finally:
            sys.setprofile(None)
    return len(calls)
