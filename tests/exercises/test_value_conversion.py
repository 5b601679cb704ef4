"""Live objects become plain values, and arguments become live objects; kinds stay distinct."""

from __future__ import annotations

from array import array
from collections import OrderedDict, deque
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapelab as tf
from tapelab.exercises.value_conversion import live, tensor, value_of, variable
from tapelab.exercises.values import Code, Numbers, Strange, fingerprint

Level = IntEnum("Level", ["LOW"])


class Pair(NamedTuple):
    first: Any
    second: Any


@pytest.mark.parametrize(
    ("given", "kind", "dtype"),
    [
        (1.0, "a float", "float64"),
        (1, "an int", "int64"),
        (True, "a bool", "bool"),
        (1j, "a complex", "complex128"),
        (Level.LOW, "a Level", "int64"),
        (Fraction(1, 3), "a Fraction", "float64"),
        (Decimal("0.25"), "a Decimal", "float64"),
        (array("f", [1.5]), "an array", "float32"),
        (np.float32(1.0), "a float32", "float32"),
        (np.ones(2), "an array", "float64"),
        (tf.constant(1.0), "a tensor", "float32"),
        (tf.constant(1), "a tensor", "int32"),
        (tf.Variable(1.0), "a variable", "float32"),
        (tf.constant(["a", "bc"]), "a tensor", "string"),
        (tf.cast(tf.constant([1.5]), tf.bfloat16), "a tensor", "bfloat16"),
    ],
)
def test_numbers_name_what_they_came_in_and_their_dtype(given, kind, dtype):
    value = value_of(given)
    assert (type(value), value.kind, value.dtype) == (Numbers, kind, dtype)
    assert value.array.dtype != object


def test_rows_of_an_embedding_are_read_as_the_gradient_that_they_are():
    w = tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(w, [0, 0]))
    value = value_of(tape.gradient(y, w))
    assert value.array.tolist() == [[2.0, 2.0], [0.0, 0.0], [0.0, 0.0]]


def test_a_namedtuple_is_a_tuple_and_an_ordered_dict_a_dict():
    assert type(value_of(Pair(1, 2))) is tuple
    assert type(value_of(OrderedDict(x=1))) is dict
    assert [each.array.tolist() for each in value_of(range(2))] == [0, 1]


@pytest.mark.parametrize(
    "given", [deque([1, 2]), (each for each in (1, 2))], ids=["deque", "generator"]
)
def test_what_yields_values_in_order_is_a_list(given):
    value = value_of(given)
    assert type(value) is list
    assert [each.array.item() for each in value] == [1, 2]


def test_a_generator_without_end_is_no_value():
    assert value_of(each for each in count()) == Strange("a generator")


def test_an_array_of_letters_is_text():
    assert value_of(array("u", "abc")) == "abc"


def test_the_methods_of_a_subclass_are_not_called():
    class Right(Fraction):
        def __float__(self):
            return 80217.25

    assert value_of(Right(1, 2)).array.item() == 0.5


def test_a_list_that_holds_itself_has_an_end():
    endless: list = []
    endless.append(endless)
    value = value_of(endless)
    while type(value) is list:
        (value,) = value
    assert value == Strange("a list")


class Explosive:
    def __getattr__(self, name):
        raise ValueError(name)


def test_what_has_no_plain_form_is_called_by_its_kind():
    assert value_of(Explosive()) == Strange("an Explosive")
    assert value_of(tf.GradientTape()) == Strange("a GradientTape")
    assert value_of({1}) == Strange("a set")


def test_an_argument_is_live_again_for_the_learner():
    assert live(value_of(2.0)) == 2.0
    assert type(live(value_of(2))) is int
    assert type(live(value_of(np.ones(2)))) is np.ndarray
    assert live(value_of([("x", 2.0)])) == [("x", 2.0)]
    assert live(tensor([1.0])).dtype == tf.float32
    assert isinstance(live(variable(1.0)), tf.Variable)
    assert live(Code("lambda x: x * tf.sin(x)"))(tf.constant(0.0)).numpy() == 0.0


def test_a_fingerprint_says_large_arrays_apart():
    zeros, other = np.zeros(5000), np.zeros(5000)
    other[2500] = 1.0
    prints = {fingerprint(value_of(each)) for each in (zeros, other, zeros.copy())}
    assert len(prints) == 2
    assert fingerprint(value_of(1)) != fingerprint(value_of(1.0))
