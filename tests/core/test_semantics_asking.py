"""Asking the tape for gradients: statements 11 to 18 of the tape's semantics, by number."""

from __future__ import annotations

import numpy as np
import pytest

# TensorFlow's batch_jacobian lost the blank of "to compute".
ONE_SET_ONLY = (
    r"A non-persistent GradientTape can only be used to ?compute one set of gradients "
    r"\(or jacobians\)"
)


@pytest.fixture
def x(tf):
    return tf.Variable(3.0, name="x")


def test_s11_the_result_has_the_structure_of_the_sources(tf, x):
    y = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        z = x * y
    result = tape.gradient(z, {"pair": (x, y), "list": [y, {"again": x}]})
    assert set(result) == {"pair", "list"}
    assert isinstance(result["pair"], tuple)
    assert [float(g) for g in result["pair"]] == [4.0, 3.0]
    assert isinstance(result["list"], list)
    assert float(result["list"][0]) == 3.0
    assert float(result["list"][1]["again"]) == 4.0


def test_s11_a_source_that_repeats_repeats_in_the_result(tf, x):
    with tf.GradientTape() as tape:
        y = x * x
    assert [float(g) for g in tape.gradient(y, [x, x])] == [6.0, 6.0]


def test_s11_no_sources_give_an_empty_result(tf, x):
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert tape.gradient(y, []) == []


def test_s12_a_target_that_is_no_scalar_is_summed(tf, x):
    with tf.GradientTape() as tape:
        y = x * [3.0, 4.0]
    assert float(tape.gradient(y, x)) == 7.0


@pytest.mark.parametrize("nest", [list, tuple, lambda ys: {"a": ys[0], "b": [ys[1]]}])
def test_s12_a_nest_of_targets_is_summed(tf, nest):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        targets = nest([x**2, 1 / x])
    assert float(tape.gradient(targets, x)) == 3.75


def test_s12_a_target_that_is_also_a_source_contributes_ones(tf, x):
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        value = tf.identity(x)
    assert float(tape.gradient(y, y)) == 1.0
    assert [float(g) for g in tape.gradient([y, value], [value, y, x])] == [1.0, 1.0, 7.0]


def test_s12_a_watched_tensor_as_target_and_source_gives_ones_of_its_shape(tf):
    t = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(t)
    assert tape.gradient(t, t).numpy().tolist() == [[1.0, 1.0]]


def test_s13_output_gradients_seed_each_target(tf, x):
    with tf.GradientTape(persistent=True) as tape:
        y = x * [1.0, 2.0]
        z = x * x
    assert float(tape.gradient(y, x, output_gradients=tf.constant([10.0, 1.0]))) == 12.0
    seeds = [tf.constant([1.0, 0.0]), tf.constant(2.0)]
    assert float(tape.gradient([y, z], x, output_gradients=seeds)) == 13.0
    assert float(tape.gradient([z], x, output_gradients=[0.5])) == 3.0


def test_s13_a_none_among_the_output_gradients_raises_value_error(tf, x):
    with tf.GradientTape() as tape:
        y, z = x * 2.0, x * x
    with pytest.raises(ValueError):
        tape.gradient([y, z], x, output_gradients=[tf.constant(1.0), None])


@pytest.mark.parametrize("seed", [[1, 2], [1.0, 2.0, 3.0]], ids=["dtype", "shape"])
def test_s13_output_gradients_must_fit_their_target(tf, seed):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(tf.errors.InvalidArgumentError):
        tape.gradient(y, x, output_gradients=tf.constant(seed))


def test_s13_one_output_gradient_serves_every_element(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    seed = tf.constant(10.0)
    assert tape.gradient(y, x, output_gradients=seed).numpy().tolist() == [20.0, 40.0]


def test_s14_an_unconnected_source_gives_none(tf, x):
    other = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, [other, x])[0] is None


def test_s14_zero_gives_zeros_of_the_shape_and_dtype_of_the_source(tf, x):
    other = tf.Variable(np.ones((2, 3)))
    for zero in (tf.UnconnectedGradients.ZERO, "zero"):
        with tf.GradientTape() as tape:
            y = x * x
        zeros = tape.gradient(y, other, unconnected_gradients=zero)
        assert zeros.dtype == tf.float64
        assert zeros.numpy().tolist() == [[0.0] * 3] * 2


def test_s14_the_string_none_is_accepted_too(tf, x):
    other = tf.constant(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, other, unconnected_gradients="none") is None


