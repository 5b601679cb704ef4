"""Steps have no gradient, and say why; sizes and remainders have one."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.core.op import REGISTRY


@pytest.mark.parametrize("name", ["round", "math.rint", "floor", "math.ceil"])
def test_a_step_lets_no_gradient_pass(tf, gradient_at, name):
    function = tf.math if name.startswith("math.") else tf
    assert gradient_at(getattr(function, name.removeprefix("math.")), 1.5) is None


@pytest.mark.parametrize("name", ["round", "rint", "floor", "ceil", "floordiv", "truncatediv"])
def test_a_step_says_why(name):
    facts = REGISTRY[name].rules["x"].facts
    assert (
        facts.because
        == f"{name} is flat almost everywhere, so its derivative tells the model nothing."
    )


def test_a_half_goes_to_the_even_neighbour(tf):
    assert tf.round([0.5, 1.5, 2.5, -0.5]).numpy().tolist() == [0.0, 2.0, 2.0, -0.0]
    assert tf.round([1, 2]).dtype == tf.int32


def test_floor_division_has_no_gradient_and_a_remainder_has_derivative_one(tf, gradient_at):
    assert gradient_at(lambda x, y: x // y, 5.0, 2.0) == [None, None]
    assert gradient_at(lambda x, y: x % y, [5.0, -5.0, 4.0], [2.0, 3.0, 2.0]) == [
        [1.0, 1.0, 1.0],
        [-2.0, 2.0, -2.0],
    ]


def test_truncation_goes_towards_zero(tf, gradient_at):
    assert int(tf.truncatediv(-7, 2)) == -3
    assert int(tf.truncatemod(-7, 2)) == -1
    assert gradient_at(lambda x: tf.truncatediv(x, 2.0), 5.0) is None
    with pytest.raises(LookupError, match="gradient registry has no entry for: TruncateMod"):
        gradient_at(lambda x: tf.truncatemod(x, 2.0), 5.0)


def test_an_absolute_value_has_derivative_zero_at_zero_and_a_sign_everywhere(tf, gradient_at):
    assert gradient_at(tf.abs, [-2.0, 0.0, 2.0]) == [-1.0, 0.0, 1.0]
    assert gradient_at(tf.sign, [-2.0, 0.0, 2.0]) == [0.0, 0.0, 0.0]


def test_the_size_of_a_complex_number_is_real(tf, gradient_at):
    assert tf.abs(tf.constant(3 + 4j)).dtype == tf.float64
    np.testing.assert_allclose(gradient_at(tf.abs, 3 + 4j), 0.6 + 0.8j)
    np.testing.assert_allclose(gradient_at(tf.sign, 3 + 4j), 0.128 - 0.096j)
    assert gradient_at(tf.abs, 0j) == 0
