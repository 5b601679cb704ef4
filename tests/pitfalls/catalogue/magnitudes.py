"""Gradients that fade, blow up, or are stuck at 0."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P57", "SATURATED", """
        x = tf.Variable(5.0)
        with tf.GradientTape() as tape:
            y = «tf.clip_by_value(x, 0.0, 1.0)» ** 2
        g = tape.gradient(y, x)
        """,
        fix="y = (x + tf.stop_gradient(tf.clip_by_value(x, 0.0, 1.0) - x)) ** 2", symptom="zero"),
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
    Pitfall("P58", "DEAD_UNITS", """
        tf.random.set_seed(1)
        data = tf.constant([[1.0, 2.0], [3.0, 1.0]])
        x = tf.Variable(tf.zeros((2, 8)))
        last = tf.Variable(tf.zeros((8, 1)))
        with tf.GradientTape() as tape:
            h = «tf.nn.relu(data @ x)»
            y = tf.reduce_mean((h @ last - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="""
        x = tf.Variable(tf.random.normal((2, 8), stddev=0.5))
        last = tf.Variable(tf.random.normal((8, 1), stddev=0.5))
        """, symptom="zero"),
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
        symptom="zero"),
    Pitfall("P60", "VANISHING", """
        x = tf.Variable(0.7)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(20):
                y = «tf.sigmoid(y)»
        g = tape.gradient(y, x)
        """,
        fix="y = tf.nn.relu(y)", symptom="zero"),
    Pitfall("P60 layers", "VANISHING", """
        tf.random.set_seed(1)
        weights = [tf.Variable(tf.random.normal((8, 8), stddev=0.3)) for _ in range(16)]
        x = tf.Variable(tf.random.uniform((1, 8)))
        with tf.GradientTape() as tape:
            h = x
            for w in weights:
                h = «tf.nn.sigmoid(h @ w)»
            y = tf.reduce_mean(h)
        g = tape.gradient(y, x)
        """,
        fix="h = tf.nn.relu(h @ w)", symptom="zero"),
    Pitfall("P60 down to 0", "VANISHING", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(200):
                y = «0.5 * y»
        g = tape.gradient(y, x)
        """,
        symptom="zero"),
    Pitfall("P61", "EXPLODING", """
        x = tf.Variable([[3.0]])
        with tf.GradientTape() as tape:
            h = tf.ones((1, 1))
            for _ in range(100):
                h = «h @ x»
            y = h
        g = tape.gradient(y, x)
        """,
        fix="h = tf.tanh(h @ x)", symptom="nan"),
    Pitfall("P61 finite", "EXPLODING", """
        x = tf.Variable(0.1)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(60):
                y = «y * 1.5»
        g = tape.gradient(y, x)
        """,
        fix="y = tf.tanh(y * 1.5)", symptom="value"),
    Pitfall("P62", "UNDERFLOW", """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = tf.cast(x, tf.float16)
            y = «tf.cast(h * h, tf.float32)» * 1e-9
        g = tape.gradient(y, x)
        """,
        fix="h = tf.cast(x, tf.float32)", symptom="zero"),
    Pitfall("P77", "CANCELLED_BY_MEAN", """
        x = tf.Variable([1.0])
        data = tf.constant([[1.0], [2.0], [5.0]])
        with tf.GradientTape() as tape:
            h = «tf.nn.bias_add(data, x)»
            n = (h - tf.reduce_mean(h, 0)) / tf.math.reduce_std(h, 0)
            y = tf.reduce_sum(n ** 3)
        g = tape.gradient(y, x)
        """,
        symptom="zero"),
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
    "P57 inside the range": """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape: y = tf.clip_by_value(x, 0.0, 1.0) ** 2
        g = tape.gradient(y, x)
        """,
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
    "P60 faint, then too small for any number": """
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = 1e-40 * tf.sigmoid(x) + x
        g = tape.gradient(y, x)
        """,
    "P58 some units are off": """
        x = tf.Variable([[1.0, -2.0, 3.0]])
        with tf.GradientTape() as tape: y = tf.reduce_sum(tf.nn.relu(x) ** 2)
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
    "P60 residual": """
        x = tf.Variable(0.7)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(20):
                y = y + 0.1 * tf.sigmoid(y)
        g = tape.gradient(y, x)
        """,
    "P60 small and healthy": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape: y = 1e-9 * tf.reduce_mean(x ** 2)
        g = tape.gradient(y, x)
        """,
    "P60 almost at the minimum": """
        x = tf.Variable(1.0000001)
        with tf.GradientTape() as tape:
            h = x
            for _ in range(6):
                h = 0.9 * h + 0.1
            y = (h - 1.0) ** 2
        g = tape.gradient(y, x)
        """,
    "P60 the last step of a recurrence": """
        x = tf.Variable([[0.3]])
        with tf.GradientTape() as tape:
            h = tf.ones((1, 1))
            for _ in range(30):
                h = tf.tanh(h @ x + 0.5)
            y = tf.reduce_sum(h)
        g = tape.gradient(y, x)
        """,
    "P61 one large factor": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = 1e8 * x ** 2
        g = tape.gradient(y, x)
        """,
    "P61 bounded": """
        x = tf.Variable([[3.0]])
        with tf.GradientTape() as tape:
            h = tf.ones((1, 1))
            for _ in range(100):
                h = tf.tanh(h @ x)
            y = h
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
    "P77 a bias at the minimum": """
        x = tf.Variable([1.0])
        data = tf.constant([[1.0], [-1.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((data + x - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
    "P62 scaled": """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = tf.cast(x, tf.float16)
            y = tf.cast(h * h, tf.float32) * 1e-9 * 1024.0 * 1024.0
        g = tape.gradient(y, x)
        """,
    "P62 a true 0 in float16": """
        x = tf.Variable([1.0, 2.0], dtype=tf.float16)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum((x - tf.constant([1.0, 2.0], tf.float16)) ** 2)
        g = tape.gradient(y, x)
        """,
}
