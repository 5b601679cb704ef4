import numpy as np
import tensorflow as tf

t1 = tf.constant([0, 1, 2, 3, 4, 5, 6, 7])
print(tf.slice(t1, begin=[1], size=[3]))
print(t1[1:4], t1[-3:], t1[::-2])
t2 = tf.constant([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15, 16, 17, 18, 19]])
print(t2[:-1, 1:3], tf.slice(t2, [0, 1], [3, 2]))
t3 = tf.constant([[[1, 3, 5, 7], [9, 11, 13, 15]], [[17, 19, 21, 23], [25, 27, 29, 31]]])
print(tf.slice(t3, begin=[1, 1, 0], size=[1, 1, 2]))
print(tf.gather(t1, indices=[0, 3, 6]), t1[::3])
alphabet = tf.constant(list("abcdefghijklmnopqrstuvwxyz"))
print(tf.gather(alphabet, indices=[2, 0, 19, 18]))
t4 = tf.constant([[0, 5], [1, 6], [2, 7], [3, 8], [4, 9]])
print(tf.gather_nd(t4, indices=[[2], [3], [0]]))
t5 = np.reshape(np.arange(18), [2, 3, 3])
print(tf.gather_nd(t5, indices=[[0, 0, 0], [1, 2, 1]]))
print(tf.gather_nd(t5, indices=[[[0, 0], [0, 2]], [[1, 0], [1, 2]]]))
print(tf.gather_nd(t5, indices=[[0, 0], [0, 2], [1, 0], [1, 2]]))
t6 = tf.constant([10])
indices = tf.constant([[1], [3], [5], [7], [9]])
data = tf.constant([2, 4, 6, 8, 10])
print(tf.scatter_nd(indices=indices, updates=data, shape=t6))
t2 = tf.constant([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15, 16, 17, 18, 19]])
new_indices = tf.constant([[0, 2], [2, 1], [3, 3]])
t7 = tf.gather_nd(t2, indices=new_indices)
t8 = tf.scatter_nd(indices=new_indices, updates=t7, shape=tf.constant([4, 5]))
print(t8)
t9 = tf.SparseTensor(indices=[[0, 2], [2, 1], [3, 3]], values=t7, dense_shape=[4, 5])
print(t9, tf.sparse.to_dense(t9))
t10 = tf.constant([[1, 2], [3, 4], [5, 6]])
t11 = tf.tensor_scatter_nd_add(t2, indices=[[0, 2], [3, 0]], updates=[6, 5])
print(t11, tf.tensor_scatter_nd_sub(t11, indices=[[0, 2]], updates=[6]))
print(
    tf.tensor_scatter_nd_min(t2, indices=[[0, 1], [3, 0]], updates=[-1, -5]),
    tf.tensor_scatter_nd_max(t2, [[0, 0]], [99]),
    tf.tensor_scatter_nd_update(t2, [[0], [1]], [[9] * 5, [8] * 5]),
)
m = tf.reshape(tf.range(24), [2, 3, 4])
print(m[..., 0], m[:, tf.newaxis, 1].shape, m[1, ..., tf.newaxis].shape, m[tf.constant(1), 0, 2])
print(tf.boolean_mask(t2, t2 % 2 == 0), t2[t2 > 15], tf.where(t2 > 17), tf.where(t2 > 10, t2, 0))
print(
    tf.strided_slice(t2, [0, 0], [4, 5], [2, 2]),
    tf.gather(t2, [1, 3], axis=1),
    tf.gather(t2, [[0], [1], [2], [3]], batch_dims=1),
)
for row in t10:
    print(row, len(row))
try:
    t1[[0, 1]]
except Exception as e:
    print(type(e).__name__)
try:
    t1[1.5]
except Exception as e:
    print(type(e).__name__, "")
try:
    t1[0] = 3
except Exception as e:
    print(type(e).__name__, e)
try:
    t1[20]
except Exception as e:
    print(type(e).__name__)
