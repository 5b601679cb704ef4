"""Gradients with respect to complex sources, which are conjugates of derivatives."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P74 several numbers", "COMPLEX_CONVENTION", """
        x = tf.constant([1.0 + 1.0j, 2.0 - 1.0j])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.exp(x)
        g = «tape.gradient(y, x)»
        """,
        fix="g = tf.math.conj(tape.gradient(y, x))", symptom="value"),
    Pitfall("P74 a real target", "COMPLEX_CONVENTION", """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape:
            y = tf.abs(x) ** 2
        g = «tape.gradient(y, x)»
        """,
        fix="g = tf.math.conj(tape.gradient(y, x))", symptom="value"),
    Pitfall("P74 a real target, asked why", "COMPLEX_CONVENTION", """
        x = tf.constant(1.0 + 2.0j)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.real(x * x)
        g = «tape.gradient(y, x)»
        """,
        fix="g = tf.math.conj(tape.gradient(y, x))", symptom="value", ask="tf.why()"),
    Pitfall("P74 a real target that is computed with a conjugate", "COMPLEX_CONVENTION", """
        x = tf.Variable([3.0 + 1.0j, 1.0 - 2.0j])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.math.real(x * tf.math.conj(x)))
        g = 2.0 * «tape.gradient(y, x)»
        """,
        fix="g = 2.0 * tf.math.conj(tape.gradient(y, x))", symptom="value"),
    Pitfall("P74 a spectrum", "COMPLEX_CONVENTION", """
        x = tf.Variable([4.0 + 0.0j, 1.0 - 2.0j, 0.5 + 0.0j])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.signal.irfft(x) ** 2)
        g = «tape.gradient(y, x)»
        """,
        fix="g = tf.math.conj(tape.gradient(y, x))", symptom="value"),
]  # fmt: skip

NEAR_MISSES = {
    "P74 a step of gradient descent": """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape: y = tf.abs(x) ** 2
        g = tape.gradient(y, x)
        x.assign_sub(0.1 * g)
        """,
    "P74 an optimizer": """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape: y = tf.abs(x) ** 2
        g = tape.gradient(y, x)
        tf.keras.optimizers.SGD(0.1).apply_gradients([(g, x)])
        """,
    "P74 a step to a new tensor": """
        x = tf.constant(3.0 + 1.0j)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.abs(x) ** 2
        g = tape.gradient(y, x)
        nearer = x - 0.1 * g
        """,
    "P74 a step with momentum": """
        x, velocity = tf.constant(3.0 + 1.0j), tf.constant(0.0 + 0.0j)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.abs(x) ** 2
        g = tape.gradient(y, x)
        velocity = 0.9 * velocity + g
        nearer = x - 0.1 * velocity
        """,
    "P74 a step by a caller": """
        def gradient(at):
            with tf.GradientTape() as tape:
                tape.watch(at)
                y = tf.abs(at) ** 2
            return tape, y, tape.gradient(y, at)
        x = tf.constant(3.0 + 1.0j)
        tape, y, g = gradient(x)
        nearer = x - 0.1 * g
        """,
    "P74 its parts": """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape: y = tf.abs(x) ** 2
        g = tape.gradient(y, x)
        by_real, by_imaginary = tf.math.real(g), tf.math.imag(g)
        """,
    "P74 its parts in NumPy": """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape: y = tf.abs(x) ** 2
        g = tape.gradient(y, x)
        print(g.numpy().real, g.numpy().imag)
        """,
    "P74 a real target, conjugated": """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape: y = tf.math.real(x * tf.math.conj(x))
        g = tf.math.conj(tape.gradient(y, x))
        """,
    "P74 a real target, conjugated in another line": """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape: y = tf.abs(x) ** 2
        g = tape.gradient(y, x)
        derivative = tf.math.conj(g)
        """,
    "P74 a real target, conjugated by a caller": """
        def gradient(x):
            with tf.GradientTape() as tape: y = tf.abs(x) ** 2
            return tape, y, tape.gradient(y, x)
        x = tf.Variable(3.0 + 1.0j)
        tape, y, g = gradient(x)
        g = np.conj(g)
        """,
    "P74 a real target whose gradient is real": """
        x = tf.Variable(3.0 + 0.0j)
        with tf.GradientTape() as tape: y = tf.abs(x) ** 2
        g = tape.gradient(y, x)
        """,
    "P74 a real source": """
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape: y = tf.reduce_sum(tf.abs(tf.signal.rfft(x)) ** 2)
        g = tape.gradient(y, x)
        """,
    "P74 conjugated back": """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape: y = x * x
        g = tf.math.conj(tape.gradient(y, x))
        """,
}
