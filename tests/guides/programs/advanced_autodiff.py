import tensorflow as tf

x, y = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as t:
    x_sq = x * x
    with t.stop_recording():
        y_sq = y * y
    z = x_sq + y_sq
grad = t.gradient(z, {"x": x, "y": y})
print("dz/dx:", grad["x"])
print("dz/dy:", grad["y"])
reset = True
with tf.GradientTape() as t:
    y_sq = y * y
    if reset:
        t.reset()
    z = x * x + y_sq
grad = t.gradient(z, {"x": x, "y": y})
print(grad["x"], grad["y"])


@tf.custom_gradient
def clip_gradients(y):
    def backward(dy):
        return tf.clip_by_norm(dy, 0.5)

    return y, backward


v = tf.Variable(2.0)
with tf.GradientTape() as t:
    output = clip_gradients(v * v)
print(t.gradient(output, v))
x0, x1 = tf.constant(0.0), tf.constant(0.0)
with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
    tape0.watch(x0)
    tape1.watch(x1)
    y0, y1 = tf.math.sin(x0), tf.nn.sigmoid(x1)
    ys = y0 + y1
print(tape0.gradient(ys, x0).numpy(), tape1.gradient(ys, x1).numpy())
x = tf.Variable(1.0)
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        y = x * x * x
    dy_dx = t1.gradient(y, x)
d2y_dx2 = t2.gradient(dy_dx, x)
print("dy_dx:", dy_dx.numpy(), "d2y_dx2:", d2y_dx2.numpy())
x = tf.random.normal([7, 5])
layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
with tf.GradientTape() as t2:
    with tf.GradientTape(watch_accessed_variables=False) as t1:
        t1.watch(x)
        y = layer(x)
        out = tf.reduce_sum(layer(x) ** 2)
    g1 = t1.gradient(out, x)
    g1_mag = tf.norm(g1)
dg1_mag = t2.gradient(g1_mag, layer.trainable_variables)
print([var.shape for var in dg1_mag])
x = tf.linspace(-10.0, 10.0, 201)
delta = tf.Variable(0.0)
with tf.GradientTape() as tape:
    y = tf.nn.sigmoid(x + delta)
dy_dx = tape.jacobian(y, delta)
print(y.shape, dy_dx.shape, dy_dx[100])
x = tf.random.normal([7, 5])
layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
with tf.GradientTape(persistent=True) as tape:
    y = layer(x)
print(y.shape, layer.kernel.shape)
j = tape.jacobian(y, layer.kernel)
print(j.shape)
g = tape.gradient(y, layer.kernel)
j_sum = tf.reduce_sum(j, axis=[0, 1])
print("delta:", bool(tf.reduce_max(abs(g - j_sum)).numpy() < 1e-4))
x = tf.random.normal([7, 5])
layer1 = tf.keras.layers.Dense(8, activation=tf.nn.relu)
layer2 = tf.keras.layers.Dense(6, activation=tf.nn.relu)
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        x = layer1(x)
        x = layer2(x)
        loss = tf.reduce_mean(x**2)
    g = t1.gradient(loss, layer1.kernel)
h = t2.jacobian(g, layer1.kernel)
print(f"layer.kernel.shape: {layer1.kernel.shape}")
print(f"h.shape: {h.shape}")
n_params = tf.reduce_prod(layer1.kernel.shape)
g_vec = tf.reshape(g, [n_params, 1])
h_mat = tf.reshape(h, [n_params, n_params])
eps = 1e-3
eye_eps = tf.eye(h_mat.shape[0]) * eps
update = tf.linalg.solve(h_mat + eye_eps, g_vec)
_ = layer1.kernel.assign_sub(tf.reshape(update, layer1.kernel.shape))
print(update.shape, tf.reduce_max(tf.abs(h_mat - tf.transpose(h_mat))) < 1e-5)
x = tf.random.normal([7, 5])
layer1 = tf.keras.layers.Dense(8, activation=tf.nn.elu)
layer2 = tf.keras.layers.Dense(6, activation=tf.nn.elu)
with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = layer2(layer1(x))
print(y.shape)
jb = tape.batch_jacobian(y, x)
print(jb.shape, bool(tf.reduce_max(abs(jb - tf.einsum("bxby->bxy", tape.jacobian(y, x)))) < 1e-5))
bn = tf.keras.layers.BatchNormalization()
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = bn(layer1(x), training=True)
print(tape.jacobian(y, x).shape)
