"""Derivatives that the outer tape did not record, and cuts beside them."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P23 a gradient", "RECORDING_PAUSED", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = x ** 4
            with tape.stop_recording():
                derivative = «inner.gradient(h, x)»
            y = derivative * 1.0
        g = tape.gradient(y, x)
        """,
        fix="derivative = inner.gradient(h, x)"),
    Pitfall("P25 a gradient", "OTHER_THREAD", """
        from concurrent.futures import ThreadPoolExecutor
        x = tf.Variable(2.0)
        with ThreadPoolExecutor(1) as pool, tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = x ** 4
            derivative = pool.submit(lambda: «inner.gradient(h, x)»).result()
            y = derivative * 1.0
        g = tape.gradient(y, x)
        """,
        fix="derivative = (lambda: inner.gradient(h, x))()"),
    Pitfall("P02 beside a condition", "BEFORE_TAPE", """
        x = tf.Variable([0.5, 4.0])
        positive = x > 1.0
        roots = tf.sqrt(x)
        picked = «tf.where(positive, roots, 2.0 * x)»
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(picked)
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            roots = tf.sqrt(x)
            picked = tf.where(positive, roots, 2.0 * x)
        """),
    Pitfall("P24 beside a count", "STOPPED", """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            count = tf.cast(tf.size(x), tf.float32)
            y = «tf.stop_gradient(tf.reduce_sum(x * x))» / count
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(x * x) / count"),
]  # fmt: skip

NEAR_MISSES = {
    "P09 a copy that is to stand still": """
        x = tf.Variable([[1.0, 2.0]])
        target = tf.Variable(x, trainable=False)
        wanted = tf.constant([[0.5]]) + 0.9 * tf.reduce_max(target, axis=1)
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((wanted - tf.reduce_sum(x, axis=1)) ** 2)
        g = tape.gradient(y, x)
        """,
    "P23 a first derivative that is shown": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape(persistent=True) as inner:
                h = x ** 4
            with tape.stop_recording():
                shown = inner.gradient(h, x)
            y = inner.gradient(h, x) * 1.0
        g = tape.gradient(y, x)
        """,
}
