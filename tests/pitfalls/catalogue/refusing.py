"""Errors, which bring their finding along."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P37", "NO_GRADIENT_REGISTERED", """
        x = tf.Variable([[[0.5, 0.0, 0.0]]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.image.adjust_contrast(x, 0.5)» ** 2)
        try:
            g = tape.gradient(y, x)
        except LookupError as caught:
            error = caught
        """,
        fix="""
        center = tf.reduce_mean(x, axis=[-3, -2], keepdims=True)
        y = tf.reduce_sum(((x - center) * 0.5 + center) ** 2)
        """,
        symptom="error", ask="error.finding"),
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
    Pitfall("P46 all", "SOME_NONE", """
        w, b = tf.Variable(2.0), tf.Variable(1.0)
        optimizer = tf.keras.optimizers.SGD(0.1)
        y = w * 3.0 + b
        with tf.GradientTape() as tape:
            loss = y
        g = tape.gradient(loss, [w, b])
        try:
            «optimizer.apply_gradients(zip(g, [w, b]))»
        except ValueError as caught:
            error = caught
        """,
        fix="""
        with tf.GradientTape() as tape:
            y = w * 3.0 + b
        """,
        symptom="error", ask="error.finding"),
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
    Pitfall("P69", "MIXED_DTYPE", """
        w = tf.Variable(2.0)
        data = tf.constant(np.array(3.0))
        try:
            with tf.GradientTape() as tape:
                y = «w * data» + 1.0
            g = tape.gradient(y, w)
        except tf.errors.InvalidArgumentError as caught:
            error = caught
        """,
        fix="        y = w * tf.cast(data, tf.float32) + 1.0",
        symptom="error", ask="error.finding"),
    Pitfall("P69 whole numbers", "MIXED_DTYPE", """
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
    Pitfall("P71", "UPSTREAM_IGNORED", """
        @tf.custom_gradient
        def square(a):
            return a * a, lambda up: «2.0 * a»

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = 2.0 * square(x * 1.0)
        g = tape.gradient(y, x)
        """,
        fix="return a * a, lambda up: up * 2.0 * a", symptom="value"),
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
    Pitfall("P72", "VARIABLES_KEYWORD_MISSING", """
        w = tf.Variable(2.0, name="w")

        @tf.custom_gradient
        def scaled(a):
            return a * w, «lambda up: up * w»

        x = tf.Variable(3.0)
        try:
            with tf.GradientTape() as tape:
                y = scaled(x)
            g = tape.gradient(y, x)
        except TypeError as caught:
            error = caught
        """,
        fix="return a * w, lambda up, variables=None: (up * w, [None] * len(variables))",
        symptom="error", ask="error.finding"),
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
    Pitfall("P76 a global name", "LEAKED_SYMBOL", """
        @tf.function
        def double(a):
            global inside
            inside = «tf.exp(a)»
            return inside * 2.0

        y = double(tf.constant(1.0))
        try:
            g = tf.reduce_sum(inside)
        except TypeError as caught:
            error = caught
        """,
        fix="""
            inside = tf.exp(a)
            return inside * 2.0, inside
        y, inside = double(tf.constant(1.0))
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
    "P37 beside the way": """
        x = tf.Variable([[[0.5, 0.0, 0.0]]])
        with tf.GradientTape() as tape:
            shown = tf.image.adjust_contrast(tf.stop_gradient(x), 0.5)
            y = tf.reduce_sum(x ** 2)
        g = tape.gradient(y, x)
        """,
    "P69 cast": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = x * tf.cast(np.array(3.0), tf.float32)
        g = tape.gradient(y, x)
        """,
    "P69 a number of Python": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = x * 3
        g = tape.gradient(y, x)
        """,
    "P71 multiplied": """
        @tf.custom_gradient
        def square(a):
            return a * a, lambda up: up * 2.0 * a

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape: y = 2.0 * square(x)
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
    "P72 it takes them": """
        w = tf.Variable(2.0)

        @tf.custom_gradient
        def scaled(a):
            def grad(up, variables=None):
                return up * w, [up * a]
            return a * w, grad

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape: y = scaled(x)
        g = tape.gradient(y, x)
        """,
    "P76 returned": """
        @tf.function
        def double(a):
            return a * 2.0

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape: y = double(x) + 1.0
        g = tape.gradient(y, x)
        """,
}
