import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(2)


def get_model():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(
        optimizer=keras.optimizers.RMSprop(learning_rate=0.1),
        loss="mean_squared_error",
        metrics=["mean_absolute_error"],
    )
    return model


class CustomCallback(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        print("Starting training; got log keys: {}".format(list(logs.keys())))

    def on_train_end(self, logs=None):
        print("Stop training; got log keys: {}".format(list(logs.keys())))

    def on_epoch_begin(self, epoch, logs=None):
        print("Start epoch {} of training; got log keys: {}".format(epoch, list(logs.keys())))

    def on_epoch_end(self, epoch, logs=None):
        print("End epoch {} of training; got log keys: {}".format(epoch, list(logs.keys())))

    def on_test_begin(self, logs=None):
        print("Start testing; got log keys: {}".format(list(logs.keys())))

    def on_train_batch_end(self, batch, logs=None):
        print(
            "...Training: end of batch {}; got log keys: {}, loss {:.4f}".format(
                batch, list(logs.keys()), logs["loss"]
            )
        )

    def on_predict_batch_end(self, batch, logs=None):
        print(
            "...Predicting: end of batch {}; {} {}".format(
                batch, list(logs.keys()), logs["outputs"].shape
            )
        )


rng = np.random.RandomState(0)
x, y = rng.rand(64, 6).astype("float32"), rng.rand(64).astype("float32")
model = get_model()
model.fit(
    x,
    y,
    batch_size=32,
    epochs=1,
    verbose=0,
    validation_split=0.5,
    callbacks=[CustomCallback()],
    shuffle=False,
)
model.evaluate(x, y, batch_size=32, verbose=0, callbacks=[CustomCallback()])
model.predict(x, batch_size=32, verbose=0, callbacks=[CustomCallback()])


class EarlyStoppingAtMinLoss(keras.callbacks.Callback):
    def __init__(self, patience=0):
        super().__init__()
        self.patience = patience
        self.best_weights = None

    def on_train_begin(self, logs=None):
        self.wait, self.stopped_epoch, self.best = 0, 0, np.inf

    def on_epoch_end(self, epoch, logs=None):
        current = logs.get("loss")
        if np.less(current, self.best):
            self.best, self.wait = current, 0
            self.best_weights = self.model.get_weights()
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch = epoch
                self.model.stop_training = True
                print("Restoring model weights from the end of the best epoch.")
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")


model = get_model()
h = model.fit(
    x, y, batch_size=16, epochs=30, verbose=0, shuffle=False, callbacks=[EarlyStoppingAtMinLoss()]
)
print(h.history["loss"])


class CustomLearningRateScheduler(keras.callbacks.Callback):
    def __init__(self, schedule):
        super().__init__()
        self.schedule = schedule

    def on_epoch_begin(self, epoch, logs=None):
        if not hasattr(self.model.optimizer, "learning_rate"):
            raise ValueError('Optimizer must have a "learning_rate" attribute.')
        lr = self.model.optimizer.learning_rate
        scheduled_lr = self.schedule(epoch, float(lr))
        self.model.optimizer.learning_rate = scheduled_lr
        print(f"\nEpoch {epoch}: Learning rate is {float(np.array(scheduled_lr))}.")


model = get_model()
h = model.fit(
    x,
    y,
    batch_size=16,
    epochs=3,
    verbose=0,
    shuffle=False,
    callbacks=[CustomLearningRateScheduler(lambda e, lr: lr * 0.5)],
)
model = get_model()
h = model.fit(
    x,
    y,
    epochs=12,
    verbose=2,
    shuffle=False,
    validation_data=(x, y),
    callbacks=[
        keras.callbacks.EarlyStopping(monitor="val_loss", patience=2, restore_best_weights=True),
        keras.callbacks.ReduceLROnPlateau(monitor="val_loss", patience=1, verbose=1),
        keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print("lambda", epoch)),
    ],
)
print(h.epoch, sorted(h.history))
model = get_model()
h = model.fit(
    x,
    y,
    epochs=2,
    verbose=0,
    shuffle=False,
    callbacks=[
        keras.callbacks.LearningRateScheduler(lambda e, lr: lr * tf.math.exp(-0.1).numpy()),
        keras.callbacks.TerminateOnNaN(),
        keras.callbacks.History(),
    ],
)
print(h.history)
