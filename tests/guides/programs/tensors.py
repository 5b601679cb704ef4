import numpy as np
import tensorflow as tf

rank_0 = tf.constant(4)
print(rank_0)
rank_1 = tf.constant([2.0, 3.0, 4.0])
print(rank_1)
rank_2 = tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16)
print(rank_2)
rank_3 = tf.constant(
    [
        [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]],
        [[10, 11, 12, 13, 14], [15, 16, 17, 18, 19]],
        [[20, 21, 22, 23, 24], [25, 26, 27, 28, 29]],
    ]
)
print(rank_3)
print(np.array(rank_2), rank_2.numpy().dtype)
a = tf.constant([[1, 2], [3, 4]])
b = tf.ones([2, 2], dtype=tf.int32)
print(tf.add(a, b), "\n")
print(tf.multiply(a, b), "\n")
print(tf.matmul(a, b), "\n")
print(a + b, a * b, a @ b)
c = tf.constant([[4.0, 5.0], [10.0, 1.0]])
print(tf.reduce_max(c), tf.math.argmax(c), tf.nn.softmax(c))
print(tf.convert_to_tensor([1, 2, 3]), tf.reduce_max([1, 2, 3]), tf.reduce_max(np.array([1, 2, 3])))
r4 = tf.zeros([3, 2, 4, 5])
print("Type of every element:", r4.dtype)
print("Number of axes:", r4.ndim)
print("Shape of tensor:", r4.shape)
print("Elements along axis 0 of tensor:", r4.shape[0])
print("Elements along the last axis of tensor:", r4.shape[-1])
print("Total number of elements (3*2*4*5): ", tf.size(r4).numpy())
print(tf.rank(r4), tf.shape(r4), r4.shape.as_list())
fib = tf.constant([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
print("First:", fib[0].numpy(), "Last:", fib[-1].numpy(), "All:", fib[:].numpy())
print(
    "Every other item:",
    fib[::2].numpy(),
    "Reversed:",
    fib[::-1].numpy(),
    fib[4:].numpy(),
    fib[2:7].numpy(),
)
print(rank_2[1, 1].numpy(), rank_2[1, :].numpy(), rank_2[:, 1].numpy(), rank_2[1:, :].numpy())
print(rank_3[:, :, 4])
x = tf.constant([[1], [2], [3]])
print(x.shape, x.shape.as_list(), tf.reshape(x, [1, 3]).shape)
print(tf.reshape(rank_3, [-1]))
print(tf.reshape(rank_3, [3 * 2, 5]), "\n", tf.reshape(rank_3, [3, -1]))
print(tf.reshape(rank_3, [2, 3, 5]))
try:
    tf.reshape(rank_3, [7, -1])
except Exception as error:
    print(type(error).__name__, str(error)[:200])
f64 = tf.constant([2.2, 3.3, 4.4], dtype=tf.float64)
f16 = tf.cast(f64, dtype=tf.float16)
print(f16, tf.cast(f16, dtype=tf.uint8))
x, y, z = tf.constant([1, 2, 3]), tf.constant(2), tf.constant([2, 2, 2])
print(tf.multiply(x, 2), x * y, x * z)
x = tf.reshape(x, [3, 1])
y = tf.range(1, 5)
print(x, "\n", y, "\n", tf.multiply(x, y))
print(tf.broadcast_to(tf.constant([1, 2, 3]), [3, 3]))
ragged = tf.ragged.constant([[0, 1, 2, 3], [4, 5], [6, 7, 8], [9]])
print(ragged, ragged.shape)
try:
    tf.constant([[0, 1, 2, 3], [4, 5], [6, 7, 8], [9]])
except Exception as e:
    print(f"{type(e).__name__}: {e}")
s = tf.constant("Gray wolf")
print(s)
t = tf.constant(["Gray wolf", "Quick brown fox", "Lazy dog"])
print(t)
print(tf.constant("🥳👍"))
print(tf.strings.split(s, sep=" "))
print(tf.strings.split(t))
text = tf.constant("1 10 100")
print(tf.strings.to_number(tf.strings.split(text, " ")))
print(
    tf.strings.bytes_split(tf.constant("Duck")),
    tf.io.decode_raw(tf.strings.bytes_split("Duck"), tf.uint8),
)
print(
    tf.strings.unicode_split(tf.constant("アヒル 🦆"), "UTF-8"),
    tf.strings.unicode_decode(tf.constant("アヒル 🦆"), "UTF-8"),
)
sp = tf.sparse.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[3, 4])
print(sp, "\n")
print(tf.sparse.to_dense(sp))
