"""Random draws of a compiled function: those of eager code, new ones at each call."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from tests.compile.outside import count_records
from tests.compile.programs_of import CALLS, programs


def test_random_numbers_are_drawn_anew(tf):
    f = tf.function(lambda: tf.random.normal([3]))
    g = tf.function(lambda x: tf.nn.dropout(x, 0.5))
    drawn = [tuple(f().numpy().tolist()) for _ in range(CALLS)]
    assert len(set(drawn)) == CALLS
    masks = [tuple(g(tf.ones([64])).numpy().tolist()) for _ in range(CALLS)]
    assert len(set(masks)) == CALLS
    assert len(programs(f)) == 1


def test_equal_seeds_give_equal_numbers_by_a_program(tf):
    def drawn(decorate):
        f = decorate(lambda x: x * tf.random.normal([2], seed=3) + tf.random.uniform([2], seed=4))
        found = []
        for _ in range(2):
            tf.random.set_seed(3)
            found += [f(tf.constant(2.0)).numpy().tolist() for _ in range(CALLS)]
        return found, f

    expected, _ = drawn(lambda function: function)
    found, f = drawn(tf.function)
    assert found == expected
    assert len(programs(f)) == 1


def test_a_layer_that_drops_entries_drops_others_each_time(tf):
    layer = tf.keras.layers.Dropout(0.5, seed=1)
    f = tf.function(lambda x: layer(x, training=True))
    x = tf.ones([64])
    masks = [tuple(f(x).numpy().tolist()) for _ in range(CALLS)]
    twin = tf.keras.layers.Dropout(0.5, seed=1)
    assert masks == [tuple(twin(x, training=True).numpy().tolist()) for _ in range(CALLS)]
    assert len(programs(f)) == 1


DRAWS = {
    "dropout": lambda tf, x: tf.nn.dropout(x, 0.5, seed=3),
    "stateless dropout": lambda tf, x: tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]),
    "as long as a tensor": lambda tf, x: x + tf.random.normal(tf.shape(x), seed=3),
    "limits by numbers": lambda tf, x: tf.random.uniform([3], 0.0, tf.reduce_max(x), seed=3),
    "shuffled": lambda tf, x: tf.random.shuffle(x, seed=3),
    "categories": lambda tf, x: tf.random.categorical(x, 3, seed=3),
    "counts": lambda tf, x: tf.random.poisson([2], tf.abs(x), seed=3),
    "gamma": lambda tf, x: tf.random.gamma([2], tf.abs(x) + 1.0, seed=3),
    "truncated": lambda tf, x: tf.random.truncated_normal([4, 2], tf.reduce_mean(x), seed=3),
    "one number": lambda tf, x: x * tf.random.uniform([], seed=3),
    "integers": lambda tf, x: tf.gather(x, tf.random.uniform([3], 0, 4, tf.int32, seed=3)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_what_is_drawn_by_numbers_is_drawn_as_eagerly(tf, name):
    given = [
        tf.constant(each)
        for each in np.random.default_rng(0).normal(size=(CALLS, 4, 2)).astype("f")
    ]

    def drawn(function):
        tf.random.set_seed(7)
        return [function(x).numpy().tolist() for x in given]

    compiled = tf.function(lambda x: DRAWS[name](tf, x))
    assert drawn(compiled) == drawn(compiled.python_function)
    assert len(programs(compiled)) == 1


def test_a_generator_goes_on_from_call_to_call(tf):
    def drawn(decorate):
        generator = tf.random.Generator.from_seed(3)
        f = decorate(lambda x: x + generator.normal([2]) * generator.uniform([2]))
        return [f(tf.ones([2])).numpy().tolist() for _ in range(CALLS)], f

    found, f = drawn(tf.function)
    assert found == drawn(lambda f: f)[0]
    assert len(programs(f)) == 1


def test_a_call_that_fails_draws_once(tf):
    def drawn(decorate):
        tf.random.set_seed(2)
        f = decorate(lambda x, i: tf.gather(x, i) + tf.random.normal([], seed=3))
        x, found = tf.constant([1.0, 2.0]), []
        for at in (0, 1, 0, 5, 1, 0):
            with contextlib.suppress(tf.errors.InvalidArgumentError):
                found.append(float(f(x, tf.constant(at))))
        return found

    assert len(set(drawn(tf.function))) == CALLS + 1
    assert drawn(tf.function) == drawn(lambda f: f)


def test_gradients_pass_what_is_kept_of_a_drawn_mask(tf):
    def derivatives(decorate):
        tf.random.set_seed(3)
        f = decorate(lambda x: tf.reduce_sum(tf.nn.dropout(x * x, 0.5, seed=3)))
        found = []
        for _ in range(CALLS):
            x = tf.constant([1.0, 2.0, 3.0, 4.0])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            found.append(tape.gradient(y, x).numpy().tolist())
        return found, count_records(tape)

    (found, was_recorded), (expected, _) = derivatives(tf.function), derivatives(lambda f: f)
    assert found == expected
    assert was_recorded == 1
