import time
import numpy as np
import tensorflow as tf
import tensorflow.keras as keras

tf.keras.utils.set_random_seed(2)
inputs = keras.Input(shape=(20,), name="digits")
x1 = keras.layers.Dense(16, activation="relu")(inputs)
outputs = keras.layers.Dense(10, name="predictions")(x1)
model = keras.Model(inputs=inputs, outputs=outputs)
optimizer = keras.optimizers.Adam(learning_rate=1e-2)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
train_acc_metric = keras.metrics.SparseCategoricalAccuracy()
val_acc_metric = keras.metrics.SparseCategoricalAccuracy()
rng = np.random.RandomState(3)
x_all = rng.normal(size=(200, 20)).astype("float32")
y_all = np.argmax(x_all[:, :10], 1)
train_dataset = tf.data.Dataset.from_tensor_slices((x_all[:160], y_all[:160])).batch(32)
val_dataset = tf.data.Dataset.from_tensor_slices((x_all[160:], y_all[160:])).batch(20)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss_value = loss_fn(y, logits)
        loss_value += sum(model.losses)
    grads = tape.gradient(loss_value, model.trainable_weights)
    optimizer.apply_gradients(zip(grads, model.trainable_weights))
    train_acc_metric.update_state(y, logits)
    return loss_value


@tf.function
def test_step(x, y):
    val_logits = model(x, training=False)
    val_acc_metric.update_state(y, val_logits)


for epoch in range(3):
    print(f"\nStart of epoch {epoch}")
    start_time = time.time()
    for step, (x_batch_train, y_batch_train) in enumerate(train_dataset):
        loss_value = train_step(x_batch_train, y_batch_train)
        if step % 2 == 0:
            print(f"Training loss (for 1 batch) at step {step}: {float(loss_value):.4f}")
            print(f"Seen so far: {(step + 1) * 32} samples")
    train_acc = train_acc_metric.result()
    print(f"Training acc over epoch: {float(train_acc):.4f}")
    train_acc_metric.reset_state()
    for x_batch_val, y_batch_val in val_dataset:
        test_step(x_batch_val, y_batch_val)
    val_acc = val_acc_metric.result()
    val_acc_metric.reset_state()
    print(f"Validation acc: {float(val_acc):.4f}")
print(
    optimizer.iterations.numpy(),
    optimizer.learning_rate.numpy(),
    [v.name for v in optimizer.variables][:4],
)
print(np.array(model.get_weights()[1]), model.predict(x_all[:2], verbose=0).shape)
