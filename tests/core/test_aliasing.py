"""Saved values of a tape cannot change in place: data are copied in and out, or locked."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.op import REGISTRY, op


def data():
    return np.array([1.0, 2.0, 3.0], np.float32)


def first(dataset):
    return next(iter(dataset))


WAYS_IN = {
    "convert_to_tensor": tf.convert_to_tensor,
    "constant": tf.constant,
    "Variable": tf.Variable,
    "identity": tf.identity,
    "reshape": lambda a: tf.reshape(a, (3,)),
    "cast": lambda a: tf.cast(a, tf.float32),
    "assign": lambda a: tf.Variable(tf.zeros(3)).assign(a),
    "numpy_function": lambda a: tf.numpy_function(lambda: a, [], tf.float32),
    "py_function": lambda a: tf.py_function(lambda: a, [], tf.float32),
    "Dataset": lambda a: first(tf.data.Dataset.from_tensors(a)),
    "ragged": lambda a: tf.RaggedTensor.from_row_splits(a, [0, 1, 3]).values,
    "sparse": lambda a: tf.SparseTensor([[0], [1], [2]], a, [5]).values,
}


@pytest.fixture(params=WAYS_IN.values(), ids=WAYS_IN)
def way_in(request):
    return request.param


def test_an_edit_of_the_data_does_not_reach_the_tensor(way_in):
    array = data()
    tensor = way_in(array)
    array[:] = 99.0
    assert tensor.numpy().tolist() == [1.0, 2.0, 3.0]


def test_an_edit_between_the_op_and_the_question_does_not_change_the_gradient(way_in):
    array, x = data(), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * way_in(array))
        array[:] = 99.0
    assert float(tape.gradient(y, x)) == 6.0


def test_an_edit_of_an_operand_does_not_change_the_gradient():
    array, x = data(), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * array
        array[:] = 99.0
    assert float(tape.gradient(y, x)) == 6.0


def test_an_edit_of_the_array_of_a_generator_is_refused():
    array = data()
    signature = tf.TensorSpec((3,), tf.float32)
    tensor = first(
        tf.data.Dataset.from_generator(lambda: iter([array]), output_signature=signature)
    )
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 99.0
    assert tensor.numpy().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_what_numpy_gives_is_a_copy(make):
    tensor = make(data())
    tensor.numpy()[:] = 99.0
    assert tensor.numpy().tolist() == [1.0, 2.0, 3.0]


def test_a_view_cannot_be_edited():
    view = np.asarray(tf.constant(data()))
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 99.0


def test_a_view_cannot_be_unlocked():
    view = np.asarray(tf.constant(data()))
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
        view.flags.writeable = True


def test_an_edit_of_what_a_gradient_function_returned_does_not_change_the_gradient():
    kept, x = data(), tf.Variable(data())

    @tf.custom_gradient
    def passing(a):
        return tf.identity(a), lambda upstream: kept

    with tf.GradientTape() as tape:
        y = passing(x)
    gradient = tape.gradient(y, x)
    kept[:] = 99.0
    assert gradient.numpy().tolist() == [1.0, 2.0, 3.0]


@pytest.fixture
def keeping():
    """An op of a teacher's own that hands out a part of what it keeps."""
    kept = np.zeros(4, np.float32)

    @op(formula="y = x", name="keeping_op")
    def keeping_op(x):
        """A copy in a buffer of the op's own."""
        kept[:3] = x
        return kept[:3]

    @keeping_op.grad("x", r"\bar x = \bar y")
    def keeping_op_grad_x(dy, y, x):
        return dy

    yield keeping_op, kept
    del REGISTRY["keeping_op"]


def test_an_op_of_ones_own_may_keep_its_buffer(keeping):
    keep, kept = keeping
    x = tf.Variable(data())
    with tf.GradientTape() as tape:
        h = keep(tf.convert_to_tensor(x))
        y = tf.reduce_sum(h * h)
        kept[:] = 99.0
    assert h.numpy().tolist() == [1.0, 2.0, 3.0]
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0, 6.0]


def test_an_op_of_ones_own_cannot_edit_what_it_was_given():
    @op(formula="y = 0", name="greedy_op")
    def greedy_op(x):
        """Nothing is left of x."""
        x[:] = 0.0
        return x

    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="read-only"):
            greedy_op(tf.constant(data()))
    finally:
        del REGISTRY["greedy_op"]
