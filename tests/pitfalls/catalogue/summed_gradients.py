"""Gradients of a sum where a Jacobian is meant: summed targets, rows that mix in a batch."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P41 a list", "SUMMED_TARGET", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            a, b = x ** 2, 1 / x
        g = «tape.gradient([a, b], x)»
        """,
        symptom="value", ask="tf.explain(tape, [a, b], x)"),
    Pitfall("P41 shares of a whole", "SUMMED_TARGET", """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            e = tf.exp(x)
            y = e / tf.reduce_sum(e)
        g = «tape.gradient(y, x)»
        """,
        fix="g = tape.jacobian(y, x)", symptom="value"),
    Pitfall("P73 a batch that is centred", "CROSS_TALK", """
        x = tf.Variable([[1.0, 4.0], [2.0, 7.0]])
        with tf.GradientTape() as tape:
            mean = «tf.reduce_mean(x, axis=0)»
            y = (x - mean) ** 3
        g = tape.batch_jacobian(y, x)
        """,
        fix="g = tape.jacobian(y, x)", symptom="value"),
    Pitfall("P73 mixed from the left", "CROSS_TALK", """
        mix = tf.constant([[0.0, 1.0], [1.0, 1.0]])
        x = «tf.Variable([[1.0, 4.0, 2.0], [2.0, 7.0, 3.0]])»
        with tf.GradientTape() as tape:
            y = mix @ x
        g = tape.batch_jacobian(y, x)
        """,
        fix="g = tape.jacobian(y, x)", symptom="value"),
]  # fmt: skip

NEAR_MISSES = {
    "P41 element by element": """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape: y = tf.sin(x) * x
        g = tape.gradient(y, x)
        """,
    "P41 row by row through layers": """
        x = tf.Variable([[1.0], [2.0], [3.0]])
        with tf.GradientTape() as tape:
            h = tf.tanh(x @ tf.ones((1, 8)) + tf.linspace(0.0, 1.0, 8))
            y = h @ tf.ones((8, 1))
        g = tape.gradient(y, x)
        """,
    "P41 a loss for each example": """
        x = tf.Variable([[1.0], [2.0]])
        data, labels = tf.ones((5, 2)), tf.zeros((5, 1))
        with tf.GradientTape() as tape: y = tf.keras.losses.mean_squared_error(labels, data @ x)
        g = tape.gradient(y, x)
        x.assign_sub(0.01 * g)
        """,
    "P41 weights together": """
        x, b = tf.Variable([[1.0], [2.0]]), tf.Variable(0.5)
        with tf.GradientTape() as tape: y = tf.ones((5, 2)) @ x + b
        g, other = tape.gradient(y, [x, b])
        """,
    "P41 the sum beside its parts": """
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            z = x * x
            y = z * z
        g, other = tape.gradient(y, x), tape.gradient(z, x)
        together = tape.gradient([y, z], x)
        """,
    "P41 with a seed": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = x * [3.0, 4.0]
        g = tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0]))
        """,
    "P41 two losses of one step": """
        x = tf.Variable(2.0)
        optimizer = tf.keras.optimizers.SGD(0.1)
        with tf.GradientTape() as tape:
            fit, y = (x - 1.0) ** 2, 0.1 * x ** 2
        (g,) = tape.gradient([fit, y], [x])
        optimizer.apply_gradients([(g, x)])
        """,
    "P73 rows apart": """
        x = tf.Variable([[1.0, 2.0], [2.0, 5.0]])
        with tf.GradientTape() as tape:
            y = tf.tanh(x @ tf.constant([[1.0, 2.0], [0.5, -1.0]])) * x
        g = tape.batch_jacobian(y, x)
        """,
}
