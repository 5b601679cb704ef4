"""The operators of tensors and variables."""

from __future__ import annotations

import operator
import subprocess
import sys

import numpy as np
import pytest

BINARY = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, operator.pow),
]
ORDER = [operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("operation", BINARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("other", [2.0, 2, np.float64(2), np.array([2.0, 3.0]), [2, 3]])
def test_an_operator_agrees_with_numpy_on_both_sides(tf, operation, other):
    plain = np.array([3.5, 7.0], np.float32)
    for x in (tf.constant(plain), tf.Variable(plain)):
        for got, expected in (
            (operation(x, other), operation(plain, np.asarray(other))),
            (operation(other, x), operation(np.asarray(other), plain)),
        ):
            assert tf.is_tensor(got)
            assert got.dtype == tf.float32
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("operation", ORDER, ids=lambda f: f.__name__)
def test_a_comparison_gives_true_and_false_on_both_sides(tf, operation):
    plain = np.array([1.0, 2.0, 3.0], np.float32)
    for x in (tf.constant(plain), tf.Variable(plain)):
        assert operation(x, 2).numpy().tolist() == operation(plain, 2).tolist()
        assert operation(2, x).numpy().tolist() == operation(2, plain).tolist()
        assert operation(x, 2).dtype == tf.bool


@pytest.mark.parametrize("make", ["constant", "Variable"])
def test_equality_is_element_by_element(tf, make):
    x = getattr(tf, make)([1.0, 2.0])
    assert (x == [1.0, 3.0]).numpy().tolist() == [True, False]
    assert (x != [1.0, 3.0]).numpy().tolist() == [False, True]
    assert (x == x + 0).numpy().tolist() == [True, True]
    mirrored = [1.0, 3.0] == x  # noqa: SIM300 - the tensor stands on the right
    assert mirrored.numpy().tolist() == [True, False]


@pytest.mark.parametrize("make", ["constant", "Variable"])
def test_shapes_that_do_not_fit_are_simply_unequal(tf, make):
    x = getattr(tf, make)([1, 2])
    assert bool(x == tf.constant([1, 2, 3])) is False
    assert bool(x != tf.constant([1, 2, 3])) is True


def test_no_tensor_equals_none(tf):
    x = tf.constant([1, 2])
    assert (x == None) is False  # noqa: E711  the operator is what is tested
    assert (x != None) is True  # noqa: E711  the operator is what is tested


def test_a_variable_cannot_be_compared_with_none(tf):
    with pytest.raises(ValueError, match=r"convert a value \(None\)"):
        tf.Variable([1, 2]) == None  # noqa: B015, E711  the operator is what is tested


def test_equality_across_dtypes_is_an_error(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Equal"):
        tf.constant([1, 2]) == tf.constant(1.0)  # noqa: B015
    with pytest.raises(TypeError, match=r"Cannot convert 1\.5 to EagerTensor of dtype int32"):
        tf.constant([1, 2]) == 1.5  # noqa: B015


def test_logic_is_for_bools_and_bits_are_for_integers(tf):
    yes, no = tf.constant(True), tf.constant(False)
    assert [bool(each) for each in (yes & no, yes | no, yes ^ yes, ~yes)] == [0, 1, 0, 0]
    six = tf.constant(6)
    assert [int(each) for each in (six & 3, six | 3, six ^ 3, ~six, 3 & six)] == [2, 7, 5, -7, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="BitwiseAnd"):
        tf.constant(6.0) & tf.constant(3.0)


def test_signs_and_sizes(tf):
    x = tf.constant([-1.5, 2.0])
    assert (-x).numpy().tolist() == [1.5, -2.0]
    assert abs(x).numpy().tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    ("dtype", "quotient"),
    [("int8", "float32"), ("int16", "float32"), ("int32", "float64"), ("int64", "float64")],
)
def test_integers_divide_into_floats(tf, dtype, quotient):
    y = tf.constant(5, dtype) / tf.constant(2, dtype)
    assert y.dtype.name == quotient
    assert float(y) == 2.5


def test_floor_division_and_remainder_go_down_also_for_negative_numbers(tf):
    a, b = tf.constant([-7, 7, -7, 7]), tf.constant([2, 2, -2, -2])
    assert (a // b).numpy().tolist() == [-4, 3, 3, -4]
    assert (a % b).numpy().tolist() == [1, 1, -1, -1]
    floats = tf.cast(a, tf.float32) / 2 * 2, tf.cast(b, tf.float32)
    assert (floats[0] // floats[1]).numpy().tolist() == [-4, 3, 3, -4]
    assert (floats[0] % floats[1]).numpy().tolist() == [1, 1, -1, -1]


PROGRAM = """
import numpy as np, tapelab as tf
big, hole = tf.constant(3e38), tf.Variable([0.0, -1.0])
with tf.GradientTape() as tape:
    y = tf.math.log(hole) + tf.sqrt(hole) / hole
for z in (1 / tf.constant(0.0), y, big * big, big + [big, 1.0], tf.reduce_mean(tf.zeros([0])),
          tf.reduce_sum([big, big]), tape.gradient(y, hole)):
    assert not np.isfinite(z.numpy()).all()
"""


def test_no_numpy_warning_reaches_the_learner():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
