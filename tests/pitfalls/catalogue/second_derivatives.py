"""Second derivatives."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P43 in the question", "OUTER_TAPE_CLOSED", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = x ** 4
        g = tape.gradient(«inner.gradient(h, x)», x)
        """,
        fix="""
                h = x ** 4
            out = inner.gradient(h, x)
        g = tape.gradient(out, x)
        """, ask="tf.why()"),
    Pitfall("P43 a penalty", "OUTER_TAPE_CLOSED", """
        x = tf.Variable([2.0, 1.0])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = tf.reduce_sum(x ** 4)
        derivative = «inner.gradient(h, x)»
        y = tf.reduce_sum(derivative ** 2)
        g = tape.gradient(y, x)
        """,
        fix="""
                h = tf.reduce_sum(x ** 4)
            derivative = inner.gradient(h, x)
            y = tf.reduce_sum(derivative ** 2)
        """),
    Pitfall("P43 one after the other", "OUTER_TAPE_CLOSED", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as inner:
            h = x ** 4
        derivative = «inner.gradient(h, x)»
        with tf.GradientTape() as tape:
            y = derivative * 2.0
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = x ** 4
            derivative = inner.gradient(h, x)
        """),
    Pitfall("P43 the forward pass", "OUTER_TAPE_CLOSED", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as inner:
            h = «x ** 4»
        with tf.GradientTape() as tape:
            y = inner.gradient(h, x)
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = x ** 4
        """),
    Pitfall("P44 of another", "CONSTANT_DERIVATIVE", """
        x = tf.Variable(2.0)
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = tf.sin(w) * x
            y = «inner.gradient(h, x)» * 2.0
        g = tape.gradient(y, x)
        """,
        fix="g = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)",
        cured="zero"),
]  # fmt: skip

NEAR_MISSES = {
    "P43 a first derivative as data": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as earlier:
            h = x ** 2
        momentum = earlier.gradient(h, x)
        with tf.GradientTape() as tape:
            y = (x ** 3) * momentum
        x.assign_sub(0.1 * momentum)
        g = tape.gradient(y, x)
        """,
    "P43 a first derivative beside the second": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape(persistent=True) as inner:
                h = x ** 4
            y = inner.gradient(h, x) ** 2
        seen = inner.gradient(h, x)
        g = tape.gradient(y, x)
        """,
    "P44 the other variable": """
        x = tf.Variable(2.0)
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = v * x
            y = inner.gradient(h, v)
        g = tape.gradient(y, x)
        """,
}
