import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential(
    [tf.keras.Input((1,)), tf.keras.layers.Dense(10, activation="tanh"), tf.keras.layers.Dense(1)]
)
x = tf.reshape(tf.linspace(0.0, 1.0, 12), [-1, 1])


def residual(x):
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            u = model(x)
        u_x = t1.gradient(u, x)
    u_xx = t2.gradient(u_x, x)
    return u_xx + np.pi**2 * tf.sin(np.pi * x)


opt = tf.keras.optimizers.Adam(0.01)


@tf.function
def step():
    with tf.GradientTape() as tape:
        pde = tf.reduce_mean(residual(x) ** 2)
        bc = tf.reduce_mean(model(tf.constant([[0.0], [1.0]])) ** 2)
        loss = pde + 10.0 * bc
    grads = tape.gradient(loss, model.trainable_variables)
    grads, norm = tf.clip_by_global_norm(grads, 50.0)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return loss, norm


for i in range(31):
    loss, norm = step()
    if i % 10 == 0:
        print(i, loss.numpy(), norm.numpy())
print(model(x)[:3, 0].numpy())
t = tf.constant(0.3)
k = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape(persistent=True) as inner:
        inner.watch(t)
        u = tf.exp(-k * t)
    du = inner.gradient(u, t)
    res = (du + k * u + 0.5) ** 2
print(outer.gradient(res, k))
