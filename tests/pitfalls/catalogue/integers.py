"""Integer sources, and casts to integers."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P26 watched", "INT_DTYPE", """
        x = «tf.constant([[1, -2], [3, 4]])»
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        """,
        fix="x = tf.constant([[1.0, -2.0], [3.0, 4.0]])"),
    Pitfall("P26 dtype", "INT_DTYPE", """
        x = «tf.Variable([1, 2], dtype=tf.int64)»
        with tf.GradientTape() as tape:
            y = x + x
        g = tape.gradient(y, x)
        """,
        fix="x = tf.Variable([1, 2], dtype=tf.float32)"),
    Pitfall("P26 NumPy", "INT_DTYPE", """
        x = «tf.Variable(np.arange(3))»
        with tf.GradientTape() as tape:
            y = x + x
        g = tape.gradient(y, x)
        """,
        fix="x = tf.Variable(np.arange(3), dtype=tf.float32)"),
    Pitfall("P27", "INT_DTYPE", """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape:
            y = 3.0 * tf.cast(«tf.cast(x, tf.int32)», tf.float32)
        g = tape.gradient(y, x)
        """,
        fix="y = 3.0 * (x + tf.stop_gradient(tf.cast(tf.cast(x, tf.int32), tf.float32) - x))"),
    Pitfall("P27 two lines", "INT_DTYPE", """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            whole = «tf.cast(x * 2.0, tf.int32)»
            y = tf.reduce_sum(tf.cast(whole, tf.float32))
        g = tape.gradient(y, x)
        """,
        fix="""
        y = tf.reduce_sum((x * 2.0) + tf.stop_gradient(tf.cast(whole, tf.float32) - (x * 2.0)))
        """),
]  # fmt: skip

NEAR_MISSES = {
    "P27 a mask": """
        x = tf.Variable([-1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * tf.cast(x > 0.0, tf.float32))
        g = tape.gradient(y, x)
        """,
    "P27 to another float": """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape: y = tf.cast(tf.cast(x, tf.float64), tf.float32)
        g = tape.gradient(y, x)
        """,
    "P27 integers that pick": """
        x = tf.Variable(1.7)
        table = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            y = x * tf.gather(table, tf.cast(x, tf.int32))
        g = tape.gradient(y, x)
        """,
}
