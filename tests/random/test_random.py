"""Random tensors: repeatable where they should be, different where not, and their gradients."""

from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf

DRAWS = {
    "normal": lambda **more: tf.random.normal([4], **more),
    "truncated_normal": lambda **more: tf.random.truncated_normal([4], **more),
    "uniform": lambda **more: tf.random.uniform([4], **more),
    "gamma": lambda **more: tf.random.gamma([4], 2.0, **more),
    "poisson": lambda **more: tf.random.poisson([4], 50.0, **more),
    "categorical": lambda **more: tf.random.categorical(tf.zeros([1, 1000]), 4, **more),
    "shuffle": lambda **more: tf.random.shuffle(tf.range(100), **more),
}


@pytest.fixture(autouse=True)
def fresh_seeds():
    yield
    tf.random.set_seed(0)


@pytest.mark.parametrize("name", DRAWS)
def test_the_global_seed_starts_the_same_sequence_again(name):
    draw = DRAWS[name]
    tf.random.set_seed(7)
    first, second = draw().numpy(), draw().numpy()
    tf.random.set_seed(7)
    np.testing.assert_array_equal(draw().numpy(), first)
    np.testing.assert_array_equal(draw().numpy(), second)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", DRAWS)
def test_a_seed_of_the_op_advances_too(name):
    draw = DRAWS[name]
    tf.random.set_seed(7)
    first, second = draw(seed=1).numpy(), draw(seed=1).numpy()
    assert not np.array_equal(first, second)
    tf.random.set_seed(7)
    np.testing.assert_array_equal(draw(seed=1).numpy(), first)


def test_different_seeds_give_different_numbers():
    drawn = []
    for seed in (1, 2):
        tf.random.set_seed(seed)
        drawn += [tf.random.normal([4]).numpy(), tf.random.normal([4], seed=seed).numpy()]
    assert len({tuple(each) for each in drawn}) == 4


def test_shapes_dtypes_and_moments():
    x = tf.random.normal([200, 100], mean=3.0, stddev=2.0)
    assert (x.dtype, x.shape) == (tf.float32, (200, 100))
    assert abs(float(tf.reduce_mean(x)) - 3.0) < 0.1
    assert abs(float(tf.math.reduce_std(x)) - 2.0) < 0.1
    assert tf.random.normal([], dtype=tf.float64).dtype == tf.float64
    assert float(tf.reduce_max(abs(tf.random.truncated_normal([2000])))) <= 2.0
    u = tf.random.uniform([2000], -1.0, 3.0)
    assert -1.0 <= float(tf.reduce_min(u)) < float(tf.reduce_max(u)) < 3.0
    n = tf.random.uniform([2000], 2, 5, dtype=tf.int32)
    assert sorted(set(n.numpy().tolist())) == [2, 3, 4]


def test_a_chosen_class_follows_its_logits():
    logits = tf.math.log([[0.001, 0.001, 0.998]])
    drawn = tf.random.categorical(logits, 1000, seed=3).numpy()
    assert drawn.shape == (1, 1000)
    assert drawn.dtype == np.int64
    assert (drawn == 2).mean() > 0.95


def test_shuffling_keeps_every_row_and_lets_no_gradient_pass():
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.random.shuffle(x)
    assert sorted(y.numpy().tolist()) == [1.0, 2.0, 3.0, 4.0]
    assert tape.gradient(y, x) is None


def test_the_gradient_flows_to_the_parameters_of_a_distribution():
    mean, stddev = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.random.normal([3], mean=mean, stddev=stddev)
    by_mean, by_stddev = tape.gradient(y, [mean, stddev])
    assert float(by_mean) == 3.0
    assert float(by_stddev) == pytest.approx(float(tf.reduce_sum((y - mean) / stddev)), rel=1e-4)
    low = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.random.uniform([], low, 1.0)
    assert float(tape.gradient(y, low)) == pytest.approx(1.0 - float(y), rel=1e-4)


def test_stateless_numbers_depend_on_their_seed_alone():
    draw = tf.random.stateless_normal
    np.testing.assert_array_equal(draw([3], [1, 2]).numpy(), draw([3], [1, 2]).numpy())
    assert not np.array_equal(draw([3], [1, 2]).numpy(), draw([3], [1, 3]).numpy())
    assert tf.random.stateless_uniform([2], (1, 2), maxval=3, dtype=tf.int32).dtype == tf.int32
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"seed must have shape \[2\]"):
        draw([3], 1)


def test_a_generator_starts_again_from_its_seed():
    one, other = (tf.random.Generator.from_seed(5) for _ in range(2))
    np.testing.assert_array_equal(one.normal([3]).numpy(), other.normal([3]).numpy())
    np.testing.assert_array_equal(one.uniform([3]).numpy(), other.uniform([3]).numpy())
    before = one.normal([3]).numpy()
    one.reset_from_seed(5)
    other.reset_from_seed(5)
    assert not np.array_equal(one.normal([3]).numpy(), before)
    assert other.make_seeds(2).shape == (2, 2)
    assert len({float(each.normal([])) for each in other.split(3)}) == 3


def test_the_global_generator_follows_the_global_seed():
    drawn = []
    for _ in range(2):
        tf.random.set_seed(3)
        drawn.append(tf.random.get_global_generator().normal([3]).numpy().tolist())
    assert drawn[0] == drawn[1]
    tf.random.set_global_generator(tf.random.Generator.from_seed(8))
    expected = tf.random.Generator.from_seed(8).normal([2]).numpy()
    np.testing.assert_array_equal(tf.random.get_global_generator().normal([2]).numpy(), expected)


@pytest.mark.parametrize(
    ("draw", "error", "wording"),
    [
        (lambda: tf.random.uniform([2], dtype=tf.int32), ValueError, "Must specify maxval"),
        (lambda: tf.random.normal([2], dtype=tf.int32), TypeError, "Cannot convert 0.0"),
        (
            lambda: tf.random.uniform([2], 1, 1, dtype=tf.int32),
            tf.errors.InvalidArgumentError,
            "Need minval < maxval, got 1 >= 1",
        ),
        (
            lambda: tf.random.categorical([0.0, 1.0], 2),
            tf.errors.InvalidArgumentError,
            "logits should be a matrix",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, error, wording):
    with pytest.raises(error, match=wording):
        draw()
