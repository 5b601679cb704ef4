"""Variables and queues hold numbers, not their history."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P19", "STATE_READ", """
        x = tf.Variable(2.0)
        total, count = (tf.Variable(0.0, trainable=False) for _ in range(2))
        with tf.GradientTape() as tape:
            «total.assign_add(x * 3.0)»
            count.assign_add(1.0)
            y = total / count
        g = tape.gradient(y, x)
        """,
        fix="""
        total_new = total + x * 3.0
        count.assign_add(1.0)
        y = total_new / count
        """),
    Pitfall("P20 subtracted", "STATE_READ", """
        x = tf.Variable(3.0)
        kept = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            «kept.assign_sub(x + 1.0)»
            y = kept ** 2
        g = tape.gradient(y, x)
        """,
        fix="""
        kept_new = kept - (x + 1.0)
        y = kept_new ** 2
        """),
    Pitfall("P21", "STATE_READ", """
        x = tf.Variable(2.0)
        buffer = tf.Variable([0.0, 0.0, 1.0])
        with tf.GradientTape() as tape:
            «buffer[1].assign(x * x)»
            y = tf.reduce_sum(buffer ** 2)
        g = tape.gradient(y, x)
        """,
        fix="""
        buffer_new = tf.tensor_scatter_nd_update(buffer, [[1]], [x * x])
        y = tf.reduce_sum(buffer_new ** 2)
        """),
    Pitfall("P22", "STATE_READ", """
        x = tf.Variable(3.0)
        queue = tf.queue.FIFOQueue(10, tf.float32)
        with tf.GradientTape() as tape:
            h = x * x
            queue.enqueue(h)
            y = «queue.dequeue()» * 2.0
        g = tape.gradient(y, x)
        """,
        fix="y = h * 2.0"),
    Pitfall("P22 one part of a dict", "STATE_READ", """
        x, z = tf.Variable([2.0, 1.0]), tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            rows = tf.data.Dataset.from_tensor_slices({"a": x * x, "b": z * 2.0})
            y = 0.0
            for row in «rows»:
                y += row["a"] ** 2
        g = tape.gradient(y, x)
        """),
    Pitfall("P22 the other part of a dict", "UNUSED_SOURCE", """
        x, z = tf.Variable([2.0, 1.0]), tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            rows = tf.data.Dataset.from_tensor_slices({"a": x * 3.0, "b": z * z})
            y = 0.0
            for row in rows:
                «y += row["b"] ** 2»
        g = tape.gradient(y, x)
        """),
    Pitfall("P22 a batch", "STATE_READ", """
        x = tf.Variable([3.0, 4.0])
        queue = tf.queue.FIFOQueue(10, tf.float32, shapes=[()])
        with tf.GradientTape() as tape:
            queue.enqueue_many([x * x])
            y = tf.reduce_sum(«queue.dequeue_many(2)»)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum((x * x)[:2])"),
    Pitfall("P12 a variable of a list", "COPIED_VALUE", """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = «tf.Variable([x * 2.0, tf.sin(x)])»
            y = tf.reduce_sum(h)
        g = tape.gradient(y, x)
        """,
        fix="h = tf.stack([x * 2.0, tf.sin(x)])"),
    Pitfall("P19 Mean", "STATE_READ", """
        x = tf.Variable([2.0, 3.0])
        metric = tf.keras.metrics.Mean()
        with tf.GradientTape() as tape:
            «metric.update_state(x * 3.0)»
            y = metric.result()
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_mean(x * 3.0)"),
    Pitfall("P19 an error", "STATE_READ", """
        x = tf.Variable([[2.0], [3.0]])
        error = tf.keras.metrics.MeanSquaredError()
        with tf.GradientTape() as tape:
            y = «error([[1.0], [2.0]], x * 3.0)»
        g = tape.gradient(y, x)
        """,
        fix="y = tf.keras.losses.MeanSquaredError()([[1.0], [2.0]], x * 3.0)"),
    Pitfall("P21 in a loop", "STATE_READ", """
        x = tf.Variable(2.0)
        buffer = tf.Variable([0.0, 0.0, 0.0])
        with tf.GradientTape() as tape:
            for i in range(3):
                «buffer[i].assign(x ** float(i))»
            y = tf.reduce_sum(buffer)
        g = tape.gradient(y, x)
        """,
        fix="buffer = tf.tensor_scatter_nd_update(buffer, [[i]], [x ** float(i)])"),
    Pitfall("P21 scattered", "STATE_READ", """
        x = tf.Variable(2.0)
        buffer = tf.Variable([0.0, 0.0, 1.0])
        with tf.GradientTape() as tape:
            «buffer.scatter_nd_add([[1]], [x * x])»
            y = tf.reduce_sum(buffer ** 2)
        g = tape.gradient(y, x)
        """,
        fix="""
        buffer_new = tf.tensor_scatter_nd_add(buffer, [[1]], [x * x])
        y = tf.reduce_sum(buffer_new ** 2)
        """),
    Pitfall("P22 a Dataset", "STATE_READ", """
        x = tf.Variable([2.0, 3.0])
        with tf.GradientTape() as tape:
            h, y = x * 2.0, 0.0
            for row in «tf.data.Dataset.from_tensor_slices(h)»:
                y += row ** 2
        g = tape.gradient(y, x)
        """,
        fix="for row in h:"),
    Pitfall("P22 a function of a Dataset", "STATE_READ", """
        x = tf.Variable(2.0)
        rows = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(lambda row: «row * x»)
        with tf.GradientTape() as tape:
            y = 0.0
            for row in rows:
                y += row ** 2
        g = tape.gradient(y, x)
        """,
        fix="""
        rows = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = 0.0
            for row in rows:
                row = row * x
                y += row ** 2
        """),
]  # fmt: skip

NEAR_MISSES = {
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
    "P22 a queue that only receives": """
        queue = tf.queue.FIFOQueue(10, tf.float32)
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
            queue.enqueue(y)
        g = tape.gradient(y, x)
        seen = queue.dequeue()
        """,
    "P19 a metric that only looks on": """
        x = tf.Variable([2.0, 3.0])
        metric = tf.keras.metrics.Mean()
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(x * 3.0)
            metric.update_state(y)
        g = tape.gradient(y, x)
        """,
    "P22 a Dataset of data": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = 0.0
            for row in tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(lambda row: row * 2.0):
                y += (row * x) ** 2
        g = tape.gradient(y, x)
        """,
    "P21 written for later": """
        x = tf.Variable(2.0)
        history = tf.Variable([0.0, 0.0])
        with tf.GradientTape() as tape:
            y = x * x
            history[0].assign(y)
        g = tape.gradient(y, x)
        """,
    "P21 written with data": """
        x = tf.Variable(2.0)
        buffer = tf.Variable([0.0, 1.0], trainable=False)
        with tf.GradientTape() as tape:
            buffer[0].assign(3.0)
            y = x * tf.reduce_sum(buffer)
        g = tape.gradient(y, x)
        """,
    "P12 tensors stacked": """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.stack([x * 2.0, x * 3.0]))
        g = tape.gradient(y, x)
        """,
}
