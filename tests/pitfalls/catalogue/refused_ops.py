"""Errors, which bring their finding along."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P37 explained", "NO_GRADIENT_REGISTERED", """
        x = tf.Variable([[[0.5, 0.0, 0.0]]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.image.adjust_contrast(x, 0.5)» ** 2)
        """,
        fix="""
        center = tf.reduce_mean(x, axis=[-3, -2], keepdims=True)
        y = tf.reduce_sum(((x - center) * 0.5 + center) ** 2)
        """,
        symptom="silent", cured="nothing"),
    Pitfall("P37 asked why", "NO_GRADIENT_REGISTERED", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.random.poisson([3], x)»)
        try:
            g = tape.jacobian(y, x)
        except LookupError as caught:
            error = caught
        """,
        symptom="error", ask="tf.why()"),
    Pitfall("P46", "SOME_NONE", """
        import warnings
        w, b, c = (tf.Variable(float(k), name=name) for k, name in enumerate("wbc"))
        optimizer = tf.keras.optimizers.SGD(0.1)
        with tf.GradientTape() as tape:
            loss = (w * 3.0 - 1.0) ** 2
        g = tape.gradient(loss, [w, b, c])
        with warnings.catch_warnings(action="ignore"):
            «optimizer.apply_gradients(zip(g, [w, b, c]))»
        """,
        symptom="silent", ask="tf.explain(tape, loss, [w, b, c])"),
    Pitfall("P69 integers", "MIXED_DTYPE", """
        count = tf.constant(3)
        w = tf.Variable(2.0)
        try:
            with tf.GradientTape() as tape:
                y = «count * w»
            g = tape.gradient(y, w)
        except tf.errors.InvalidArgumentError as caught:
            error = caught
        """,
        fix="y = tf.cast(count, tf.float32) * w",
        symptom="error", ask="error.finding"),
    Pitfall("P69 matmul, without a tape", "MIXED_DTYPE", """
        rows = tf.constant(np.ones((2, 3)))
        weights = tf.ones((3, 1))
        try:
            y = «tf.matmul(rows, weights)»
        except tf.errors.InvalidArgumentError as caught:
            error = caught
        """,
        fix="y = tf.matmul(tf.cast(rows, tf.float32), weights)",
        symptom="error", ask="error.finding"),
    Pitfall("P71 a function", "UPSTREAM_IGNORED", """
        @tf.custom_gradient
        def soft(a):
            e = tf.exp(a)
            def grad(upstream):
                ones = tf.ones_like(upstream)
                return «ones - 1.0 / (1.0 + e)»
            return tf.math.log(1.0 + e), grad

        x = tf.Variable([3.0, -1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(soft(x) ** 2)
        g = tape.gradient(y, x)
        """,
        fix="return upstream * (ones - 1.0 / (1.0 + e))", symptom="value"),
    Pitfall("P72 a function", "VARIABLES_KEYWORD_MISSING", """
        w = tf.Variable(2.0, name="w")

        @tf.custom_gradient
        def scaled(a):
            «def grad(up):»
                return up * w
            return a * w, grad

        x = tf.Variable(3.0)
        try:
            with tf.GradientTape() as tape:
                y = scaled(x)
            g = tape.gradient(y, x)
        except TypeError as caught:
            error = caught
        """,
        fix="""
        def grad(up, variables=None):
            return up * w, [None] * len(variables)
        """,
        symptom="error", ask="error.finding"),
    Pitfall("P76", "LEAKED_SYMBOL", """
        kept = []

        @tf.function
        def double(a):
            kept.append(«a * 2.0»)
            return kept[-1]

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = double(x)
        try:
            g = kept[0] + 1.0
        except TypeError as caught:
            error = caught
        """,
        symptom="error", ask="error.finding"),
    Pitfall("P79", "TAPE_CONSUMED", """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            y = x ** 2
        try:
            g = «tape.jacobian(y, x, experimental_use_pfor=False)»
        except RuntimeError as caught:
            error = caught
        """,
        fix="with tf.GradientTape(persistent=True) as tape:",
        symptom="error", ask="error.finding"),
    Pitfall("P79 by batch", "TAPE_CONSUMED", """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            y = x ** 2
        try:
            g = «tape.batch_jacobian(y, x, parallel_iterations=2)»
        except RuntimeError as caught:
            error = caught
        """,
        fix="with tf.GradientTape(persistent=True) as tape:",
        symptom="error", ask="error.finding"),
]  # fmt: skip

NEAR_MISSES = {
    "P69 cast": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = x * tf.cast(np.array(3.0), tf.float32)
        g = tape.gradient(y, x)
        """,
    "P71 a gradient that is cut to size": """
        @tf.custom_gradient
        def clipped(a):
            def grad(up):
                limited = tf.clip_by_norm(up, 0.5)
                return limited
            return tf.identity(a), grad

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape: y = 2.0 * clipped(x)
        g = tape.gradient(y, x)
        """,
}
