"""Programs as a guide to functions, modules and training loops shows them."""

from __future__ import annotations

import numpy as np

from tests.compile.epochs import epoch_of, pairs, weights


class Dense:
    """A layer as a guide writes it."""

    def __init__(self, tf, inputs, outputs):
        self.tf = tf
        self.w = tf.Variable(tf.ones([inputs, outputs]) * 0.5, name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x):
        return self.tf.nn.relu(x @ self.w + self.b)


def test_a_linear_model_is_fitted_in_a_function(tf):
    x = np.linspace(-1, 1, 20, dtype=np.float32)
    y = 3 * x + 2
    w, b = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def train(x, y, rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(w * x + b - y))
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(rate * dw)
        b.assign_sub(rate * db)
        return loss

    losses = [train(x, y, tf.constant(0.3)).numpy() for _ in range(60)]
    assert losses == sorted(losses, reverse=True)
    assert np.allclose([w.numpy(), b.numpy()], [3, 2], atol=0.01)
    assert train.experimental_get_tracing_count() == 1


def test_training_is_the_same_with_and_without_a_function(tf):
    def trained(decorate):
        layers = [Dense(tf, 2, 4), Dense(tf, 4, 1)]
        weights = [weight for layer in layers for weight in (layer.w, layer.b)]

        @decorate
        def step(x, y):
            with tf.GradientTape() as tape:
                h = x
                for layer in layers:
                    h = layer(h)
                loss = tf.reduce_mean((h - y) ** 2)
            for weight, derivative in zip(weights, tape.gradient(loss, weights), strict=True):
                weight.assign_sub(0.05 * derivative)
            return loss

        x, y = tf.constant([[1.0, 2.0], [3.0, -1.0]]), tf.constant([[1.0], [0.0]])
        return [step(x, y).numpy() for _ in range(5)] + [weights[0].numpy().tolist()]

    assert trained(tf.function) == trained(lambda function: function)


def test_newton_steps_take_second_derivatives_in_a_function(tf):
    x = tf.Variable([2.0, -1.0])

    @tf.function
    def step():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum((x - 1.0) ** 2 * [1.0, 5.0])
            derivative = inner.gradient(y, x)
        curvature = outer.jacobian(derivative, x)
        x.assign_sub(tf.linalg.solve(curvature, derivative[:, tf.newaxis])[:, 0])

    step()
    assert np.allclose(x.numpy(), [1.0, 1.0])


def test_a_recurrent_network_goes_over_sequences_of_any_length(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def run(sequence):
        state = tf.zeros([2])
        states = tf.TensorArray(tf.float32, size=tf.shape(sequence)[0])
        for at in tf.range(tf.shape(sequence)[0]):
            state = tf.tanh(sequence[at] + 0.5 * state)
            states = states.write(at, state)
        return states.stack(), state

    for length in (1, 3, 6):
        states, last = run(tf.ones([length, 2]))
        assert states.shape == (length, 2)
        assert np.array_equal(states[-1], last)
    assert run.experimental_get_tracing_count() == 1


def test_a_dataset_is_trained_on_inside_a_function(tf):
    x = np.arange(1.0, 5.0, dtype=np.float32)
    found = epoch_of(tf, 0.1)(pairs(tf, x))
    assert np.isclose(found.numpy(), weights(x, 0.1, epochs=1)[0])


def test_a_penalty_on_gradients_is_trained_through(tf):
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def penalty(x):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                score = tf.reduce_sum((x * w) ** 2)
            derivative = inner.gradient(score, x)
            size = tf.reduce_sum(derivative**2)
        return outer.gradient(size, w)

    x = tf.constant([1.0, 0.5])
    assert np.allclose(penalty(x).numpy(), 16 * x.numpy() ** 2 * w.numpy() ** 3)


def test_a_module_counts_its_calls(tf):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.calls = tf.Variable(0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def add(self, amount):
            self.calls.assign_add(amount)
            return self.calls

    counter, other = Counter(), Counter()
    assert [counter.add(1).numpy(), counter.add(2).numpy(), other.add(5).numpy()] == [1, 3, 5]


def test_running_eagerly_lets_one_look_inside(tf):
    seen = []

    @tf.function
    def f(x):
        seen.append(x.numpy())
        return x + 1

    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1))
        f(tf.constant(2))
    finally:
        tf.config.run_functions_eagerly(False)
    assert seen == [1, 2]
