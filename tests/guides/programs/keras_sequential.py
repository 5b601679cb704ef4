import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(3)
model = keras.Sequential(
    [
        layers.Dense(2, activation="relu", name="layer1"),
        layers.Dense(3, activation="relu", name="layer2"),
        layers.Dense(4, name="layer3"),
    ]
)
try:
    model.weights
    print(len(model.weights))
    model.summary()
except ValueError as e:
    print(str(e)[:80])
x = tf.ones((3, 3))
y = model(x)
print(y, len(model.weights))
model.summary()
model = keras.Sequential(name="my_sequential")
model.add(keras.Input(shape=(8, 8, 3)))
model.add(layers.Conv2D(4, 3, strides=2, activation="relu"))
model.add(layers.Conv2D(4, 3, activation="relu"))
model.add(layers.GlobalMaxPooling2D())
model.add(layers.Dense(10))
model.summary()
feature_extractor = keras.Model(
    inputs=model.inputs, outputs=[layer.output for layer in model.layers]
)
features = feature_extractor(tf.ones((1, 8, 8, 3)))
print([tuple(f.shape) for f in features])
model.pop()
print(len(model.layers), model.output_shape)
for layer in model.layers[:-1]:
    layer.trainable = False
print(len(model.trainable_weights), [l.name for l in model.layers])
rng = np.random.default_rng(0)
X = rng.normal(size=(64, 4)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")
m = keras.Sequential(
    [keras.Input((4,)), layers.Dense(8, activation="relu"), layers.Dropout(0.2), layers.Dense(2)]
)
m.compile(
    optimizer=keras.optimizers.Adam(0.05),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
h = m.fit(X, Y, batch_size=16, epochs=3, verbose=0, shuffle=False, validation_split=0.25)
print({k: [round(v, 4) for v in vs] for k, vs in h.history.items()})
print(m.evaluate(X, Y, verbose=0))
probability_model = keras.Sequential([m, layers.Softmax()])
print(
    probability_model(X[:3]).numpy(), np.argmax(probability_model.predict(X[:3], verbose=0), axis=1)
)
print(
    m.get_config()["layers"][-1]["class_name"], m.layers[0].get_config()["units"], m.count_params()
)
