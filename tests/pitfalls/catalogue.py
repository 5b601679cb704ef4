"""Pitfalls to find: each snippet computes `y` from `x` on `tape`, and asks for `g`."""

from __future__ import annotations

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P01", "REBOUND_TO_TENSOR", 5, """
        x = tf.Variable(2.0)
        for step in range(3):
            with tf.GradientTape() as tape: y = x * x
            g = tape.gradient(y, x)
            x = x - 0.5
        """),
    Pitfall("P01 by multiplying", "REBOUND_TO_TENSOR", 2, """
        x = tf.Variable([1.0, 2.0])
        x = x * 3.0
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P01 stretched", "REBOUND_TO_TENSOR", 2, """
        x = tf.Variable([1.0, 2.0])
        x = x + 1.0
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P01 twice", "REBOUND_TO_TENSOR", 2, """
        x = tf.Variable(1.0)
        x = x + 1.0
        x = tf.sqrt(x)
        with tf.GradientTape() as tape:
            y = tf.sin(x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P01 attribute", "REBOUND_TO_TENSOR", 5, """
        class Model: pass
        m = Model()
        m.w = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = m.w ** 2
        m.w = m.w - 0.1 * y
        with tf.GradientTape() as tape: y = m.w ** 2
        x = m.w
        g = tape.gradient(y, m.w)
        """),
    Pitfall("P02", "BEFORE_TAPE", 3, """
        x = tf.Variable(1.5)
        w = tf.constant(2.0)
        y = tf.exp(x) * w
        with tf.GradientTape() as tape:
            z = y + 1.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P02 two lines", "BEFORE_TAPE", 3, """
        x = tf.Variable(1.5)
        h = tf.exp(x)
        k = h * h
        with tf.GradientTape() as tape:
            y = k + 1.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P02 two ways", "BEFORE_TAPE", 2, """
        x = tf.Variable(1.5)
        h = tf.exp(x)
        k = tf.sin(x)
        with tf.GradientTape() as tape:
            y = h * k
        g = tape.gradient(y, x)
        """),
    Pitfall("P02 function", "BEFORE_TAPE", 2, """
        def half(v):
            return v / 2.0

        x = tf.Variable(1.5)
        h = half(x)
        with tf.GradientTape() as tape:
            y = h * h
        g = tape.gradient(y, x)
        """),
    Pitfall("P03", "NOT_WATCHED", 3, """
        x = tf.constant([1.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P03 made inside", "NOT_WATCHED", 3, """
        with tf.GradientTape() as tape:
            x = tf.constant(4.0)
            y = x * x
        g = tape.gradient(y, x)
        """),
    Pitfall("P03 in a function", "NOT_WATCHED", 3, """
        def slope(v):
            with tf.GradientTape() as recorder:
                out = v ** 3
            return recorder, out, recorder.gradient(out, v)

        x = tf.constant(2.0)
        tape, y, g = slope(x)
        """),
    Pitfall("P04", "WATCHED_TOO_LATE", 3, """
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            y = x * x
            tape.watch(x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P05", "NOT_TRAINABLE", 1, """
        x = tf.Variable(4.0, trainable=False, name="rate")
        with tf.GradientTape() as tape:
            y = tf.sqrt(x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P05 elsewhere", "NOT_TRAINABLE", 2, """
        off = False
        x = tf.Variable(4.0, trainable=off)
        with tf.GradientTape() as tape: y = tf.sqrt(x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P06", "AUTOWATCH_OFF", 3, """
        x = tf.Variable(4.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            y = x * x
        g = tape.gradient(y, x)
        """),
    Pitfall("P09", "BEFORE_TAPE", 2, """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        row = x[1]
        with tf.GradientTape() as tape: y = tf.reduce_sum(row ** 3)
        g = tape.gradient(y, x)
        """),
    Pitfall("P11", "COPIED_VALUE", 3, """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = tf.Variable(tf.exp(x))
            y = h * h
        g = tape.gradient(y, x)
        """),
    Pitfall("P14", "LEFT_ENGINE", 4, """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            h = tf.square(x)
            m = np.mean(h)
            y = tf.sqrt(m)
        g = tape.gradient(y, x)
        """),
    Pitfall("P14 axis", "LEFT_ENGINE", 4, """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            h = x ** 2
            m = np.max(h, axis=0)  # the largest of each column
            y = tf.reduce_sum(m, axis=0)
        g = tape.gradient(y, x)
        """),
    Pitfall("P14 ufunc", "LEFT_ENGINE", 3, """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            h = np.sqrt(x) + 1.0
            y = tf.reduce_sum(tf.constant(h) * 2.0)
        g = tape.gradient(y, x)
        """),
    Pitfall("P15", "LEFT_ENGINE", 2, """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape: y = tf.exp(tf.constant((x + 1.0).numpy()) * 2.0)
        g = tape.gradient(y, x)
        """),
    Pitfall("P15 method", "LEFT_ENGINE", 4, """
        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            h = tf.tanh(x)
            y = tf.constant(h.numpy().sum()) * 2.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P15 three lines", "LEFT_ENGINE", 3, """
        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            h = tf.tanh(x).numpy()
            k = np.sum(h * h)
            y = tf.sqrt(tf.convert_to_tensor(k))
        g = tape.gradient(y, x)
        """),
    Pitfall("P15 in a function", "LEFT_ENGINE", 2, """
        def average(values):
            return np.mean(values.numpy())

        x = tf.Variable([0.5, 2.0])
        with tf.GradientTape() as tape:
            y = average(x * x) * tf.constant(3.0)
        g = tape.gradient(y, x)
        """),
    Pitfall("P16", "LEFT_ENGINE", 4, """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = x * 2.0
            y = tf.constant(math.sin(h)) * 3.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P16 float", "LEFT_ENGINE", 3, """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            y = float(x * 2.0) * tf.constant(3.0)
        g = tape.gradient(y, x)
        """),
    Pitfall("P19", "STATE_READ", 4, """
        x = tf.Variable(2.0)
        total, count = (tf.Variable(0.0, trainable=False) for _ in range(2))
        with tf.GradientTape() as tape:
            total.assign_add(x * 3.0)
            count.assign_add(1.0)
            y = total / count
        g = tape.gradient(y, x)
        """),
    Pitfall("P20", "STATE_READ", 4, """
        x = tf.Variable(3.0)
        kept = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            kept.assign(x * 2.0)
            y = kept ** 2
        g = tape.gradient(y, x)
        """),
    Pitfall("P20 subtracted", "STATE_READ", 4, """
        x = tf.Variable(3.0)
        kept = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            kept.assign_sub(x + 1.0)
            y = kept ** 2
        g = tape.gradient(y, x)
        """),
    Pitfall("P21", "STATE_READ", 4, """
        x = tf.Variable(2.0)
        buffer = tf.Variable([0.0, 0.0, 1.0])
        with tf.GradientTape() as tape:
            buffer[1].assign(x * x)
            y = tf.reduce_sum(buffer ** 2)
        g = tape.gradient(y, x)
        """),
    Pitfall("P24", "STOPPED", 3, """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = tf.stop_gradient(x * x) * 2.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P24 alone", "STOPPED", 4, """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            h = x ** 2
            h = tf.stop_gradient(h)
            y = h + 1.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P24 asked behind the wall", "NOT_WATCHED", 4, """
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            x = tf.stop_gradient(v * v)
            y = x * v
        g = tape.gradient(y, x)
        """),
    Pitfall("P26", "INT_DTYPE", 1, """
        x = tf.Variable(10)
        with tf.GradientTape() as tape:
            y = x * x
        g = tape.gradient(y, x)
        """),
    Pitfall("P26 watched", "INT_DTYPE", 1, """
        x = tf.constant([[1, -2], [3, 4]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        """),
    Pitfall("P26 dtype", "INT_DTYPE", 1, """
        x = tf.Variable([1, 2], dtype=tf.int64)
        with tf.GradientTape() as tape:
            y = x + x
        g = tape.gradient(y, x)
        """),
    Pitfall("P26 NumPy", "INT_DTYPE", 1, """
        x = tf.Variable(np.arange(3))
        with tf.GradientTape() as tape:
            y = x + x
        g = tape.gradient(y, x)
        """),
    Pitfall("P27", "INT_DTYPE", 3, """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape:
            y = 3.0 * tf.cast(tf.cast(x, tf.int32), tf.float32)
        g = tape.gradient(y, x)
        """),
    Pitfall("P27 two lines", "INT_DTYPE", 3, """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            whole = tf.cast(x * 2.0, tf.int32)
            y = tf.reduce_sum(tf.cast(whole, tf.float32))
        g = tape.gradient(y, x)
        """),
    Pitfall("P40", "SWAPPED_ARGUMENTS", 3, """
        y = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            x = tf.exp(y)
        g = tape.gradient(y, x)
        """),
    Pitfall("P45", "NOT_WATCHED", 6, """
        weights = tf.Variable([[1.0], [2.0]])
        real, fake = tf.ones((4, 2)), tf.zeros((4, 2))
        x = real + 0.3 * (fake - real)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                y = tf.tanh(x @ weights)
            g = tape.gradient(y, x)
        """),
    Pitfall("P47", "REBOUND_TO_TENSOR", 5, """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        with tf.GradientTape(persistent=True) as tape:
            y = ws[0] ** 2 + ws[1] ** 2
        for w, slope in zip(ws, tape.gradient(y, ws)):
            w = w - 0.1 * slope
        x = w
        g = tape.gradient(y, x)
        """),
    Pitfall("P78", "AFTER_TAPE", 2, """
        def cube(v):
            return v ** 3

        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            first = cube(x)
        y = cube(x)
        g = tape.gradient(y, x)
        """),
    Pitfall("P78 a line", "AFTER_TAPE", 4, """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = x * x
        y = h + 1.0
        g = tape.gradient(y, x)
        """),
]  # fmt: skip

WITHOUT_A_LINE = [
    Pitfall("P22", "STATE_READ", 6, """
        x = tf.Variable(3.0)
        queue = tf.queue.FIFOQueue(10, tf.float32)
        with tf.GradientTape() as tape:
            h = x * x
            queue.enqueue(h)
            y = queue.dequeue() * 2.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P22 a batch", "STATE_READ", 5, """
        x = tf.Variable([3.0, 4.0])
        queue = tf.queue.FIFOQueue(10, tf.float32, shapes=[()])
        with tf.GradientTape() as tape:
            queue.enqueue_many([x * x])
            y = tf.reduce_sum(queue.dequeue_many(2))
        g = tape.gradient(y, x)
        """),
    Pitfall("P23", "RECORDING_PAUSED", 4, """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                y = x * x
        g = tape.gradient(y, x)
        """),
    Pitfall("P25", "OTHER_THREAD", 6, """
        import threading
        x = tf.Variable(2.0)
        answers = []
        with tf.GradientTape() as tape:
            worker = threading.Thread(
                target=lambda: answers.append(tf.exp(x)))
            worker.start(); worker.join()
            y = answers[0] * 2.0
        g = tape.gradient(y, x)
        """),
    Pitfall("P28", "NON_DIFFERENTIABLE", 3, """
        x = tf.Variable([1.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.cast(tf.argmax(x), tf.float32)
        g = tape.gradient(y, x)
        """),
    Pitfall("P29", "NON_DIFFERENTIABLE", 3, """
        x = tf.Variable([1.2, 3.7])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.round(x))
        g = tape.gradient(y, x)
        """),
    Pitfall("unused", "UNUSED_SOURCE", 4, """
        x = tf.Variable(2.0)
        z = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = z * z
        g = tape.gradient(y, x)
        """),
    Pitfall("used elsewhere", "UNUSED_SOURCE", 5, """
        x = tf.Variable(2.0)
        z = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            w = x * x
            y = z * z
        g = tape.gradient(y, x)
        """),
]  # fmt: skip
"""Pitfalls that no single line mends."""
