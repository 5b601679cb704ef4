"""Functions compiled by `tf.function`, called until their replays are flat programs."""

PROGRAMS = {
    "a compiled loss": """
        w = tf.Variable([[0.5], [-0.5]])
        data = tf.constant([[1.0, 2.0], [3.0, 4.0]])

        @tf.function
        def forward(inputs):
            scores = inputs @ w
            return tf.reduce_mean(tf.square(scores - 1.0))

        for step in range(5):
            with tf.GradientTape() as tape:
                loss = forward(data)
            derivative = tape.gradient(loss, w)
            w.assign_sub(0.01 * derivative)
        with tf.GradientTape() as tape:
            half = forward(data)
            loss = half * 2.0
        g = tape.gradient(loss, [w])
        """,
    "a compiled train step": """
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="tanh"),
                                     tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.1)
        data, labels = tf.random.normal([6, 2]), tf.random.normal([6, 1])
        model(data)

        @tf.function
        def train_step(inputs, wanted):
            with tf.GradientTape() as inside:
                loss = tf.reduce_mean(tf.square(model(inputs) - wanted))
            derivatives = inside.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(derivatives, model.trainable_variables))
            return loss

        losses = [float(train_step(data, labels)) for step in range(5)]
        with tf.GradientTape() as tape:
            answers = model(data)
            loss = tf.reduce_mean(tf.square(answers - labels))
        g = tape.gradient(loss, model.trainable_variables)
        """,
    "a compiled model": """
        tf.keras.utils.set_random_seed(2)
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="sigmoid")])
        data = tf.random.normal([4, 3])
        model(data)
        forward = tf.function(model)
        for step in range(5):
            with tf.GradientTape() as tape:
                answers = forward(data)
                loss = tf.reduce_mean(answers ** 2)
            derivatives = tape.gradient(loss, model.trainable_variables)
        with tf.GradientTape() as tape:
            answers = forward(data)
            loss = tf.reduce_mean(answers ** 2)
        g = tape.gradient(loss, model.trainable_variables)
        """,
    "a compiled loop": """
        rate = tf.Variable(0.9)

        @tf.function
        def fade(level):
            for step in tf.range(3):
                level = level * rate
            return level

        for call in range(5):
            with tf.GradientTape() as tape:
                h = fade(tf.constant(2.0))
                y = h * h
            derivative = tape.gradient(y, rate)
        with tf.GradientTape() as tape:
            h = fade(tf.constant(2.0))
            y = h * h
        g = tape.gradient(y, [rate])
        """,
    "two compiled layers": """
        tf.random.set_seed(3)
        first = tf.Variable(tf.random.normal([2, 4]))
        second = tf.Variable(tf.random.normal([4, 1]))

        @tf.function
        def layer(inputs, weights):
            return tf.tanh(inputs @ weights)

        data = tf.random.normal([3, 2])
        for call in range(5):
            with tf.GradientTape() as tape:
                hidden = layer(data, first)
                answers = layer(hidden, second)
                loss = tf.reduce_mean((answers - 0.3) ** 2)
        g = tape.gradient(loss, [first, second])
        """,
}
