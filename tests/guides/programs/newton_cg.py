import tensorflow as tf


def rosenbrock(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


p = tf.Variable([-1.2, 1.0], dtype=tf.float64)
for i in range(8):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            f = rosenbrock(p)
        g = inner.gradient(f, p)
    H = outer.jacobian(g, p)
    p.assign_sub(tf.linalg.solve(H, g[:, tf.newaxis])[:, 0])
    print(i, f.numpy(), p.numpy())
print("Hessian\n", H.numpy(), tf.linalg.eigvalsh(H))


def hvp(f, x, v):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return outer.gradient(g, x, output_gradients=v)


def hvp_forward(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as acc:
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        g = t.gradient(y, x)
    return acc.jvp(g)


x = tf.constant([0.5, 0.5], tf.float64)
v = tf.constant([1.0, 2.0], tf.float64)
print(hvp(rosenbrock, x, v), hvp_forward(rosenbrock, x, v))
A = tf.constant([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
b = tf.constant([1.0, 2.0, 3.0])


@tf.function
def conjugate_gradient(A, b, tol=1e-6):
    x = tf.zeros_like(b)
    r = b - tf.linalg.matvec(A, x)
    d = r
    rs = tf.tensordot(r, r, 1)
    n = tf.constant(0)
    while rs > tol:
        Ad = tf.linalg.matvec(A, d)
        alpha = rs / tf.tensordot(d, Ad, 1)
        x = x + alpha * d
        r = r - alpha * Ad
        new = tf.tensordot(r, r, 1)
        d = r + new / rs * d
        rs = new
        n += 1
    return x, n


sol, n = conjugate_gradient(A, b)
print(sol, n, tf.linalg.matvec(A, sol))
with tf.GradientTape() as tape:
    tape.watch(b)
    s, _ = conjugate_gradient(A, b)
    out = tf.reduce_sum(s)
print(tape.gradient(out, b), tf.linalg.solve(A, tf.ones([3, 1]))[:, 0])
w = tf.Variable(tf.ones([3]))
X = tf.constant([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [2.0, 1.0, 1.0]])
y = tf.constant([1.0, 0.0, 1.0, 1.0])
for i in range(4):
    with tf.GradientTape() as t2, tf.GradientTape() as t1:
        l = tf.reduce_sum(
            tf.nn.sigmoid_cross_entropy_with_logits(y, tf.linalg.matvec(X, w))
        ) + 0.1 * tf.reduce_sum(w**2)
        g = t1.gradient(l, w)
    H = t2.jacobian(g, w, experimental_use_pfor=True)
    w.assign_sub(tf.linalg.cholesky_solve(tf.linalg.cholesky(H), g[:, None])[:, 0])
    print(i, l.numpy(), tf.norm(g).numpy() < 1e-3)
print(w.numpy())
