from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.views.gradient_magnitudes import first_non_finite_step, flow_of, magnitude_of
from tapelab.views.timeline import Model


def healths(tape, target):
    model = Model.of(tape.recording(target))
    return {model.frame_label(point.frame): point.magnitude.health for point in flow_of(model)}


def test_the_gradient_is_as_large_as_its_numbers_are_on_average(golden):
    model = Model.of(golden("vectors"))
    sizes = {model.frame_label(point.frame): point.magnitude.size for point in flow_of(model)}
    assert sizes["w"] == pytest.approx((1 + 12 + 30) / 3)


def test_the_norm_of_a_gradient_is_that_of_its_vector(golden):
    model = Model.of(golden("vectors"))
    norms = {model.frame_label(point.frame): point.magnitude.norm for point in flow_of(model)}
    assert norms["w"] == pytest.approx((1 + 12**2 + 30**2) ** 0.5)


def test_a_gradient_of_zeros_is_zero_and_a_tiny_one_has_vanished():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        small = x * 1e-9
        y = small * small * 0.0
    assert healths(tape, y) == {
        "x": "zero",
        "small": "zero",
        "small * small": "zero",
        "y": "fine",
    }
    with tf.GradientTape() as tape:
        z = x * 1e-9
    assert healths(tape, z)["x"] == "vanished"


def test_an_exploded_gradient_differs_from_nan():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 1e9
    assert healths(tape, y)["x"] == "exploded"
    with tf.GradientTape() as tape:
        z = tf.sqrt(x * 0.0)
    assert healths(tape, z)["x"] == "nan"


def test_a_large_gradient_has_its_measures(golden):
    x = tf.Variable(tf.ones([1000]) * 2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x)
    model = Model.of(tape.recording(y))
    beats = {model.frame_label(point.frame): point.magnitude for point in flow_of(model)}
    assert (beats["x"].size, beats["x"].health) == (4.0, "fine")
    assert beats["x"].norm == pytest.approx(4.0 * 1000**0.5)


def test_nothing_is_known_of_what_is_not_there(golden):
    assert magnitude_of(golden("scene_a"), -1).health == "unknown"
    assert flow_of(Model.of(golden("empty"))) == ()


def test_the_first_number_that_is_none_is_found_forwards_before_backwards(golden):
    model = Model.of(golden("not_finite"))
    assert model.at(first_non_finite_step(model)).phase == "forward"
    assert first_non_finite_step(Model.of(golden("scene_a"))) == -1
    x = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    back = Model.of(tape.recording(y))
    assert back.at(first_non_finite_step(back)).phase == "backward"
