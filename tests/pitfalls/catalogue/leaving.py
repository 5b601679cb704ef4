"""Values that left for NumPy or Python."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P14", "LEFT_ENGINE", """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            h = tf.square(x)
            m = «np.mean(h)»
            y = tf.sqrt(m)
        g = tape.gradient(y, x)
        """,
        fix="m = tf.reduce_mean(h)"),
    Pitfall("P14 axis", "LEFT_ENGINE", """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            h = x ** 2
            m = «np.max(h, axis=0)»  # the largest of each column
            y = tf.reduce_sum(m, axis=0)
        g = tape.gradient(y, x)
        """,
        fix="m = tf.reduce_max(h, axis=0)  # the largest of each column"),
    Pitfall("P14 ufunc", "LEFT_ENGINE", """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            h = «np.sqrt(x)» + 1.0
            y = tf.reduce_sum(tf.constant(h) * 2.0)
        g = tape.gradient(y, x)
        """,
        fix="""
        h = tf.sqrt(x) + 1.0
        y = tf.reduce_sum(h * 2.0)
        """),
    Pitfall("P15", "LEFT_ENGINE", """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape: y = tf.exp(tf.constant(«(x + 1.0).numpy()») * 2.0)
        g = tape.gradient(y, x)
        """,
        fix="with tf.GradientTape() as tape: y = tf.exp((x + 1.0) * 2.0)"),
    Pitfall("P15 method", "LEFT_ENGINE", """
        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            h = tf.tanh(x)
            y = tf.constant(«h.numpy()».sum()) * 2.0
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(h) * 2.0"),
    Pitfall("P15 three lines", "LEFT_ENGINE", """
        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            h = «tf.tanh(x).numpy()»
            k = np.sum(h * h)
            y = tf.sqrt(tf.convert_to_tensor(k))
        g = tape.gradient(y, x)
        """,
        fix="""
        h = tf.tanh(x)
        k = tf.reduce_sum(h * h)
        y = tf.sqrt(k)
        """),
    Pitfall("P15 in a function", "LEFT_ENGINE", """
        def average(values):
            return np.mean(«values.numpy()»)

        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            y = average(x * x) * tf.constant(3.0)
        g = tape.gradient(y, x)
        """,
        fix="return tf.reduce_mean(values)"),
    Pitfall("P16", "LEFT_ENGINE", """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = x * 2.0
            y = tf.constant(«math.sin(h)») * 3.0
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sin(h) * 3.0"),
    Pitfall("P16 float", "LEFT_ENGINE", """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            y = «float(x * 2.0)» * tf.constant(3.0)
        g = tape.gradient(y, x)
        """,
        fix="y = (x * 2.0) * tf.constant(3.0)"),
]  # fmt: skip

NEAR_MISSES = {
    "P12 a constant of a tensor is that tensor": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = tf.constant(x * 3.0)
            y = tf.constant(h, tf.float32) ** 2
        g = tape.gradient(y, x)
        """,
    "P14 NumPy makes the data": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * np.array([3.0, 4.0]))
        g = tape.gradient(y, x)
        """,
    "P15 printed on the way": """
        x = tf.Variable(2.0)
        seen = []
        with tf.GradientTape() as tape:
            h = x * x
            seen.append(h.numpy())
            kept = float(h)
            y = h + 1.0
        g = tape.gradient(y, x)
        """,
    "P16 the size of the data": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            n = int(tf.size(x))
            y = tf.reduce_sum(x) / float(n)
        g = tape.gradient(y, x)
        """,
    "P16 a branch": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x if x > 0.0 else -x
        g = tape.gradient(y, x)
        """,
}
