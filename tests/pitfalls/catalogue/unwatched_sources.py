"""The source is not watched, or too late."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P03 made inside", "NOT_WATCHED", """
        with tf.GradientTape() as tape:
            x = tf.constant(4.0)
            y = «x * x»
        g = tape.gradient(y, x)
        """,
        fix="""
        x = tf.constant(4.0)
        tape.watch(x)
        """),
    Pitfall("P03 in a function", "NOT_WATCHED", """
        def derivative(v):
            with tf.GradientTape() as recorder:
                out = «v ** 3»
            return recorder, out, recorder.gradient(out, v)

        x = tf.constant(2.0)
        tape, y, g = derivative(x)
        """,
        fix="""
        with tf.GradientTape() as recorder:
            recorder.watch(v)
        """),
    Pitfall("P05 elsewhere", "NOT_TRAINABLE", """
        off = False
        x = «tf.Variable(4.0, trainable=off)»
        with tf.GradientTape() as tape: y = tf.sqrt(x)
        g = tape.gradient(y, x)
        """,
        fix="with tf.GradientTape() as tape: tape.watch(x); y = tf.sqrt(x)"),
    Pitfall("P45", "NOT_WATCHED", """
        weights = tf.Variable([[1.0], [2.0]])
        real, fake = tf.ones((4, 2)), tf.zeros((4, 2))
        x = real + 0.3 * (fake - real)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                y = tf.tanh(«x @ weights»)
            g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            tape.watch(x)
        """),

    Pitfall("P04 a function", "WATCHED_TOO_LATE", """
        def half(v):
            return v / 2.0

        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            y = «half(x)»
            tape.watch(x)
            z = half(x)
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            tape.watch(x)
        """),
    Pitfall("P03 used in a function", "NOT_WATCHED", """
        def half(v):
            return v / 2.0

        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            y = «half(x)»
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            tape.watch(x)
        """),
]  # fmt: skip

NEAR_MISSES = {
    "P03 a recorded intermediate": """
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            x = v * v
            y = tf.sin(x)
        g = tape.gradient(y, x)
        """,
    "P05 another one is frozen": """
        x = tf.Variable(4.0)
        frozen = tf.Variable(2.0, trainable=False)
        with tf.GradientTape() as tape: y = x * frozen
        g = tape.gradient(y, x)
        """,
    "P45 watched": """
        weights = tf.Variable([[1.0], [2.0]])
        x = tf.ones((4, 2)) * 0.3
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.tanh(x @ weights)
            g = tape.gradient(y, x)
        """,
    "P06 another is left out": """
        x, other = tf.Variable(4.0), tf.Variable(2.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = x * other
        g = tape.gradient(y, x)
        """,
}
