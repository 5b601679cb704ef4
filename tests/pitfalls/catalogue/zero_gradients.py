"""Gradients of exactly 0: flat ops, dead units, narrow floats, a bias that is taken away."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P57 all elements", "SATURATED", """
        x = tf.Variable([-3.0, 5.0, 7.0])
        with tf.GradientTape() as tape:
            h = «tf.clip_by_value(2.0 * x, 0.0, 1.0)»
            y = tf.reduce_sum((h - 0.5) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="h = (2.0 * x) + tf.stop_gradient(tf.clip_by_value(2.0 * x, 0.0, 1.0) - (2.0 * x))",
        symptom="zero"),
    Pitfall("P57 sigmoid", "SATURATED", """
        x = tf.Variable(200.0)
        with tf.GradientTape() as tape:
            p = «tf.sigmoid(x)»
            y = (p - 0.0) ** 2
        g = tape.gradient(y, x)
        """,
        symptom="zero"),
    Pitfall("P57 softmax on the wrong class", "SATURATED", """
        labels = tf.constant([[1.0, 0.0]])
        x = tf.Variable([[-200.0, 200.0]])
        with tf.GradientTape() as tape:
            p = «tf.nn.softmax(x)»
            y = tf.reduce_sum((p - labels) ** 2)
        g = tape.gradient(y, x)
        """,
        symptom="zero"),
    Pitfall("P58 the layer behind", "DEAD_UNITS", """
        tf.random.set_seed(1)
        data = tf.constant([[1.0, 2.0], [3.0, 1.0]])
        first = tf.Variable(tf.zeros((2, 8)))
        x = tf.Variable(tf.zeros((8, 1)))
        with tf.GradientTape() as tape:
            h = «tf.nn.relu(data @ first)»
            y = tf.reduce_mean((h @ x - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="""
        first = tf.Variable(tf.random.normal((2, 8), stddev=0.5))
        x = tf.Variable(tf.random.normal((8, 1), stddev=0.5))
        """, symptom="zero"),
    Pitfall("P58 far below 0", "DEAD_UNITS", """
        data = tf.constant([[1.0, 2.0], [3.0, 1.0]])
        x = tf.Variable([[1.0], [2.0]])
        with tf.GradientTape() as tape:
            h = «tf.nn.relu(data @ x - 100.0)»
            y = tf.reduce_mean((h - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="h = tf.nn.leaky_relu(data @ x - 100.0)", symptom="zero"),
    Pitfall("P58 a layer in front", "DEAD_UNITS", """
        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            first = «tf.nn.relu(x @ tf.constant([[-1.0], [-3.0]]))»
            second = tf.nn.relu(-2.0 * first)
            y = tf.reduce_sum((second - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="first = tf.nn.leaky_relu(x @ tf.constant([[-1.0], [-3.0]]))", symptom="zero"),
    Pitfall("P58 maximum", "DEAD_UNITS", """
        x = tf.Variable([-1.0, -2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum((«tf.maximum(3.0 * x, 0.0)» - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum((tf.nn.leaky_relu(3.0 * x) - 1.0) ** 2)",
        symptom="zero"),
    Pitfall("P77 by +", "CANCELLED_BY_MEAN", """
        x = tf.Variable([1.0])
        data = tf.constant([[1.0], [2.0], [5.0]])
        with tf.GradientTape() as tape:
            h = «data + x»
            n = (h - tf.reduce_mean(h, 0)) / tf.sqrt(tf.math.reduce_variance(h, 0) + 1e-3)
            y = tf.reduce_sum(n ** 3)
        g = tape.gradient(y, x)
        """,
        fix="h = data", symptom="zero", cured="None"),
    Pitfall("P62 a product", "UNDERFLOW", """
        x = tf.Variable([0.5, 2.0], dtype=tf.float16)
        with tf.GradientTape() as tape:
            h = «x * 1e-4»
            y = tf.reduce_sum(h) * 1e-4
        g = tape.gradient(y, x)
        """,
        fix="x = tf.Variable([0.5, 2.0], dtype=tf.float32)", symptom="zero"),
]  # fmt: skip

NEAR_MISSES = {
    "P57 some outside": """
        x = tf.Variable([0.5, 5.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.clip_by_value(x, 0.0, 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
    "P57 softmax that is sure and right": """
        labels = tf.constant([[1.0, 0.0]])
        x = tf.Variable([[200.0, -200.0]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = -tf.reduce_sum(labels * tf.math.log(p + 1e-7))
        g = tape.gradient(y, x)
        """,
    "P57 Keras clips what is sure and right": """
        labels = tf.constant([[1.0, 0.0]])
        x = tf.Variable([[200.0, -200.0]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(labels, p))
        g = tape.gradient(y, x)
        """,
    "P57 at the minimum": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum((x - tf.constant([1.0, 2.0])) ** 2)
        g = tape.gradient(y, x)
        """,
    "P58 a margin that is kept": """
        data = tf.constant([[1.0, 2.0], [3.0, 1.0]])
        x = tf.Variable([[1.0], [2.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.maximum(1.0 - data @ x, 0.0))
        g = tape.gradient(y, x)
        """,
    "P58 a triplet that is far enough": """
        x = tf.Variable([0.1, 0.2])
        with tf.GradientTape() as tape:
            near = tf.reduce_sum((x - 0.1) ** 2)
            far = tf.reduce_sum((x - 9.0) ** 2)
            y = tf.nn.relu(near - far + 1.0)
        g = tape.gradient(y, x)
        """,
    "P77 a bias behind the mean": """
        x = tf.Variable([1.0])
        data = tf.constant([[1.0], [2.0], [5.0]])
        with tf.GradientTape() as tape:
            h = data - tf.reduce_mean(data, 0) + x
            y = tf.reduce_sum(h ** 3)
        g = tape.gradient(y, x)
        """,
    "P62 scaled": """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = tf.cast(x, tf.float16)
            y = tf.cast(h * h, tf.float32) * 1e-9 * 1024.0 * 1024.0
        g = tape.gradient(y, x)
        """,
}
