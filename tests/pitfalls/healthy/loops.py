"""Recurrences, solvers and other loops within a tape."""

PROGRAMS = {
    "a recurrent cell": """
        tf.random.set_seed(1)
        inner = tf.Variable(tf.random.normal([3, 3]) * 0.4)
        outer = tf.Variable(tf.random.normal([2, 3]) * 0.4)
        inputs = tf.random.normal([4, 1, 2])
        with tf.GradientTape() as tape:
            state = tf.zeros([1, 3])
            for step in range(4):
                driven = inputs[step] @ outer
                state = tf.tanh(state @ inner + driven)
            loss = tf.reduce_mean((state - 0.5) ** 2)
        g = tape.gradient(loss, [inner, outer])
        """,
    "outputs in a list": """
        decay = tf.Variable(0.8)
        gain = tf.Variable(0.3)
        with tf.GradientTape() as tape:
            level = tf.constant(1.0)
            levels = []
            for step in range(4):
                level = decay * level + gain
                levels.append(level)
            stacked = tf.stack(levels)
            y = tf.reduce_mean(stacked ** 2)
        g = tape.gradient(y, [decay, gain])
        """,
    "a TensorArray": """
        rate = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            rows = tf.TensorArray(tf.float32, size=3)
            value = tf.constant(2.0)
            for step in range(3):
                value = value * rate
                rows = rows.write(step, value)
            y = tf.reduce_sum(rows.stack() ** 2)
        g = tape.gradient(y, [rate])
        """,
    "a falling stone": """
        drag = tf.Variable(0.2)
        with tf.GradientTape() as tape:
            height, speed = tf.constant(10.0), tf.constant(0.0)
            for step in range(5):
                force = -9.8 - drag * speed
                speed = speed + 0.1 * force
                height = height + 0.1 * speed
            y = height ** 2
        g = tape.gradient(y, [drag])
        """,
    "a tf.while_loop": """
        x = tf.Variable(1.1)
        with tf.GradientTape() as tape:
            _, power = tf.while_loop(
                lambda i, p: i < 4, lambda i, p: (i + 1, p * x), [tf.constant(0), tf.constant(1.0)]
            )
            y = power + x
        g = tape.gradient(y, [x])
        """,
    "a scan": """
        w = tf.Variable(0.7)
        series = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            sums = tf.scan(lambda state, each: w * state + each, series)
            y = tf.reduce_mean(sums)
        g = tape.gradient(y, [w])
        """,
    "mapped over rows": """
        w = tf.Variable([1.0, 2.0])
        rows = tf.constant([[1.0, 0.5], [2.0, 1.0]])
        with tf.GradientTape() as tape:
            dots = tf.map_fn(lambda row: tf.reduce_sum(row * w), rows)
            y = tf.reduce_mean(dots ** 2)
        g = tape.gradient(y, [w])
        """,
    "a power series": """
        x = tf.Variable(0.3)
        with tf.GradientTape() as tape:
            term = tf.ones([])
            total = tf.zeros([])
            for n in range(1, 6):
                total = total + term
                term = term * x / float(n)
            y = total ** 2
        g = tape.gradient(y, [x])
        """,
    "a beam of masses": """
        masses = [tf.Variable(1.0 + 0.5 * k) for k in range(3)]
        with tf.GradientTape() as tape:
            moments = [mass * float(k) ** 2 for k, mass in enumerate(masses, 1)]
            inertia = tf.add_n(moments)
            y = tf.math.log(inertia)
        g = tape.gradient(y, masses)
        """,
}
