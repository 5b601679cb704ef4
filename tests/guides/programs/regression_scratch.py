import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
X = tf.constant(rng.normal(size=(80, 3)), tf.float32)
true_w = tf.constant([[1.5], [-2.0], [0.5]])
y = X @ true_w + 0.3 + 0.05 * tf.constant(rng.normal(size=(80, 1)), tf.float32)
w, b = tf.Variable(tf.zeros([3, 1])), tf.Variable(0.0)
for step in range(100):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(X @ w + b - y))
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.1 * dw)
    b.assign_sub(0.1 * db)
    if step % 25 == 0:
        tf.print("step", step, "loss", loss)
        print(f"step {step:3d} loss {loss.numpy():.5f}")
print("w", w.numpy().ravel(), "b", b.numpy())
print("least squares", tf.linalg.lstsq(tf.concat([X, tf.ones([80, 1])], 1), y).numpy().ravel())
labels = tf.cast(X[:, 0] + X[:, 1] > 0, tf.float32)
theta = tf.Variable(tf.zeros([3]))


def log_loss(y_pred, y):
    ce = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=y_pred)
    return tf.reduce_mean(ce)


for epoch in range(50):
    with tf.GradientTape() as tape:
        batch_loss = log_loss(tf.linalg.matvec(X, theta), labels)
    theta.assign_sub(1.0 * tape.gradient(batch_loss, theta))
accuracy = tf.reduce_mean(
    tf.cast((tf.sigmoid(tf.linalg.matvec(X, theta)) > 0.5) == (labels > 0.5), tf.float32)
)
print(f"Epoch: {epoch}, Training log loss: {batch_loss:.3f} accuracy {accuracy:.3f}")
classes = tf.argmax(X, axis=1)
W = tf.Variable(tf.zeros([3, 3]))
opt = tf.keras.optimizers.SGD(0.5)
for _ in range(40):
    with tf.GradientTape() as tape:
        logits = X @ W
        one_hot = tf.one_hot(classes, 3)
        p = tf.exp(logits) / tf.reduce_sum(tf.exp(logits), axis=1, keepdims=True)
        nll = -tf.reduce_mean(tf.reduce_sum(one_hot * tf.math.log(p), axis=1))
    opt.apply_gradients([(tape.gradient(nll, W), W)])
confusion = tf.math.confusion_matrix(classes, tf.argmax(X @ W, 1))
print(nll.numpy(), confusion, W)


class Normalize(tf.Module):
    def __init__(self, x):
        self.mean = tf.Variable(tf.math.reduce_mean(x, axis=0))
        self.std = tf.Variable(tf.math.reduce_std(x, axis=0))

    def norm(self, x):
        return (x - self.mean) / self.std

    def unnorm(self, x):
        return (x * self.std) + self.mean


n = Normalize(X)
print(tf.reduce_max(tf.abs(n.unnorm(n.norm(X)) - X)) < 1e-5, n.norm(X)[0])
