import tensorflow as tf

g1 = tf.random.Generator.from_seed(1)
print(g1.normal(shape=[2, 3]))
g1 = tf.random.Generator.from_seed(1, alg="philox")
print(g1.normal(shape=[2, 3]), g1.state, g1.key, g1.algorithm)
g = tf.random.Generator.from_seed(1)
print(g.normal([]))
print(g.normal([]))
g.reset_from_seed(1)
print(g.normal([]), g.uniform([2], maxval=10, dtype=tf.int32), g.truncated_normal([2]))
g2, g3 = g.split(2)
print(g2.normal([2]), g3.uniform([2]))
gg = None


@tf.function
def foo2():
    global gg
    if gg is None:
        gg = tf.random.Generator.from_seed(1)
    return gg.normal([])


print(foo2(), foo2())
print(tf.random.stateless_normal(shape=[2, 3], seed=[1, 2]))
print(tf.random.stateless_normal(shape=[2, 3], seed=[1, 2]))
print(tf.random.stateless_uniform([3], seed=(4, 5), minval=0, maxval=10, dtype=tf.int32))
print(
    tf.random.split(tf.constant([1, 2], tf.int32), 2)
    if hasattr(tf.random, "split")
    else tf.random.experimental.stateless_split([1, 2], 2)
)
print(
    tf.random.fold_in([1, 2], 3)
    if hasattr(tf.random, "fold_in")
    else tf.random.experimental.stateless_fold_in([1, 2], 3)
)
tf.random.set_seed(1234)
print(tf.random.uniform([1]))
print(tf.random.uniform([1]))
tf.random.set_seed(1234)


@tf.function
def f():
    return tf.random.uniform([1]), tf.random.uniform([1])


@tf.function
def h():
    a = tf.random.uniform([1], seed=1)
    b = tf.random.uniform([1], seed=1)
    return a, b


print(
    tf.random.uniform([2], seed=1),
    tf.random.normal([2], seed=2),
    tf.random.truncated_normal([3], seed=3),
)
print(
    tf.random.shuffle(tf.range(10), seed=3),
    tf.random.categorical(tf.math.log([[0.5, 0.5, 0.1]]), 8, seed=1),
)
init = tf.keras.initializers.GlorotUniform(seed=3)
print(init([2, 2]), init([2, 2]), tf.keras.initializers.HeNormal(seed=1)(shape=(2, 2)))
print(tf.initializers.RandomNormal(seed=4)([3]))
sg = tf.keras.random.SeedGenerator(1)
print(tf.keras.random.normal([2], seed=sg), tf.keras.random.uniform([2], seed=sg))
layer = tf.keras.layers.Dropout(0.5, seed=1)
print(layer(tf.ones([2, 5]), training=True))
print(layer(tf.ones([2, 5]), training=True), tf.nn.dropout(tf.ones([6]), 0.5, seed=1))
