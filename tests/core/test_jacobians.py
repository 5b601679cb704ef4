"""Jacobians in one sweep: through every op, through random programs, and how they are recorded."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapelab import ops
from tapelab.core import batched_backward
from tapelab.core.op import REGISTRY, op
from tapelab.core.tensor import constant_of
from tests.ops import checks

for _module in pkgutil.iter_modules(ops.__path__, "tapelab.ops."):
    importlib.import_module(_module.name)

ONCE = {"gamma_sample", "igamma", "igammac"}
"""Ops that can be differentiated once only."""
DIFFERENTIABLE = sorted(name for name, op in REGISTRY.items() if op.pattern == "differentiable")
SMALL = 40
"""A sample with more numbers is left out: its rows one by one take long."""


def continuous(tensors):
    return [each for each in tensors if each._value.dtype.kind in "fc"]


def row_by_row(tf, tape, y, sources):
    """The Jacobians as TensorFlow's documentation says them: a stack of gradients."""
    jacobians = []
    for index in range(y._value.size):
        seed = np.zeros(y._value.size, y._value.dtype)
        seed[index] = 1
        upstream = constant_of(seed.reshape(y._value.shape)[()])
        rows = tape.gradient(y, sources, output_gradients=upstream)
        jacobians.append([None if row is None else tf.convert_to_tensor(row) for row in rows])
    return [None if rows[0] is None else tf.reshape(tf.stack(rows), (*y.shape, *x.shape))
            for x, rows in zip(sources, zip(*jacobians, strict=True), strict=True)]  # fmt: skip


def assert_equal(got, expected):
    for ours, theirs in zip(got, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours.dtype == theirs.dtype
            assert ours.shape == theirs.shape
            close = {"rtol": 1e-9, "atol": 1e-11} if ours.dtype.size > 4 else {"rtol": 1e-4}
            np.testing.assert_allclose(ours.numpy(), theirs.numpy(), **close)


def small_samples(op):
    for arrays, chosen in checks.sampled(op):
        results = checks.results_of(op, arrays, chosen)
        if 0 < max(np.size(each) for each in (*arrays, *results)) <= SMALL:
            yield [constant_of(array) for array in arrays], chosen


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_the_jacobian_through_an_op_is_its_gradients_row_by_row(tf, name):
    declared = REGISTRY[name]
    for inputs, chosen in small_samples(declared):
        sources = continuous(inputs)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            results = declared(*inputs, **chosen)
        for y in continuous(results if declared.multi else (results,)):
            if y._value.size:
                assert_equal(tape.jacobian(y, sources), row_by_row(tf, tape, y, sources))


@pytest.mark.parametrize("name", sorted(set(DIFFERENTIABLE) - ONCE))
def test_the_jacobian_through_an_op_can_be_differentiated_again(tf, name):
    declared = REGISTRY[name]
    inputs, chosen = next(small_samples(declared))
    sources = continuous(inputs)
    gradients = []
    for ask in (row_by_row, lambda tf, tape, y, sources: tape.jacobian(y, sources)):
        with tf.GradientTape() as outer:
            outer.watch(sources)
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(sources)
                results = declared(*inputs, **chosen)
            y = continuous(results if declared.multi else (results,))[0]
            jacobians = [each for each in ask(tf, tape, y, sources) if each is not None]
            total = sum(tf.reduce_sum(tf.sin(tf.math.real(each))) for each in jacobians)
        gradients.append(outer.gradient(total, sources, unconnected_gradients="zero"))
    assert_equal(*[[tf.convert_to_tensor(each) for each in gradient] for gradient in gradients])


STEPS = {
    "tanh": lambda tf, x: tf.tanh(x),
    "square": lambda tf, x: x * x,
    "times its mean": lambda tf, x: x * tf.reduce_mean(x, axis=1, keepdims=True),
    "product": lambda tf, x: tf.matmul(x, tf.sin(x), transpose_b=True) @ x,
    "softmax": lambda tf, x: tf.nn.softmax(x) + x,
    "turned": lambda tf, x: tf.reverse(tf.transpose(tf.transpose(x) * 0.5), [1]),
    "larger": lambda tf, x: tf.maximum(x, 0.1 * x[:, ::-1]),
    "gathered": lambda tf, x: tf.gather(x, [1, 0, 1])[:2] - x,
    "joined": lambda tf, x: tf.concat([x[:, 1:], tf.exp(-x[:, :1])], 1),
    "summed up": lambda tf, x: tf.cumsum(x, axis=0) / 2.0,
}
ROW_WISE = ["tanh", "square", "times its mean", "softmax", "larger", "joined"]
"""Steps that leave each row of a batch to itself."""
values = st.lists(st.floats(-1.5, 1.5, width=32), min_size=6, max_size=6)


def ran(tf, steps, x):
    y = x
    for step in steps:
        y = STEPS[step](tf, y)
    return y


def point(tf, numbers):
    return tf.constant(np.reshape(np.array(numbers) + np.linspace(0, 0.1, 6), (2, 3)))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=5), values)
def test_a_jacobian_of_a_program_is_its_gradients_row_by_row(tf, steps, numbers):
    x = point(tf, numbers)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = ran(tf, steps, x)
    assert_equal([tape.jacobian(y, x)], row_by_row(tf, tape, y, [x]))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(ROW_WISE), min_size=1, max_size=4), values)
