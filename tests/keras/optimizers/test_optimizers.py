"""Optimizers as learners meet them: what a step is, and what is refused or warned of."""

import numpy as np
import pytest

import tapelab as tf

KINDS = (
    "SGD",
    "RMSprop",
    "Adam",
    "AdamW",
    "Adagrad",
    "Adamax",
    "Nadam",
    "Adadelta",
    "Ftrl",
    "Lion",
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_optimizer_comes_down_a_valley(kind):
    v = tf.Variable([2.0, -3.0])
    optimizer = getattr(tf.keras.optimizers, kind)(learning_rate=0.1)
    start = float(tf.reduce_sum(v**2))
    for _ in range(20):
        with tf.GradientTape() as tape:
            height = tf.reduce_sum(v**2)
        optimizer.apply_gradients([(tape.gradient(height, v), v)])
    assert float(tf.reduce_sum(v**2)) < start


def test_a_step_of_sgd_is_the_gradient_times_the_rate():
    v = tf.Variable([1.0, 2.0])
    tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant([2.0, -4.0]), v)])
    np.testing.assert_array_equal(v.numpy(), [0.0, 4.0])


def test_the_first_step_of_adam_is_the_rate_whatever_the_gradient():
    for size in (0.1, 1.0, 1000.0):
        v = tf.Variable(0.0)
        tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(size), v)])
        assert float(v) == pytest.approx(-0.1, rel=1e-3)


def test_a_step_inside_a_traced_function_is_the_same_step():
    def steps(wrap):
        v, optimizer = tf.Variable([1.0, -2.0]), tf.keras.optimizers.Nadam(0.1)
        optimizer.build([v])

        @wrap
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v**2)
            optimizer.apply_gradients([(tape.gradient(loss, v), v)])

        for _ in range(4):
            step()
        return v.numpy()

    np.testing.assert_allclose(steps(tf.function), steps(lambda f: f), rtol=1e-6)


def test_a_schedule_moves_on_inside_a_traced_function():
    schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([1], [1.0, 0.25])
    v, optimizer = tf.Variable(0.0), tf.keras.optimizers.SGD(schedule)
    optimizer.build([v])

    @tf.function
    def step():
        optimizer.apply_gradients([(tf.constant(1.0), v)])

    places = []
    for _ in range(4):
        step()
        places.append(float(v))
    assert places == [-1.0, -2.0, -2.25, -2.5]


def test_the_warning_names_the_variables_without_a_gradient():
    layer = tf.keras.layers.Dense(1)
    layer.build((None, 2))
    with pytest.warns(UserWarning, match="Gradients do not exist for variables"):
        tf.keras.optimizers.SGD().apply([tf.ones((2, 1)), None], layer.trainable_variables)


def test_the_error_for_no_gradient_at_all_leads_to_the_explanation():
    with pytest.raises(ValueError, match=r"No gradients provided for any variable.*tf\.explain"):
        tf.keras.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))])


def test_gradients_are_added_up_over_steps(tf):
    variable = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(1.0, gradient_accumulation_steps=2)
    optimizer.apply([tf.constant(0.5)], [variable])
    assert (float(variable), int(optimizer.iterations)) == (1.0, 0)
    optimizer.apply([tf.constant(1.5)], [variable])
    assert (float(variable), int(optimizer.iterations)) == (0.0, 1)


def test_weights_cannot_be_excluded_from_decay_too_late():
    v, optimizer = tf.Variable(1.0), tf.keras.optimizers.SGD(weight_decay=0.1)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    with pytest.raises(ValueError, match="before the optimizer is built"):
        optimizer.exclude_from_weight_decay(var_list=[v])


def test_a_decay_without_weight_is_no_adamw():
    with pytest.raises(ValueError, match="must be a float"):
        tf.keras.optimizers.AdamW(weight_decay=None)


def test_an_excluded_variable_keeps_its_weight():
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.5, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_list=[b])
    optimizer.apply_gradients([(tf.constant(0.0), a), (tf.constant(0.0), b)])
    assert (float(a), float(b)) == (0.75, 1.0)


def test_a_schedule_needs_steps():
    with pytest.raises(ValueError, match="must be > 0"):
        tf.keras.optimizers.schedules.CosineDecay(0.1, 0)
