"""Ops that ran when or where the tape did not record."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P02 two lines", "BEFORE_TAPE", """
        x = tf.Variable(1.5)
        h = tf.exp(x)
        k = «h * h»
        with tf.GradientTape() as tape:
            y = k + 1.0
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            h = tf.exp(x)
            k = h * h
        """),
    Pitfall("P02 two ways", "BEFORE_TAPE", """
        x = tf.Variable(1.5)
        h = «tf.exp(x)»
        k = tf.sin(x)
        with tf.GradientTape() as tape:
            y = h * k
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            h = tf.exp(x)
            k = tf.sin(x)
        """),
    Pitfall("P02 function", "BEFORE_TAPE", """
        def half(v):
            return v / 2.0

        x = tf.Variable(1.5)
        h = «half(x)»
        with tf.GradientTape() as tape:
            y = h * h
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            h = half(x)
        """),
    Pitfall("P09", "BEFORE_TAPE", """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        row = «x[1]»
        with tf.GradientTape() as tape: y = tf.reduce_sum(row ** 3)
        g = tape.gradient(y, x)
        """,
        fix="with tf.GradientTape() as tape: row = x[1]; y = tf.reduce_sum(row ** 3)"),
    Pitfall("P78 a line", "AFTER_TAPE", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = x * x
        y = «h + 1.0»
        g = tape.gradient(y, x)
        """,
        fix="""
            h = x * x
            y = h + 1.0
        """),
    Pitfall("P25", "OTHER_THREAD", """
        import threading
        x = tf.Variable(2.0)
        answers = []
        with tf.GradientTape() as tape:
            worker = threading.Thread(
                target=lambda: answers.append(«tf.exp(x)»))
            worker.start(); worker.join()
            y = answers[0] * 2.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P02 behind watch", "BEFORE_TAPE", """
        x = tf.constant(1.5)
        h = «tf.exp(x)»
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = h * 2.0
        g = tape.gradient(y, x)
        """,
        fix="""
        tape.watch(x)
        h = tf.exp(x)
        """),
    Pitfall("P23 three lines", "RECORDING_PAUSED", """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                h = x * x
                k = «tf.sin(h)»
            y = k + 1.0
        g = tape.gradient(y, x)
        """,
        fix="""
        h = x * x
        k = tf.sin(h)
        """),
    Pitfall("P25 mapped", "OTHER_THREAD", """
        from concurrent.futures import ThreadPoolExecutor

        def work(part):
            return «part * x»

        x = tf.Variable(2.0)
        with ThreadPoolExecutor(2) as pool, tf.GradientTape() as tape:
            parts = list(pool.map(work, [tf.constant(1.0), tf.constant(2.0)]))
            y = tf.add_n(parts)
        g = tape.gradient(y, x)
        """,
        fix="parts = list(map(work, [tf.constant(1.0), tf.constant(2.0)]))"),
    Pitfall("P78 in the question", "AFTER_TAPE", """
        def cube(v):
            return v ** 3

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            inside = cube(x)
        g = tape.gradient(«cube(x)», x)
        """,
        fix="g = tape.gradient(inside, x)", ask="tf.why()"),
    Pitfall("P78 a sum in the question", "AFTER_TAPE", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            out = x ** 3
        g = tape.gradient(«out + 1.0», x)
        """,
        fix="""
            out = x ** 3
            result = out + 1.0
        g = tape.gradient(result, x)
        """, ask="tf.why()"),
    Pitfall("P02 forgotten by a reset", "BEFORE_TAPE", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = «x * x»
            tape.reset()
            y = h * 2.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P02 a network", "BEFORE_TAPE", """
        data = tf.ones((2, 3))
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        answer = «model(data)»
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(answer ** 2)
        x = model.trainable_variables[0]
        g = tape.gradient(y, x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            answer = model(data)
        """),
    Pitfall("P23 a function", "RECORDING_PAUSED", """
        def half(v):
            return v / 2.0

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            h = half(x * x)
            with tape.stop_recording():
                y = «half(h)»
        g = tape.gradient(y, x)
        """,
        fix="y = half(h)"),
]  # fmt: skip

NEAR_MISSES = {
    "P02 carried over from the last step": """
        x = tf.Variable(0.5)
        state = tf.constant(1.0)
        for step in range(3):
            with tf.GradientTape() as tape:
                y = state = tf.tanh(state * x)
            g = tape.gradient(y, x)
            x.assign_sub(0.1 * g)
        """,
    "P09 sliced inside": """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape: y = tf.reduce_sum(x[0] ** 2)
        g = tape.gradient(y, x)
        """,
    "P09 sliced before, and again inside": """
        x = tf.Variable([1.0, 2.0])
        first = float(x[0])
        with tf.GradientTape() as tape: y = x[0] * first
        g = tape.gradient(y, x)
        """,
    "P02 used again after a reset": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            first = x * 3.0
            tape.reset()
            y = x * x
        g = tape.gradient(y, x)
        """,
    "P25 the tape in the worker": """
        from concurrent.futures import ThreadPoolExecutor
        x = tf.Variable(2.0)

        def derivative():
            with tf.GradientTape() as recorder:
                out = x * x
            return recorder, out, recorder.gradient(out, x)

        with ThreadPoolExecutor(1) as pool:
            tape, y, g = pool.submit(derivative).result()
        """,
}
