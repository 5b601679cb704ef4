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
    Pitfall("P12", "LEFT_ENGINE", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            a, b = x * 2.0, tf.sin(x)
            y = tf.reduce_sum(tf.constant(«np.array([a, b])»))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.stack([a, b]))"),
    Pitfall("P12 floats", "LEFT_ENGINE", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            a, b = x * 2.0, tf.sin(x)
            y = tf.reduce_sum(tf.constant([«float(a)», float(b)]))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.stack([a, b]))"),
    Pitfall("P14 the target", "LEFT_ENGINE", """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = «np.sum(x ** 2)»
        why = tf.explain(tape, y, x)
        g = None if isinstance(y, np.generic) else tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(x ** 2)", ask="why"),
    Pitfall("P14 the target, later", "LEFT_ENGINE", """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            h = «np.sum(x ** 2)»
            y = h * 3.0
        why = tf.explain(tape, y, x)
        g = None if isinstance(y, np.generic) else tape.gradient(y, x)
        """,
        fix="h = tf.reduce_sum(x ** 2)", ask="why"),
    Pitfall("P17", "LEFT_ENGINE", """
        data = tf.ones((2, 3))
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model(data)
        x = model.trainable_variables[0]
        with tf.GradientTape() as tape:
            answer = «model.predict(data, verbose=0)»
            y = tf.reduce_mean((answer - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="answer = model(data, training=True)"),
    Pitfall("P18", "LEFT_ENGINE", """
        def power(a):
            return np.square(a) * a

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = «tf.numpy_function(power, [x], tf.float32)» * 2.0
        g = tape.gradient(y, x)
        """,
        fix="""
            return tf.square(a) * a
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = power(x) * 2.0
        """),
    Pitfall("P18 py_function", "LEFT_ENGINE", """
        def power(a):
            return «a.numpy()» ** 3

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.py_function(power, [x], tf.float32) * 2.0
        g = tape.gradient(y, x)
        """,
        fix="""
            return a ** 3
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = power(x) * 2.0
        """, symptom="zero"),
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
    "P17 called": """
        data = tf.ones((2, 3))
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        before = model.predict(data, verbose=0)
        x = model.trainable_variables[0]
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((model(data, training=True) - before - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
    "P18 tf ops, and a look at the numbers": """
        seen = []

        def power(a):
            seen.append(a.numpy())
            return a ** 3

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.py_function(power, [x], tf.float32) * 2.0
        g = tape.gradient(y, x)
        """,
}
