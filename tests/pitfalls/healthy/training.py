"""Training by hand: variables, a loss, updates in a loop, and what is done beside."""

PROGRAMS = {
    "a line": """
        tf.random.set_seed(3)
        data = tf.random.normal([16, 1])
        labels = 3.0 * data + 1.0
        w = tf.Variable([[0.5]])
        b = tf.Variable([0.0])
        for step in range(3):
            with tf.GradientTape() as tape:
                predictions = data @ w + b
                errors = predictions - labels
                loss = tf.reduce_mean(errors ** 2)
            slope_w, slope_b = tape.gradient(loss, [w, b])
            w.assign_sub(0.1 * slope_w)
            b.assign_sub(0.1 * slope_b)
        with tf.GradientTape() as tape:
            predictions = data @ w + b
            errors = predictions - labels
            loss = tf.reduce_mean(errors ** 2)
        g = tape.gradient(loss, [w, b])
        """,
    "one step each": """
        w = tf.Variable([1.0, -1.0])
        data = tf.constant([[1.0, 2.0], [0.5, 1.0]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.linalg.matvec(data, w) - 1.0))
        derivative = tape.gradient(loss, w)
        w.assign_sub(0.1 * derivative)
        with tf.GradientTape() as tape:
            scores = tf.linalg.matvec(data, w)
            loss = tf.reduce_mean(tf.square(scores - 1.0))
        g = tape.gradient(loss, [w])
        """,
    "logistic regression": """
        tf.random.set_seed(1)
        data = tf.random.normal([12, 3])
        labels = tf.cast(data[:, :1] > 0.0, tf.float32)
        w = tf.Variable(tf.random.normal([3, 1]) * 0.1)
        b = tf.Variable(tf.zeros([1]))
        optimizer = tf.keras.optimizers.SGD(0.5)
        for step in range(3):
            with tf.GradientTape() as tape:
                logits = tf.matmul(data, w) + b
                losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
                loss = tf.reduce_mean(losses)
                penalty = 0.01 * tf.reduce_sum(w * w)
                total = loss + penalty
            derivatives = tape.gradient(total, [w, b])
            optimizer.apply_gradients(zip(derivatives, [w, b]))
            correct = tf.reduce_mean(tf.cast((logits > 0.0) == (labels > 0.5), tf.float32))
        with tf.GradientTape() as tape:
            logits = tf.matmul(data, w) + b
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
            total = tf.reduce_mean(losses) + 0.01 * tf.reduce_sum(w * w)
        g = tape.gradient(total, [w, b])
        """,
    "two layers": """
        tf.random.set_seed(5)
        data = tf.random.normal([8, 4])
        labels = tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
        w1 = tf.Variable(tf.random.normal([4, 6], stddev=0.5))
        b1 = tf.Variable(tf.ones([6]) * 0.1)
        w2 = tf.Variable(tf.random.normal([6, 3], stddev=0.5))

        def network(inputs):
            hidden = tf.nn.relu(inputs @ w1 + b1)
            return hidden @ w2

        with tf.GradientTape() as tape:
            logits = network(data)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        g = tape.gradient(loss, [w1, b1, w2])
        """,
    "momentum by hand": """
        x = tf.Variable([2.0, -1.0])
        velocity = tf.Variable([0.0, 0.0], trainable=False)
        for step in range(3):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(x ** 2 * tf.constant([1.0, 4.0]))
            derivative = tape.gradient(y, x)
            velocity.assign(0.9 * velocity + derivative)
            x.assign_sub(0.05 * velocity)
        with tf.GradientTape() as tape:
            squares = x ** 2
            y = tf.reduce_sum(squares * tf.constant([1.0, 4.0]))
        g = tape.gradient(y, [x])
        """,
    "early stopping": """
        w = tf.Variable(5.0)
        best, patience = math.inf, 2
        for epoch in range(10):
            with tf.GradientTape() as tape:
                loss = (w - 2.0) ** 2
            derivative = tape.gradient(loss, w)
            w.assign_sub(0.3 * derivative)
            if float(loss) > best - 0.5:
                patience -= 1
            best = min(best, float(loss))
            if patience == 0:
                break
        with tf.GradientTape() as tape:
            distance = w - 2.5
            loss = distance ** 2
        g = tape.gradient(loss, [w])
        """,
    "a line search": """
        x = tf.Variable([1.5, -0.5])

        def height(point):
            return tf.reduce_sum(point ** 4) + tf.reduce_sum(point ** 2)

        with tf.GradientTape() as tape:
            y = height(x)
        derivative = tape.gradient(y, x)
        rate = 1.0
        while float(height(x - rate * derivative)) > float(y) - 0.1 * rate * float(
            tf.reduce_sum(derivative ** 2)
        ):
            rate *= 0.5
        x.assign_sub(rate * derivative)
        with tf.GradientTape() as tape:
            y = height(x)
        g = tape.gradient(y, [x])
        """,
    "clipped by the global norm": """
        w = tf.Variable([3.0, 4.0])
        b = tf.Variable(1.0)
        optimizer = tf.keras.optimizers.Adam(0.1)
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w ** 4) * b
            derivatives, norm = tf.clip_by_global_norm(tape.gradient(loss, [w, b]), 1.0)
            optimizer.apply_gradients(zip(derivatives, [w, b]))
            print(end="" if float(norm) > 0 else "!")
        with tf.GradientTape() as tape:
            quartic = tf.reduce_sum(w ** 4)
            loss = quartic * b
        g = tape.gradient(loss, [w, b])
        """,
    "minimize": """
        x = tf.Variable(3.0)
        optimizer = tf.keras.optimizers.SGD(0.1)
        for step in range(3):
            with tf.GradientTape() as tape:
                loss = tf.square(x - 1.0)
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])
        with tf.GradientTape() as tape:
            loss = tf.square(x - 1.0)
        g = tape.gradient(loss, [x])
        """,
    "batches of a dataset": """
        features = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(12, 1)
        targets = 2.0 * features
        batches = tf.data.Dataset.from_tensor_slices((features, targets)).batch(4)
        w = tf.Variable([[0.1]])
        for batch, wanted in batches:
            with tf.GradientTape() as tape:
                errors = batch @ w - wanted
                loss = tf.reduce_mean(errors ** 2)
            derivative = tape.gradient(loss, w)
            w.assign_sub(0.5 * derivative)
        with tf.GradientTape() as tape:
            errors = batch @ w - wanted
            loss = tf.reduce_mean(errors ** 2)
        g = tape.gradient(loss, [w])
        """,
    "accumulated over small batches": """
        w = tf.Variable([[1.0], [2.0]])
        parts = [tf.ones([2, 2]), tf.ones([2, 2]) * 0.5]
        collected = tf.zeros_like(w)
        for part in parts:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(part @ w - 1.0))
            collected = collected + tape.gradient(loss, w)
        w.assign_sub(0.1 * collected / 2.0)
        with tf.GradientTape() as tape:
            answers = parts[0] @ w
            loss = tf.reduce_mean(tf.square(answers - 1.0))
        g = tape.gradient(loss, [w])
        """,
    "an average of weights": """
        w = tf.Variable([1.0, 2.0])
        average = tf.Variable([0.0, 0.0], trainable=False)
        for step in range(3):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.exp(-w))
            derivative = tape.gradient(y, w)
            w.assign_sub(0.1 * derivative)
            average.assign(0.9 * average + 0.1 * w)
        with tf.GradientTape() as tape:
            decays = tf.exp(-w)
            y = tf.reduce_sum(decays)
        g = tape.gradient(y, [w])
        """,
    "a rate that decays": """
        x = tf.Variable(4.0)
        rates = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.9)
        optimizer = tf.keras.optimizers.SGD(rates)
        losses = []
        for step in range(3):
            with tf.GradientTape() as tape:
                loss = tf.math.softplus(x)
            losses.append(float(loss))
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])
        with tf.GradientTape() as tape:
            loss = tf.math.softplus(x)
        g = tape.gradient(loss, [x])
        """,
}
