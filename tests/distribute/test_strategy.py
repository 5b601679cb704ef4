"""Strategies of one replica: code for many devices gives what TensorFlow gives on one."""

import numpy as np
import pytest

import tapelab as tf


@pytest.mark.parametrize("kind", ["MirroredStrategy", "OneDeviceStrategy", "Strategy"])
def test_a_distributed_step_trains(kind):
    strategy = getattr(tf.distribute, kind)()
    assert strategy.num_replicas_in_sync == 1
    with strategy.scope() as same:
        assert same is strategy is tf.distribute.get_strategy()
        assert tf.distribute.in_cross_replica_context()
        w = tf.Variable([1.0, 2.0])
    data = tf.data.Dataset.from_tensor_slices(tf.ones((4, 2))).batch(2)

    def step(x):
        assert tf.distribute.get_replica_context().strategy is strategy
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * w, axis=1)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    @tf.function
    def distributed(x):
        losses = strategy.run(step, args=(x,))
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=0)

    means = [float(distributed(x)) for x in strategy.experimental_distribute_dataset(data)]
    np.testing.assert_allclose(means, [3.0, 2.6], rtol=1e-6)
    assert strategy.experimental_local_results(w)[0] is w


def test_values_are_reduced_as_on_one_replica():
    strategy = tf.distribute.MirroredStrategy()
    for op in (tf.distribute.ReduceOp.SUM, "mean"):
        assert float(strategy.reduce(op, 3.0, axis=None)) == 3
    values = {"a": tf.constant([[1.0, 2.0]]), "b": tf.constant([4.0, 6.0])}
    sums = strategy.reduce("SUM", values, axis=0)
    assert sums["a"].numpy().tolist() == [1.0, 2.0]
    assert float(sums["b"]) == 10
    with pytest.raises(ValueError, match=r"Expected ReduceOp.SUM or ReduceOp.MEAN. Got max"):
        strategy.reduce("max", 1.0, axis=None)


def test_a_dataset_is_made_for_the_whole_batch():
    strategy = tf.distribute.get_strategy()
    assert not tf.distribute.has_strategy()
    data = strategy.distribute_datasets_from_function(
        lambda context: tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(4))
    )
    assert next(iter(data)).numpy().tolist() == [0, 1, 2, 3]
    made = strategy.experimental_distribute_values_from_function(
        lambda context: context.replica_id_in_sync_group
    )
    assert made == 0


def test_several_devices_are_refused():
    with pytest.raises(NotImplementedError, match="one device"):
        tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    with pytest.raises(NotImplementedError, match="one process"):
        tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=object())


def test_a_replica_combines_values_with_all_others():
    strategy = tf.distribute.MirroredStrategy()

    def replica():
        context = tf.distribute.get_replica_context()
        total = context.all_reduce(tf.distribute.ReduceOp.SUM, tf.constant(2.0))
        return total, context.merge_call(lambda merged, x: (merged is strategy, x), args=(5,))

    total, merged = strategy.run(replica)
    assert float(total) == 2
    assert merged == (True, 5)
