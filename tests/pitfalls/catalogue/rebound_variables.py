"""A name that stands for a tensor now."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P01 by multiplying", "REBOUND_TO_TENSOR", """
        x = tf.Variable([1.0, 2.0])
        x = «x * 3.0»
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        g = tape.gradient(y, x)
        """,
        fix="x.assign(x * 3.0)"),
    Pitfall("P01 stretched", "REBOUND_TO_TENSOR", """
        x = tf.Variable([1.0, 2.0])
        x = «x + 1.0»
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        g = tape.gradient(y, x)
        """,
        fix="x.assign(x + 1.0)"),
    Pitfall("P01 twice", "REBOUND_TO_TENSOR", """
        x = tf.Variable(1.0)
        x = «x + 1.0»
        x = tf.sqrt(x)
        with tf.GradientTape() as tape:
            y = tf.sin(x)
        g = tape.gradient(y, x)
        """,
        fix="""
        x.assign_add(1.0)
        x.assign(tf.sqrt(x))
        """),
    Pitfall("P01 attribute", "REBOUND_TO_TENSOR", """
        class Model: pass
        m = Model()
        m.w = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = m.w ** 2
        m.w = «m.w - 0.1 * y»
        with tf.GradientTape() as tape: y = m.w ** 2
        x = m.w
        g = tape.gradient(y, m.w)
        """,
        fix="m.w.assign_sub(0.1 * y)"),
    Pitfall("P47", "REBOUND_TO_TENSOR", """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        with tf.GradientTape(persistent=True) as tape:
            y = ws[0] ** 2 + ws[1] ** 2
        for w, derivative in zip(ws, tape.gradient(y, ws)):
            w = «w - 0.1 * derivative»
        x = w
        g = tape.gradient(y, x)
        """,
        fix="w.assign_sub(0.1 * derivative)"),
    Pitfall("P01 item", "REBOUND_TO_TENSOR", """
        ws = [tf.Variable(2.0), tf.Variable(1.0)]
        ws[0] = «ws[0] - 0.5»
        with tf.GradientTape() as tape:
            y = ws[0] ** 2 + ws[1]
        x = ws[0]
        g = tape.gradient(y, ws[0])
        """,
        fix="ws[0].assign_sub(0.5)"),
    Pitfall("P01 comprehension", "REBOUND_TO_TENSOR", """
        ws = [tf.Variable(2.0), tf.Variable(1.0)]
        derivatives = [0.5, 0.25]
        ws = [«w - 0.1 * derivative» for w, derivative in zip(ws, derivatives)]
        with tf.GradientTape() as tape:
            y = ws[0] ** 2 + ws[1]
        x = ws[0]
        g = tape.gradient(y, ws[0])
        """,
        fix="for w, derivative in zip(ws, derivatives): w.assign_sub(0.1 * derivative)"),
    Pitfall("P47 nothing is learned", "REBOUND_TO_TENSOR", """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        with tf.GradientTape() as tape:
            y = ws[0] ** 2 + ws[1] ** 2
        for w, g in zip(ws, tape.gradient(y, ws)):
            w = «w - 0.1 * g»
        x = ws[0]
        """,
        fix="w.assign_sub(0.1 * g)", symptom="silent"),
    Pitfall("P47 attribute", "REBOUND_TO_TENSOR", """
        class Model: pass
        model = Model()
        model.w = x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = model.w ** 2
        g = tape.gradient(y, model.w)
        model.w = «model.w - 0.1 * g»
        """,
        fix="model.w.assign_sub(0.1 * g)", symptom="silent"),
]  # fmt: skip

NEAR_MISSES = {
    "P01 assigned": """
        x = tf.Variable(2.0)
        for step in range(3):
            with tf.GradientTape() as tape: y = x * x
            g = tape.gradient(y, x)
            x.assign_sub(0.1 * g)
        """,
    "P47 assigned": """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        with tf.GradientTape() as tape:
            y = ws[0] ** 2 + ws[1] ** 2
        for w, g in zip(ws, tape.gradient(y, ws)):
            w.assign(w - 0.1 * g)
        x = ws[0]
        """,
    "P47 an optimizer": """
        x = tf.Variable([1.0, 2.0])
        optimizer = tf.keras.optimizers.Adam(0.1)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x ** 2)
        g = tape.gradient(y, x)
        optimizer.apply_gradients([(g, x)])
        """,
    "P47 a new point under its own name": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x ** 2)
        g = tape.gradient(y, x)
        trial = x - 0.1 * g
        """,
}
