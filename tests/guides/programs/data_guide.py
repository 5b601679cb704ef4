import itertools
import numpy as np
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1])
print(dataset)
for elem in dataset:
    print(elem.numpy(), end=" ")
it = iter(dataset)
print(
    next(it).numpy(),
    dataset.reduce(0, lambda state, value: state + value).numpy(),
    len(dataset),
    dataset.cardinality(),
)
d1 = tf.data.Dataset.from_tensor_slices(tf.random.uniform([4, 10]))
print(d1.element_spec)
d2 = tf.data.Dataset.from_tensor_slices(
    (tf.random.uniform([4]), tf.random.uniform([4, 100], maxval=100, dtype=tf.int32))
)
print(d2.element_spec, tf.data.Dataset.zip((d1, d2)).element_spec)
d4 = tf.data.Dataset.from_tensors(
    tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[3, 4])
)
print(d4.element_spec, d4.element_spec.value_type.__name__)
for z in tf.data.Dataset.from_tensor_slices(
    tf.random.uniform([4, 10], minval=1, maxval=10, dtype=tf.int32)
):
    print(z.numpy())


def count(stop):
    i = 0
    while i < stop:
        yield i
        i += 1


ds_counter = tf.data.Dataset.from_generator(
    count, args=[25], output_types=tf.int32, output_shapes=()
)
for count_batch in ds_counter.repeat().batch(10).take(4):
    print(count_batch.numpy())


def gen_series():
    rng = np.random.RandomState(0)
    i = 0
    while i < 10:
        size = rng.randint(0, 10)
        yield i, rng.normal(size=(size,))
        i += 1


ds_series = tf.data.Dataset.from_generator(
    gen_series, output_signature=(tf.TensorSpec((), tf.int32), tf.TensorSpec((None,), tf.float64))
)
print(ds_series)
ids, seq = next(iter(ds_series.padded_batch(4)))
print(ids.numpy(), seq.numpy().round(3))
inc, dec = tf.data.Dataset.range(100), tf.data.Dataset.range(0, -100, -1)
for batch in tf.data.Dataset.zip((inc, dec)).batch(4).take(2):
    print([arr.numpy() for arr in batch])
print(inc.batch(7), inc.batch(7, drop_remainder=True))
ds = (
    tf.data.Dataset.range(20)
    .map(lambda x: tf.fill([tf.cast(x, tf.int32)], x))
    .padded_batch(4, padded_shapes=(None,))
)
for batch in ds.take(2):
    print(batch.numpy())
for x in (
    tf.data.Dataset.range(12).window(5, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(5))
):
    print(x.numpy())
features = {"a": np.arange(5), "b": np.arange(5) * 0.5}
fds = tf.data.Dataset.from_tensor_slices((features, [0, 1, 0, 1, 0]))
print(fds)
for f, label in fds.batch(2):
    print({k: v.numpy() for k, v in f.items()}, label.numpy())
lines = tf.data.Dataset.from_tensor_slices(["0,1,2", "3,4,5"]).map(
    lambda l: tf.strings.to_number(tf.strings.split(l, ","), tf.int32)
)
print(list(lines.as_numpy_iterator()))
print(list(tf.data.Dataset.range(10).filter(lambda x: x % 3 == 0).enumerate().as_numpy_iterator()))
print(
    list(
        tf.data.Dataset.range(1, 4)
        .interleave(
            lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2
        )
        .as_numpy_iterator()
    )
)
print(
    list(
        tf.data.Dataset.range(4)
        .concatenate(tf.data.Dataset.range(2))
        .skip(1)
        .prefetch(tf.data.AUTOTUNE)
        .cache()
        .as_numpy_iterator()
    )
)
print(
    list(
        tf.data.Dataset.range(5).scan(np.int64(0), lambda s, x: (s + x, s + x)).as_numpy_iterator()
    )
)
print(
    [
        x.numpy().tolist()
        for x in tf.data.Dataset.range(6).group_by_window(
            lambda x: x % 2, lambda k, d: d.batch(3), window_size=3
        )
    ]
)
print(
    [
        x.numpy().tolist()
        for x in tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch().shard(2, 0)
    ]
)


def parse(a):
    return tf.py_function(lambda z: z.numpy() ** 2, [a], tf.int64)


print([int(x) for x in tf.data.Dataset.range(4).map(parse, num_parallel_calls=tf.data.AUTOTUNE)])
print(next(iter(tf.data.Dataset.from_tensor_slices({"x": [[1, 2], [3, 4]], "y": [1, 0]}).batch(2))))
