"""Variables and their keepers: frozen and hidden ones."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P13 asked for by name", "UNTRACKED_VARIABLE", """
        class Scale:
            def __init__(self):
                self.factor = «tf.Variable(2.0)»

        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.scale, self.weight = Scale(), tf.Variable(3.0)

            def __call__(self, data):
                return self.scale.factor * self.weight * data

        model = Model()
        with tf.GradientTape() as tape:
            y = model(5.0)
        g, trained = y, model.trainable_variables
        """,
        fix="class Scale(tf.Module):", symptom="silent",
        ask="tf.explain(tape, y, model.scale.factor)"),
    Pitfall("P13 Keras", "UNTRACKED_VARIABLE", """
        class Model(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = tf.keras.layers.Dense(1)
                self.factor = «tf.Variable(1.5)»

            def call(self, data):
                return self.factor * self.dense(data)

        model = Model()
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(model(tf.ones((2, 2))) ** 2)
        g = tape.gradient(y, model.trainable_variables)
        """,
        fix="self.factor = tf.keras.Variable(1.5)", symptom="silent", ask="tf.why()"),
    Pitfall("P13 nothing is found", "UNTRACKED_VARIABLE", """
        class Model(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.weight = «tf.Variable(1.5)»

            def call(self, data):
                return self.weight * data

        model = Model()
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(model(tf.ones((1, 1))))
        g = tape.gradient(y, model.trainable_variables)
        """,
        fix="self.weight = tf.keras.Variable(1.5)", symptom="silent", ask="tf.why()"),
    Pitfall("P13 a closure", "UNTRACKED_VARIABLE", """
        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.weight = tf.Variable(2.0)
                hidden = «tf.Variable(3.0)»
                self.scale = lambda data: data * hidden

            def __call__(self, data):
                return self.scale(self.weight * data)

        model = Model()
        with tf.GradientTape() as tape:
            y = model(5.0)
        g = tape.gradient(y, model.trainable_variables)
        """,
        symptom="silent", ask="tf.why()"),
]  # fmt: skip

NEAR_MISSES = {
    "P07 frozen beside it": """
        data = tf.ones((2, 3))
        layer, head = tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)
        head(layer(data))
        layer.trainable = False
        with tf.GradientTape() as tape: y = tf.reduce_sum(head(layer(data)))
        x = head.kernel
        g = tape.gradient(y, x)
        """,
    "P13 all found": """
        class Scale(tf.Module):
            def __init__(self):
                super().__init__()
                self.factor = tf.Variable(2.0)

        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.scale = Scale()
                self.weights = [tf.Variable(3.0)]

            def __call__(self, data):
                return self.scale.factor * self.weights[0] * data

        model = Model()
        with tf.GradientTape() as tape: y = model(5.0)
        g = tape.gradient(y, model.trainable_variables)[0]
        x = model.trainable_variables[0]
        """,
    "P13 data in a variable beside a model": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        image = tf.Variable(tf.ones((1, 3)))
        model(image)
        with tf.GradientTape() as tape: y = tf.reduce_sum(model(image) ** 2)
        x = model.trainable_variables[0]
        g = tape.gradient(y, x)
        """,
    "P13 another model on the tape": """
        class Part(tf.Module):
            def __init__(self):
                super().__init__()
                self.weight = tf.Variable(2.0)

        one, other = Part(), Part()
        with tf.GradientTape(persistent=True) as tape: y = one.weight * other.weight ** 2
        g = tape.gradient(y, one.trainable_variables)[0]
        tape.gradient(y, other.trainable_variables)
        x = one.weight
        """,
    "P13 another module without a gradient call yet": """
        class Part(tf.Module):
            def __init__(self):
                super().__init__()
                self.weight = tf.Variable(2.0)

        one, other = Part(), Part()
        with tf.GradientTape() as tape: y = one.weight * other.weight ** 2
        g = tape.gradient(y, one.trainable_variables)[0]
        x = one.weight
        """,
    "P13 hidden, and asked for": """
        class Temperature:
            def __init__(self):
                self.log = tf.Variable(0.5)

        layer, temperature = tf.keras.layers.Dense(1), Temperature()
        data = tf.ones((2, 3))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(data)) * tf.exp(temperature.log)
        g = tape.gradient(y, temperature.log)
        x = temperature.log
        """,
}
