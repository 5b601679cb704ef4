"""Shapes and axes that fit by accident, and sums over a batch."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
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
    Pitfall("P64 one class for each example", "WRONG_AXIS", """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        with tf.GradientTape() as tape:
            p = «tf.nn.softmax(x, 0)»
            y = -tf.reduce_mean(labels * tf.math.log(p))
        g = tape.gradient(y, x)
        """,
        fix="p = tf.nn.softmax(x, -1)", symptom="value"),
    Pitfall("P64 classes by number", "WRONG_AXIS", """
        x = tf.Variable([[1.0, 2.0, 0.0], [0.5, -1.0, 2.0]])
        with tf.GradientTape() as tape:
            logs = «tf.nn.log_softmax(x, axis=0)»
            y = -tf.reduce_mean(tf.gather(logs, [0, 2], axis=1, batch_dims=1))
        g = tape.gradient(y, x)
        """,
        fix="logs = tf.nn.log_softmax(x, axis=-1)", symptom="value"),
    Pitfall("P65 Keras", "UNNORMALISED_SUM", """
        data, labels = tf.ones((64, 1)), tf.zeros((64, 1))
        x = tf.Variable([[1.0]])
        loss = tf.keras.losses.MeanSquaredError(reduction="sum")
        with tf.GradientTape() as tape: y = «loss(labels, data @ x)»
        g = tape.gradient(y, x)
        """,
        fix="loss = tf.keras.losses.MeanSquaredError()", symptom="value"),
    Pitfall("P65 squares", "UNNORMALISED_SUM", """
        tf.random.set_seed(1)
        data, labels = tf.random.normal((64, 3)), tf.random.normal((64, 1))
        x = tf.Variable(tf.ones((3, 1)))
        with tf.GradientTape() as tape:
            y = «tf.reduce_sum((data @ x - labels) ** 2)»
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_mean((data @ x - labels) ** 2)", symptom="value"),
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
    "P64 pairs, both ways": """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        labels = tf.eye(2)
        with tf.GradientTape() as tape:
            rows, columns = tf.nn.log_softmax(x), tf.nn.log_softmax(x, axis=0)
            y = -tf.reduce_mean(labels * rows) - tf.reduce_mean(labels * columns)
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
}
