"""`stop_gradient`, and ops without a derivative."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P24 alone", "STOPPED", """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            h = x ** 2
            h = «tf.stop_gradient(h)»
            y = h + 1.0
        g = tape.gradient(y, x)
        """,
        fix="h = h"),
    Pitfall("P24 asked behind the wall", "NOT_WATCHED", """
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            x = tf.stop_gradient(v * v)
            y = «x * v»
        g = tape.gradient(y, x)
        """,
        fix="""
        x = tf.stop_gradient(v * v)
        tape.watch(x)
        """),
    Pitfall("P28", "NON_DIFFERENTIABLE", """
        x = tf.Variable([1.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.cast(«tf.argmax(x)», tf.float32)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.cast(tf.reduce_sum(tf.nn.softmax(x) * tf.range(2.0)), tf.float32)"),
    Pitfall("P29", "NON_DIFFERENTIABLE", """
        x = tf.Variable([1.2, 3.7])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.round(x)»)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(x + tf.stop_gradient(tf.round(x) - x))"),
    Pitfall("P24 in a compiled loop", "STOPPED", """
        x = tf.Variable(1.5)

        @tf.function
        def f(n):
            h = x * 1.0
            for i in tf.range(n):
                h = h + «tf.stop_gradient(h)» * x
            return h

        with tf.GradientTape() as tape:
            y = f(tf.constant(3))
        g = tape.gradient(y, x)
        """,
        fix="h = h + h * x", symptom="value"),
    Pitfall("P24 in a function that runs again", "STOPPED", """
        weights = tf.Variable([[0.5, -0.3], [0.2, 0.8]])

        @tf.recompute_grad
        def block(inputs):
            hidden = tf.tanh(«tf.stop_gradient(inputs)» @ weights)
            return hidden * inputs

        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(block(x) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="hidden = tf.tanh(inputs @ weights)", symptom="value"),
    Pitfall("P15 in a function that runs again", "LEFT_ENGINE", """
        weights = tf.Variable([[0.5, -0.3], [0.2, 0.8]])

        @tf.recompute_grad
        def block(inputs):
            return tf.tanh(«np.array(inputs @ weights)») * inputs

        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(block(x) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="return tf.tanh(inputs @ weights) * inputs", symptom="value"),
    Pitfall("P05 in a function that runs again", "NOT_TRAINABLE", """
        x = «tf.Variable([[0.5, -0.3], [0.2, 0.8]], trainable=False)»

        @tf.recompute_grad
        def block(inputs):
            return tf.tanh(inputs @ x)

        data = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(block(data) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="x = tf.Variable([[0.5, -0.3], [0.2, 0.8]])"),
]  # fmt: skip

NEAR_MISSES = {
    "P24 a constant of a function that runs again": """
        weights = tf.Variable([[0.5, -0.3], [0.2, 0.8]])

        @tf.recompute_grad
        def block(inputs):
            scale = float(tf.constant(2.0))
            return tf.tanh(inputs @ weights) * tf.stop_gradient(tf.constant(scale))

        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(block(x) ** 2)
        g = tape.gradient(y, x)
        """,
    "P24 stopped elsewhere": """
        x = tf.Variable(2.0)
        z = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * tf.stop_gradient(z)
        g = tape.gradient(y, x)
        """,
    "P24 a wall inside a function of tf": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            mean, variance = tf.nn.moments(x, axes=[0])
            y = tf.reduce_logsumexp(x) + variance
        g = tape.gradient(y, x)
        """,
    "P24 a wall in a second derivative": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = tf.reduce_logsumexp(x)
            y = tf.reduce_sum(inner.gradient(h, x) ** 2)
        g = tape.gradient(y, x)
        """,
    "P29 a rounded factor": """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape: y = x * tf.round(x)
        g = tape.gradient(y, x)
        """,
}
