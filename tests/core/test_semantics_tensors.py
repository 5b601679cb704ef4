"""Tensors: conversion, indexing, comparison and printing, where others get it wrong."""

from __future__ import annotations

import sys

import numpy as np
import pytest


def test_tensors_are_never_cast_silently(tf):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.constant(1.5) * tf.constant(2)
    assert not isinstance(caught.value, ValueError)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1.5) + tf.constant(2.0, dtype=tf.float64)


@pytest.mark.parametrize("n", [2, 2.5, np.float64(2.5), np.int64(2), np.ones(2), np.ones(2, int)])
def test_a_plain_operand_takes_the_dtype_of_the_tensor(tf, n):
    x = tf.constant([1.0, 2.0])
    for y in (x * n, n * x, x + n, n - x):
        assert tf.is_tensor(y)
        assert y.dtype == tf.float32
    assert (n * x).numpy().tolist() == (np.asarray(n) * [1.0, 2.0]).tolist()


def test_a_float_does_not_become_an_integer(tf):
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        tf.constant(2) * 1.5


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "int32"),
        (2**40, "int64"),
        (1.5, "float32"),
        ([1, 2.5], "float32"),
        (True, "bool"),
        ("text", "string"),
        (1 + 2j, "complex128"),
        (np.float64(1.5), "float64"),
        (np.ones(2), "float64"),
        (np.ones(2, np.int64), "int64"),
        (np.ones(2, np.float16), "float16"),
        ([np.float64(1.5), 2], "float64"),
        ([], "float32"),
    ],
)
def test_plain_numbers_have_a_default_dtype_and_numpy_keeps_its_own(tf, value, dtype):
    assert tf.constant(value).dtype.name == dtype
    assert tf.convert_to_tensor(value).dtype.name == dtype
    assert tf.Variable(value).dtype.name == dtype


def test_converting_a_tensor_returns_the_very_same_object(tf):
    x = tf.constant([1.0])
    assert tf.convert_to_tensor(x) is x


def test_a_list_index_means_one_index_per_axis(tf):
    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    wording = "Index out of range using input dim 1; input has only 1 dims"
    with pytest.raises(tf.errors.InvalidArgumentError, match=wording):
        x[[1, 4]]
    assert float(tf.constant([[1.0, 2.0], [3.0, 4.0]])[[1, 0]]) == 3.0


@pytest.mark.parametrize("scalar", [2.0, 3, "text"])
def test_a_scalar_cannot_be_sliced(tf, scalar):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Attempting to slice scalar input"):
        tf.constant(scalar)[1]


def test_an_index_outside_says_which_axis(tf):
    wording = "slice index 5 of dimension 0 out of bounds"
    with pytest.raises(tf.errors.InvalidArgumentError, match=wording):
        tf.constant([1.0, 2.0, 3.0])[5]


def test_a_float_index_raises_type_error(tf):
    with pytest.raises(TypeError, match="Only integers, slices"):
        tf.constant([1.0, 2.0])[1.0]


