"""Loops whose number of runs decides the gradient."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
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
    Pitfall("P82 a name", "DATA_DEPENDENT_TRIP_COUNT", """
        x = tf.Variable(3.3)
        with tf.GradientTape() as tape:
            y, n = tf.constant(1.0), 0
            n = «int(x)»
            for _ in range(n):
                y = y * x
        g = tape.gradient(y, x)
        """,
        fix="n = 3",
        symptom="value"),
    Pitfall("P82 a range", "DATA_DEPENDENT_TRIP_COUNT", """
        x = tf.Variable(3.3)
        with tf.GradientTape() as tape:
            y = tf.constant(1.0)
            for _ in range(«int(x)»):
                y = y * x
        g = tape.gradient(y, x)
        """,
        fix="for _ in range(3):",
        symptom="value"),
    Pitfall("P82 break", "DATA_DEPENDENT_TRIP_COUNT", """
        x = tf.Variable(0.3)
        with tf.GradientTape() as tape:
            y = x
            for _ in range(100):
                y = y + x
                if «y > 2.0»:
                    break
        g = tape.gradient(y, x)
        """,
        fix="""
        for _ in range(6):
            y = y + x
        """,
        symptom="value"),
    Pitfall("P82 float", "DATA_DEPENDENT_TRIP_COUNT", """
        x = tf.Variable(0.3)
        with tf.GradientTape() as tape:
            y = x
            while «float(y)» < 2.0:
                y = y + x
        g = tape.gradient(y, x)
        """,
        fix="for _ in range(6):",
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
    "P82 broken off when it has converged": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(1.0)
            for _ in range(100):
                step = 0.5 * (y + x / y) - y
                if abs(float(step)) < 1e-5:
                    break
                y = y + step
        g = tape.gradient(y, x)
        """,
    "P82 the numbers of an array": """
        x = tf.Variable([2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
            seen = [value for value in x.numpy()]
            for value in x.numpy():
                y = y + x[0]
        g = tape.gradient(y, x)
        """,
    "P82 a number that counts nothing": """
        x = tf.Variable(2.3)
        with tf.GradientTape() as tape:
            n = int(x)
            y, seen = x * 1.0, n + 1
            for _ in range(2):
                y = y * x
        g = tape.gradient(y, x)
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
