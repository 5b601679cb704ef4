"""Gradients that are stopped, bent or replaced on purpose, and what never needs one."""

PROGRAMS = {
    "a rule of one's own": """
        @tf.custom_gradient
        def softer(v):
            kept = tf.exp(v)

            def rule(upstream):
                return upstream * (1.0 - 1.0 / (1.0 + kept))

            return tf.math.log1p(kept), rule

        x = tf.Variable([0.5, -2.0])
        with tf.GradientTape() as tape:
            h = softer(x)
            y = tf.reduce_sum(h * h)
        g = tape.gradient(y, [x])
        """,
    "a rule that clips": """
        @tf.custom_gradient
        def clipped(v):
            return tf.identity(v), lambda upstream: tf.clip_by_norm(upstream, 0.5)

        x = tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            h = clipped(x * 2.0)
            y = tf.reduce_sum(h ** 2)
        g = tape.gradient(y, [x])
        """,
    "a rule with variables": """
        scale = tf.Variable(2.0)

        @tf.custom_gradient
        def scaled(v):
            def rule(upstream, variables=None):
                return upstream * scale, [tf.reduce_sum(upstream * v)]

            return v * scale, rule

        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            h = scaled(x)
            y = tf.reduce_sum(h * h)
        g = tape.gradient(y, [x, scale])
        """,
    "straight through a rounding": """
        x = tf.Variable([0.3, 1.7])
        with tf.GradientTape() as tape:
            h = x * 2.0
            rounded = h + tf.stop_gradient(tf.round(h) - h)
            y = tf.reduce_sum(rounded ** 2)
        g = tape.gradient(y, [x])
        """,
    "straight through a choice": """
        logits = tf.Variable([[0.2, 1.5, -0.3]])
        values = tf.constant([[1.0, 2.0, 4.0]])
        with tf.GradientTape() as tape:
            soft = tf.nn.softmax(logits)
            hard = tf.one_hot(tf.argmax(soft, axis=-1), 3)
            choice = soft + tf.stop_gradient(hard - soft)
            y = tf.reduce_sum(choice * values)
        g = tape.gradient(y, [logits])
        """,
    "a codebook": """
        codes = tf.Variable([[0.0, 0.0], [1.0, 1.0]])
        weights = tf.Variable([[1.0, 0.2], [0.1, 1.0]])
        data = tf.constant([[0.9, 0.7], [0.1, 0.3]])
        with tf.GradientTape() as tape:
            encoded = data @ weights
            distances = tf.reduce_sum((encoded[:, None] - codes[None]) ** 2, axis=-1)
            chosen = tf.gather(codes, tf.argmin(distances, axis=1))
            passed = encoded + tf.stop_gradient(chosen - encoded)
            loss = tf.reduce_mean((passed - data) ** 2)
        g = tape.gradient(loss, [weights])
        """,
    "clusters chosen outside": """
        points = tf.constant([[0.0, 0.1], [1.0, 0.9], [0.2, 0.0]])
        centres = tf.Variable([[0.3, 0.3], [0.8, 0.6]])
        distances = np.square(points.numpy()[:, None] - centres.numpy()[None]).sum(-1)
        nearest = distances.argmin(axis=1)
        optimizer = tf.keras.optimizers.SGD(0.5)
        for step in range(2):
            with tf.GradientTape() as tape:
                picked = tf.gather(centres, nearest)
                y = tf.reduce_mean((points - picked) ** 2)
            optimizer.apply_gradients([(tape.gradient(y, centres), centres)])
        with tf.GradientTape() as tape:
            picked = tf.gather(centres, nearest)
            y = tf.reduce_mean((points - picked) ** 2)
        g = tape.gradient(y, [centres])
        """,
    "a target network": """
        tf.random.set_seed(7)
        weights = tf.Variable(tf.random.normal([3, 2]))
        frozen = tf.Variable(weights, trainable=False)
        states, later = tf.random.normal([4, 3]), tf.random.normal([4, 3])
        actions, rewards = tf.constant([0, 1, 1, 0]), tf.constant([1.0, 0.0, 1.0, 0.5])
        best = tf.reduce_max(later @ frozen, axis=1)
        wanted = rewards + 0.9 * best
        with tf.GradientTape() as tape:
            values = states @ weights
            taken = tf.reduce_sum(values * tf.one_hot(actions, 2), axis=1)
            loss = tf.reduce_mean((wanted - taken) ** 2)
        g = tape.gradient(loss, [weights])
        """,
    "a policy and its returns": """
        logits = tf.Variable([0.1, 0.4, -0.2])
        actions = tf.constant([0, 2, 1])
        returns = tf.constant([1.0, -0.5, 2.0])
        advantages = returns - tf.reduce_mean(returns)
        with tf.GradientTape() as tape:
            chances = tf.nn.log_softmax(logits)
            taken = tf.gather(chances, actions)
            loss = -tf.reduce_mean(taken * advantages)
        g = tape.gradient(loss, [logits])
        """,
    "reparameterised noise": """
        tf.random.set_seed(11)
        mean = tf.Variable([0.5, -0.5])
        spread = tf.Variable([0.1, 0.2])
        with tf.GradientTape() as tape:
            noise = tf.random.normal([8, 2])
            samples = mean + tf.exp(spread) * noise
            y = tf.reduce_mean(samples ** 2)
        g = tape.gradient(y, [mean, spread])
        """,
    "computed again in the backward pass": """
        weights = tf.Variable([[0.5, -0.3], [0.2, 0.8]])

        @tf.recompute_grad
        def block(inputs):
            hidden = tf.tanh(inputs @ weights)
            return hidden * inputs

        data = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            h = block(data)
            y = tf.reduce_sum(h ** 2)
        g = tape.gradient(y, [weights, data])
        """,
    "a double where": """
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            positive = x > 0.0
            safe = tf.where(positive, x, 1.0)
            roots = tf.where(positive, tf.sqrt(safe), 0.5 * x)
            y = tf.reduce_sum(roots)
        g = tape.gradient(y, [x])
        """,
    "masks and positions": """
        scores = tf.Variable([[1.0, 3.0, 2.0], [0.5, 0.1, 0.9]])
        with tf.GradientTape() as tape:
            order = tf.argsort(scores, axis=-1)
            mask = tf.cast(order > 0, tf.float32)
            best, where = tf.math.top_k(scores, 2)
            y = tf.reduce_sum(best) + tf.reduce_sum(scores * mask)
        g = tape.gradient(y, [scores])
        """,
}
