"""Variables: names, printing, assigning and its errors."""

from __future__ import annotations

import copy

import numpy as np
import pytest


def test_adding_in_place_raises_runtime_error(tf):
    v = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match=r"variable \+= value.*assign_add"):
        v += 1.0
    with pytest.raises(RuntimeError, match=r"variable -= value.*assign_sub"):
        v -= 1.0


def test_assign_returns_another_object_with_the_new_value(tf):
    v = tf.Variable(1.0)
    result = v.assign(5.0)
    assert result is not v
    assert float(result) == 5.0
    assert type(result).__name__.endswith("UnreadVariable")
    assert v.assign(6.0, read_value=False) is None
    assert float(v) == 6.0


def test_assign_add_does_not_broadcast(tf):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        v.assign_add(1.0)
    v.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [2.0, 3.0]


def test_assigning_another_dtype_raises_type_error(tf):
    v = tf.Variable([1, 2], dtype=tf.int32, name="z")
    wording = r"Cannot convert \[1\.0, 2\.0\] to EagerTensor of dtype int32"
    with pytest.raises(TypeError, match=wording):
        v.assign([1.0, 2.0])


def test_assigning_a_tensor_of_another_dtype_raises_value_error(tf):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="float64"):
        v.assign(tf.constant([1.0, 2.0], dtype=tf.float64))


def test_assigning_another_shape_names_both_shapes(tf):
    v = tf.Variable([1, 2], name="z")
    wording = (
        r"Cannot assign value to variable ' z:0': Shape mismatch\.The variable shape \(2,\), and "
        r"the assigned value shape \(3,\) are incompatible\."
    )
    with pytest.raises(ValueError, match=wording):
        v.assign([1, 2, 3])
    assert v.numpy().tolist() == [1, 2]


def test_a_variable_of_unknown_shape_takes_any(tf):
    v = tf.Variable(5, shape=tf.TensorShape(None), name="x")
    assert repr(v) == "<tf.Variable 'x:0' shape=<unknown> dtype=int32, numpy=5>"
    v.assign([1, 2, 3])
    v.assign([[1, 2, 3], [4, 5, 6]])
    assert v.numpy().tolist() == [[1, 2, 3], [4, 5, 6]]


def test_a_slice_of_a_variable_can_be_assigned(tf):
    v = tf.Variable([1, 2, 3])
    v[0].assign(5)
    v[1:].assign([7, 8])
    assert v.numpy().tolist() == [5, 7, 8]


def test_an_item_cannot_be_assigned_with_brackets(tf):
    v = tf.Variable([1, 2])
    with pytest.raises(TypeError, match="'ResourceVariable' object does not support item assign"):
        v[0] = 5


def test_names_are_not_made_unique(tf):
    assert tf.Variable(1.0).name == "Variable:0"
    assert [tf.Variable(1.0, name="a").name for _ in range(2)] == ["a:0", "a:0"]


def test_a_name_scope_prefixes_the_name(tf):
    with tf.name_scope("s"):
        assert tf.Variable(1.0, name="b").name == "s/b:0"


def test_a_variable_is_a_tensor_to_is_tensor_but_no_instance(tf):
    v = tf.Variable(1.0)
    assert type(v).__name__ == "ResourceVariable"
    assert isinstance(v, tf.Variable)
    assert not isinstance(v, tf.Tensor)
    assert tf.is_tensor(v)


def test_a_variable_has_neither_ndim_nor_length_nor_hash(tf):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(AttributeError, match="'ResourceVariable' object has no attribute 'ndim'"):
        v.ndim  # noqa: B018  asking for it raises
    with pytest.raises(TypeError):
        len(v)
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)
    assert v.ref() == v.ref()
    assert v.ref().deref() is v


def test_repr_and_str_show_name_shape_dtype_and_value(tf):
    v = tf.Variable([[1.0, 2.0]], name="w")
    printed = (
        "<tf.Variable 'w:0' shape=(1, 2) dtype=float32, numpy=array([[1., 2.]], dtype=float32)>"
    )
    assert repr(v) == str(v) == printed
    scalar = "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=3.0>"
    assert repr(tf.Variable(3.0)) == f"{tf.Variable(3.0)}" == scalar
    two_rows = (
        "<tf.Variable 'Variable:0' shape=(2, 1) dtype=int32, numpy=\n"
        "array([[1],\n       [2]], dtype=int32)>"
    )
    assert repr(tf.Variable([[1], [2]])) == two_rows


def test_the_initial_value_may_be_a_callable_but_not_none(tf):
    assert tf.Variable(lambda: tf.zeros(3)).shape == (3,)
    with pytest.raises(ValueError, match="initial_value"):
        tf.Variable(None)


def test_a_deep_copy_keeps_name_value_and_trainable(tf):
    v = tf.Variable([1.0], name="w", trainable=False)
    other = copy.deepcopy(v)
    v.assign([2.0])
    assert other.name == "w:0"
    assert other.numpy().tolist() == [1.0]
    assert other.trainable is False


def test_a_variable_is_an_operand_like_a_tensor(tf):
    v = tf.Variable([1.0, 2.0])
    for y, expected in [
        (v + 1, [2.0, 3.0]),
        (2 * v, [2.0, 4.0]),
        (v / v, [1.0, 1.0]),
        (np.ones(2, np.float32) + v, [2.0, 3.0]),
        (-v, [-1.0, -2.0]),
        (v[::-1], [2.0, 1.0]),
    ]:
        assert tf.is_tensor(y)
        assert y.numpy().tolist() == expected
    assert (v == v).numpy().tolist() == [True, True]  # noqa: PLR0124  == goes by elements


@pytest.mark.parametrize(
    ("scatter", "expected"),
    [
        ("scatter_update", [10.0, 2.0, 20.0]),
        ("scatter_add", [11.0, 2.0, 23.0]),
        ("scatter_sub", [-9.0, 2.0, -17.0]),
    ],
)
def test_rows_can_be_scattered_into_a_variable(tf, scatter, expected):
    v = tf.Variable([1.0, 2.0, 3.0])
    rows = tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2]))
    getattr(v, scatter)(rows)
    assert v.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("scatter", "expected"),
    [
        ("scatter_nd_update", [10.0, 2.0, 20.0]),
        ("scatter_nd_add", [11.0, 2.0, 23.0]),
        ("scatter_nd_sub", [-9.0, 2.0, -17.0]),
    ],
)
def test_elements_can_be_scattered_into_a_variable(tf, scatter, expected):
    v = tf.Variable([1.0, 2.0, 3.0])
    getattr(v, scatter)([[0], [2]], [10.0, 20.0])
    assert v.numpy().tolist() == expected


def test_a_variable_reads_single_rows(tf):
    v = tf.Variable([[1.0], [2.0], [3.0]])
    assert v.sparse_read([2, 0]).numpy().tolist() == [[3.0], [1.0]]
    assert v.gather_nd([[1, 0]]).numpy().tolist() == [2.0]
