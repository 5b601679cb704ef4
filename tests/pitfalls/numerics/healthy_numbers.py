"""Healthy numbers: nothing is to be found in the gradients of `y` for any of the `sources`."""

NUMBERS = {
    "a perfect fit": """
        X = tf.constant([1.0, 2.0, 3.0])
        w = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean((w * X - 2.0 * X) ** 2)
        sources = [w]
        """,
    "a perfect fit in absolute errors": """
        X = tf.constant([1.0, 2.0, 3.0])
        w = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.keras.losses.MeanAbsoluteError()(2.0 * X, w * X)
        sources = [w]
        """,
    "a Huber loss": """
        X = tf.constant([1.0, 2.0, 3.0])
        w = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.keras.losses.Huber()([1.0, 7.0, 6.0], w * X)
        sources = [w]
        """,
    "Heron's root": """
        a = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            z = tf.constant(1.0)
            for _ in range(6):
                z = 0.5 * (z + a / z)
            y = z
        sources = [a]
        """,
    "training until the loss is small": """
        x = tf.Variable(3.0)
        loss = tf.constant(9.0)
        while loss > 0.001:
            with tf.GradientTape(persistent=True) as tape:
                loss = (x - 1.0) ** 2
            x.assign_sub(0.2 * tape.gradient(loss, x))
        y = loss
        sources = [x]
        """,
    "decay in small steps": """
        k = tf.Variable(0.5)
        with tf.GradientTape(persistent=True) as tape:
            x = tf.constant(1.0)
            for _ in range(50):
                x = x - 0.02 * k * x
            y = x
        sources = [k]
        """,
    "a thrown ball in small steps": """
        v = tf.Variable([3.0, 4.0])
        with tf.GradientTape(persistent=True) as tape:
            p = tf.zeros(2)
            u = v + 0.0
            for _ in range(20):
                p = p + 0.05 * u
                u = u + 0.05 * tf.constant([0.0, -9.8])
            y = tf.reduce_sum((p - 1.0) ** 2)
        sources = [v]
        """,
    "a Taylor series": """
        x = tf.Variable(0.5)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.constant(0.0)
            t = tf.constant(1.0)
            for k in range(1, 12):
                y = y + t
                t = t * x / float(k)
        sources = [x]
        """,
    "distances of all pairs": """
        tf.random.set_seed(0)
        z = tf.Variable(tf.random.normal((4, 3)))
        with tf.GradientTape(persistent=True) as tape:
            d = tf.reduce_sum((z[:, None, :] - z[None, :, :]) ** 2, -1)
            y = tf.reduce_mean(tf.exp(-d))
        sources = [z]
        """,
    "a second derivative": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            with tf.GradientTape() as inner:
                f = tf.reduce_sum(x ** 3)
            y = tf.reduce_sum(inner.gradient(f, x))
        sources = [x]
        """,
    "sure and right, of two classes": """
        x = tf.Variable([50.0, -60.0])
        with tf.GradientTape(persistent=True) as tape:
            y = tf.keras.losses.BinaryCrossentropy()([1.0, 0.0], tf.sigmoid(x))
        sources = [x]
        """,
    "sure and right, from scores": """
        x = tf.Variable([[500.0, -60.0]])
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], x))
        sources = [x]
        """,
    "a leaky branch": """
        x = tf.Variable([1.0, -2.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(tf.where(x > 0, x ** 2, 0.1 * x))
        sources = [x]
        """,
    "a clipped norm": """
        x = tf.Variable([3.0, 4.0])
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(tf.clip_by_norm(x, 1.0) * tf.constant([1.0, 2.0]))
        sources = [x]
        """,
    "a stretch in float16": """
        x = tf.Variable([0.5, 1.5])
        with tf.GradientTape(persistent=True) as tape:
            h = tf.cast(x, tf.float16)
            y = tf.reduce_mean(tf.cast(h * h, tf.float32))
        sources = [x]
        """,
    "a sum over a small batch": """
        x = tf.Variable([0.5, 1.5])
        X = tf.constant([[1.0, 2.0], [3.0, 4.0]] * 8)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum((tf.linalg.matvec(X, x) - 1.0) ** 2)
        sources = [x]
        """,
    "eigenvectors well apart": """
        A = tf.Variable([[2.0, 0.5], [0.5, 1.0]])
        with tf.GradientTape(persistent=True) as tape:
            w, v = tf.linalg.eigh(A)
            y = tf.reduce_sum(w * tf.reduce_sum(v ** 3, 0))
        sources = [A]
        """,
    "a Gaussian likelihood": """
        m = tf.Variable(0.1)
        s = tf.Variable(0.5)
        X = tf.constant([0.1, 0.2, 0.5])
        with tf.GradientTape(persistent=True) as tape:
            y = -tf.reduce_mean(-0.5 * ((X - m) / s) ** 2 - tf.math.log(s) - 0.919)
        sources = [m, s]
        """,
    "a softmax at low temperature": """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            y = -tf.math.log(tf.nn.softmax(x / 0.05)[2])
        sources = [x]
        """,
    "parallel vectors": """
        a = tf.Variable([1.0, 2.0])
        b = tf.Variable([2.0, 4.0])
        with tf.GradientTape(persistent=True) as tape:
            y = 1.0 - tf.reduce_sum(tf.math.l2_normalize(a) * tf.math.l2_normalize(b))
        sources = [a, b]
        """,
    "a sum of shares": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(tf.nn.softmax(x))
        sources = [x]
        """,
    "a shift that a softmax takes away": """
        b = tf.Variable(0.3)
        X = tf.constant([[1.0, 2.0], [0.1, 0.2]])
        with tf.GradientTape(persistent=True) as tape:
            y = -tf.reduce_mean(tf.nn.log_softmax(X + b)[:, 0])
        sources = [b]
        """,
    "the energy of a few springs": """
        k = tf.Variable(2.0)
        X = tf.linspace(0.0, 1.0, 20)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(0.5 * k * X ** 2)
        sources = [k]
        """,
}
