"""Ordinary models as users write them: modules, Keras layers, plain functions, nested tapes.

Each is one step of training in a few cells of a notebook. The names that the cells leave behind
are those that a figure is made of: `tape`, or the tapes that are listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from typing import Final

from tapelab.recording import Recording
from tests.fixtures.record import run_cell


@dataclass(frozen=True)
class TrainedModel:
    """The cells of a model and of one step of training, and the tapes that they leave behind."""

    name: str
    cells: tuple[str, ...]
    tapes: tuple[str, ...] = ("tape",)

    @property
    def cell(self) -> str:
        """All of it in one cell."""
        return "\n\n\n".join(self.cells)


def model(name: str, *cells: str, tapes: tuple[str, ...] = ("tape",)) -> TrainedModel:
    """A model from the text of its cells, which may be indented."""
    return TrainedModel(name, tuple(dedent(cell).strip("\n") for cell in cells), tapes)


TRANSFORMER: Final = model(
    "transformer",
    """
    class Linear(tf.Module):
        def __init__(self, inputs, outputs, name=None):
            super().__init__(name=name)
            scale = inputs**-0.5
            self.w = tf.Variable(tf.random.normal([inputs, outputs], stddev=scale), name="w")
            self.b = tf.Variable(tf.zeros([outputs]), name="b")

        def __call__(self, x):
            return x @ self.w + self.b


    class Norm(tf.Module):
        def __init__(self, width, name=None):
            super().__init__(name=name)
            self.gain = tf.Variable(tf.ones([width]), name="gain")
            self.bias = tf.Variable(tf.zeros([width]), name="bias")

        def __call__(self, x):
            mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
            return (x - mean) * tf.math.rsqrt(variance + 1e-5) * self.gain + self.bias


    class Attention(tf.Module):
        def __init__(self, width, heads, name=None):
            super().__init__(name=name)
            self.heads = heads
            self.queries = Linear(width, width)
            self.keys = Linear(width, width)
            self.values = Linear(width, width)
            self.out = Linear(width, width)

        def split(self, x):
            batch, length, width = x.shape
            x = tf.reshape(x, [batch, length, self.heads, width // self.heads])
            return tf.transpose(x, [0, 2, 1, 3])

        def __call__(self, x, mask):
            q = self.split(self.queries(x))
            k = self.split(self.keys(x))
            v = self.split(self.values(x))
            scores = tf.matmul(q, k, transpose_b=True) / float(q.shape[-1]) ** 0.5
            weights = tf.nn.softmax(scores + mask)
            mixed = tf.transpose(weights @ v, [0, 2, 1, 3])
            return self.out(tf.reshape(mixed, x.shape))


    class FeedForward(tf.Module):
        def __init__(self, width, name=None):
            super().__init__(name=name)
            self.up = Linear(width, 4 * width)
            self.down = Linear(4 * width, width)

        def __call__(self, x):
            return self.down(tf.nn.gelu(self.up(x)))


    class Block(tf.Module):
        def __init__(self, width, heads, name=None):
            super().__init__(name=name)
            self.norm1 = Norm(width)
            self.attention = Attention(width, heads)
            self.norm2 = Norm(width)
            self.feed_forward = FeedForward(width)

        def __call__(self, x, mask):
            x = x + self.attention(self.norm1(x), mask)
            return x + self.feed_forward(self.norm2(x))


    class Transformer(tf.Module):
        def __init__(self, words, length, width, heads, layers, name=None):
            super().__init__(name=name)
            self.words = tf.Variable(tf.random.normal([words, width]), name="words")
            self.places = tf.Variable(tf.random.normal([length, width]), name="places")
            self.blocks = [Block(width, heads) for _ in range(layers)]
            self.norm = Norm(width)
            self.head = Linear(width, words)

        def __call__(self, tokens):
            length = tokens.shape[-1]
            mask = (1.0 - tf.linalg.band_part(tf.ones([length, length]), -1, 0)) * -1e9
            x = tf.gather(self.words, tokens) + self.places
            for block in self.blocks:
                x = block(x, mask)
            return self.head(self.norm(x))
    """,
    """
    tf.random.set_seed(1)
    model = Transformer(words=40, length=12, width=32, heads=4, layers=12)
    tokens = tf.random.uniform([4, 13], maxval=40, dtype=tf.int32)
    optimizer = tf.keras.optimizers.Adam(1e-3)


    def cross_entropy(logits, targets):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
        return tf.reduce_mean(losses)
    """,
    """
    with tf.GradientTape() as tape:
        logits = model(tokens[:, :-1])
        loss = cross_entropy(logits, tokens[:, 1:])
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    """,
)

SHOWN_FIRST: Final = model(
    "transformer-shown-first",
    *TRANSFORMER.cells[:-1],
    """
    with tf.GradientTape() as tape:
        logits = model(tokens[:, :-1])
        loss = cross_entropy(logits, tokens[:, 1:])
    shown = tape.recording(loss, model.trainable_variables)
    """,
)
"""The transformer, shown before its gradient is asked for: then all gradients are measured."""

RESNET: Final = model(
    "resnet",
    """
    layers = tf.keras.layers


    class Bottleneck(tf.keras.Model):
        def __init__(self, filters, stride=1, shortcut=False):
            super().__init__()
            self.conv1 = layers.Conv2D(filters, 1, strides=stride, use_bias=False)
            self.norm1 = layers.BatchNormalization()
            self.conv2 = layers.Conv2D(filters, 3, padding="same", use_bias=False)
            self.norm2 = layers.BatchNormalization()
            self.conv3 = layers.Conv2D(4 * filters, 1, use_bias=False)
            self.norm3 = layers.BatchNormalization()
            self.shortcut = None
            if shortcut:
                self.shortcut = tf.keras.Sequential([
                    layers.Conv2D(4 * filters, 1, strides=stride, use_bias=False),
                    layers.BatchNormalization(),
                ])

        def call(self, x, training=False):
            y = tf.nn.relu(self.norm1(self.conv1(x), training=training))
            y = tf.nn.relu(self.norm2(self.conv2(y), training=training))
            y = self.norm3(self.conv3(y), training=training)
            if self.shortcut is not None:
                x = self.shortcut(x, training=training)
            return tf.nn.relu(x + y)


    class ResNet50(tf.keras.Model):
        def __init__(self, classes, width):
            super().__init__()
            self.stem = tf.keras.Sequential([
                layers.Conv2D(width, 7, strides=2, padding="same", use_bias=False),
                layers.BatchNormalization(),
                layers.ReLU(),
                layers.MaxPooling2D(3, strides=2, padding="same"),
            ], name="stem")
            self.stages = []
            for stage, blocks in enumerate([3, 4, 6, 3]):
                for block in range(blocks):
                    stride = 2 if stage and not block else 1
                    self.stages.append(Bottleneck(width * 2**stage, stride, shortcut=not block))
            self.pool = layers.GlobalAveragePooling2D()
            self.classify = layers.Dense(classes, name="classify")

        def call(self, images, training=False):
            x = self.stem(images, training=training)
            for block in self.stages:
                x = block(x, training=training)
            return self.classify(self.pool(x))
    """,
    """
    tf.random.set_seed(1)
    model = ResNet50(classes=10, width=4)
    images = tf.random.normal([2, 32, 32, 3])
    labels = tf.constant([3, 7])
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    """,
    """
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = loss_fn(labels, logits)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    """,
)

LSTM: Final = model(
    "lstm",
    """
    tf.random.set_seed(1)
    units, inputs, steps = 8, 3, 50
    w = tf.Variable(tf.random.normal([inputs + units, 4 * units], stddev=0.3), name="w")
    b = tf.Variable(tf.zeros([4 * units]), name="b")
    w_out = tf.Variable(tf.random.normal([units, 1], stddev=0.3), name="w_out")
    series = tf.random.normal([2, steps, inputs])
    wanted = tf.reduce_sum(series, axis=[1, 2])[:, None]
    """,
    """
    def lstm_cell(x, h, c):
        gates = tf.concat([x, h], axis=1) @ w + b
        i, f, o, g = tf.split(gates, 4, axis=1)
        c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        return h, c


    def predict(series):
        h = tf.zeros([series.shape[0], units])
        c = tf.zeros([series.shape[0], units])
        for step in range(steps):
            h, c = lstm_cell(series[:, step], h, c)
        return h @ w_out
    """,
    """
    with tf.GradientTape() as tape:
        prediction = predict(series)
        loss = tf.reduce_mean((prediction - wanted) ** 2)
    gradients = tape.gradient(loss, [w, b, w_out])
    for variable, gradient in zip([w, b, w_out], gradients):
        variable.assign_sub(0.01 * gradient)
    """,
)

MAML: Final = model(
    "maml",
    """
    tf.random.set_seed(1)
    weights = [
        tf.Variable(tf.random.normal([1, 20]), name="w1"),
        tf.Variable(tf.zeros([20]), name="b1"),
        tf.Variable(tf.random.normal([20, 1], stddev=0.2), name="w2"),
        tf.Variable(tf.zeros([1]), name="b2"),
    ]


    def network(x, weights):
        w1, b1, w2, b2 = weights
        hidden = tf.nn.relu(x @ w1 + b1)
        return hidden @ w2 + b2


    def mse(prediction, target):
        return tf.reduce_mean(tf.square(prediction - target))


    def sine_task():
        amplitude = tf.random.uniform([], 0.1, 5.0)
        phase = tf.random.uniform([], 0.0, 3.14)
        x = tf.random.uniform([10, 1], -5.0, 5.0)
        return x, amplitude * tf.sin(x + phase)
    """,
    """
    def adapt(weights, x, y, rate=0.01):
        with tf.GradientTape() as inner_tape:
            inner_tape.watch(weights)
            loss = mse(network(x, weights), y)
        gradients = inner_tape.gradient(loss, weights)
        return [w - rate * g for w, g in zip(weights, gradients)]
    """,
    """
    tasks = [sine_task() for _ in range(4)]
    with tf.GradientTape() as tape:
        losses = []
        for x, y in tasks:
            fast = adapt([tf.identity(w) for w in weights], x[:5], y[:5])
            fast = adapt(fast, x[:5], y[:5])
            losses.append(mse(network(x[5:], fast), y[5:]))
        meta_loss = tf.add_n(losses) / len(tasks)
    meta_gradients = tape.gradient(meta_loss, weights)
    for w, g in zip(weights, meta_gradients):
        w.assign_sub(0.1 * g)
    """,
)

GAN: Final = model(
    "gan",
    """
    layers = tf.keras.layers


    def make_generator():
        return tf.keras.Sequential([
            layers.Dense(7 * 7 * 8, use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Reshape((7, 7, 8)),
            layers.Conv2DTranspose(8, 5, strides=2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Conv2DTranspose(1, 5, strides=2, padding="same", activation="tanh"),
        ], name="generator")


    def make_discriminator():
        return tf.keras.Sequential([
            layers.Conv2D(8, 5, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Conv2D(16, 5, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(1),
        ], name="discriminator")
    """,
    """
    tf.random.set_seed(1)
    generator = make_generator()
    discriminator = make_discriminator()
    cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    generator_optimizer = tf.keras.optimizers.Adam(1e-4)
    discriminator_optimizer = tf.keras.optimizers.Adam(1e-4)


    def discriminator_loss(real_output, fake_output):
        real_loss = cross_entropy(tf.ones_like(real_output), real_output)
        fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
        return real_loss + fake_loss


    def generator_loss(fake_output):
        return cross_entropy(tf.ones_like(fake_output), fake_output)
    """,
    """
    images = tf.random.normal([4, 28, 28, 1])
    noise = tf.random.normal([4, 16])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated, training=True)
        gen_loss = generator_loss(fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    gen_gradients = gen_tape.gradient(gen_loss, generator.trainable_variables)
    disc_gradients = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gen_gradients, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(
        zip(disc_gradients, discriminator.trainable_variables)
    )
    """,
    tapes=("gen_tape", "disc_tape"),
)


@cache
def recorded(model: TrainedModel, tape: str = "") -> Recording:
    """What a tape of a model recorded, the first one by default; taken while there is the cell."""
    taken: list[Recording] = []
    run_cell(model.cell, lambda space: taken.append(space[tape or model.tapes[0]].recording()))
    return taken[0]


MODELS: Final = (TRANSFORMER, RESNET, LSTM, MAML, GAN)
