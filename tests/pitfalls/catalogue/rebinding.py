"""A name that stands for a tensor now."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P01", "REBOUND_TO_TENSOR", """
        x = tf.Variable(2.0)
        for step in range(3):
            with tf.GradientTape() as tape: y = x * x
            g = tape.gradient(y, x)
            x = «x - 0.5»
        """,
        fix="x.assign_sub(0.5)"),
    Pitfall("P01 by multiplying", "REBOUND_TO_TENSOR", """
        x = tf.Variable([1.0, 2.0])
        x = «x * 3.0»
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        g = tape.gradient(y, x)
        """,
        fix="x.assign(x * 3.0)"),
    Pitfall("P01 stretched", "REBOUND_TO_TENSOR", """
        x = tf.Variable([1.0, 2.0])
        x = «x + 1.0»
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        g = tape.gradient(y, x)
        """,
        fix="x.assign(x + 1.0)"),
    Pitfall("P01 twice", "REBOUND_TO_TENSOR", """
        x = tf.Variable(1.0)
        x = «x + 1.0»
        x = tf.sqrt(x)
        with tf.GradientTape() as tape:
            y = tf.sin(x)
        g = tape.gradient(y, x)
        """,
        fix="""
        x.assign_add(1.0)
        x.assign(tf.sqrt(x))
        """),
    Pitfall("P01 attribute", "REBOUND_TO_TENSOR", """
        class Model: pass
        m = Model()
        m.w = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = m.w ** 2
        m.w = «m.w - 0.1 * y»
        with tf.GradientTape() as tape: y = m.w ** 2
        x = m.w
        g = tape.gradient(y, m.w)
        """,
        fix="m.w.assign_sub(0.1 * y)"),
    Pitfall("P47", "REBOUND_TO_TENSOR", """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        with tf.GradientTape(persistent=True) as tape:
            y = ws[0] ** 2 + ws[1] ** 2
        for w, slope in zip(ws, tape.gradient(y, ws)):
            w = «w - 0.1 * slope»
        x = w
        g = tape.gradient(y, x)
        """,
        fix="w.assign_sub(0.1 * slope)"),
]  # fmt: skip

NEAR_MISSES = {
    "P01 assigned": """
        x = tf.Variable(2.0)
        for step in range(3):
            with tf.GradientTape() as tape: y = x * x
            g = tape.gradient(y, x)
            x.assign_sub(0.1 * g)
        """,
    "P01 inside the tape": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            x = x + 1.0
            y = x * x
        g = tape.gradient(y, x)
        """,
}
