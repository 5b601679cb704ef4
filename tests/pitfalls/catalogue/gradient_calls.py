"""The gradient call itself."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P38 a jacobian", "TAPE_CONSUMED", """
        x = tf.Variable([3.0, 4.0])
        with tf.GradientTape(persistent=False) as tape:
            y = x * x
        first = tape.gradient(y, x)
        try:
            g = «tape.jacobian(y, x)»
        except RuntimeError as caught:
            error = caught
        """,
        fix="with tf.GradientTape(persistent=True) as tape:",
        symptom="error", ask="error.finding"),
    Pitfall("used elsewhere", "UNUSED_SOURCE", """
        x = tf.Variable(2.0)
        z = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            w = x * x
            y = «z * z»
        g = tape.gradient(y, x)
        """),
    Pitfall("P40 a list", "SWAPPED_ARGUMENTS", """
        a, b = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            loss = «tf.exp(a * b)»
        g = tape.gradient([a, b], loss)
        """,
        fix="g = tape.gradient(loss, [a, b])", ask="tf.why()"),
    Pitfall("P40 by name", "SWAPPED_ARGUMENTS", """
        a, b = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            loss = «tf.exp(a * b)»
        g = tape.gradient(sources=loss, target=a)
        """,
        fix="g = tape.gradient(sources=a, target=loss)", ask="tf.why()"),
    Pitfall("P42 a wall", "UNCONNECTED_ZERO", """
        x = tf.Variable([2.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.stop_gradient(x) * 3.0)
        g = «tape.jacobian(y, x, unconnected_gradients="zero")»
        """,
        fix="g = tape.jacobian(y, x)", symptom="zero", cured="None"),
]  # fmt: skip

NEAR_MISSES = {
    "P42 zeros asked for, and none needed": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        g = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        """,
    "P79 a batch Jacobian of a persistent tape": """
        x = tf.Variable([[3.0, 4.0], [1.0, 2.0]])
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
        rows = tape.batch_jacobian(y, x)
        g = tape.jacobian(y, x)
        """,
    "P38 asked once for all": """
        x, z = tf.Variable(3.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x * z
        g, other = tape.gradient(y, [x, z])
        """,
    "P40 the target of another question": """
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            h = x * x
            y = tf.sin(h)
        other = tape.gradient(h, x)
        g = tape.gradient(y, h)
        x = h
        """,
}
