"""Questions inside a block, tapes that grow, tapes that hold on to a lot."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P39 explained", "GRADIENT_INSIDE_TAPE", """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            z = x * x
            d = «tape.gradient(z, x)»
            y = d * x
        error = None if tape._persistent else RuntimeError("it would be")
        g = tape.gradient(y, x) if tape._persistent else None
        """,
        fix="with tf.GradientTape(persistent=True) as tape:"),
    Pitfall("P39 recorded too", "GRADIENT_INSIDE_TAPE", """
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            g = «tape.gradient(y, x)»
            z = x * y
        h = tape.gradient(z, x)
        """,
        fix="""
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            z = x * y
        g = tape.gradient(y, x)
        """,
        symptom="silent"),
    Pitfall("P49 a loop inside, its last gradient used", "GROWING_TAPE", """
        x = tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            for step in range(5):
                y = x * x
                g = «tape.gradient(y, x)»
        h = tape.gradient(g, x)
        """,
        symptom="silent"),
    Pitfall("P49 a loop inside", "GROWING_TAPE", """
        x = tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            for step in range(4):
                y = x * x
                g = «tape.gradient(y, x)»
                x.assign_sub(0.1 * g)
        """,
        symptom="silent"),
]  # fmt: skip

NEAR_MISSES = {
    "P39 a second tape": """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                z = x * x
            y = inner.gradient(z, x) * x
        g = tape.gradient(y, x)
        """,
    "P39 a second derivative of one tape": """
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            z = x * x * x
            y = tape.gradient(z, x)
        g = tape.gradient(y, x)
        """,
    "P39 derivatives one after the other": """
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x ** 6
            for order in range(4):
                y = tape.gradient(y, x)
        g = tape.gradient(y, x)
        """,
    "P48 asked twice": """
        x = tf.Variable(tf.ones((512, 512)))
        with tf.GradientTape(persistent=True) as tape:
            h = tf.exp(0.001 * x)
            y = tf.reduce_sum(h)
        other = tape.gradient(y, h)
        g = tape.gradient(y, x)
        """,
    "P49 one tape a step": """
        x = tf.Variable(1.0)
        for step in range(4):
            with tf.GradientTape(persistent=True) as tape:
                y = x * x * x
            g = tape.gradient(y, x)
        """,
    "P49 forgotten on purpose": """
        x = tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            for step in range(4):
                tape.reset()
                y = x * x * x
        g = tape.gradient(y, x)
        """,
    "P49 a question for each target": """
        x = tf.Variable([1.0, 2.0, 3.0, 4.0])
        with tf.GradientTape(persistent=True) as tape:
            targets = [x[at] ** 2 for at in range(4)]
        for y in targets:
            g = tape.gradient(y, x)
        """,
}
