"""Small tapes, as in a first hour with gradients."""

PROGRAMS = {
    "a square": """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            square = x * x
            y = square + 2.0 * x
        g = tape.gradient(y, [x])
        """,
    "a watched constant": """
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = tf.sin(x)
            k = h * x
            y = tf.reduce_sum(k)
        g = tape.gradient(y, [x])
        """,
    "two variables by a function": """
        def area(width, height):
            inner = width * height
            border = 2.0 * (width + height)
            return inner + tf.sqrt(border)

        width = tf.Variable(3.0)
        height = tf.Variable(4.0)
        with tf.GradientTape() as tape:
            y = area(width, height)
        g = tape.gradient(y, [width, height])
        """,
    "a persistent tape asked thrice": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            squares = x * x
            total = tf.reduce_sum(squares)
            y = tf.math.log(total)
        first = tape.gradient(total, x)
        second = tape.gradient(y, squares)
        g = tape.gradient(y, [x])
        """,
    "a dictionary of sources": """
        weights = {"a": tf.Variable(1.5), "b": tf.Variable(-0.5)}
        with tf.GradientTape() as tape:
            mixed = weights["a"] * tf.exp(weights["b"])
            y = mixed * mixed
        g = tape.gradient(y, [weights["a"], weights["b"]])
        """,
    "a loop of a polynomial": """
        coefficients = tf.Variable([1.0, -2.0, 0.5])
        x = tf.constant(1.5)
        with tf.GradientTape() as tape:
            y = tf.constant(0.0)
            for k in range(3):
                term = coefficients[k] * x ** float(k)
                y = y + term
        g = tape.gradient(y, [coefficients])
        """,
    "branches of Python on data": """
        def bend(v, steep):
            if steep:
                out = tf.exp(v)
            else:
                out = v * 0.1
            return out

        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = bend(x, True)
            k = bend(x, False)
            y = h * k
        g = tape.gradient(y, [x])
        """,
    "where on data": """
        x = tf.Variable([-1.0, 2.0, 0.5])
        with tf.GradientTape() as tape:
            picked = tf.where(x > 0.0, x * x, 0.1 * x)
            y = tf.reduce_sum(picked)
        g = tape.gradient(y, [x])
        """,
    "slices and joins": """
        v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        with tf.GradientTape() as tape:
            left, right = v[:, :1], v[:, 1:]
            joined = tf.concat([right * 2.0, tf.sin(left)], axis=1)
            rows = tf.unstack(joined)
            stacked = tf.stack([rows[1], rows[0] * rows[1]])
            y = tf.reduce_mean(stacked)
        g = tape.gradient(y, [v])
        """,
    "shapes used as numbers": """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            count = tf.cast(tf.size(x), tf.float32)
            flat = tf.reshape(x, [-1])
            mean = tf.reduce_sum(flat * flat) / count
            y = tf.sqrt(mean)
        g = tape.gradient(y, [x])
        """,
    "a variable moved before the tape": """
        x = tf.Variable(2.0)
        x.assign(x + 1.0)
        x.assign_add(0.5)
        with tf.GradientTape() as tape:
            y = x ** 3
        g = tape.gradient(y, [x])
        """,
    "only some watched": """
        a = tf.Variable(2.0)
        b = tf.Variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(a)
            product = a * b
            y = product * a
        g = tape.gradient(y, [a])
        """,
    "logging beside the tape": """
        history = []
        x = tf.Variable([0.3, 0.7])
        with tf.GradientTape() as tape:
            h = tf.tanh(x)
            history.append(float(tf.reduce_max(h)))
            y = tf.reduce_sum(h * h)
            history.append(y.numpy())
        message = f"{float(y):.3f} {np.mean(x.numpy()):.3f} {history}"
        g = tape.gradient(y, [x])
        """,
    "a pause for what is only shown": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            h = x * x
            with tape.stop_recording():
                shown = tf.reduce_max(h) - tf.reduce_min(h)
            y = tf.reduce_sum(tf.exp(-h))
        g = tape.gradient(y, [x])
        """,
}
