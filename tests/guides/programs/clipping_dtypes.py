import tensorflow as tf

w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
x = tf.constant([[10.0], [20.0]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum((w @ x) ** 2)
g = tape.gradient(loss, w)
print(
    g,
    tf.clip_by_value(g, -100.0, 1000.0),
    tf.clip_by_norm(g, 5.0),
    tf.clip_by_global_norm([g, g], 1.0),
)
for opt in (
    tf.keras.optimizers.SGD(0.1, clipnorm=1.0),
    tf.keras.optimizers.SGD(0.1, clipvalue=0.5),
    tf.keras.optimizers.Adam(0.1, global_clipnorm=1.0),
    tf.keras.optimizers.AdamW(0.1, weight_decay=0.1),
    tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)),
    tf.keras.optimizers.Lion(0.1),
    tf.keras.optimizers.Nadam(0.1),
    tf.keras.optimizers.Ftrl(0.1),
    tf.keras.optimizers.Adadelta(0.1),
    tf.keras.optimizers.Adamax(0.1),
):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(2):
        opt.apply_gradients([(g, v)])
    print(type(opt).__name__, v.numpy().ravel(), opt.iterations.numpy())
h = tf.constant([1.5, 2.5], tf.float16)
try:
    h + tf.constant([1.0, 2.0])
except Exception as e:
    print(type(e).__name__, "half tensor" in str(e) or "float16" in str(e))
try:
    tf.constant([1, 2]) * 1.5
except Exception as e:
    print(type(e).__name__)
a = tf.Variable(2.0, dtype=tf.float64)
with tf.GradientTape() as tape:
    y = tf.cast(a, tf.float32) * tf.constant(3.0)
    z = tf.cast(y, tf.float16) ** 2
print(y, z, tape.gradient(z, a))
b = tf.Variable(1.5, dtype=tf.bfloat16)
with tf.GradientTape() as tape:
    y = b * b
print(y, tape.gradient(y, b))
with tf.GradientTape() as tape:
    c = tf.complex(a, 2 * a)
    m = tf.abs(c)
print(m, tape.gradient(m, a))
i = tf.Variable(3)
with tf.GradientTape() as tape:
    y = tf.cast(i, tf.float32) * 2.0
print(
    tape.gradient(y, i),
    i.dtype,
    tf.range(3).dtype,
    tf.constant(1).dtype,
    tf.constant(1.0).dtype,
    tf.constant(1j).dtype,
    tf.constant(True).dtype,
)
print(
    tf.math.is_nan(tf.constant([1.0, float("nan")])),
    tf.debugging.check_numerics(tf.constant([1.0]), "ok"),
)
x0 = tf.Variable(0.0)
with tf.GradientTape() as tape:
    bad = tf.where(x0 > 0, tf.sqrt(x0), 0.0)
print(tape.gradient(bad, x0))
with tf.GradientTape() as tape:
    good = tf.where(x0 > 0, tf.sqrt(tf.where(x0 > 0, x0, 1.0)), 0.0)
print(
    tape.gradient(good, x0),
    tf.math.divide_no_nan(1.0, 0.0),
    tf.math.multiply_no_nan(float("inf"), 0.0),
)
