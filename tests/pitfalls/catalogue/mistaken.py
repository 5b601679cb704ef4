"""Numbers that are right for another question: shapes, axes, losses and loops."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P63", "UNINTENDED_BROADCAST", """
        x = tf.Variable(1.0)
        data = tf.constant([[1.0], [2.0], [3.0], [4.0]])
        labels = tf.constant([2.0, 4.0, 6.0, 8.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((«x * data - labels») ** 2)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_mean((tf.squeeze(x * data, axis=-1) - labels) ** 2)",
        symptom="value"),
    Pitfall("P63 the other way round", "UNINTENDED_BROADCAST", """
        x = tf.Variable([[1.0], [2.0]])
        data = tf.constant([[1.0, 0.5], [2.0, 1.0], [3.0, 0.0]])
        labels = tf.constant([2.0, 4.0, 6.0])
        with tf.GradientTape() as tape:
            predicted = data @ x
            y = tf.reduce_mean(«tf.math.squared_difference(labels, predicted)»)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_mean(tf.math.squared_difference(labels, "
            "tf.squeeze(predicted, axis=-1)))",
        symptom="value"),
    Pitfall("P64", "WRONG_AXIS", """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        data = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]])
        labels = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        with tf.GradientTape() as tape:
            p = «tf.nn.softmax(data @ x, axis=0)»
            y = -tf.reduce_mean(tf.reduce_sum(labels * tf.math.log(p), axis=-1))
        g = tape.gradient(y, x)
        """,
        fix="p = tf.nn.softmax(data @ x, axis=-1)", symptom="value"),
    Pitfall("P65", "UNNORMALISED_SUM", """
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = «tf.reduce_sum(x * tf.ones(64))»
        g = tape.gradient(y, x)
        """,
        fix="with tf.GradientTape() as tape: y = tf.reduce_mean(x * tf.ones(64))",
        symptom="value"),
    Pitfall("P65 squares", "UNNORMALISED_SUM", """
        tf.random.set_seed(1)
        data, labels = tf.random.normal((64, 3)), tf.random.normal((64, 1))
        x = tf.Variable(tf.ones((3, 1)))
        with tf.GradientTape() as tape:
            y = «tf.reduce_sum((data @ x - labels) ** 2)»
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_mean((data @ x - labels) ** 2)", symptom="value"),
    Pitfall("P66", "DOUBLE_SOFTMAX", """
        labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            p = «tf.nn.softmax(x)»
            y = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, p))
        g = tape.gradient(y, x)
        """,
        fix="p = x", symptom="value"),
    Pitfall("P66 Keras", "DOUBLE_SOFTMAX", """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        with tf.GradientTape() as tape:
            y = loss([0, 1], «tf.nn.softmax(x)»)
        g = tape.gradient(y, x)
        """,
        fix="y = loss([0, 1], x)", symptom="value"),
    Pitfall("P66 sigmoid", "DOUBLE_SOFTMAX", """
        labels = tf.constant([1.0, 0.0])
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            p = «tf.sigmoid(x)»
            y = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, p))
        g = tape.gradient(y, x)
        """,
        fix="p = x", symptom="value"),
    Pitfall("P66 never", "DOUBLE_SOFTMAX", """
        labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(«tf.keras.losses.categorical_crossentropy(labels, x)»)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(labels, x, "
            "from_logits=True))",
        symptom="value"),
    Pitfall("P67", "SWAPPED_LOSS_ARGUMENTS", """
        labels = tf.constant([[0.0, 1.0]])
        x = tf.Variable([[0.3, 0.7]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = «tf.keras.losses.categorical_crossentropy(p, labels)»
        g = tape.gradient(y, x)
        """,
        fix="y = tf.keras.losses.categorical_crossentropy(labels, p)", symptom="value"),
    Pitfall("P67 an object", "SWAPPED_LOSS_ARGUMENTS", """
        labels = tf.constant([[0.0], [1.0]])
        x = tf.Variable([[0.3], [0.7]])
        loss = tf.keras.losses.BinaryCrossentropy()
        with tf.GradientTape() as tape:
            y = «loss(tf.sigmoid(x), labels)»
        g = tape.gradient(y, x)
        """,
        fix="y = loss(labels, tf.sigmoid(x))", symptom="value"),
    Pitfall("P67 by name", "SWAPPED_LOSS_ARGUMENTS", """
        labels = tf.constant([[0.0, 1.0]])
        x = tf.Variable([[0.3, 0.7]])
        with tf.GradientTape() as tape:
            y = «tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=labels)»
        g = tape.gradient(y, x)
        """,
        fix="y = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x)",
        symptom="value"),
    Pitfall("P68", "SPARSE_GRADIENT", """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.gather(x, [0, 1, 0])» ** 2)
        g = tape.gradient(y, x)
        """,
        fix="g = tf.convert_to_tensor(tape.gradient(y, x))", symptom="value"),
    Pitfall("P68 lookup", "SPARSE_GRADIENT", """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            rows = «tf.nn.embedding_lookup(x, [1, 1])»
            y = tf.reduce_sum(rows ** 2)
        g = tape.gradient(y, x)
        """,
        fix="g = tf.convert_to_tensor(tape.gradient(y, x))", symptom="value"),
    Pitfall("P81", "NOT_CONVERGED", """
        def solve(k, a):
            z = tf.constant(1.0)
            for _ in range(k):
                z = «z - 0.1 * (z * z - a)»
            return z

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = solve(3, x)
        g = tape.gradient(y, x)
        """,
        symptom="value"),
    Pitfall("P82", "DATA_DEPENDENT_TRIP_COUNT", """
        x = tf.Variable(0.3)
        with tf.GradientTape() as tape:
            y = x
            while «y < 2.0»:
                y = y + x
        g = tape.gradient(y, x)
        """,
        symptom="value"),
    Pitfall("P82 a range", "DATA_DEPENDENT_TRIP_COUNT", """
        x = tf.Variable(3.3)
        with tf.GradientTape() as tape:
            y = tf.constant(1.0)
            for _ in range(«int(x)»):
                y = y * x
        g = tape.gradient(y, x)
        """,
        symptom="value"),
    Pitfall("P82 while_loop", "DATA_DEPENDENT_TRIP_COUNT", """
        x = tf.Variable(0.3)
        with tf.GradientTape() as tape:
            (y,) = «tf.while_loop(lambda v: v < 2.0, lambda v: (v + x,), [x])»
        g = tape.gradient(y, x)
        """,
        symptom="value"),
]  # fmt: skip

NEAR_MISSES = {
    "P63 equal shapes": """
        x = tf.Variable(1.0)
        data, labels = tf.constant([1.0, 2.0, 3.0]), tf.constant([2.0, 4.0, 6.0])
        with tf.GradientTape() as tape: y = tf.reduce_mean((x * data - labels) ** 2)
        g = tape.gradient(y, x)
        """,
    "P63 all pairs on purpose": """
        x = tf.Variable([1.0, 2.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(-(x[:, None] - x) ** 2))
        g = tape.gradient(y, x)
        """,
    "P63 all pairs, an axis put in before": """
        x = tf.Variable([1.0, 2.0, 4.0])
        with tf.GradientTape() as tape:
            column = tf.expand_dims(x, -1)
            y = tf.reduce_sum(tf.exp(-(column - x) ** 2))
        g = tape.gradient(y, x)
        """,
    "P63 a bias": """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((tf.ones((4, 3)) - x) ** 3)
        g = tape.gradient(y, x)
        """,
    "P64 over the classes": """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        with tf.GradientTape() as tape:
            y = -tf.reduce_mean(labels * tf.math.log(tf.nn.softmax(x)))
        g = tape.gradient(y, x)
        """,
    "P64 attention over time": """
        states = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]])
        x = tf.Variable([[1.0], [0.5]])
        with tf.GradientTape() as tape:
            shares = tf.nn.softmax(states @ x, axis=0)
            y = tf.reduce_sum(tf.reduce_sum(shares * states, axis=0) ** 2)
        g = tape.gradient(y, x)
        """,
    "P65 a small batch": """
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = tf.reduce_sum(x * tf.ones(4))
        g = tape.gradient(y, x)
        """,
    "P65 the square of many weights": """
        x = tf.Variable(tf.ones(64))
        with tf.GradientTape() as tape: y = 0.01 * tf.reduce_sum(x ** 2)
        g = tape.gradient(y, x)
        """,
    "P65 divided afterwards": """
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = tf.reduce_sum(x * tf.ones(64)) / 64.0
        g = tape.gradient(y, x)
        """,
    "P65 a sum over classes, a mean over the batch": """
        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.reduce_sum(x * tf.ones((64, 2)), axis=-1))
        g = tape.gradient(y, x)
        """,
    "P66 once": """
        labels = tf.constant([[1.0, 0.0]])
        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(labels, p))
        g = tape.gradient(y, x)
        """,
    "P66 attention, then classes": """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            shares = tf.nn.softmax(x)
            scores = shares @ tf.constant([[3.0, -1.0], [0.5, 2.0]])
            y = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], scores))
        g = tape.gradient(y, x)
        """,
    "P67 the labels come first": """
        labels = tf.constant([[0.0], [1.0]])
        x = tf.Variable([[0.3], [0.7]])
        with tf.GradientTape() as tape:
            y = tf.keras.losses.BinaryCrossentropy()(labels, tf.sigmoid(x))
        g = tape.gradient(y, x)
        """,
    "P67 squares do not mind": """
        x = tf.Variable([[0.3, 0.7]])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.keras.losses.mean_squared_error(x, tf.ones((1, 2))))
        g = tape.gradient(y, x)
        """,
    "P67 soft labels of a teacher": """
        x = tf.Variable([[0.3, 0.7]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(p, tf.nn.softmax(2.0 * x)))
        g = tape.gradient(y, x)
        """,
    "P68 distinct rows": """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape: y = tf.reduce_sum(tf.gather(x, [1, 0]) ** 2)
        g = tape.gradient(y, x)
        """,
    "P68 an optimizer adds them up": """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        optimizer = tf.keras.optimizers.SGD(0.1)
        with tf.GradientTape() as tape: y = tf.reduce_sum(tf.gather(x, [0, 1, 0]) ** 2)
        g = tape.gradient(y, x)
        optimizer.apply_gradients([(g, x)])
        """,
    "P68 a layer picks the rows": """
        layer = tf.keras.layers.Embedding(3, 2)
        with tf.GradientTape() as tape: y = tf.reduce_sum(layer(tf.constant([0, 0, 1])) ** 2)
        (x,) = layer.trainable_variables
        g = tape.gradient(y, x)
        """,
    "P68 a table used as a whole as well": """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(x, [0, 0]) ** 2) + tf.reduce_sum(x ** 2)
        g = tape.gradient(y, x)
        """,
    "P81 converged": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(1.0)
            for _ in range(99):
                y = y - 0.1 * (y * y - x)
        g = tape.gradient(y, x)
        """,
    "P81 layers that share weights": """
        x = tf.Variable([[0.5]])
        with tf.GradientTape() as tape:
            y = tf.ones((1, 1))
            for _ in range(3):
                y = tf.tanh(y @ x + 0.1)
        g = tape.gradient(y, x)
        """,
    "P81 a running sum": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(0.0)
            for k in range(1, 5):
                y = y + x ** k / math.factorial(k)
        g = tape.gradient(y, x)
        """,
    "P82 until it has converged": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(1.0)
            while tf.abs(y * y - x) > 1e-4:
                y = 0.5 * (y + x / y)
        g = tape.gradient(y, x)
        """,
    "P82 training until the loss is small": """
        x, y = tf.Variable(3.0), tf.constant(9.0)
        while y > 1.0:
            with tf.GradientTape() as tape: y = (x - 1.0) ** 2
            g = tape.gradient(y, x)
            x.assign_sub(0.2 * g)
        """,
    "P82 a counter": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y, step = x * 1.0, tf.constant(0)
            while step < 3:
                y, step = y * x, step + 1
        g = tape.gradient(y, x)
        """,
}
