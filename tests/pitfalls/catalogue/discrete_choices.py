"""Positions, conditions, shapes and chances, and ops that are flat."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P28 picked by", "INDEX_ONLY", """
        table = tf.Variable([1.0, 2.0, 4.0])
        x = tf.Variable(1.3)
        with tf.GradientTape() as tape:
            y = «tf.gather(table, tf.cast(x, tf.int32))» ** 2
        g = tape.gradient(y, x)
        """,
        fix="y = tf.tensordot(tf.nn.relu(1.0 - tf.abs(x - tf.range(3.0))), table, 1) ** 2"),
    Pitfall("P29 floor", "NON_DIFFERENTIABLE", """
        x = tf.Variable(1.2)
        with tf.GradientTape() as tape:
            y = 3.0 * «tf.floor(x)»
        g = tape.gradient(y, x)
        """,
        fix="y = 3.0 * (x + tf.stop_gradient(tf.floor(x) - x))"),
    Pitfall("P29 sign", "NON_DIFFERENTIABLE", """
        x = tf.Variable([1.2, -3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.sign(x)» * [2.0, 3.0])
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum((x + tf.stop_gradient(tf.sign(x) - x)) * [2.0, 3.0])",
        symptom="zero"),
    Pitfall("P30", "NON_DIFFERENTIABLE", """
        labels = tf.constant([1.0, 0.0, 1.0])
        x = tf.Variable([0.9, 0.2, 0.4])
        with tf.GradientTape() as tape:
            predicted = tf.cast(«x > 0.5», tf.float32)
            y = tf.reduce_mean(tf.abs(predicted - labels))
        g = tape.gradient(y, x)
        """,
        fix="predicted = tf.cast(tf.sigmoid(x - 0.5), tf.float32)"),
    Pitfall("P30 below", "NON_DIFFERENTIABLE", """
        x = tf.Variable([0.9, 0.2, 0.4])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.cast(«tf.less(x, 0.5)», tf.float32))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_mean(tf.cast(tf.sigmoid(0.5 - x), tf.float32))"),
    Pitfall("P30 accuracy", "NON_DIFFERENTIABLE", """
        labels = tf.constant([0, 1], tf.int64)
        x = tf.Variable([[0.9, 0.2], [0.4, 0.7]])
        with tf.GradientTape() as tape:
            hits = tf.equal(«tf.argmax(x, axis=1)», labels)
            y = 1.0 - tf.reduce_mean(tf.cast(hits, tf.float32))
        g = tape.gradient(y, x)
        """),
    Pitfall("P32", "INDEX_ONLY", """
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        x = tf.constant([0, 2])
        with tf.GradientTape() as tape:
            tape.watch(table)
            y = tf.reduce_sum(«tf.gather(table, x)» ** 2)
        g = tape.gradient(y, x)
        """,
        fix="g = tape.gradient(y, table)", ask="tf.why()"),
    Pitfall("P32 one hot", "INDEX_ONLY", """
        weights = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        x = tf.constant([0, 1])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.one_hot(x, 2)» * weights)
        g = tape.gradient(y, x)
        """),
    Pitfall("P33 argsort", "INDEX_ONLY", """
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape:
            order = «tf.argsort(x)»
            y = tf.reduce_sum(tf.gather([1.0, 2.0, 4.0], order) * [1.0, 2.0, 3.0])
        g = tape.gradient(y, x)
        """),
    Pitfall("P34 asked earlier", "PREDICATE_ONLY", """
        x, v = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            big = x > 0.0
            y = v * v if «big» else v
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sigmoid(x) * v * v + tf.sigmoid(-x) * v"),
    Pitfall("P34 a function", "PREDICATE_ONLY", """
        def f(a, b):
            if «a * 2.0 > 3.0»:
                return b
            return b ** 2

        x, v = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = f(x, v)
        g = tape.gradient(y, x)
        """,
        fix="return tf.sigmoid(a * 2.0 - 3.0) * b + tf.sigmoid(3.0 - (a * 2.0)) * b ** 2"),
    Pitfall("P34 cond", "PREDICATE_ONLY", """
        x, v = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.cond(«x > 0.0», lambda: v * 3.0, lambda: v)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sigmoid(x) * v * 3.0 + tf.sigmoid(-x) * v"),
    Pitfall("P34 where", "PREDICATE_ONLY", """
        x = tf.Variable([1.0, -1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(«x > 0.0», 1.0, 0.0))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.sigmoid(x))"),
    Pitfall("P35 shape", "SHAPE_ONLY", """
        x = tf.Variable([1.0, -2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.cast(«tf.shape(x)»[0], tf.float32) ** 2
        g = tape.gradient(y, x)
        """),
    Pitfall("P35 an attribute", "SHAPE_ONLY", """
        x = tf.Variable([1.0, -2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.constant(2.0) * «x.shape»[0]
        g = tape.gradient(y, x)
        """),
    Pitfall("P36 a reward", "SAMPLER", """
        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            action = «tf.random.categorical(x, 1)»[0]
            y = tf.reduce_sum(tf.gather([1.0, -1.0], action))
        g = tape.gradient(y, x)
        """),
    Pitfall("P36 stateless", "SAMPLER", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.random.stateless_poisson([3], [1, 2], x, tf.float32)»)
        g = tape.gradient(y, x)
        """),
    Pitfall("P36 stateless binomial", "SAMPLER", """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.random.stateless_binomial([3], [1, 2], 5.0, x, tf.float32)»)
        g = tape.gradient(y, x)
        """),
]  # fmt: skip

NEAR_MISSES = {
    "P28 the predicted class is only printed": """
        labels = tf.constant([0, 1])
        x = tf.Variable([[0.9, 0.2], [0.4, 0.7]])
        with tf.GradientTape() as tape:
            predicted = tf.argmax(x, axis=1)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
            y = tf.reduce_mean(losses)
        text = str(predicted)
        g = tape.gradient(y, x)
        """,
    "P29 straight through": """
        x = tf.Variable([1.2, 3.7])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x + tf.stop_gradient(tf.round(x) - x))
        g = tape.gradient(y, x)
        """,
    "P29 a sign as a factor": """
        x = tf.Variable([1.2, -3.7])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sign(x) * x)
        g = tape.gradient(y, x)
        """,
    "P30 a loss beside the accuracy": """
        labels = tf.constant([1.0, 0.0])
        x = tf.Variable([0.9, 0.2])
        with tf.GradientTape() as tape:
            p = tf.sigmoid(x)
            accuracy = tf.reduce_mean(tf.cast((p > 0.5) == (labels > 0.5), tf.float32))
            y = tf.reduce_mean((p - labels) ** 2)
        g = tape.gradient(y, x)
        """,
    "P32 what is picked from": """
        x = tf.Variable([1.0, 2.0, 4.0])
        with tf.GradientTape() as tape: y = tf.reduce_sum(tf.gather(x, [0, 2]) ** 2)
        g = tape.gradient(y, x)
        """,
    "P33 the values": """
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape:
            largest, places = tf.math.top_k(x, 2)
            y = tf.reduce_sum(largest)
        g = tape.gradient(y, x)
        """,
    "P34 a leaky line": """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            if x > 0.0:
                y = x * x
            else:
                y = 0.1 * x
        g = tape.gradient(y, x)
        """,
    "P35 in the shape of itself": """
        x = tf.Variable([3.0, -1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum((x - tf.ones_like(x)) ** 2) / x.shape[0]
        g = tape.gradient(y, x)
        """,
    "P36 how likely it was": """
        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            action = tf.random.categorical(x, 1)[0]
            y = -tf.reduce_sum(tf.gather(tf.nn.log_softmax(x)[0], action))
        g = tf.convert_to_tensor(tape.gradient(y, x))
        """,
}