def test_comparing_unequal_shapes_gives_a_single_false(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    other = tf.constant([1.0, 2.0])
    assert not bool(x == other)
    assert bool(x != other)


def test_comparing_with_none_gives_a_python_bool(tf):
    x = tf.constant([1.0, 2.0])
    assert (x == None) is False  # noqa: E711  the operator is what is tested
    assert (x != None) is True  # noqa: E711  the operator is what is tested


def test_equal_shapes_are_compared_element_by_element(tf):
    equal = tf.constant([1.0, 2.0]) == tf.constant([1.0, 3.0])
    assert equal.dtype == tf.bool
    assert equal.numpy().tolist() == [True, False]


def test_more_than_one_element_has_no_truth_value(tf):
    with pytest.raises(ValueError, match="truth value of an array with more than one element"):
        bool(tf.constant([True, False]))
    assert bool(tf.constant([[2.0]])) is True
    assert not tf.constant(0)


def test_a_tensor_without_elements_is_false(tf):
    assert not tf.zeros([0, 3])
    assert not tf.Variable(tf.ones([0]))


def test_a_tensor_is_unhashable_but_has_a_ref(tf):
    x = tf.constant(1.0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    assert x.ref() == x.ref()
    assert x.ref().deref() is x
    assert {x.ref(): "found"}[x.ref()] == "found"


def test_a_tensor_cannot_be_changed(tf):
    x = tf.constant([1, 2])
    with pytest.raises(TypeError, match="does not support item assignment"):
        x[0] = 5


@pytest.mark.parametrize("name", ["T", "trainable", "assign", "nonsense"])
def test_a_tensor_has_no_such_attribute(tf, name):
    with pytest.raises(AttributeError):
        getattr(tf.constant([[1.0]]), name)


def test_numpy_data_are_copied_on_the_way_in_and_out(tf):
    data = np.array([1.0, 2.0])
    x = tf.constant(data)
    data[0] = 99.0
    assert x.numpy().tolist() == [1.0, 2.0]
    out = x.numpy()
    out[0] = 77.0
    assert x.numpy().tolist() == [1.0, 2.0]


def test_an_array_view_of_a_tensor_is_read_only(tf):
    view = np.asarray(tf.constant([1.0, 2.0]))
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 5.0


def test_scalars_convert_to_python_numbers(tf):
    assert float(tf.constant(2.5)) == 2.5
    assert int(tf.constant(7)) == 7
    assert [10, 20, 30][tf.constant(1)] == 20
    assert f"{tf.constant(2.5):.2f}" == "2.50"
    assert list(range(tf.constant(3))) == [0, 1, 2]
    with pytest.raises(TypeError):
        float(tf.constant([1.0, 2.0]))


def test_a_scalar_has_no_length_and_cannot_be_iterated(tf):
    assert len(tf.constant([[1.0], [2.0]])) == 2
    assert [float(row[0]) for row in tf.constant([[1.0], [2.0]])] == [1.0, 2.0]
    with pytest.raises(TypeError, match=r"[Ss]calar"):
        len(tf.constant(1.0))
    with pytest.raises(TypeError, match="scalar"):
        iter(tf.constant(1.0))


def test_str_breaks_the_line_when_the_array_does(tf):
    assert str(tf.constant(5.0)) == "tf.Tensor(5.0, shape=(), dtype=float32)"
    assert str(tf.constant([1, 2])) == "tf.Tensor([1 2], shape=(2,), dtype=int32)"
    assert str(tf.constant([[1.0, 2.5]])) == "tf.Tensor([[1.  2.5]], shape=(1, 2), dtype=float32)"
    two_rows = "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)"
    assert str(tf.constant([[1, 2], [3, 4]])) == two_rows


def test_repr_holds_shape_dtype_and_the_array(tf):
    assert repr(tf.constant(5.0)) == "<tf.Tensor: shape=(), dtype=float32, numpy=5.0>"
    one_row = "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"
    assert repr(tf.constant([1, 2])) == one_row
    two_rows = (
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\n"
        "array([[1., 2.],\n       [3., 4.]], dtype=float32)>"
    )
    assert repr(tf.constant([[1.0, 2.0], [3.0, 4.0]])) == two_rows


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (6.0, "6"),
        (1 / 3, "0.333333343"),
        (100000.0, "100000"),
        (1e20, "1e+20"),
        ([1.0, 2.5], "[1 2.5]"),
        ([[1, 2], [3, 4]], "[[1 2]\n [3 4]]"),
        (list(range(20)), "[0 1 2 ... 17 18 19]"),
        ([True, False], "[1 0]"),
        (["a", "b"], '["a" "b"]'),
    ],
)
def test_print_writes_the_shortest_form_to_stderr(tf, capfd, value, printed):
    assert tf.print(tf.constant(value)) is None
    out, err = capfd.readouterr()
    assert (out, err) == ("", printed + "\n")


def test_print_takes_a_separator_an_end_and_a_stream(tf, capfd):
    tf.print("x =", tf.constant(1.5), tf.constant(2), sep="|", end="!", output_stream=sys.stdout)
    out, _ = capfd.readouterr()
    assert out == "x =|1.5|2!"


def test_a_missing_symbol_is_an_attribute_error(tf):
    with pytest.raises(AttributeError):
        tf.there_is_no_such_symbol  # noqa: B018  asking for it raises
