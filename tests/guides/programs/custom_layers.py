import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(5)


class Linear(keras.layers.Layer):
    def __init__(self, units=32, input_dim=32):
        super().__init__()
        self.w = self.add_weight(
            shape=(input_dim, units), initializer="random_normal", trainable=True
        )
        self.b = self.add_weight(shape=(units,), initializer="zeros", trainable=True)

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b


x = tf.ones((2, 2))
linear_layer = Linear(4, 2)
print(linear_layer(x))
assert linear_layer.weights == [linear_layer.w, linear_layer.b]


class ComputeSum(keras.layers.Layer):
    def __init__(self, input_dim):
        super().__init__()
        self.total = self.add_weight(initializer="zeros", shape=(input_dim,), trainable=False)

    def call(self, inputs):
        self.total.assign_add(tf.reduce_sum(inputs, axis=0))
        return self.total


my_sum = ComputeSum(2)
print(
    my_sum(x).numpy(),
    my_sum(x).numpy(),
    "weights:",
    len(my_sum.weights),
    "non-trainable weights:",
    len(my_sum.non_trainable_weights),
    "trainable_weights:",
    my_sum.trainable_weights,
)


class LazyLinear(keras.layers.Layer):
    def __init__(self, units=32, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(
            shape=(input_shape[-1], self.units),
            initializer="random_normal",
            trainable=True,
            regularizer=keras.regularizers.L2(0.01),
            name="w",
        )
        self.b = self.add_weight(
            shape=(self.units,), initializer="random_normal", trainable=True, name="b"
        )

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b

    def get_config(self):
        config = super().get_config()
        config.update({"units": self.units})
        return config


class MLPBlock(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.linear_1, self.linear_2, self.linear_3 = LazyLinear(32), LazyLinear(32), LazyLinear(1)

    def call(self, inputs):
        x = tf.nn.relu(self.linear_1(inputs))
        x = tf.nn.relu(self.linear_2(x))
        return self.linear_3(x)


mlp = MLPBlock()
y = mlp(tf.ones(shape=(3, 64)))
print(y, "weights:", len(mlp.weights), "trainable weights:", len(mlp.trainable_weights), mlp.losses)
print([v.path for v in mlp.weights])


class ActivityRegularization(keras.layers.Layer):
    def __init__(self, rate=1e-2):
        super().__init__()
        self.rate = rate

    def call(self, inputs):
        self.add_loss(self.rate * tf.reduce_mean(inputs))
        return inputs


class Outer(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.activity_reg = ActivityRegularization(1e-2)
        self.dense = keras.layers.Dense(3, kernel_regularizer=keras.regularizers.l1_l2(1e-3, 1e-2))

    def call(self, inputs):
        return self.dense(self.activity_reg(inputs))


layer = Outer()
print(len(layer.losses))
_ = layer(tf.ones((2, 1)))
print(layer.losses)
_ = layer(tf.zeros((2, 1)))
print(len(layer.losses), layer.losses[0])
inputs = keras.Input(shape=(3,))
model = keras.Model(inputs, ActivityRegularization()(LazyLinear(2)(inputs)))
model.compile(optimizer="adam", loss="mse")
X = tf.reshape(tf.range(12.0), (4, 3)) / 10
print(model.fit(X, tf.ones((4, 2)), epochs=2, verbose=0).history)
model = keras.Model(inputs, ActivityRegularization()(model(inputs)))
model.compile(optimizer="sgd")
print(model.fit(X, verbose=0).history)
linear = LazyLinear(64)
config = linear.get_config()
print(config)
print(LazyLinear.from_config(config).units)


class CustomDropout(keras.layers.Layer):
    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.seed_generator = keras.random.SeedGenerator(1337)

    def call(self, inputs, training=None):
        if training:
            return keras.random.dropout(inputs, rate=self.rate, seed=self.seed_generator)
        return inputs


d = CustomDropout(0.5)
print(d(tf.ones((2, 4)), training=True), d(tf.ones((1, 4))), d(tf.ones((2, 4)), training=True))


class Antirectifier(keras.layers.Layer):
    def build(self, shape):
        self.kernel = self.add_weight(
            shape=(shape[-1] * 2, 2), initializer="he_normal", name="kernel"
        )

    def call(self, inputs):
        inputs -= tf.reduce_mean(inputs, axis=-1, keepdims=True)
        pos, neg = tf.nn.relu(inputs), tf.nn.relu(-inputs)
        return tf.matmul(tf.concat([pos, neg], axis=-1), self.kernel)


a = Antirectifier()
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(a(tf.constant([[1.0, 2.0, 4.0]])) ** 2)
print(loss, tape.gradient(loss, a.kernel))
try:
    LazyLinear(3)("no tensor")
except Exception as e:
    print(type(e).__name__)
lam = keras.layers.Lambda(lambda t: t**2)
print(lam(tf.constant([1.0, 2.0])), repr(keras.layers.Dense(3, name="d3")))
