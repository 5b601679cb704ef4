"""Linear algebra, signals, distributions and numbers of several widths."""

PROGRAMS = {
    "mixed precision with a loss scale": """
        tf.random.set_seed(1)
        w = tf.Variable(tf.random.normal([3, 1]))
        data, labels = tf.random.normal([4, 3]), tf.random.normal([4, 1])
        scale = 128.0
        with tf.GradientTape() as tape:
            half = tf.cast(data, tf.float16) @ tf.cast(w, tf.float16)
            answers = tf.cast(half, tf.float32)
            loss = tf.reduce_mean((answers - labels) ** 2)
            scaled = loss * scale
        g = tape.gradient(scaled, [w])
        """,
    "double precision": """
        x = tf.Variable(np.array([1.0, 2.0]))
        with tf.GradientTape() as tape:
            h = tf.math.lgamma(x)
            y = tf.reduce_sum(h * tf.cast(tf.constant([1.0, 3.0]), tf.float64))
        g = tape.gradient(y, [x])
        """,
    "a linear system": """
        matrix = tf.Variable([[3.0, 1.0], [1.0, 2.0]])
        right = tf.Variable([[1.0], [2.0]])
        with tf.GradientTape() as tape:
            answer = tf.linalg.solve(matrix, right)
            y = tf.reduce_sum(answer ** 2)
        g = tape.gradient(y, [matrix, right])
        """,
    "a log determinant": """
        factor = tf.Variable([[2.0, 0.5], [0.3, 1.0]])
        with tf.GradientTape() as tape:
            spread = factor @ tf.transpose(factor) + tf.eye(2)
            chol = tf.linalg.cholesky(spread)
            y = 2.0 * tf.reduce_sum(tf.math.log(tf.linalg.diag_part(chol)))
        g = tape.gradient(y, [factor])
        """,
    "eigenvalues apart": """
        matrix = tf.Variable([[2.0, 0.3], [0.3, 5.0]])
        with tf.GradientTape() as tape:
            symmetric = (matrix + tf.transpose(matrix)) / 2.0
            values = tf.linalg.eigvalsh(symmetric)
            y = values[1] - values[0]
        g = tape.gradient(y, [matrix])
        """,
    "a spectrum": """
        signal = tf.Variable([1.0, 2.0, 0.5, -1.0])
        with tf.GradientTape() as tape:
            spectrum = tf.signal.rfft(signal)
            power = tf.abs(spectrum) ** 2
            y = tf.reduce_mean(power)
        g = tape.gradient(y, [signal])
        """,
    "an einsum": """
        a = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        b = tf.Variable([[0.5, 0.1], [0.2, 0.3]])
        with tf.GradientTape() as tape:
            product = tf.einsum("ij,jk->ik", a, b)
            y = tf.einsum("ii->", product) ** 2
        g = tape.gradient(y, [a, b])
        """,
    "a mixture of bells": """
        centres = tf.Variable([-1.0, 1.0])
        logits = tf.Variable([0.2, -0.2])
        data = tf.constant([0.5, -0.7, 1.2])
        with tf.GradientTape() as tape:
            squared = (data[:, None] - centres[None]) ** 2
            parts = tf.nn.log_softmax(logits) - 0.5 * squared
            likelihood = tf.reduce_logsumexp(parts, axis=1)
            loss = -tf.reduce_mean(likelihood)
        g = tape.gradient(loss, [centres, logits])
        """,
    "segments": """
        values = tf.Variable([1.0, 2.0, 3.0, 4.0])
        groups = tf.constant([0, 0, 1, 1])
        with tf.GradientTape() as tape:
            sums = tf.math.segment_sum(values ** 2, groups)
            y = tf.reduce_mean(tf.math.log(sums))
        g = tape.gradient(y, [values])
        """,
    "scattered updates": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            base = tf.zeros([4])
            filled = tf.tensor_scatter_nd_update(base, [[1], [3]], x * x)
            y = tf.reduce_sum(filled * tf.constant([1.0, 2.0, 3.0, 4.0]))
        g = tape.gradient(y, [x])
        """,
    "an image adjusted": """
        image = tf.Variable(np.linspace(0.1, 0.9, 12, dtype=np.float32).reshape(1, 2, 2, 3))
        with tf.GradientTape() as tape:
            larger = tf.image.resize(image, [4, 4])
            brighter = tf.pad(larger, [[0, 0], [1, 1], [1, 1], [0, 0]]) * 1.2
            y = tf.reduce_mean(brighter ** 2)
        g = tape.gradient(y, [image])
        """,
    "style by correlations": """
        features = tf.Variable([[1.0, 0.5], [0.2, 0.8], [0.3, 0.1]])
        wanted = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        with tf.GradientTape() as tape:
            gram = tf.matmul(features, features, transpose_a=True) / 3.0
            y = tf.reduce_mean((gram - wanted) ** 2)
        g = tape.gradient(y, [features])
        """,
    "exported for a picture": """
        x = tf.Variable(np.linspace(-1.0, 1.0, 5).astype(np.float32))
        with tf.GradientTape() as tape:
            curve = tf.tanh(x) * 2.0
            y = tf.reduce_mean(curve)
        lines = {"x": x.numpy(), "y": np.asarray(curve), "title": f"{float(y):.2f}"}
        area = np.trapezoid(lines["y"], lines["x"]) if hasattr(np, "trapezoid") else 0.0
        g = tape.gradient(y, [x])
        """,
}
