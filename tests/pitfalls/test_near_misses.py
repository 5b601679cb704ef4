"""Code that looks like a pitfall and is none: its gradient is whole, so nothing is found."""

import numpy as np
import pytest

import tapelab
from tests.pitfalls.snippets import explained, run

NEAR_MISSES = {
    "P01 assigned": """
        x = tf.Variable(2.0)
        for step in range(3):
            with tf.GradientTape() as tape: y = x * x
            g = tape.gradient(y, x)
            x.assign_sub(0.1 * g)
        """,
    "P01 inside the tape": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            x = x + 1.0
            y = x * x
        g = tape.gradient(y, x)
        """,
    "P02 data prepared before": """
        x = tf.Variable(2.0)
        data = tf.constant([1.0, 2.0]) / 2.0
        with tf.GradientTape() as tape: y = tf.reduce_sum(data * x)
        g = tape.gradient(y, x)
        """,
    "P02 carried over from the last step": """
        x = tf.Variable(0.5)
        state = tf.constant(1.0)
        for step in range(3):
            with tf.GradientTape() as tape:
                y = state = tf.tanh(state * x)
            g = tape.gradient(y, x)
            x.assign_sub(0.1 * g)
        """,
    "P03 watched": """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        """,
    "P03 a recorded intermediate": """
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            x = v * v
            y = tf.sin(x)
        g = tape.gradient(y, x)
        """,
    "P04 watched before its only use": """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            other = tf.constant(2.0) * 3.0
            tape.watch(x)
            y = x * other
        g = tape.gradient(y, x)
        """,
    "P05 watched by hand": """
        x = tf.Variable(4.0, trainable=False)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        """,
    "P05 another one is frozen": """
        x = tf.Variable(4.0)
        frozen = tf.Variable(2.0, trainable=False)
        with tf.GradientTape() as tape: y = x * frozen
        g = tape.gradient(y, x)
        """,
    "P06 watched": """
        x = tf.Variable(4.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        """,
    "P09 sliced inside": """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape: y = tf.reduce_sum(x[0] ** 2)
        g = tape.gradient(y, x)
        """,
    "P11 a second network copied before": """
        x = tf.Variable(2.0)
        target = tf.Variable(x)
        with tf.GradientTape() as tape: y = x * target
        g = tape.gradient(y, x)
        """,
    "P12 a constant of a tensor is that tensor": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = tf.constant(x * 3.0)
            y = tf.constant(h, tf.float32) ** 2
        g = tape.gradient(y, x)
        """,
    "P14 NumPy makes the data": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * np.array([3.0, 4.0]))
        g = tape.gradient(y, x)
        """,
    "P15 printed on the way": """
        x = tf.Variable(2.0)
        seen = []
        with tf.GradientTape() as tape:
            h = x * x
            seen.append(h.numpy())
            kept = float(h)
            y = h + 1.0
        g = tape.gradient(y, x)
        """,
    "P16 the size of the data": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            n = int(tf.size(x))
            y = tf.reduce_sum(x) / float(n)
        g = tape.gradient(y, x)
        """,
    "P16 a branch": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x if x > 0.0 else -x
        g = tape.gradient(y, x)
        """,
    "P20 a counter": """
        x = tf.Variable(2.0)
        steps = tf.Variable(0.0, trainable=False)
        with tf.GradientTape() as tape:
            steps.assign_add(1.0)
            y = x * x / steps
        g = tape.gradient(y, x)
        """,
    "P20 a moving average that is not used": """
        x = tf.Variable(2.0)
        average = tf.Variable(0.0, trainable=False)
        with tf.GradientTape() as tape:
            h = x * x
            average.assign(0.9 * average + 0.1 * h)
            y = h * 3.0
        g = tape.gradient(y, x)
        """,
    "P20 a moving average from before": """
        x = tf.Variable(2.0)
        slow = tf.Variable(1.0)
        slow.assign(0.9 * slow + 0.1 * x)
        with tf.GradientTape() as tape: y = x * slow
        g = tape.gradient(y, x)
        """,
    "P20 the source itself is set": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            x.assign(3.0)
            y = x * x
        g = tape.gradient(y, x)
        """,
    "P22 a queue of data": """
        queue = tf.queue.FIFOQueue(10, tf.float32)
        queue.enqueue([1.0, 2.0])
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * queue.dequeue()
        g = tape.gradient(y, x)
        """,
    "P22 a queue that only listens": """
        queue = tf.queue.FIFOQueue(10, tf.float32)
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
            queue.enqueue(y)
        g = tape.gradient(y, x)
        seen = queue.dequeue()
        """,
    "P23 paused for something else": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
            with tape.stop_recording():
                error = y - 3.0
        g = tape.gradient(y, x)
        """,
    "P24 stopped elsewhere": """
        x = tf.Variable(2.0)
        z = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * tf.stop_gradient(z)
        g = tape.gradient(y, x)
        """,
    "P24 straight through": """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape:
            y = (x + tf.stop_gradient(tf.round(x) - x)) * 2.0
        g = tape.gradient(y, x)
        """,
    "P24 a wall inside a function of tf": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            mean, variance = tf.nn.moments(x, axes=[0])
            y = tf.reduce_logsumexp(x) + variance
        g = tape.gradient(y, x)
        """,
    "P24 a wall in a second derivative": """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = tf.reduce_logsumexp(x)
            y = tf.reduce_sum(inner.gradient(h, x) ** 2)
        g = tape.gradient(y, x)
        """,
    "P26 an integer beside it": """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape: y = tf.gather(x, tf.constant(1)) * 2.0
        g = tape.gradient(y, x)
        """,
    "P27 a mask": """
        x = tf.Variable([-1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * tf.cast(x > 0.0, tf.float32))
        g = tape.gradient(y, x)
        """,
    "P27 to another float": """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape: y = tf.cast(tf.cast(x, tf.float64), tf.float32)
        g = tape.gradient(y, x)
        """,
    "P29 a rounded factor": """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape: y = x * tf.round(x)
        g = tape.gradient(y, x)
        """,
    "P45 watched": """
        weights = tf.Variable([[1.0], [2.0]])
        x = tf.ones((4, 2)) * 0.3
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.tanh(x @ weights)
            g = tape.gradient(y, x)
        """,
    "P78 inside": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = (lambda v: v ** 3)(x)
        after = y * 2.0
        g = tape.gradient(y, x)
        """,
}


@pytest.fixture(params=NEAR_MISSES.values(), ids=NEAR_MISSES)
def near_miss(request):
    return request.param


def test_its_gradient_is_there(near_miss):
    gradient = tapelab.convert_to_tensor(run(near_miss)["g"])
    assert np.all(np.isfinite(gradient.numpy()))


def test_nothing_is_found(near_miss):
    explanation = explained(near_miss)
    assert explanation.findings == ()
    assert explanation.connected
    assert not explanation.partial
