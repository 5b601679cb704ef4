"""What cuts a gradient: statements 22 to 25 of the tape's semantics, by number."""

from __future__ import annotations

import numpy as np
import pytest


def gradient_at(tf, f, *values):
    """The gradients of f at the variables made of the values."""
    sources = [tf.Variable(value) for value in values]
    with tf.GradientTape() as tape:
        y = f(*sources)
    result = tape.gradient(y, sources)
    return result[0] if len(result) == 1 else result


@pytest.mark.parametrize("assign", ["assign", "assign_add", "assign_sub"])
def test_s22_an_assign_is_not_differentiable(tf, assign):
    state, x = tf.Variable(0.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        getattr(state, assign)(x)
        y = state**2
    d_state, dx = tape.gradient(y, [state, x])
    assert abs(float(d_state)) == 6.0
    assert dx is None


def test_s22_a_read_before_an_assign_keeps_its_old_value(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        x.assign(100.0)
    assert float(tape.gradient(y, x)) == 6.0


def test_s22_gradients_sum_over_the_reads(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        x.assign(5.0)
        y = y + x * x
    assert float(tape.gradient(y, x)) == 16.0


def test_s23_a_numpy_detour_gives_none(tf):
    assert gradient_at(tf, lambda x: tf.reduce_mean(np.mean(x * x, axis=0)), [[1.0, 2.0]]) is None
    assert gradient_at(tf, lambda x: tf.constant((x * x).numpy()), 3.0) is None
    assert gradient_at(tf, lambda x: tf.constant(float(x * x)), 3.0) is None


@pytest.mark.parametrize(
    "detour",
    [
        lambda tf, x: tf.cast(tf.cast(x, tf.int32), tf.float32),
        lambda tf, x: tf.cast(x > 1.0, tf.float32),
        lambda tf, x: tf.cast(tf.size(x), tf.float32),
        lambda tf, x: tf.cast(tf.argmax(x), tf.float32),
        lambda tf, x: tf.ones_like(x),
        lambda tf, x: tf.zeros_like(x),
    ],
    ids=["int", "bool", "size", "argmax", "ones_like", "zeros_like"],
)
def test_s23_a_path_through_an_integer_or_a_bool_gives_none(tf, detour):
    assert gradient_at(tf, lambda x: detour(tf, x), [1.0, 2.0]) is None


def test_s23_an_integer_variable_gives_none(tf):
    dx, dn = gradient_at(tf, lambda x, n: x * tf.cast(n, tf.float32), 3.0, 4)
    assert float(dx) == 4.0
    assert dn is None


def test_s23_stop_gradient_blocks_only_its_own_path(tf):
    assert float(gradient_at(tf, lambda x: x * tf.stop_gradient(x), 3.0)) == 3.0
    assert gradient_at(tf, tf.stop_gradient, 3.0) is None


def test_s23_a_name_rebound_to_a_tensor_is_not_watched(tf):
    x = tf.Variable(2.0)
    seen = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        seen.append((type(x).__name__, tape.gradient(y, x)))
        x = x + 1
    assert [name for name, _ in seen] == ["ResourceVariable", "EagerTensor"]
    assert float(seen[0][1]) == 1.0
    assert seen[1][1] is None


def test_s23_only_the_branch_that_ran_is_recorded(tf):
    x, v0, v1 = tf.constant(1.0), tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    dv0, dv1 = tape.gradient(result, [v0, v1])
    assert float(dv0) == 1.0
    assert dv1 is None
    assert tape.gradient(result, x) is None


@pytest.mark.parametrize("name", ["round", "floor", "math.ceil", "math.rint"])
def test_s24_rounding_gives_none(tf, name):
    function = tf
    for part in name.split("."):
        function = getattr(function, part)
    assert gradient_at(tf, function, [1.4, -2.6]) is None


def test_s24_floor_division_gives_none(tf):
    assert gradient_at(tf, lambda x, y: x // y, [7.0], [2.0]) == [None, None]


def test_s24_the_gradient_of_sign_is_zero(tf):
    assert gradient_at(tf, tf.sign, [-2.0, 0.0, 3.0]).numpy().tolist() == [0.0, 0.0, 0.0]


def test_s24_the_gradient_of_the_remainder_is_one(tf):
    dx, dy = gradient_at(tf, lambda x, y: x % y, [7.0], [2.0])
    assert dx.numpy().tolist() == [1.0]
    assert dy.numpy().tolist() == [-3.0]


def test_s25_an_op_without_a_gradient_raises_only_when_the_gradient_is_requested(tf):
    image, delta = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        new_image = tf.image.adjust_contrast(image, delta)
    assert new_image.shape == (1, 1, 3)
    wording = "gradient registry has no entry for: AdjustContrastv2"
    with pytest.raises(LookupError, match=wording) as caught:
        tape.gradient(new_image, [image, delta])
    assert isinstance(caught.value, LookupError)
    assert not isinstance(caught.value, (KeyError, IndexError))


def test_s25_an_op_without_a_gradient_off_the_path_does_no_harm(tf):
    x = tf.Variable([[[0.5, 0.2, 0.0]]])
    with tf.GradientTape() as tape:
        tf.image.adjust_contrast(x, 2.0)
        y = x * x
    assert tape.gradient(y, x).numpy().ravel().tolist() == pytest.approx([1.0, 0.4, 0.0])
