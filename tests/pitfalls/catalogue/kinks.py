"""Points at which a derivative is agreed on, treated apart, or not determined."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P56 nearly equal", "DEGENERATE", """
        x = tf.Variable([[1.0, 0.0], [0.0, 1.00001]])
        with tf.GradientTape() as tape:
            s, u, v = «tf.linalg.svd(x)»
            y = tf.reduce_sum(u * tf.constant([[1.0, 2.0], [3.0, 5.0]]))
        g = tape.gradient(y, x)
        """,
        fix="s, u, v = tf.linalg.svd(x + tf.linalg.diag(0.01 * tf.range(2.0, dtype=tf.float32)))",
        symptom="value"),
    Pitfall("P59 reduce_max", "ON_KINK", """
        x = tf.Variable([2.0, 2.0])
        with tf.GradientTape() as tape: y = «tf.reduce_max(x)»
        g = tape.gradient(y, x)
        """,
        fix="with tf.GradientTape() as tape: y = tf.reduce_logsumexp(x)",
        symptom="value"),
    Pitfall("P59 abs", "ON_KINK", """
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape: y = 2.0 * «tf.abs(x)»
        g = tape.gradient(y, x)
        """,
        fix="with tf.GradientTape() as tape: y = 2.0 * tf.sqrt(tf.square(x) + 1e-12)", cured="zero",
        symptom="zero"),
    Pitfall("P59 maximum", "ON_KINK", """
        x = tf.Variable([2.0, 2.0])
        with tf.GradientTape() as tape: y = «tf.maximum(x[0], x[1])»
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape: y = tf.reduce_logsumexp(tf.stack([x[0], x[1]]), axis=0)
        """,
        symptom="value"),
    Pitfall("P80", "ON_KINK", """
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            y = tf.constant(0.0) if «x == 0» else tf.sin(x)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sin(x)"),
    Pitfall("P80 zero", "ON_KINK", """
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            y = 0.0 * x if «x == 0» else tf.sin(x)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sin(x)", symptom="zero"),
    Pitfall("P80 a statement", "ON_KINK", """
        def sinc(v):
            if «v == 0.0»:
                return tf.constant(1.0)
            return tf.sin(v) / v

        x = tf.Variable(0.0)
        with tf.GradientTape() as tape: y = sinc(x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P80 cond", "ON_KINK", """
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            y = tf.cond(«tf.equal(x, 0.0)», lambda: tf.constant(0.0), lambda: tf.sin(x))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sin(x)"),
    Pitfall("P80 where", "ON_KINK", """
        x = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(«x == 0», 0.0, tf.sin(x)))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.sin(x))", symptom="value"),
]  # fmt: skip

NEAR_MISSES = {
    "P56 well apart": """
        x = tf.Variable([[1.0, 0.5], [0.5, 3.0]])
        with tf.GradientTape() as tape:
            values, vectors = tf.linalg.eigh(x)
            y = tf.reduce_sum(vectors[:, 0] * tf.constant([1.0, 2.0]))
        g = tape.gradient(y, x)
        """,
    "P59 a tie that cancels": """
        x = tf.Variable([2.0, 2.0])
        with tf.GradientTape() as tape:
            top = tf.reduce_max(x)
            y = top + tf.math.log(tf.reduce_sum(tf.exp(x - top)))
        g = tape.gradient(y, x)
        """,
    "P59 some entries at 0": """
        x = tf.Variable([0.0, 2.0, -1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.relu(x) + tf.abs(x))
        g = tape.gradient(y, x)
        """,
    "P59 a distance that is 0 where it is least": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.abs(x - tf.constant([1.0, 2.0])))
        g = tape.gradient(y, x)
        """,
    "P59 weights of 0 with a penalty": """
        x = tf.Variable([0.0, 0.0])
        data = tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            error = tf.linalg.matvec(data, x) - 1.0
            y = tf.reduce_sum(error ** 2) + 0.01 * tf.reduce_sum(tf.abs(x))
        g = tape.gradient(y, x)
        """,
    "P80 not that point": """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            y = tf.constant(0.0) if x == 0 else tf.sin(x)
        g = tape.gradient(y, x)
        """,
    "P80 a double where at 0": """
        x = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            safe = tf.where(x == 0, 1.0, x)
            y = tf.reduce_sum(tf.where(x == 0, 1.0, tf.sin(safe) / safe))
        g = tape.gradient(y, x)
        """,
    "P80 a branch of the first step": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * 1.0
            for step in range(3):
                y = y * x if step == 0 else y + x
        g = tape.gradient(y, x)
        """,
}
