import tensorflow as tf


class SimpleModule(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.a_variable = tf.Variable(5.0, name="train_me")
        self.non_trainable_variable = tf.Variable(5.0, trainable=False, name="do_not_train_me")

    def __call__(self, x):
        return self.a_variable * x + self.non_trainable_variable


simple_module = SimpleModule(name="simple")
print(simple_module(tf.constant(5.0)))
print("trainable variables:", simple_module.trainable_variables)
print("all variables:", simple_module.variables)


class Dense(tf.Module):
    def __init__(self, in_features, out_features, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([in_features, out_features]), name="w")
        self.b = tf.Variable(tf.zeros([out_features]), name="b")

    def __call__(self, x):
        y = tf.matmul(x, self.w) + self.b
        return tf.nn.relu(y)


class SequentialModule(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.dense_1 = Dense(in_features=3, out_features=3)
        self.dense_2 = Dense(in_features=3, out_features=2)

    @tf.function
    def __call__(self, x):
        return self.dense_2(self.dense_1(x))


my_model = SequentialModule(name="the_model")
print("Model results:", my_model(tf.constant([[2.0, 2.0, 2.0]])))
print("Submodules:", [type(m).__name__ for m in my_model.submodules])
for var in my_model.variables:
    print(var, "\n")


class FlexibleDense(tf.Module):
    def __init__(self, out_features, name=None):
        super().__init__(name=name)
        self.is_built = False
        self.out_features = out_features

    @tf.Module.with_name_scope
    def __call__(self, x):
        if not self.is_built:
            self.w = tf.Variable(tf.random.normal([x.shape[-1], self.out_features]), name="w")
            self.b = tf.Variable(tf.zeros([self.out_features]), name="b")
            self.is_built = True
        return tf.nn.relu(tf.matmul(x, self.w) + self.b)


flexible = FlexibleDense(3, name="flex")
print(flexible(tf.constant([[2.0, 2.0, 2.0]])), [v.name for v in flexible.variables])


class KerasDense(tf.keras.layers.Layer):
    def __init__(self, in_features, out_features, **kwargs):
        super().__init__(**kwargs)
        self.w = tf.Variable(tf.random.normal([in_features, out_features]), name="w")
        self.b = tf.Variable(tf.zeros([out_features]), name="b")

    def call(self, x):
        y = tf.matmul(x, self.w) + self.b
        return tf.nn.relu(y)


simple_layer = KerasDense(name="simple", in_features=3, out_features=3)
print(
    simple_layer(tf.constant([[2.0, 2.0, 2.0]])),
    len(simple_layer.variables),
    len(simple_layer.trainable_variables),
)


class FlexibleKeras(tf.keras.layers.Layer):
    def __init__(self, out_features, **kwargs):
        super().__init__(**kwargs)
        self.out_features = out_features

    def build(self, input_shape):
        self.w = self.add_weight(
            shape=(input_shape[-1], self.out_features), initializer="random_normal", name="w"
        )
        self.b = self.add_weight(shape=(self.out_features,), initializer="zeros", name="b")

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b


flexible_dense = FlexibleKeras(out_features=3)
print(flexible_dense.variables)
print("Model results:", flexible_dense(tf.constant([[2.0, 2.0, 2.0], [3.0, 3.0, 3.0]])))
print([(v.name, v.path, v.shape) for v in flexible_dense.variables])
try:
    print("Model results:", flexible_dense(tf.constant([[2.0, 2.0, 2.0, 2.0]])))
except Exception as e:
    print("Failed:", type(e).__name__)


@tf.keras.utils.register_keras_serializable()
class MySequentialModel(tf.keras.Model):
    def __init__(self, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.dense_1 = FlexibleKeras(out_features=3)
        self.dense_2 = FlexibleKeras(out_features=2)

    def call(self, x):
        return self.dense_2(self.dense_1(x))


my_sequential_model = MySequentialModel(name="the_model")
print("Model results:", my_sequential_model(tf.constant([[2.0, 2.0, 2.0]])))
print(
    len(my_sequential_model.variables),
    [type(m).__name__ for m in my_sequential_model.submodules]
    if hasattr(my_sequential_model, "submodules")
    else "",
    my_sequential_model.layers[0].name,
)
inputs = tf.keras.Input(shape=[3])
x = FlexibleKeras(3)(inputs)
x = FlexibleKeras(2)(x)
my_functional_model = tf.keras.Model(inputs=inputs, outputs=x)
my_functional_model.summary()
print(my_functional_model(tf.constant([[2.0, 2.0, 2.0]])))
