import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
users, items = rng.randint(0, 6, 40), rng.randint(0, 5, 40)
ratings = tf.constant(rng.randint(1, 6, 40), tf.float32)
U = tf.Variable(tf.random.stateless_normal([6, 2], seed=[1, 1]) * 0.3, name="U")
V = tf.Variable(tf.random.stateless_normal([5, 2], seed=[1, 2]) * 0.3, name="V")
opt = tf.keras.optimizers.Adam(0.05)
for epoch in range(30):
    with tf.GradientTape() as tape:
        u, v = tf.gather(U, users), tf.nn.embedding_lookup(V, items)
        err = tf.reduce_sum(u * v, axis=1) - ratings
        loss = tf.reduce_mean(err**2) + 0.01 * (tf.nn.l2_loss(U) + tf.nn.l2_loss(V))
    grads = tape.gradient(loss, [U, V])
    opt.apply_gradients(zip(grads, [U, V]))
    if epoch % 10 == 0:
        print(epoch, loss.numpy())
print(loss, U.numpy())
table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
with tf.GradientTape() as tape:
    rows = tf.gather(table, [0, 2, 0])
    out = tf.reduce_sum(rows * [[1.0], [2.0], [3.0]])
g = tape.gradient(out, table)
print(g)
print(type(g).__name__, g.indices.numpy(), g.values.numpy(), g.dense_shape)
print(tf.convert_to_tensor(g))
tf.keras.optimizers.SGD(0.1).apply_gradients([(g, table)])
print(table.numpy())
table.scatter_sub(tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([1])))
table.scatter_update(tf.IndexedSlices(tf.constant([[9.0, 9.0]]), tf.constant([2])))
print(table.numpy())
clipped, norm = tf.clip_by_global_norm([g, tf.constant([3.0])], 1.0)
print(type(clipped[0]).__name__, norm, clipped[1])
emb = tf.keras.layers.Embedding(4, 2, mask_zero=True, embeddings_initializer="ones")
with tf.GradientTape() as tape:
    e = emb(tf.constant([[1, 2, 0]]))
    l = tf.reduce_sum(e**2)
print(
    tape.gradient(l, emb.trainable_variables)[0].values, emb.compute_mask(tf.constant([[1, 2, 0]]))
)
print(tf.math.unsorted_segment_sum(g.values, g.indices, 3))
