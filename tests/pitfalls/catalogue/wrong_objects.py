"""The source is not the object that was used: a slice, a copy, another variable."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P08 in the question", "WRONG_OBJECT", """
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(v))
        g = tape.gradient(y, «v[:, 0]»)
        """,
        fix="g = tape.gradient(y, v)[:, 0]", ask="tf.why()"),
    Pitfall("P08 identity", "WRONG_OBJECT", """
        v = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.reduce_sum(v * v)
        x = «tf.identity(v)»
        g = tape.gradient(y, x)
        """,
        fix="g = tape.gradient(y, v)", ask="tf.why()"),
    Pitfall("P08 read before", "WRONG_OBJECT", """
        v = tf.Variable([1.0, 2.0])
        x = «v.read_value()»
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sin(v))
        g = tape.gradient(y, x)
        """,
        fix="g = tape.gradient(y, v)", ask="tf.why()"),
    Pitfall("P08 in a list", "WRONG_OBJECT", """
        v = tf.Variable([1.0, 2.0])
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sin(v)) * w
        both = tape.gradient(y, [w, «v[0]»])
        g = both[1]
        """,
        fix="both = tape.gradient(y, [w, v])", ask="tf.why()"),
    Pitfall("P10", "WRONG_OBJECT", """
        x = tf.Variable([2.0, 3.0], name="w")

        def forward(data):
            w = «tf.Variable([2.0, 3.0], name="w")»
            return tf.reduce_sum(w * data)

        with tf.GradientTape() as tape:
            y = forward(2.0)
        g = tape.gradient(y, x)
        """,
        fix="w = x"),
    Pitfall("P10 shadowed", "WRONG_OBJECT", """
        def forward(data):
            weights = «tf.Variable([2.0, 3.0])»
            return tf.reduce_sum(weights * data)

        weights = tf.Variable([2.0, 3.0])
        with tf.GradientTape() as tape:
            y = forward(2.0)
        g = tape.gradient(y, weights)
        """,
        fix="    ", ask="tf.why()"),
    Pitfall("P10 a layer", "WRONG_OBJECT", """
        def network(data):
            return «tf.keras.layers.Dense(1)(data)»

        data = tf.ones((1, 2))
        layer = tf.keras.layers.Dense(1)
        layer(data)
        x = layer.kernel
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(network(data))
        g = tape.gradient(y, x)
        """,
        fix="return layer(data)"),
    Pitfall("P10 in a step, before its tape", "WRONG_OBJECT", """
        data = tf.ones((1, 2))

        def step(weights):
            layer = tf.keras.layers.Dense(1)
            with tf.GradientTape() as recorder:
                out = tf.reduce_sum(«layer(data)»)
            return recorder, out, recorder.gradient(out, weights)

        kept = tf.keras.layers.Dense(1)
        kept(data)
        x = kept.kernel
        tape, y, g = step(x)
        """),
    Pitfall("P11 the copy is asked for", "WRONG_OBJECT", """
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = v * 3.0
            x = «tf.Variable(h)»
            y = h * h
        g = tape.gradient(y, x)
        """,
        fix="g = tape.gradient(y, h)", ask="tf.why()"),
]  # fmt: skip

NEAR_MISSES = {
    "P10 made once and used": """
        x = tf.Variable([2.0, 3.0], name="w")

        def forward(data):
            bias = tf.Variable(0.5, name="b")
            return tf.reduce_sum(x * data + bias)

        with tf.GradientTape() as tape: y = forward(2.0)
        g = tape.gradient(y, x)
        """,
}
