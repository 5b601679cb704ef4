"""Losses and gradients that were taken for something else."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
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
    Pitfall("P66 never, an object", "DOUBLE_SOFTMAX", """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        loss = tf.keras.losses.SparseCategoricalCrossentropy()
        with tf.GradientTape() as tape:
            y = «loss([0, 1], x)»
        g = tape.gradient(y, x)
        """,
        fix="loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
        symptom="value"),
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
    Pitfall("P68 lookup", "SPARSE_GRADIENT", """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            rows = «tf.nn.embedding_lookup(x, [1, 1])»
            y = tf.reduce_sum(rows ** 2)
        g = tape.gradient(y, x)
        """,
        fix="g = tf.convert_to_tensor(tape.gradient(y, x))", symptom="value"),
]  # fmt: skip

NEAR_MISSES = {
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
    "P67 soft labels of a teacher": """
        x = tf.Variable([[0.3, 0.7]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(p, tf.nn.softmax(2.0 * x)))
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
}
