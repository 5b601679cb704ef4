"""What a function took in when it was traced."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P75 run often", "TRACE_TIME_CONSTANT", """
        rate = 2
        def f(v):
            return v * «rate»
        g = tf.function(f)
        x = tf.Variable(3.0)
        for step in range(5):
            g(x)
        rate = 5
        with tf.GradientTape() as tape:
            y = g(x) ** 2
        g = tape.gradient(y, x)
        """,
        fix="""
        rate = tf.Variable(2.0)
        def f(v):
            return v * rate
        g = tf.function(f)
        x = tf.Variable(3.0)
        for step in range(5):
            g(x)
        rate.assign(5.0)
        """,
        symptom="value"),
]  # fmt: skip

NEAR_MISSES = {
    "P75 a variable": """
        x, scale = tf.Variable(3.0), tf.Variable(1.0)
        @tf.function
        def f():
            return x * x * scale
        first = f()
        scale.assign(10.0)
        with tf.GradientTape() as tape:
            y = f()
        g = tape.gradient(y, x)
        """,
    "P75 passed as an argument": """
        @tf.function
        def f(v, scale):
            return v * v * scale
        x = tf.Variable(3.0)
        scale = 1.0
        first = f(x, scale)
        scale = 10.0
        with tf.GradientTape() as tape:
            y = f(x, scale)
        g = tape.gradient(y, x)
        """,
    "P75 changed before the trace": """
        x = tf.Variable(3.0)
        scale = 1.0
        scale = 10.0
        @tf.function
        def f():
            return x * x * scale
        for step in range(4):
            with tf.GradientTape() as tape:
                y = f()
        g = tape.gradient(y, x)
        """,
}
