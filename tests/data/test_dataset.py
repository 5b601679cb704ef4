"""What a pipeline does beside giving the right elements: when, how often, and off the tape."""

import numpy as np
import pytest


def test_a_map_runs_when_an_element_is_requested_and_not_before(tf):
    dataset = tf.data.Dataset.range(3)
    ran = []

    def noted(x):
        tf.py_function(lambda value: ran.append(int(value)), [x], [])
        return x

    mapped = dataset.map(noted)
    assert ran == []
    next(iter(mapped.take(1)))
    assert ran[:1] == [0]


def test_two_iterators_of_one_dataset_do_not_disturb_each_other(tf):
    dataset = tf.data.Dataset.range(3)
    one, other = iter(dataset), iter(dataset)
    assert int(next(one)) == 0
    assert int(next(one)) == 1
    assert int(next(other)) == 0


def test_a_cache_runs_the_stages_before_it_once(tf):
    ran = []

    def numbers():
        ran.append(True)
        yield from range(3)

    signature = tf.TensorSpec((), tf.int32)
    dataset = tf.data.Dataset.from_generator(numbers, output_signature=signature).cache()
    assert [int(x) for x in dataset] == [int(x) for x in dataset] == [0, 1, 2]
    assert ran == [True]


def test_the_order_of_a_small_buffer_stays_near_the_original(tf):
    order = [int(x) for x in tf.data.Dataset.range(100).shuffle(3, seed=1)]
    assert sorted(order) == list(range(100))
    assert order != list(range(100))
    assert all(value <= place + 2 for place, value in enumerate(order))


def test_every_element_may_come_first_out_of_a_full_buffer(tf):
    firsts = {int(next(iter(tf.data.Dataset.range(4).shuffle(4, seed=seed)))) for seed in range(60)}
    assert firsts == {0, 1, 2, 3}


def test_samples_come_from_all_datasets_by_their_weights(tf):
    zeros, ones = (tf.data.Dataset.from_tensors(n).repeat() for n in (0, 1))
    mixed = tf.data.Dataset.sample_from_datasets([zeros, ones], weights=[0.9, 0.1], seed=3)
    share = np.mean([int(x) for x in mixed.take(300)])
    assert 0.02 < share < 0.25


def test_what_is_computed_with_an_element_can_be_differentiated(tf):
    w = tf.Variable(2.0)
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 3.0])
    with tf.GradientTape() as tape:
        total = tf.add_n([w * x for x in dataset])
    assert float(tape.gradient(total, w)) == 4.0


def test_an_element_can_be_watched_itself(tf):
    x = next(iter(tf.data.Dataset.from_tensor_slices([3.0])))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_a_linear_model_learns_from_batches(tf):
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, 3 * x - 1)).shuffle(64).batch(16).repeat(30)
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    for inputs, labels in dataset.prefetch(tf.data.AUTOTUNE):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * inputs + b - labels) ** 2)
        for variable, gradient in zip((w, b), tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.3 * gradient)
    np.testing.assert_allclose([w.numpy(), b.numpy()], [3.0, -1.0], atol=1e-2)


@pytest.mark.parametrize("stage", ["map", "filter", "flat_map", "interleave", "take_while"])
def test_a_stage_without_a_function_is_refused(tf, stage):
    with pytest.raises((TypeError, ValueError)):
        getattr(tf.data.Dataset.range(3), stage)(5)


def test_windows_become_rows_of_inputs_and_labels(tf):
    dataset = tf.data.Dataset.range(6).window(4, shift=1, drop_remainder=True)
    rows = dataset.flat_map(lambda window: window.batch(4)).map(lambda w: (w[:-1], w[-1]))
    assert [(x.numpy().tolist(), int(y)) for x, y in rows] == [
        ([0, 1, 2], 3), ([1, 2, 3], 4), ([2, 3, 4], 5),
    ]  # fmt: skip


def test_reduce_in_a_function_computes_what_it_does_outside(tf):
    numbers = tf.data.Dataset.range(5)

    @tf.function
    def reduced(dataset, start):
        doubled = dataset.map(lambda x: 2 * x).reduce(start, lambda total, x: total + x)
        pair = (tf.constant(0, tf.int64), {"product": 1.0})
        return doubled, dataset.reduce(
            pair, lambda state, x: (state[0] + x, {"product": state[1]["product"] * 2.0})
        )

    total, (count, rest) = reduced(numbers, tf.constant(10, tf.int64))
    assert (int(total), int(count), float(rest["product"])) == (30, 10, 32.0)


def test_a_loop_in_a_function_may_name_its_element_like_the_parameter_of_a_lambda(tf):
    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in dataset.map(lambda x: x * 3):
            result += x
        return result

    assert int(total(tf.data.Dataset.range(5))) == 30
