"""Gradients that fade or blow up."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P60 layers", "VANISHING", """
        tf.random.set_seed(1)
        weights = [tf.Variable(tf.random.normal((8, 8), stddev=0.3)) for _ in range(16)]
        x = tf.Variable(tf.random.uniform((1, 8)))
        with tf.GradientTape() as tape:
            h = x
            for w in weights:
                h = «tf.nn.sigmoid(h @ w)»
            y = tf.reduce_mean(h)
        g = tape.gradient(y, x)
        """,
        fix="h = tf.nn.relu(h @ w)", symptom="zero"),
    Pitfall("P60 down to 0", "VANISHING", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(200):
                y = «0.5 * y»
        g = tape.gradient(y, x)
        """,
        symptom="zero"),
    Pitfall("P61 finite", "EXPLODING", """
        x = tf.Variable(0.1)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(60):
                y = «y * 1.5»
        g = tape.gradient(y, x)
        """,
        fix="y = tf.tanh(y * 1.5)", symptom="value"),
]  # fmt: skip

NEAR_MISSES = {
    "P60 residual": """
        x = tf.Variable(0.7)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(20):
                y = y + 0.1 * tf.sigmoid(y)
        g = tape.gradient(y, x)
        """,
    "P60 small and healthy": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape: y = 1e-9 * tf.reduce_mean(x ** 2)
        g = tape.gradient(y, x)
        """,
    "P60 almost at the minimum": """
        x = tf.Variable(1.0000001)
        with tf.GradientTape() as tape:
            h = x
            for _ in range(6):
                h = 0.9 * h + 0.1
            y = (h - 1.0) ** 2
        g = tape.gradient(y, x)
        """,
    "P60 the last step of a recurrence": """
        x = tf.Variable([[0.3]])
        with tf.GradientTape() as tape:
            h = tf.ones((1, 1))
            for _ in range(30):
                h = tf.tanh(h @ x + 0.5)
            y = tf.reduce_sum(h)
        g = tape.gradient(y, x)
        """,
    "P61 bounded": """
        x = tf.Variable([[3.0]])
        with tf.GradientTape() as tape:
            h = tf.ones((1, 1))
            for _ in range(100):
                h = tf.tanh(h @ x)
            y = h
        g = tape.gradient(y, x)
        """,
}
