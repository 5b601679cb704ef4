import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
X = tf.constant(np.random.RandomState(0).normal(size=(5, 3)), tf.float32)
y = tf.constant([0, 1, 2, 1, 0])
model = tf.keras.Sequential(
    [tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(3)]
)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
with tf.GradientTape() as tape:
    losses = loss_fn(y, model(X))
per = tape.jacobian(losses, model.trainable_variables)
print([p.shape for p in per])
norms = tf.sqrt(sum(tf.reduce_sum(tf.reshape(p, [5, -1]) ** 2, axis=1) for p in per))
print(norms)


def one(x, label):
    with tf.GradientTape() as t:
        l = loss_fn(label[None], model(x[None]))[0]
    return t.gradient(l, model.trainable_variables)


mapped = tf.vectorized_map(lambda a: one(*a), (X, y))
print([bool(tf.reduce_all(tf.abs(a - b) < 1e-5)) for a, b in zip(mapped, per)])
C, sigma = 0.5, 0.1
scale = tf.minimum(1.0, C / norms)
private = [tf.reduce_mean(p * tf.reshape(scale, [5] + [1] * (len(p.shape) - 1)), 0) for p in per]
print(tf.linalg.global_norm(private), private[1])
fisher = [tf.reduce_mean(p**2, axis=0) for p in per]
print(fisher[3])


@tf.custom_gradient
def straight_through(x):
    def grad(dy):
        return dy

    return tf.round(x), grad


x = tf.Variable([0.2, 0.7, 1.4])
with tf.GradientTape() as tape:
    q = tf.reduce_sum(straight_through(x) * [1.0, 2.0, 3.0])
print(tape.gradient(q, x))


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


big = tf.constant(100.0)
with tf.GradientTape() as tape:
    tape.watch(big)
    l = log1pexp(big)
print(tape.gradient(l, big))


@tf.custom_gradient
def bilinear(a, b):
    def grad(dy):
        return dy * b, dy * a

    return a * b, grad


with tf.GradientTape() as t2, tf.GradientTape() as t1:
    t1.watch(big)
    t2.watch(big)
    out = bilinear(big, big)
    g1 = t1.gradient(out, big)
print(g1, t2.gradient(g1, big))


@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda dy: -dy


f = tf.Variable(2.0)
head = tf.Variable(3.0)
dom = tf.Variable(4.0)
with tf.GradientTape() as tape:
    z = f * 1.5
    l = z * head + reverse(z) * dom
print(tape.gradient(l, [f, head, dom]))


@tf.function
def graph_clip(v):
    @tf.custom_gradient
    def inner(t):
        return t, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    return inner(v * v)


with tf.GradientTape() as tape:
    o = graph_clip(f)
print(tape.gradient(o, f), tf.stop_gradient(f))
print(tf.recompute_grad(lambda t: tf.sin(t) * t)(big))
with tf.autodiff.ForwardAccumulator(primals=f, tangents=tf.constant(1.0)) as acc:
    y = f**3
print(acc.jvp(y))
