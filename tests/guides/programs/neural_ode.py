import tensorflow as tf

tf.keras.utils.set_random_seed(3)
net = tf.keras.Sequential(
    [tf.keras.Input((2,)), tf.keras.layers.Dense(6, activation="tanh"), tf.keras.layers.Dense(2)]
)
A = tf.constant([[-0.1, 2.0], [-2.0, -0.1]])


def rk4(f, y, t0, t1, n):
    h = (t1 - t0) / n
    for _ in range(n):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


y0 = tf.constant([[2.0, 0.0], [1.0, 1.0]])
target = rk4(lambda y: y @ A, y0, 0.0, 0.5, 5)
print(target)
opt = tf.keras.optimizers.RMSprop(0.01)
for i in range(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(rk4(net, y0, 0.0, 0.5, 5) - target))
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    if i % 3 == 0:
        print(i, loss.numpy())


@tf.function
def euler(y, n):
    for _ in tf.range(n):
        y = y + 0.1 * (y @ A)
    return y


with tf.GradientTape() as tape:
    tape.watch(y0)
    out = tf.reduce_sum(euler(y0, tf.constant(4)))
print(out, tape.gradient(out, y0))


@tf.custom_gradient
def fixed_point(a):
    x = tf.ones_like(a)
    for _ in range(30):
        x = tf.cos(a * x)

    def grad(dx):
        with tf.GradientTape() as t:
            t.watch([x_star := tf.identity(x), a_ := tf.identity(a)])
            f = tf.cos(a_ * x_star)
        fx, fa = t.gradient(f, [x_star, a_])
        return dx * fa / (1 - fx)

    return x, grad


a = tf.Variable(0.7)
with tf.GradientTape() as tape:
    x = fixed_point(a)
print(x, tape.gradient(x, a), x - tf.cos(a * x))
theoretical, numerical = tf.test.compute_gradient(
    lambda q: tf.sin(q) * q, [tf.constant([1.0, 2.0], tf.float64)]
)
print(theoretical[0], numerical[0].round(4))


class Decay(tf.Module):
    def __init__(self):
        self.k = tf.Variable(1.0, name="k")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, t):
        return tf.exp(-self.k * t)


d = Decay()
with tf.GradientTape() as tape:
    l = tf.reduce_sum((d(tf.constant([0.0, 1.0])) - [1.0, 0.5]) ** 2)
print(tape.gradient(l, d.trainable_variables))
