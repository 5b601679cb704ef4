"""Broadcasting is undone in the backward pass, whatever the shapes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from tapelab.ops.broadcasting import broadcast_to, sum_to
from tapelab.ops.reduce_ops import spread

SHAPES = mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3, min_side=0)
PAIRS = ["add", "subtract", "multiply", "maximum", "minimum", "divide", "pow"]
FLOATS = ["float16", "float32", "float64"]


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=25, deadline=None)
@given(shapes=SHAPES, dtype=st.sampled_from(FLOATS))
def test_a_gradient_has_the_shape_and_the_dtype_of_its_input(tf, name, shapes, dtype):
    x, y = (tf.Variable(np.full(shape, 1.5, dtype)) for shape in shapes.input_shapes)
    with tf.GradientTape() as tape:
        z = getattr(tf, name)(x, y)
    assert tuple(z.shape) == shapes.result_shape
    assert z.dtype.name == dtype
    for variable, gradient in zip((x, y), tape.gradient(z, [x, y]), strict=True):
        assert gradient.shape == variable.shape
        assert gradient.dtype == variable.dtype


@settings(max_examples=50, deadline=None)
@given(shapes=SHAPES)
def test_an_entry_that_was_stretched_receives_the_sum(tf, shapes):
    small, other = (tf.Variable(tf.ones(shape)) for shape in shapes.input_shapes)
    with tf.GradientTape() as tape:
        z = small + other
    stretched = np.prod(shapes.result_shape) / max(np.prod(small.shape.as_list()), 1)
    gradient = tape.gradient(z, small).numpy()
    np.testing.assert_array_equal(gradient, np.full(gradient.shape, stretched, np.float32))


@settings(max_examples=50, deadline=None)
@given(shapes=SHAPES)
def test_stretching_and_summing_are_each_others_adjoint(shapes):
    rng = np.random.default_rng(0)
    small, big = shapes.input_shapes[0], shapes.result_shape
    x, y = rng.normal(size=small)[()], rng.normal(size=big)[()]
    there = np.sum(broadcast_to(x, shape=big) * y)
    back = np.sum(x * sum_to(y, shape=small))
    assert there == pytest.approx(back)


def test_a_sum_is_spread_over_what_was_summed():
    left = np.array([1.0, 2.0])
    assert spread(left, shape=(2, 3), axis=(1,), keepdims=False).tolist() == [[1] * 3, [2] * 3]
    assert spread(left, shape=(3, 2), axis=(0,), keepdims=False).tolist() == [[1, 2]] * 3