@pytest.mark.parametrize("unknown", ["ZERO", "nonsense", None])
def test_s14_any_other_value_raises_value_error(tf, x, unknown):
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients"):
        tape.gradient(y, x, unconnected_gradients=unknown)


def test_s15_a_target_of_none_raises_type_error(tf, x):
    with tf.GradientTape() as tape:
        x * x
    with pytest.raises(TypeError):
        tape.gradient(None, x)


@pytest.mark.parametrize("plain", [3.0, 3, np.float32(3.0), np.ones(2, np.float32)])
def test_s15_a_plain_target_or_source_raises_attribute_error(tf, x, plain):
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises(AttributeError):
        tape.gradient(plain, x)
    with pytest.raises(AttributeError):
        tape.gradient(y, plain)


@pytest.mark.parametrize("sources", [None, "with_none"])
def test_s15_a_source_of_none_raises_type_error(tf, x, sources):
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(TypeError):
        tape.gradient(y, None if sources is None else [x, None])


def test_s16_broadcasting_is_summed_away(tf):
    row, column = tf.Variable([[1.0, 2.0, 3.0]]), tf.Variable([[10.0], [20.0]])
    scalar = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = row * column * scalar
    d_row, d_column, d_scalar = tape.gradient(y, [row, column, scalar])
    assert d_row.numpy().tolist() == [[60.0, 60.0, 60.0]]
    assert d_column.numpy().tolist() == [[12.0], [12.0]]
    assert d_scalar.shape == ()
    assert float(d_scalar) == 180.0


def test_s16_casts_are_undone(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.float64) ** 2
    dx = tape.gradient(y, x)
    assert dx.dtype == tf.float32
    assert float(dx) == 6.0


@pytest.mark.parametrize("ask", ["gradient", "jacobian", "batch_jacobian"])
@pytest.mark.parametrize("ask_again", ["gradient", "jacobian", "batch_jacobian"])
def test_s17_a_tape_that_is_not_persistent_answers_once(tf, ask, ask_again):
    rows = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = rows * rows
    getattr(tape, ask)(y, rows)
    with pytest.raises(RuntimeError, match=ONE_SET_ONLY):
        getattr(tape, ask_again)(y, rows)


def test_s17_a_tape_that_was_never_entered_gives_that_same_error(tf, x):
    with pytest.raises(RuntimeError, match=ONE_SET_ONLY):
        tf.GradientTape().gradient(x * x, x)


def test_s17_a_persistent_tape_answers_again_and_again(tf, x):
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    assert float(tape.gradient(z, x)) == 108.0
    assert float(tape.gradient(y, x)) == 6.0
    assert float(tape.gradient(z, x)) == 108.0


@pytest.mark.parametrize(
    "ask",
    [
        lambda tape, y, x: tape.gradient(None, x),
        lambda tape, y, x: tape.gradient(y.numpy(), x),
        lambda tape, y, x: tape.gradient(y, x.numpy()),
        lambda tape, y, x: tape.gradient(y, x, unconnected_gradients="nonsense"),
        lambda tape, y, x: tape.jacobian([y], x),
        lambda tape, y, x: tape.batch_jacobian(y, x),
    ],
    ids=["no_target", "array_target", "array_source", "unconnected", "list_target", "rank"],
)
def test_s17_a_question_that_is_refused_does_not_use_up_the_tape(tf, ask):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises((TypeError, AttributeError, ValueError)):
        ask(tape, y, x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_s17_a_tape_that_answered_can_be_entered_again_and_starts_afresh(tf, x):
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with tape:
        z = x * x * x
    assert float(tape.gradient(z, x)) == 27.0


def test_s18_gradient_inside_its_own_block_ends_the_recording(tf, x):
    with tf.GradientTape() as tape:
        y = x * x
        dx = tape.gradient(y, x)
    assert float(dx) == 6.0
    with pytest.raises(RuntimeError, match=ONE_SET_ONLY):
        tape.gradient(y, x)


def test_s18_gradient_inside_a_persistent_block_warns_and_is_recorded(tf, x, logged):
    with tf.GradientTape(persistent=True) as tape:
        y = x * x * x
        dx = tape.gradient(y, x)
    assert float(tape.gradient(dx, x)) == 18.0
    assert len(logged) == 1
    assert logged[0].startswith("Calling GradientTape.gradient on a persistent tape inside its ")


def test_s18_what_stop_recording_brackets_inside_a_persistent_block_does_not_warn(tf, x, logged):
    with tf.GradientTape(persistent=True) as tape:
        y = x * x * x
        with tape.stop_recording():
            dx = tape.gradient(y, x)
    assert tape.gradient(dx, x) is None
    assert logged == []
