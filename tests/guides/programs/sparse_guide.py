import tensorflow as tf

st1 = tf.sparse.SparseTensor(indices=[[0, 3], [2, 4]], values=[10, 20], dense_shape=[3, 10])
print(st1)


def pprint_sparse_tensor(st):
    s = "<SparseTensor shape=%s \n values={" % (st.dense_shape.numpy().tolist(),)
    for index, value in zip(st.indices, st.values):
        s += f"\n  %s: %s" % (index.numpy().tolist(), value.numpy().tolist())
    return s + "}>"


print(pprint_sparse_tensor(st1))
st2 = tf.sparse.from_dense([[1, 0, 0, 8], [0, 0, 0, 0], [0, 0, 3, 0]])
print(pprint_sparse_tensor(st2), tf.sparse.to_dense(st2))
a = tf.sparse.SparseTensor(indices=[[0, 2], [3, 4]], values=[31, 2], dense_shape=[4, 10])
b = tf.sparse.SparseTensor(indices=[[0, 2], [3, 0]], values=[56, 38], dense_shape=[4, 10])
print(pprint_sparse_tensor(tf.sparse.add(a, b)))
st_c = tf.sparse.SparseTensor(
    indices=([0, 1], [1, 0], [1, 1]), values=[13, 15, 17], dense_shape=(2, 2)
)
mb = tf.constant([[4], [6]])
print(tf.sparse.sparse_dense_matmul(st_c, mb))
sa = tf.sparse.SparseTensor(
    indices=[[2, 4], [3, 3], [3, 4], [4, 3], [4, 4], [5, 4]],
    values=[1, 1, 1, 1, 1, 1],
    dense_shape=[8, 5],
)
sb = tf.sparse.SparseTensor(
    indices=[
        [0, 2],
        [1, 1],
        [1, 3],
        [2, 0],
        [2, 4],
        [2, 5],
        [3, 5],
        [4, 5],
        [5, 0],
        [5, 4],
        [5, 5],
        [6, 1],
        [6, 3],
        [7, 2],
    ],
    values=[1] * 14,
    dense_shape=[8, 6],
)
print(tf.sparse.to_dense(tf.sparse.concat(axis=1, sp_inputs=[sa, sb])))
print(tf.sparse.to_dense(tf.sparse.slice(sa, start=[1, 3], size=[5, 2])))
st2_plus_5 = tf.sparse.map_values(tf.add, st2, 5)
print(tf.sparse.to_dense(st2_plus_5), tf.SparseTensor(st2.indices, st2.values + 5, st2.dense_shape))
x = tf.keras.Input(shape=(4,), sparse=True)
y = tf.keras.layers.Dense(4, kernel_initializer="ones")(x)
model = tf.keras.Model(x, y)
sparse_data = tf.sparse.SparseTensor(
    indices=[(0, 0), (0, 1), (0, 2), (4, 3), (5, 0), (5, 1)],
    values=[1.0, 1, 1, 1, 1, 1],
    dense_shape=(6, 4),
)
print(model(sparse_data))
dataset = tf.data.Dataset.from_tensor_slices(sparse_data)
for element in dataset.batch(3):
    print(pprint_sparse_tensor(element))


@tf.function
def f(x, y):
    return tf.sparse.sparse_dense_matmul(x, y)


w = tf.Variable(tf.ones([4, 2]))
with tf.GradientTape() as tape:
    out = tf.reduce_sum(f(sparse_data, w) ** 2)
print(out, tape.gradient(out, w))
v = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    st = tf.SparseTensor([[0, 1], [1, 0], [1, 1]], v, [2, 2])
    loss = tf.reduce_sum(tf.sparse.sparse_dense_matmul(st, [[1.0], [2.0]]) ** 2)
print(loss, tape.gradient(loss, v))
print(tf.sparse.reduce_sum(sparse_data, axis=1), tf.sparse.reset_shape(sa).dense_shape)
