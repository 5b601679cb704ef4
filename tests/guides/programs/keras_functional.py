import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(3)
inputs = keras.Input(shape=(784,))
print(inputs.shape, inputs.dtype)
x = layers.Dense(8, activation="relu")(inputs)
x = layers.Dense(8, activation="relu")(x)
outputs = layers.Dense(10)(x)
model = keras.Model(inputs=inputs, outputs=outputs, name="mnist_model")
model.summary()
rng = np.random.RandomState(1)
x_train = rng.rand(100, 784).astype("float32")
y_train = rng.randint(0, 10, 100)
model.compile(
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    optimizer=keras.optimizers.RMSprop(),
    metrics=[keras.metrics.SparseCategoricalAccuracy()],
)
history = model.fit(x_train, y_train, batch_size=50, epochs=2, verbose=0, shuffle=False)
print(history.history, model.evaluate(x_train, y_train, verbose=0))
encoder_input = keras.Input(shape=(12, 12, 1), name="img")
x = layers.Conv2D(4, 3, activation="relu")(encoder_input)
x = layers.MaxPooling2D(3)(x)
x = layers.Conv2D(4, 3, activation="relu")(x)
encoder_output = layers.GlobalMaxPooling2D()(x)
encoder = keras.Model(encoder_input, encoder_output, name="encoder")
x = layers.Reshape((2, 2, 1))(encoder_output)
x = layers.Conv2DTranspose(4, 3, activation="relu")(x)
x = layers.UpSampling2D(3)(x)
decoder_output = layers.Conv2DTranspose(1, 1)(x)
autoencoder = keras.Model(encoder_input, decoder_output, name="autoencoder")
autoencoder.summary()
print(autoencoder(tf.ones([1, 12, 12, 1]))[0, 0, :3, 0])


def get_model():
    inputs = keras.Input(shape=(6,))
    return keras.Model(inputs, layers.Dense(1)(inputs))


m1, m2, m3 = get_model(), get_model(), get_model()
inputs = keras.Input(shape=(6,))
ensemble = keras.Model(inputs=inputs, outputs=layers.average([m1(inputs), m2(inputs), m3(inputs)]))
print(ensemble(tf.ones([2, 6])))
title = keras.Input(shape=(None,), name="title")
body = keras.Input(shape=(None,), name="body")
tags = keras.Input(shape=(4,), name="tags")
t = layers.LSTM(5)(layers.Embedding(20, 4)(title))
b = layers.LSTM(3)(layers.Embedding(20, 4)(body))
x = layers.concatenate([t, b, tags])
priority = layers.Dense(1, name="priority")(x)
department = layers.Dense(3, name="department")(x)
model = keras.Model(
    inputs=[title, body, tags], outputs={"priority": priority, "department": department}
)
model.compile(
    optimizer=keras.optimizers.RMSprop(1e-3),
    loss={
        "priority": keras.losses.BinaryCrossentropy(from_logits=True),
        "department": keras.losses.CategoricalCrossentropy(from_logits=True),
    },
    loss_weights={"priority": 1.0, "department": 0.2},
)
td = rng.randint(20, size=(16, 5))
bd = rng.randint(20, size=(16, 7))
tg = rng.randint(2, size=(16, 4)).astype("float32")
pt = rng.random(size=(16, 1))
dt = np.eye(3)[rng.randint(3, size=16)]
h = model.fit(
    {"title": td, "body": bd, "tags": tg},
    {"priority": pt, "department": dt},
    epochs=2,
    batch_size=8,
    verbose=0,
    shuffle=False,
)
print(h.history)
inputs = keras.Input(shape=(8, 8, 3), name="img")
x = layers.Conv2D(4, 3, activation="relu")(inputs)
block_1 = layers.MaxPooling2D(2)(x)
x = layers.Conv2D(4, 3, activation="relu", padding="same")(block_1)
block_2 = layers.add([x, block_1])
x = layers.GlobalAveragePooling2D()(block_2)
toy = keras.Model(inputs, layers.Dense(10)(layers.Dropout(0.5)(x)), name="toy_resnet")
toy.summary()
print(toy(tf.random.uniform([1, 8, 8, 3], seed=1)))
shared = layers.Embedding(10, 3)
a, b = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
print(keras.Model([a, b], [shared(a), shared(b)])([tf.constant([[1]]), tf.constant([[1]])]))


class CustomDense(layers.Layer):
    def __init__(self, units=32):
        super().__init__()
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(
            shape=(input_shape[-1], self.units), initializer="random_normal", trainable=True
        )
        self.b = self.add_weight(shape=(self.units,), initializer="random_normal", trainable=True)

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b

    def get_config(self):
        return {"units": self.units}


inputs = keras.Input((4,))
model = keras.Model(inputs, CustomDense(10)(inputs))
print([w.path for w in model.weights], model(tf.ones((1, 4))))