def test_a_batch_jacobian_holds_the_blocks_on_the_diagonal(tf, steps, numbers):
    x = point(tf, numbers)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = ran(tf, steps, x)
    whole = tape.jacobian(y, x)
    blocks = tf.stack([whole[row, :, row] for row in range(2)])
    assert_equal([tape.batch_jacobian(y, x)], [blocks])


@settings(max_examples=10, deadline=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3), values)
def test_forward_over_reverse_is_the_hessian_times_a_direction(tf, steps, numbers):
    x, direction = point(tf, numbers), tf.constant([[1.0, -2.0, 0.5], [0.0, 1.0, 3.0]], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(ran(tf, steps, x)))
        gradient = inner.gradient(y, x)
    hessian = outer.jacobian(gradient, x)
    np.testing.assert_allclose(hessian, tf.transpose(hessian, [2, 3, 0, 1]), rtol=1e-8, atol=1e-10)
    with tf.autodiff.ForwardAccumulator(x, direction) as forward, tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sin(ran(tf, steps, x)))
        gradient = tape.gradient(y, x)
    moved = tf.einsum("ijkl,kl->ij", hessian, direction)
    np.testing.assert_allclose(forward.jvp(gradient), moved, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", ["tanh", "sigmoid"])
def test_kernels_for_large_arrays_take_rows_alike(tf, name):
    x = tf.constant(np.linspace(-2.0, 2.0, 600).astype(np.float32).reshape(300, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = REGISTRY[name](x)
    jacobian = tf.reshape(tape.jacobian(y, x), [600, 300, 2])
    for row in (0, 599, -1):
        seed = np.zeros(600, np.float32)
        seed[row] = 1
        expected = tape.gradient(y, x, output_gradients=constant_of(seed.reshape(300, 2)))
        np.testing.assert_allclose(jacobian[row], expected, rtol=1e-5, atol=1e-7)


def test_rows_that_are_too_many_are_swept_in_parts(tf, monkeypatch):
    x = tf.constant(np.linspace(-1.0, 1.0, 300).astype(np.float32))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reshape(tf.sin(x) * tf.reduce_sum(x), [3, 100])[:, :2]
    at_once = tape.jacobian(y, x)
    passes = []
    one_pass = batched_backward._propagated
    counted = lambda *args: passes.append(1) or one_pass(*args)  # noqa: E731
    monkeypatch.setattr(batched_backward, "_propagated", counted)
    monkeypatch.setattr(batched_backward, "AT_ONCE", 600)
    assert tape.jacobian(y, x).numpy().tolist() == at_once.numpy().tolist()
    assert len(passes) == 3


def test_a_gradient_function_of_a_learner_runs_for_each_row(tf):
    upstreams = []

    @tf.custom_gradient
    def doubled(x):
        def back(upstream):
            upstreams.append(upstream.numpy().tolist())
            return 3.0 * upstream

        return 2.0 * x, back

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = doubled(x) * x
    assert tape.jacobian(y, x).numpy().tolist() == [[5.0, 0.0], [0.0, 10.0]]
    assert upstreams == [[1.0, 0.0], [0.0, 2.0]]


def test_a_rule_that_a_teacher_wrote_may_do_anything_with_a_row(tf):
    @op(formula=r"y = \frac{x}{2}")
    def halved(x):
        return x / 2

    @halved.grad("x", r"\bar x = \frac{\bar y}{2}", local=r"\frac{1}{2}")
    def halved_grad_x(dy, y, x):
        assert np.shape(dy) == np.shape(x)
        return np.array(dy.tolist()) / 2

    try:
        x = tf.constant([1.0, 2.0], tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = halved(x) * x
        assert tape.jacobian(y, x).numpy().tolist() == [[1.0, 0.0], [0.0, 2.0]]
    finally:
        del REGISTRY["halved"]


def test_an_outer_tape_records_as_many_ops_for_many_rows_as_for_few(tf):
    def recorded_ops(length):
        x = tf.ones([length])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.exp(tf.linalg.matvec(tf.ones([length, length]), x)) * x
            outer.watch(tape.jacobian(y, x))
        return [type(each.event).__name__ for each in outer.recording()].count("Ran")

    assert recorded_ops(12) == recorded_ops(3)


@pytest.mark.parametrize("length", [3, 300], ids=["small", "large"])
def test_a_jacobian_is_recorded_like_its_gradients(tf, length):
    matrix = tf.ones([3, length]) / length

    def tape_of_squares():
        x = tf.constant(np.linspace(1.0, 2.0, length).astype(np.float32))
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.linalg.matvec(matrix, x * x)
        return tape, x, y

    tape, x, y = tape_of_squares()
    tape.jacobian(y, x)
    one_sweep = flows_of(tape)
    tape, x, y = tape_of_squares()
    for row in np.eye(3, dtype=np.float32):
        tape.gradient(y, x, output_gradients=constant_of(row))
    assert one_sweep == flows_of(tape)
    assert len(one_sweep) == 3 * 6


def flows_of(tape):
    """Each step back that a recording tells of: which op and input, and the numbers if kept."""
    recording = tape.recording()
    flows = [each.event for each in recording if type(each.event).__name__ == "Flowed"]
    return [(flow.event, flow.position, flow.tensor,
             *(shown(recording, each) for each in (flow.upstream, flow.contribution, flow.sum)))
            for flow in flows]  # fmt: skip


def shown(recording, tensor):
    """The shape of a tensor, and its numbers where they were kept."""
    facts = recording.tensor(tensor)
    return facts.shape, None if facts.value is None else facts.value.tolist()
