"""Healthy models: nothing is to be found in the gradients of `y` for any of the `sources`."""

MODELS = {
    "a perceptron": """
        tf.random.set_seed(0)
        X = tf.random.normal((16, 4))
        Y = tf.random.normal((16, 1))
        W1 = tf.Variable(tf.random.normal((4, 8)) * 0.5)
        b1 = tf.Variable(tf.zeros(8))
        W2 = tf.Variable(tf.random.normal((8, 1)) * 0.5)
        b2 = tf.Variable(tf.zeros(1))
        with tf.GradientTape(persistent=True) as tape:
            h = tf.nn.relu(X @ W1 + b1)
            y = tf.reduce_mean((h @ W2 + b2 - Y) ** 2)
        sources = [W1, b1, W2, b2]
        """,
    "a convolutional network": """
        tf.keras.utils.set_random_seed(0)
        m = tf.keras.Sequential([
            tf.keras.layers.Conv2D(4, 3, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(5),
        ])
        X = tf.nn.relu(tf.random.normal((4, 8, 8, 1)))
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            y = loss([0, 1, 2, 3], m(X))
        sources = m.trainable_variables
        """,
    "an LSTM": """
        tf.keras.utils.set_random_seed(0)
        l = tf.keras.layers.LSTM(4)
        d = tf.keras.layers.Dense(1)
        X = tf.random.normal((2, 30, 3))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean(d(l(X)) ** 2)
        sources = l.trainable_variables + d.trainable_variables
        """,
    "a recurrent network by hand": """
        tf.random.set_seed(0)
        W = tf.Variable(tf.random.normal((4, 4)) * 0.5)
        U = tf.Variable(tf.random.normal((3, 4)))
        X = tf.random.normal((25, 2, 3))
        with tf.GradientTape(persistent=True) as tape:
            h = tf.zeros((2, 4))
            for t in range(25):
                h = tf.tanh(h @ W + X[t] @ U)
            y = tf.reduce_mean(h ** 2)
        sources = [W, U]
        """,
    "attention": """
        tf.random.set_seed(0)
        Q = tf.Variable(tf.random.normal((2, 5, 4)))
        K = tf.Variable(tf.random.normal((2, 5, 4)))
        V = tf.Variable(tf.random.normal((2, 5, 4)))
        with tf.GradientTape(persistent=True) as tape:
            a = tf.nn.softmax(tf.matmul(Q, K, transpose_b=True) / 2.0)
            o = a @ V
            y = tf.reduce_mean(tf.nn.softmax(tf.reduce_mean(o, 1))[:, 0])
        sources = [Q, K, V]
        """,
    "forty residual layers": """
        tf.random.set_seed(0)
        Ws = [tf.Variable(tf.random.normal((4, 4)) * 0.1) for _ in range(40)]
        X = tf.random.normal((3, 4))
        with tf.GradientTape(persistent=True) as tape:
            h = X
            for w in Ws:
                h = h + tf.nn.relu(h @ w)
            y = tf.reduce_mean(h ** 2)
        sources = Ws[:2] + Ws[-2:]
        """,
    "thirty layers with He initialisation": """
        tf.random.set_seed(0)
        Ws = [tf.Variable(tf.random.normal((16, 16)) * (2 / 16) ** 0.5) for _ in range(30)]
        X = tf.random.normal((8, 16))
        with tf.GradientTape(persistent=True) as tape:
            h = X
            for w in Ws:
                h = tf.nn.relu(h @ w)
            y = tf.reduce_mean(h ** 2)
        sources = Ws[:2] + Ws[-2:]
        """,
    "layer normalisation": """
        tf.random.set_seed(0)
        x = tf.Variable(tf.random.normal((4, 6)))
        g = tf.Variable(tf.ones(6))
        b = tf.Variable(tf.zeros(6))
        with tf.GradientTape(persistent=True) as tape:
            m, v = tf.nn.moments(x, [-1], keepdims=True)
            h = (x - m) / tf.sqrt(v + 1e-05) * g + b
            y = tf.reduce_mean(tf.nn.gelu(h) ** 2)
        sources = [x, g, b]
        """,
    "a variational autoencoder": """
        tf.random.set_seed(0)
        mu = tf.Variable([0.1, 0.2])
        ls = tf.Variable([0.0, -0.1])
        with tf.GradientTape(persistent=True) as tape:
            z = mu + tf.exp(0.5 * ls) * tf.random.normal((2,))
            kl = -0.5 * tf.reduce_sum(1 + ls - mu ** 2 - tf.exp(ls))
            y = tf.reduce_sum((z - 1.0) ** 2) + kl
        sources = [mu, ls]
        """,
    "a linear model that begins at 0": """
        X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        Y = tf.constant([[1.0], [0.0]])
        w = tf.Variable(tf.zeros((2, 1)))
        b = tf.Variable(0.0)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean((X @ w + b - Y) ** 2)
        sources = [w, b]
        """,
    "a logistic regression that begins at 0": """
        X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        Y = tf.constant([[1.0], [0.0]])
        w = tf.Variable(tf.zeros((2, 1)))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=Y, logits=X @ w))
        sources = [w]
        """,
    "a support vector machine that begins at 0": """
        X = tf.constant([[1.0, 2.0], [-3.0, 4.0]])
        Y = tf.constant([[1.0], [-1.0]])
        w = tf.Variable(tf.zeros((2, 1)))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean(tf.maximum(0.0, 1.0 - Y * (X @ w)))
            y += 0.01 * tf.reduce_sum(w ** 2)
        sources = [w]
        """,
    "a Gumbel softmax": """
        tf.random.set_seed(0)
        l = tf.Variable([0.1, 0.5, -0.3])
        with tf.GradientTape(persistent=True) as tape:
            g = -tf.math.log(-tf.math.log(tf.random.uniform((3,))))
            s = tf.nn.softmax((l + g) / 0.5)
            y = tf.reduce_sum(s * tf.constant([1.0, 2.0, 3.0]))
        sources = [l]
        """,
    "a policy gradient": """
        l = tf.Variable([0.1, 0.5, -0.3])
        with tf.GradientTape(persistent=True) as tape:
            lp = tf.nn.log_softmax(l)
            y = -tf.reduce_mean(tf.gather(lp, [0, 2, 2]) * tf.constant([1.0, 0.5, -1.0]))
        sources = [l]
        """,
    "a clipped policy": """
        r = tf.Variable([1.5, 0.3, 1.0])
        A = tf.constant([1.0, -1.0, 0.5])
        with tf.GradientTape(persistent=True) as tape:
            y = -tf.reduce_mean(tf.minimum(r * A, tf.clip_by_value(r, 0.8, 1.2) * A))
        sources = [r]
        """,
    "a contrastive loss": """
        tf.random.set_seed(0)
        z = tf.Variable(tf.random.normal((4, 3)))
        with tf.GradientTape(persistent=True) as tape:
            n = tf.math.l2_normalize(z, axis=1)
            s = n @ tf.transpose(n)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(4), s * 5.0)
            y = tf.reduce_mean(loss)
        sources = [z]
        """,
    "a gradient penalty": """
        tf.random.set_seed(0)
        w = tf.Variable(tf.random.normal((2, 1)))
        x = tf.random.normal((4, 2))
        with tf.GradientTape(persistent=True) as tape:
            with tf.GradientTape() as inner:
                inner.watch(x)
                o = tf.tanh(x @ w)
            gr = inner.gradient(o, x)
            n = tf.sqrt(tf.reduce_sum(gr ** 2, 1) + 1e-12)
            y = tf.reduce_mean((n - 1.0) ** 2)
        sources = [w]
        """,
    "pooling over ties at 0": """
        tf.random.set_seed(0)
        k = tf.Variable(tf.random.normal((3, 3, 1, 2)))
        with tf.GradientTape(persistent=True) as tape:
            h = tf.nn.relu(tf.nn.conv2d(tf.zeros((1, 8, 8, 1)) + 0.1, k, 1, "SAME"))
            y = tf.reduce_mean(tf.nn.max_pool2d(h, 2, 2, "VALID"))
        sources = [k]
        """,
    "a transformer block": """
        tf.keras.utils.set_random_seed(0)
        a = tf.keras.layers.MultiHeadAttention(2, 4)
        n = tf.keras.layers.LayerNormalization()
        d = tf.keras.layers.Dense(4, activation="gelu")
        X = tf.random.normal((2, 5, 4))
        with tf.GradientTape(persistent=True) as tape:
            h = n(X + a(X, X))
            y = tf.reduce_mean(d(h) ** 2)
        sources = a.trainable_variables + n.trainable_variables + d.trainable_variables
        """,
    "batch normalisation behind a layer without a bias": """
        tf.keras.utils.set_random_seed(0)
        m = tf.keras.Sequential([
            tf.keras.layers.Dense(4, use_bias=False),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.ReLU(),
            tf.keras.layers.Dense(1),
        ])
        X = tf.random.normal((8, 3))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean((m(X, training=True) - 1.0) ** 2)
        sources = m.trainable_variables
        """,
    "a GRU": """
        tf.keras.utils.set_random_seed(0)
        l = tf.keras.layers.GRU(4)
        d = tf.keras.layers.Dense(1)
        X = tf.random.normal((2, 30, 3))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean(d(l(X)) ** 2)
        sources = l.trainable_variables + d.trainable_variables
        """,
    "an embedding": """
        tf.keras.utils.set_random_seed(0)
        m = tf.keras.Sequential([
            tf.keras.layers.Embedding(10, 3),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(1),
        ])
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean(m(tf.constant([[1, 2, 2], [1, 3, 4]])) ** 2)
        sources = m.trainable_variables
        """,
}
