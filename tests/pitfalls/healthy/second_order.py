"""Tapes within tapes, Jacobians, and steps that use curvature."""

PROGRAMS = {
    "a second derivative": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = x ** 4
            derivative = inner.gradient(h, x)
            y = derivative * 1.0
        g = tape.gradient(y, [x])
        """,
    "a third derivative": """
        x = tf.Variable(1.5)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as middle:
                with tf.GradientTape() as inner:
                    h = tf.exp(x) * x
                first = inner.gradient(h, x)
            y = middle.gradient(first, x)
        g = tape.gradient(y, [x])
        """,
    "a Jacobian": """
        x = tf.Variable([1.0, 2.0, 0.5])
        with tf.GradientTape(persistent=True) as tape:
            squares = x * x
            y = tf.sin(squares) * tf.reduce_sum(x)
        g = tape.jacobian(y, [x])
        """,
    "a Hessian": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            with tf.GradientTape() as inner:
                h = x[0] ** 2 * x[1] + tf.sin(x[1])
            derivatives = inner.gradient(h, x)
        g = tape.jacobian(derivatives, [x])
        """,
    "a batch of Jacobians": """
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * tf.constant([1.0, 2.0])
        g = tape.batch_jacobian(y, x)
        """,
    "a Hessian times a vector": """
        x = tf.Variable([1.0, 2.0])
        direction = tf.constant([0.5, -1.0])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = tf.reduce_sum(x ** 3) + x[0] * x[1]
            derivatives = inner.gradient(h, x)
            y = tf.reduce_sum(derivatives * direction)
        g = tape.gradient(y, [x])
        """,
    "Newton's method": """
        x = tf.Variable(2.0)
        for step in range(3):
            with tf.GradientTape() as tape:
                with tf.GradientTape() as inner:
                    h = x ** 4 - 3.0 * x
                derivative = inner.gradient(h, x)
            curvature = tape.gradient(derivative, x)
            x.assign_sub(derivative / curvature)
        with tf.GradientTape() as tape:
            h = x ** 4 - 2.0 * x
        g = tape.gradient(h, [x])
        """,
    "a gradient penalty": """
        tf.random.set_seed(2)
        weights = tf.Variable(tf.random.normal([2, 3]))
        last = tf.Variable(tf.random.normal([3, 1]))
        real, fake = tf.random.normal([4, 2]), tf.random.normal([4, 2])

        def critic(points):
            hidden = tf.tanh(points @ weights)
            return hidden @ last

        with tf.GradientTape() as tape:
            mixed = 0.3 * real + 0.7 * fake
            with tf.GradientTape() as inner:
                inner.watch(mixed)
                scores = critic(mixed)
            derivatives = inner.gradient(scores, mixed)
            norms = tf.sqrt(tf.reduce_sum(derivatives ** 2, axis=1) + 1e-6)
            penalty = tf.reduce_mean((norms - 1.0) ** 2)
            loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + penalty
        g = tape.gradient(loss, [weights, last])
        """,
    "an inner step of learning to learn": """
        start = tf.Variable([1.0, -1.0])
        first, second = tf.constant([2.0, 0.0]), tf.constant([1.0, 1.0])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                inner.watch(start)
                task = tf.reduce_sum((start - first) ** 4)
            derivative = inner.gradient(task, start)
            adapted = start - 0.05 * derivative
            y = tf.reduce_sum((adapted - second) ** 2)
        g = tape.gradient(y, [start])
        """,
    "several inner steps": """
        rate = tf.Variable(0.1)
        start = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            point = start * 1.0
            for step in range(3):
                with tf.GradientTape() as inner:
                    inner.watch(point)
                    task = point ** 2 + tf.sin(point)
                derivative = inner.gradient(task, point)
                point = point - rate * derivative
            y = point ** 2
        g = tape.gradient(y, [rate, start])
        """,
    "a physics-informed residual": """
        tf.random.set_seed(4)
        w = tf.Variable(tf.random.normal([1, 5]))
        v = tf.Variable(tf.random.normal([5, 1]))
        times = tf.constant([[0.1], [0.4], [0.9]])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                inner.watch(times)
                curve = tf.tanh(times @ w) @ v
            speed = inner.gradient(curve, times)
            residual = speed + 2.0 * curve
            loss = tf.reduce_mean(residual ** 2)
        g = tape.gradient(loss, [w, v])
        """,
    "first derivatives by two tapes": """
        x = tf.Variable(0.7)
        with tf.GradientTape() as first, tf.GradientTape() as tape:
            h = tf.sin(x)
            y = h * tf.exp(x)
        seen = first.gradient(h, x)
        g = tape.gradient(y, [x])
        """,
    "forward mode beside": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            h = tf.reduce_sum(tf.sin(x) * x)
            y = h * h
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as forward:
            other = tf.reduce_sum(tf.sin(x) * x)
        g = tape.gradient(y, [x])
        """,
}
