import numpy as np
import tensorflow as tf
from tensorflow.keras import Model
from tensorflow.keras.layers import Conv2D, Dense, Flatten

tf.keras.utils.set_random_seed(8)
rng = np.random.RandomState(0)
x = np.zeros((60, 10, 10), "float32")
y = rng.randint(0, 2, 60)
for i, c in enumerate(y):
    if c:
        x[i, 2:8, 5] = 200
    else:
        x[i, 5, 2:8] = 200
x += rng.rand(60, 10, 10).astype("float32") * 30
x = x / 255.0
x = x[..., tf.newaxis].astype("float32")
train_ds = tf.data.Dataset.from_tensor_slices((x[:40], y[:40])).batch(8)
test_ds = tf.data.Dataset.from_tensor_slices((x[40:], y[40:])).batch(8)


class MyModel(Model):
    def __init__(self):
        super().__init__()
        self.conv1 = Conv2D(4, 3, activation="relu")
        self.flatten = Flatten()
        self.d1 = Dense(8, activation="relu")
        self.d2 = Dense(2)

    def call(self, x):
        x = self.conv1(x)
        x = self.flatten(x)
        x = self.d1(x)
        return self.d2(x)


model = MyModel()
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam()
train_loss = tf.keras.metrics.Mean(name="train_loss")
train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="train_accuracy")
test_loss = tf.keras.metrics.Mean(name="test_loss")
test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="test_accuracy")


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        predictions = model(images, training=True)
        loss = loss_object(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss(loss)
    train_accuracy(labels, predictions)


@tf.function
def test_step(images, labels):
    predictions = model(images, training=False)
    t_loss = loss_object(labels, predictions)
    test_loss(t_loss)
    test_accuracy(labels, predictions)


for epoch in range(3):
    train_loss.reset_state()
    train_accuracy.reset_state()
    test_loss.reset_state()
    test_accuracy.reset_state()
    for images, labels in train_ds:
        train_step(images, labels)
    for test_images, test_labels in test_ds:
        test_step(test_images, test_labels)
    print(
        f"Epoch {epoch + 1}, Loss: {train_loss.result():0.2f}, Accuracy: {train_accuracy.result() * 100:0.2f}, Test Loss: {test_loss.result():0.2f}, Test Accuracy: {test_accuracy.result() * 100:0.2f}"
    )
image = tf.Variable(x[:1])
with tf.GradientTape() as tape:
    score = model(image)[0, 1]
saliency = tf.reduce_max(tf.abs(tape.gradient(score, image)), axis=-1)
print(saliency.shape, tf.reduce_sum(saliency))
model.summary()
