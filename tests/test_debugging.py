"""Assertions: silent where they hold, an error with the values where they do not."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf

d = tf.debugging


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (d.assert_equal, (1, 1), (1, 2)),
        (d.assert_none_equal, (1, 2), (1, 1)),
        (d.assert_less, (1, 2), (2, 2)),
        (d.assert_less_equal, (2, 2), (3, 2)),
        (d.assert_greater, (3, 2), (2, 2)),
        (d.assert_greater_equal, (2, 2), (1, 2)),
        (d.assert_near, (1.0, 1.0000001), (1.0, 1.0001)),
        (d.assert_positive, (1,), (0,)),
        (d.assert_negative, (-1,), (0,)),
        (d.assert_non_negative, (0,), (-1,)),
        (d.assert_non_positive, (0,), (1,)),
        (d.Assert, (True, []), (False, [1])),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_assertion_is_silent_or_an_invalid_argument(check, good, bad):
    assert check(*good) is None
    with pytest.raises(tf.errors.InvalidArgumentError):
        check(*bad)


def test_a_broken_assertion_shows_where_and_what():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.assert_equal([1, 2], [1, 3], message="sizes")
    assert str(caught.value) == (
        "sizes\nCondition x == y did not hold.\nIndices of first 1 different values:\n[[1]]\n"
        "Corresponding x values:\n[2]\nCorresponding y values:\n[3]\n"
        "First 2 elements of x:\n[1 2]\nFirst 2 elements of y:\n[1 3]"
    )


@pytest.mark.parametrize(
    ("check", "error", "wording"),
    [
        (lambda: d.assert_rank([1], 2), ValueError, "must have rank 2.  Received rank 1"),
        (lambda: d.assert_rank_at_least([1], 2), ValueError, "must have rank at least 2"),
        (lambda: d.assert_rank_in([1], [2, 3]), ValueError, r"must have rank in \(2, 3\)"),
        (lambda: d.assert_scalar([1]), ValueError, r"Expected scalar shape, saw shape: \(1,\)"),
        (lambda: d.assert_type(1, tf.float32), TypeError, "of type tf.float32; got tf.int32"),
        (lambda: d.assert_integer(1.0), TypeError, "Expected .x. to be integer type"),
        (lambda: d.assert_proper_iterable(3), TypeError, "to be iterable.  Found: <class 'int'>"),
        (
            lambda: d.assert_shapes([(tf.ones([2]), (3,))]),
            ValueError,
            "dimension 0 must have size 3.  Received size 2",
        ),
        (
            lambda: d.assert_shapes([(tf.ones([2]), "N"), (tf.ones([3]), "N")]),
            ValueError,
            "must have size 2.  Received size 3",
        ),
    ],
)
def test_shapes_and_types(check, error, wording):
    with pytest.raises(error, match=wording):
        check()


def test_shapes_that_fit_are_silent():
    d.assert_shapes([(tf.ones([2, 3]), ("N", "D")), (tf.ones([3]), ("D",)), (1.0, ())])
    d.assert_rank(tf.ones([2]), 1)
    assert d.is_numeric_tensor(tf.constant(1))
    assert not d.is_numeric_tensor(tf.constant("a"))


def test_check_numerics_passes_on_the_value_and_its_gradient():
    x = tf.Variable([1.0, 4.0])
    with tf.GradientTape() as tape:
        y = d.check_numerics(tf.sqrt(x), "roots")
    assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.25]
    for bad, called in ((np.nan, "NaN"), (np.inf, "Inf")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"roots : Tensor had {called}"):
            d.check_numerics([bad], "roots")
