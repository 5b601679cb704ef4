import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(2)


class CustomModel(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(y=y, y_pred=y_pred)
        trainable_vars = self.trainable_variables
        gradients = tape.gradient(loss, trainable_vars)
        self.optimizer.apply(gradients, trainable_vars)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}


rng = np.random.RandomState(0)
x, y = rng.random_sample((100, 5)).astype("float32"), rng.random_sample((100, 1)).astype("float32")
inputs = keras.Input(shape=(5,))
outputs = keras.layers.Dense(1)(inputs)
model = CustomModel(inputs, outputs)
model.compile(optimizer="adam", loss="mse", metrics=["mae"])
print(model.fit(x, y, epochs=2, verbose=0, shuffle=False).history)


class Lower(keras.Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.mae_metric = keras.metrics.MeanAbsoluteError(name="mae")
        self.loss_fn = keras.losses.MeanSquaredError()

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.loss_fn(y, y_pred)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        self.loss_tracker.update_state(loss)
        self.mae_metric.update_state(y, y_pred)
        return {"loss": self.loss_tracker.result(), "mae": self.mae_metric.result()}

    @property
    def metrics(self):
        return [self.loss_tracker, self.mae_metric]


model = Lower(inputs, outputs)
model.compile(optimizer=keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True))
print(model.fit(x, y, epochs=2, verbose=0, shuffle=False).history)


class Weighted(keras.Model):
    def train_step(self, data):
        if len(data) == 3:
            x, y, sample_weight = data
        else:
            sample_weight = None
            x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(y=y, y_pred=y_pred, sample_weight=sample_weight)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred, sample_weight=sample_weight)
        return {m.name: m.result() for m in self.metrics}

    def test_step(self, data):
        x, y = data
        y_pred = self(x, training=False)
        loss = self.compute_loss(y=y, y_pred=y_pred)
        for metric in self.metrics:
            if metric.name != "loss":
                metric.update_state(y, y_pred)
            else:
                metric.update_state(loss)
        return {m.name: m.result() for m in self.metrics}


model = Weighted(inputs, keras.layers.Dense(1)(inputs))
model.compile(optimizer=keras.optimizers.RMSprop(0.01), loss="mse", metrics=["mae"])
print(
    model.fit(
        x, y, sample_weight=rng.random_sample((100, 1)), epochs=2, verbose=0, shuffle=False
    ).history
)
print(model.evaluate(x, y, verbose=0, return_dict=True))


class Accumulating(keras.Model):
    def train_step(self, data):
        x, y = data
        parts = tf.split(tf.concat([x, y], 1), 2)
        total = [tf.zeros_like(v) for v in self.trainable_variables]
        for part in parts:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(part[:, :-1]) - part[:, -1:]) ** 2)
            total = [
                a + g / 2 for a, g in zip(total, tape.gradient(loss, self.trainable_variables))
            ]
        self.optimizer.apply_gradients(zip(total, self.trainable_variables))
        return {"loss": loss, "norm": tf.linalg.global_norm(total)}


model = Accumulating(inputs, keras.layers.Dense(1)(inputs))
model.compile(optimizer="adagrad")
print(model.fit(x, y, batch_size=20, epochs=2, verbose=0, shuffle=False).history)
