"""Functions of ops that pick, sort, pool, solve and choose: the same compiled as eagerly."""

from __future__ import annotations

import numpy as np
import pytest

CALLS = 4


def normal(*shape, dtype="float32"):
    return lambda numbers: numbers.normal(size=shape).astype(dtype)


def whole(limit, *shape):
    return lambda numbers: numbers.integers(0, limit, size=shape).astype("int32")


def derivative(function):
    """The value and the gradient by the first argument, worked out inside."""

    def both(tf, x, *others):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(tf, x, *others)
        return y, tf.convert_to_tensor(tape.gradient(y, x))

    return both


def bend(function):
    """The second derivatives, worked out inside."""

    def second(tf, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(tf, x)
            first = tf.convert_to_tensor(tape.gradient(y, x))
        return outer.jacobian(first, x)

    return second


def pushed(tf, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = tf.sin(x) * x
    return accumulator.jvp(y)


def stepped(tf, x):
    rows = tf.TensorArray(tf.float32, size=4)
    state = tf.zeros([3])
    for at in range(4):
        state = tf.tanh(state + x[at])
        rows = rows.write(at, state)
    return tf.reduce_sum(rows.stack() ** 2)


def positive(tf, a):
    return tf.matmul(a, a, transpose_b=True) + tf.eye(3)


CASES = {
    "convolution": (derivative(lambda tf, x, k: tf.reduce_sum(tf.nn.conv2d(x, k, 1, "SAME") ** 2)),
                    normal(2, 6, 6, 3), normal(3, 3, 3, 4)),
    "largest of windows": (derivative(lambda tf, x: tf.reduce_sum(
        tf.nn.max_pool2d(x, 2, 2, "VALID") ** 2)), normal(2, 6, 6, 3)),
    "solution": (derivative(lambda tf, a, b: tf.reduce_sum(
        tf.linalg.solve(a + 5.0 * tf.eye(3), b))), normal(3, 3), normal(3, 2)),
    "triangle": (derivative(lambda tf, a: tf.reduce_sum(tf.linalg.cholesky(positive(tf, a)))),
                 normal(3, 3)),
    "complex": (lambda tf, x: tf.abs(tf.signal.fft(tf.complex(x, x))), normal(8)),
    "double": (derivative(lambda tf, x: tf.reduce_sum(tf.math.lgamma(tf.abs(x) + 1.0) * x)),
               normal(5, dtype="float64")),
    "half": (lambda tf, x: tf.cast(x, tf.float16) * 2, normal(5)),
    "whole": (lambda tf, n: (n // 3, n % 3, n * 2 - 1), whole(50, 6)),
    "truth": (lambda tf, n: tf.logical_and(n > 2, n < 10) | (n == 0), whole(20, 6)),
    "text": (lambda tf, n: tf.strings.as_string(n) + "!", whole(9, 3)),
    "forward": (pushed, normal(4)),
    "array": (derivative(stepped), normal(4, 3)),
    "order": (derivative(lambda tf, x: tf.reduce_sum(tf.sort(x) * tf.range(5.0))), normal(5)),
    "order, second": (bend(lambda tf, x: tf.reduce_sum(tf.sort(x) ** 2 * tf.range(5.0))),
                      normal(5)),
    "top": (derivative(lambda tf, x: tf.reduce_sum(tf.math.top_k(x, 2).values ** 2)), normal(5)),
    "segments": (derivative(lambda tf, x, s: tf.reduce_sum(
        tf.math.unsorted_segment_mean(x, s, 3) ** 2)), normal(6, 2), whole(3, 6)),
    "rows": (derivative(lambda tf, x, i: tf.reduce_sum(
        (tf.gather(x, i) + tf.gather(x, (i + 1) % 4)) ** 2)), normal(4, 3), whole(4, 5)),
    "rows, second": (bend(lambda tf, x: tf.reduce_sum(tf.gather(x, tf.argsort(x)[:2]) ** 3)),
                     normal(5)),
    "entries": (derivative(lambda tf, x, i: tf.reduce_sum(tf.gather_nd(x, i) ** 2)),
                normal(4, 3), whole(3, 5, 2)),
    "entries by row": (derivative(lambda tf, x, i: tf.reduce_sum(tf.gather_nd(x, i) ** 2)),
                       normal(4, 3), whole(3, 5, 1)),
    "mask": (lambda tf, x: tf.boolean_mask(x, x > 0), normal(5)),
    "unlike": (lambda tf, n: tf.unique(n)[0], whole(4, 6)),
    "classes": (derivative(lambda tf, x, y: tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(y, x))), normal(4, 3), whole(3, 4)),
    "norm": (derivative(lambda tf, x: tf.reduce_sum(tf.clip_by_norm(x, 1.0) * x)), normal(5)),
    "moments": (derivative(lambda tf, x: tf.reduce_sum(tf.nn.moments(x, [0])[1])), normal(6, 3)),
    "product": (derivative(lambda tf, x: tf.reduce_prod(x)), normal(4)),
    "determinant": (derivative(lambda tf, a: tf.linalg.det(a)), normal(3, 3)),
    "rag": (lambda tf, x: tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, [1, 3]), axis=1),
            normal(4)),
    "map": (lambda tf, x: tf.map_fn(lambda row: tf.reduce_sum(row) * row, x), normal(4, 2)),
    "choice": (lambda tf, i, x: tf.switch_case(i[0], [lambda: x * 2.0, lambda: x - 1.0]),
               whole(2, 1), normal(2)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_function_of_such_ops_gives_the_same_at_each_call(tf, case):
    function, *makers = CASES[case]
    compiled = tf.function(lambda *given: function(tf, *given))
    numbers = np.random.default_rng(1)
    for _ in range(CALLS):
        given = [tf.constant(make(numbers)) for make in makers]
        pairs = tf.nest.flatten(compiled(*given)), tf.nest.flatten(function(tf, *given))
        for ours, theirs in zip(*pairs, strict=True):
            assert ours.shape == theirs.shape
            assert ours.dtype == theirs.dtype
            if ours.dtype.is_floating or ours.dtype.is_complex:
                np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)
            else:
                assert np.array_equal(ours, theirs)
