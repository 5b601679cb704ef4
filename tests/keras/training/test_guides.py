"""Programs as the guides of TensorFlow write them: what they must come to, here as there."""

import numpy as np
import pytest


@pytest.fixture
def keras(tf):
    return tf.keras


def line(tf, count=200):
    """Points around the line 3x + 2."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, count).astype(np.float32)
    noise = rng.normal(0.0, 0.1, count).astype(np.float32)
    return tf.constant(x), tf.constant(3.0 * x + 2.0 + noise)


def test_a_module_learns_a_line_in_a_loop_of_its_own(tf):
    class MyModel(tf.Module):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = tf.Variable(5.0)
            self.b = tf.Variable(0.0)

        def __call__(self, x):
            return self.w * x + self.b

    def loss(target_y, predicted_y):
        return tf.reduce_mean(tf.square(target_y - predicted_y))

    def train(model, x, y, learning_rate):
        with tf.GradientTape() as t:
            current_loss = loss(y, model(x))
        dw, db = t.gradient(current_loss, [model.w, model.b])
        model.w.assign_sub(learning_rate * dw)
        model.b.assign_sub(learning_rate * db)

    x, y = line(tf)
    model = MyModel()
    assert len(model.variables) == 2
    losses = []
    for _ in range(25):
        train(model, x, y, learning_rate=0.1)
        losses.append(float(loss(y, model(x))))
    np.testing.assert_allclose([model.w.numpy(), model.b.numpy()], [3.0, 2.0], atol=0.05)
    assert losses[0] > 5.0
    assert losses[-1] < 0.02


def test_the_same_line_is_learned_by_compile_and_fit(tf, keras):
    class MyModelKeras(keras.Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.add_weight(shape=(), initializer=keras.initializers.Constant(5.0))
            self.b = self.add_weight(shape=(), initializer="zeros")

        def call(self, x):
            return self.w * x + self.b

    x, y = line(tf)
    model = MyModelKeras()
    model.compile(
        run_eagerly=False,
        optimizer=keras.optimizers.SGD(learning_rate=0.1),
        loss=keras.losses.MeanSquaredError(),
    )
    history = model.fit(x, y, epochs=25, batch_size=200, verbose=0)
    np.testing.assert_allclose([float(model.w), float(model.b)], [3.0, 2.0], atol=0.05)
    assert history.history["loss"][-1] < 0.02


def blobs():
    """Three groups of points, and the number of the group of each."""
    rng = np.random.default_rng(1)
    y = np.arange(180) % 3
    centres = np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, 2.5]])
    x = centres[y] + rng.normal(0.0, 0.4, (180, 2))
    return x.astype("float32"), y.astype("int32")


def classifier(keras):
    inputs = keras.Input(shape=(2,), name="points")
    hidden = keras.layers.Dense(16, activation="relu", name="dense_a")(inputs)
    outputs = keras.layers.Dense(3, name="predictions")(hidden)
    return keras.Model(inputs=inputs, outputs=outputs)


def test_a_training_loop_from_scratch_learns_to_separate_groups(tf, keras):
    x, y = blobs()
    train_dataset = tf.data.Dataset.from_tensor_slices((x[:150], y[:150]))
    train_dataset = train_dataset.shuffle(buffer_size=150, seed=1).batch(30)
    val_dataset = tf.data.Dataset.from_tensor_slices((x[150:], y[150:])).batch(30)
    keras.utils.set_random_seed(0)
    model = classifier(keras)
    optimizer = keras.optimizers.Adam(learning_rate=0.03)
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    train_acc_metric = keras.metrics.SparseCategoricalAccuracy()
    val_acc_metric = keras.metrics.SparseCategoricalAccuracy()

    def train_step(x_batch, y_batch):
        with tf.GradientTape() as tape:
            logits = model(x_batch, training=True)
            loss_value = loss_fn(y_batch, logits)
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply(grads, model.trainable_weights)
        train_acc_metric.update_state(y_batch, logits)
        return loss_value

    losses = []
    for _ in range(5):
        for x_batch, y_batch in train_dataset:
            loss_value = train_step(x_batch, y_batch)
        losses.append((float(loss_value), float(train_acc_metric.result())))
        train_acc_metric.reset_state()
        for x_batch, y_batch in val_dataset:
            val_acc_metric.update_state(y_batch, model(x_batch, training=False))
        val_acc = float(val_acc_metric.result())
        val_acc_metric.reset_state()
    assert losses[-1][0] < losses[0][0]
    assert losses[-1][1] > 0.95
    assert val_acc > 0.95
    assert int(optimizer.iterations) == 25


def test_a_step_compiled_by_tf_function_learns_as_well(tf, keras):
    x, y = blobs()
    keras.utils.set_random_seed(0)
    model = classifier(keras)
    optimizer = keras.optimizers.SGD(learning_rate=0.1)
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer.build(model.trainable_variables)

    @tf.function
    def train_step(points, labels):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(labels, model(points, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply(grads, model.trainable_weights)
        return loss_value

    losses = [float(train_step(tf.constant(x), tf.constant(y))) for _ in range(20)]
    assert losses[-1] < 0.5 * losses[0]
    assert int(optimizer.iterations) == 20


def test_a_model_with_losses_of_its_own_layers_counts_them_in_a_loop(tf, keras):
    class ActivityRegularization(keras.layers.Layer):
        def call(self, inputs):
            self.add_loss(1e-2 * tf.reduce_sum(inputs))
            return inputs

    model = keras.Sequential(
        [
            keras.Input((2,)),
            keras.layers.Dense(2, kernel_initializer="ones"),
            ActivityRegularization(),
        ]
    )
    with tf.GradientTape() as tape:
        logits = model(tf.ones((1, 2)), training=True)
        value = tf.reduce_sum(logits) + sum(model.losses)
    kernel = model.trainable_weights[0]
    assert float(value) == pytest.approx(4.04)
    gradient = tape.gradient(value, kernel.value)
    np.testing.assert_allclose(gradient, np.full((2, 2), 1.01), rtol=1e-6)


def test_two_steps_of_a_gan_train_both_of_its_models(tf, keras):
    keras.utils.set_random_seed(2)

    class GAN(keras.Model):
        def __init__(self, discriminator, generator):
            super().__init__()
            self.discriminator, self.generator = discriminator, generator
            self.d_loss_tracker = keras.metrics.Mean(name="d_loss")
            self.g_loss_tracker = keras.metrics.Mean(name="g_loss")

        @property
        def metrics(self):
            return [self.d_loss_tracker, self.g_loss_tracker]

        def compile(self, d_optimizer, g_optimizer, loss_fn):
            super().compile()
            self.d_optimizer, self.g_optimizer = d_optimizer, g_optimizer
            self.loss_fn = loss_fn

        def train_step(self, data):
            real = data[0] if isinstance(data, tuple) else data
            noise = tf.random.normal((tf.shape(real)[0], 2))
            both = tf.concat([self.generator(noise), real], axis=0)
            labels = tf.concat([tf.ones((4, 1)), tf.zeros((4, 1))], axis=0)
            with tf.GradientTape() as tape:
                d_loss = self.loss_fn(labels, self.discriminator(both))
            grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
            self.d_optimizer.apply(grads, self.discriminator.trainable_weights)
            with tf.GradientTape() as tape:
                fakes = self.discriminator(self.generator(noise))
                g_loss = self.loss_fn(tf.zeros((4, 1)), fakes)
            grads = tape.gradient(g_loss, self.generator.trainable_weights)
            self.g_optimizer.apply(grads, self.generator.trainable_weights)
            self.d_loss_tracker.update_state(d_loss)
            self.g_loss_tracker.update_state(g_loss)
            return {"d_loss": self.d_loss_tracker.result(), "g_loss": self.g_loss_tracker.result()}

    gan = GAN(
        discriminator=keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)]),
        generator=keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)]),
    )
    gan.compile(
        d_optimizer=keras.optimizers.Adam(0.01),
        g_optimizer=keras.optimizers.Adam(0.01),
        loss_fn=keras.losses.BinaryCrossentropy(from_logits=True),
    )
    before = [w.numpy() for w in gan.discriminator.weights + gan.generator.weights]
    history = gan.fit(np.ones((8, 3), "float32"), batch_size=4, epochs=1, verbose=0)
    assert sorted(history.history) == ["d_loss", "g_loss"]
    after = [w.numpy() for w in gan.discriminator.weights + gan.generator.weights]
    assert all(not np.array_equal(old, new) for old, new in zip(before, after, strict=True))
