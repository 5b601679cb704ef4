import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
w1 = tf.Variable(rng.normal(size=(1, 8)).astype("float32"))
b1 = tf.Variable(tf.zeros([8]))
w2 = tf.Variable(rng.normal(size=(8, 1)).astype("float32") * 0.3)
b2 = tf.Variable(tf.zeros([1]))
params = [w1, b1, w2, b2]


def forward(x, p):
    return tf.matmul(tf.nn.tanh(tf.matmul(x, p[0]) + p[1]), p[2]) + p[3]


def mse(p, x, y):
    return tf.reduce_mean((forward(x, p) - y) ** 2)


def task():
    phase, amp = rng.uniform(0, 3), rng.uniform(1, 2)
    x = rng.uniform(-3, 3, size=(10, 1)).astype("float32")
    return (
        x[:5],
        amp * np.sin(x[:5] + phase),
        x[5:],
        (amp * np.sin(x[5:] + phase)).astype("float32"),
    )


opt = tf.keras.optimizers.Adam(0.01)
for it in range(6):
    with tf.GradientTape() as outer:
        total = 0.0
        for _ in range(3):
            xs, ys, xq, yq = task()
            fast = params
            for inner_step in range(2):
                with tf.GradientTape() as inner:
                    inner.watch(fast)
                    loss = mse(fast, xs, tf.cast(ys, tf.float32))
                fast = [p - 0.05 * g for p, g in zip(fast, inner.gradient(loss, fast))]
            total += mse(fast, xq, yq) / 3
    grads = outer.gradient(total, params)
    opt.apply_gradients(zip(grads, params))
    print(it, total.numpy(), tf.linalg.global_norm(grads).numpy())
x, y, _, _ = task()
before = mse(params, x, tf.cast(y, tf.float32))
phi = [tf.Variable(p) for p in params]
for p, q in zip(phi, params):
    q.assign(p + 0.1 * (p - q))
print(before, b1.numpy())
