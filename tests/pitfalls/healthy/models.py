"""Layers and models of Keras, trained by their tapes."""

_IMAGES = """
        tf.keras.utils.set_random_seed(3)
        images = tf.random.normal([2, 6, 6, 1])
        labels = tf.constant([0, 2])
"""

PROGRAMS = {
    "a Sequential": """
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(5, activation="tanh"),
            tf.keras.layers.Dense(1),
        ])
        data, labels = tf.random.normal([6, 3]), tf.random.normal([6, 1])
        optimizer = tf.keras.optimizers.Adam(0.01)
        model(data)
        for epoch in range(2):
            with tf.GradientTape() as tape:
                predictions = model(data, training=True)
                loss = tf.reduce_mean(tf.square(predictions - labels))
            derivatives = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(derivatives, model.trainable_variables))
        with tf.GradientTape() as tape:
            predictions = model(data, training=True)
            loss = tf.reduce_mean(tf.square(predictions - labels))
        g = tape.gradient(loss, model.trainable_variables)
        """,
    "metrics beside the loss": """
        tf.keras.utils.set_random_seed(2)
        model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
        measure = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        average = tf.keras.metrics.Mean()
        data, labels = tf.random.normal([6, 4]), tf.constant([0, 1, 2, 0, 1, 2])
        with tf.GradientTape() as tape:
            logits = model(data)
            loss = measure(labels, logits)
            accuracy.update_state(labels, logits)
            average.update_state(loss)
        shown = float(accuracy.result()), float(average.result())
        g = tape.gradient(loss, model.trainable_variables)
        """,
    "a functional model": """
        tf.keras.utils.set_random_seed(4)
        inputs = tf.keras.Input([4])
        hidden = tf.keras.layers.Dense(4, activation="gelu")(inputs)
        joined = tf.keras.layers.Add()([inputs, hidden])
        outputs = tf.keras.layers.Dense(1)(joined)
        model = tf.keras.Model(inputs, outputs)
        data = tf.random.normal([5, 4])
        with tf.GradientTape() as tape:
            answers = model(data)
            loss = tf.reduce_mean(tf.math.log(tf.cosh(answers)))
        g = tape.gradient(loss, model.trainable_variables)
        """,
    "a subclassed model": """
        tf.keras.utils.set_random_seed(5)

        class Net(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.first = tf.keras.layers.Dense(4)
                self.second = tf.keras.layers.Dense(2)

            def call(self, inputs):
                hidden = tf.tanh(self.first(inputs))
                return self.second(hidden) * 0.5

        net = Net()
        data = tf.random.normal([3, 4])
        with tf.GradientTape() as tape:
            answers = net(data)
            loss = tf.reduce_mean(answers ** 2)
        g = tape.gradient(loss, net.trainable_variables)
        """,
    "a convolution net": _IMAGES
    + """
        model = tf.keras.Sequential([
            tf.keras.layers.Conv2D(3, 3, activation="elu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(3),
        ])
        measure = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        with tf.GradientTape() as tape:
            logits = model(images)
            loss = measure(labels, logits)
        g = tape.gradient(loss, model.trainable_variables)
        """,
    "convolutions by hand": _IMAGES
    + """
        kernel = tf.Variable(tf.random.normal([3, 3, 1, 2]) * 0.5)
        bias = tf.Variable([0.1, -0.1])
        with tf.GradientTape() as tape:
            maps = tf.nn.conv2d(images, kernel, strides=1, padding="SAME")
            active = tf.nn.softplus(maps + bias)
            pooled = tf.reduce_mean(active, axis=[1, 2])
            loss = tf.reduce_mean(pooled ** 2)
        g = tape.gradient(loss, [kernel, bias])
        """,
    "normalised batches": """
        tf.keras.utils.set_random_seed(6)
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(4, use_bias=False),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Activation("tanh"),
            tf.keras.layers.Dense(1),
        ])
        data = tf.random.normal([8, 3])
        with tf.GradientTape() as tape:
            answers = model(data, training=True)
            loss = tf.reduce_mean((answers - 1.0) ** 2)
        g = tape.gradient(loss, model.trainable_variables)
        """,
    "normalised rows": """
        tf.keras.utils.set_random_seed(7)
        normal = tf.keras.layers.LayerNormalization()
        dense = tf.keras.layers.Dense(3)
        data = tf.random.normal([4, 5])
        with tf.GradientTape() as tape:
            rows = normal(data)
            answers = tf.sin(dense(rows))
            loss = tf.reduce_mean(answers ** 2)
        g = tape.gradient(loss, normal.trainable_variables + dense.trainable_variables)
        """,
    "dropout": """
        tf.keras.utils.set_random_seed(8)
        dense = tf.keras.layers.Dense(6)
        drop = tf.keras.layers.Dropout(0.3)
        data = tf.random.normal([4, 5])
        with tf.GradientTape() as tape:
            hidden = drop(dense(data), training=True)
            loss = tf.reduce_mean(hidden ** 2)
        g = tape.gradient(loss, dense.trainable_variables)
        """,
    "embeddings": """
        tf.random.set_seed(9)
        table = tf.Variable(tf.random.normal([6, 3]))
        weights = tf.Variable(tf.random.normal([3, 1]))
        words = tf.constant([[0, 2, 4], [1, 3, 5]])
        with tf.GradientTape() as tape:
            vectors = tf.nn.embedding_lookup(table, words)
            mean = tf.reduce_mean(vectors, axis=1)
            scores = tf.tanh(mean @ weights)
            loss = tf.reduce_mean((scores - 0.5) ** 2)
        g = tape.gradient(loss, [table, weights])
        """,
    "a frozen layer beside": """
        tf.keras.utils.set_random_seed(10)
        base = tf.keras.layers.Dense(4)
        head = tf.keras.layers.Dense(1)
        data = tf.random.normal([5, 3])
        features = base(data)
        with tf.GradientTape() as tape:
            answers = head(features)
            loss = tf.reduce_mean(tf.abs(answers - 5.0))
        g = tape.gradient(loss, head.trainable_variables)
        """,
    "an autoencoder": """
        tf.keras.utils.set_random_seed(11)
        encoder = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="sigmoid")])
        decoder = tf.keras.Sequential([tf.keras.layers.Dense(4)])
        data = tf.random.normal([5, 4])
        with tf.GradientTape() as tape:
            code = encoder(data)
            copies = decoder(code)
            loss = tf.reduce_mean(tf.square(copies - data))
        g = tape.gradient(loss, encoder.trainable_variables + decoder.trainable_variables)
        """,
    "two tapes of a game": """
        tf.keras.utils.set_random_seed(12)
        maker = tf.keras.layers.Dense(2)
        judge = tf.keras.layers.Dense(1)
        noise, real = tf.random.normal([4, 3]), tf.random.normal([4, 2])
        measure = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        with tf.GradientTape() as tape, tf.GradientTape() as other:
            fake = maker(noise)
            said_real, said_fake = judge(real), judge(fake)
            maker_loss = measure(tf.ones_like(said_fake), said_fake)
            judge_loss = measure(tf.ones_like(said_real), said_real)
            judge_loss += measure(tf.zeros_like(said_fake), said_fake)
        steps = other.gradient(judge_loss, judge.trainable_variables)
        g = tape.gradient(maker_loss, maker.trainable_variables)
        """,
    "a GRU": """
        tf.keras.utils.set_random_seed(13)
        cell = tf.keras.layers.GRU(3)
        head = tf.keras.layers.Dense(1)
        data = tf.random.normal([2, 4, 2])
        with tf.GradientTape() as tape:
            last = cell(data)
            answers = head(last)
            loss = tf.reduce_mean((answers - 1.0) ** 2)
        g = tape.gradient(loss, head.trainable_variables)
        """,
    "embeddings of words that come again": """
        tf.keras.utils.set_random_seed(17)
        model = tf.keras.Sequential([
            tf.keras.layers.Embedding(5, 3),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(1),
        ])
        words, labels = tf.constant([[0, 1, 1], [4, 0, 0]]), tf.constant([[1.0], [0.0]])
        measure = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        with tf.GradientTape() as tape:
            logits = model(words)
            loss = measure(labels, logits)
        g = tape.gradient(loss, model.trainable_variables)
        """,
    "attention": """
        tf.random.set_seed(14)
        query = tf.Variable(tf.random.normal([4, 4]) * 0.5)
        key = tf.Variable(tf.random.normal([4, 4]) * 0.5)
        value = tf.Variable(tf.random.normal([4, 4]) * 0.5)
        words = tf.random.normal([1, 3, 4])
        with tf.GradientTape() as tape:
            q, k, v = words @ query, words @ key, words @ value
            scores = tf.matmul(q, k, transpose_b=True) / 2.0
            weights = tf.nn.softmax(scores, axis=-1)
            mixed = weights @ v
            loss = tf.reduce_mean(mixed ** 2)
        g = tape.gradient(loss, [query, key, value])
        """,
    "losses of layers": """
        tf.keras.utils.set_random_seed(15)
        dense = tf.keras.layers.Dense(2, kernel_regularizer=tf.keras.regularizers.L2(0.1))
        data = tf.random.normal([4, 3])
        with tf.GradientTape() as tape:
            answers = dense(data)
            loss = tf.reduce_mean(answers ** 2) + tf.add_n(dense.losses)
        g = tape.gradient(loss, dense.trainable_variables)
        """,
    "a module": """
        class Line(tf.Module):
            def __init__(self):
                self.w = tf.Variable(2.0)
                self.b = tf.Variable(1.0)

            def __call__(self, inputs):
                scaled = self.w * inputs
                return scaled + self.b

        line = Line()
        data = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            answers = line(data)
            loss = tf.reduce_mean(tf.square(answers - 2.0))
        g = tape.gradient(loss, line.trainable_variables)
        """,
    "fitted, then asked": """
        tf.keras.utils.set_random_seed(16)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        data, labels = tf.random.normal([8, 2]), tf.random.normal([8, 1])
        model.fit(data, labels, epochs=1, batch_size=4, verbose=0)
        before = model.predict(data, verbose=0)
        with tf.GradientTape() as tape:
            answers = model(data)
            loss = tf.reduce_mean((answers - labels) ** 2)
        g = tape.gradient(loss, model.trainable_variables)
        """,
}
