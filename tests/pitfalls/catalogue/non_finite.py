"""Infinities and NaN, and where they are born."""

from tests.pitfalls.snippets import Pitfall

PITFALLS = [
    Pitfall("P50", "INF_LOCAL", """
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            y = «tf.sqrt(x)» * 3.0
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sqrt(x + 1e-12) * 3.0", symptom="nan"),
    Pitfall("P50 then times 0", "INF_LOCAL", """
        x = tf.Variable([3.0, 0.0])
        with tf.GradientTape() as tape:
            h = x * x
            r = «tf.sqrt(h)»
            y = tf.reduce_sum(r + x)
        g = tape.gradient(y, x)
        """,
        fix="r = tf.sqrt(h + 1e-12)", symptom="nan"),
    Pitfall("P50 norm", "INF_LOCAL", """
        x = tf.Variable([0.0, 0.0])
        with tf.GradientTape() as tape:
            y = «tf.norm(x)» + tf.reduce_sum(x)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sqrt(tf.reduce_sum(x ** 2) + 1e-12) + tf.reduce_sum(x)", symptom="nan"),
    Pitfall("P50 deviation", "INF_LOCAL", """
        x = tf.Variable([2.0, 2.0])
        with tf.GradientTape() as tape:
            y = «tf.math.reduce_std(x)» + tf.reduce_sum(x)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.sqrt(tf.math.reduce_variance(x) + 1e-12) + tf.reduce_sum(x)", symptom="nan"),
    Pitfall("P51 division", "ZERO_TIMES_INF", """
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x > 0, «1.0 / x», 0.0))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.where(x > 0, 1.0 / tf.where(x > 0, x, 1.0), 0.0))",
        symptom="nan"),
    Pitfall("P51 overflow", "ZERO_TIMES_INF", """
        x = tf.Variable([1000.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x < 10, «tf.exp(x)», x))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.where(x < 10, tf.exp(tf.where(x < 10, x, 1.0)), x))",
        symptom="nan"),
    Pitfall("P51 the other branch, an op later", "ZERO_TIMES_INF", """
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            safe = x > 0
            h = «tf.math.log(x)»
            k = 2.0 * h
            y = tf.reduce_sum(tf.where(safe, k, 0.0))
        g = tape.gradient(y, x)
        """,
        fix="h = tf.math.log(tf.where(safe, x, 1.0))", symptom="nan"),
    Pitfall("P52", "INF_LOCAL", """
        labels = tf.constant([1.0, 0.0])
        x = tf.Variable([0.7, 0.0])
        with tf.GradientTape() as tape:
            y = -tf.reduce_sum(labels * «tf.math.log(x)»)
        g = tape.gradient(y, x)
        """,
        fix="y = -tf.reduce_sum(labels * tf.math.log(x + 1e-7))", symptom="nan"),
    Pitfall("P52 from scores", "INF_LOCAL", """
        labels = tf.constant([[1.0, 0.0]])
        x = tf.Variable([[-200.0, 200.0]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = -tf.reduce_sum(labels * «tf.math.log(p)») + tf.reduce_sum(x)
        g = tape.gradient(y, x)
        """,
        fix="y = -tf.reduce_sum(labels * tf.math.log(p + 1e-7)) + tf.reduce_sum(x)",
        symptom="nan"),
    Pitfall("P53 rows", "OVERFLOW", """
        x = tf.Variable([[1000.0, 999.0], [1.0, 2.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.math.log(tf.reduce_sum(«tf.exp(x)», axis=1)))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.reduce_logsumexp(x, axis=1))", symptom="nan"),
    Pitfall("P53 softmax", "OVERFLOW", """
        x = tf.Variable([1000.0, 999.0])
        with tf.GradientTape() as tape:
            e = «tf.exp(x)»
            p = e / tf.reduce_sum(e)
            y = p[0]
        g = tape.gradient(y, x)
        """,
        fix="e = tf.exp(x - tf.reduce_max(x))", symptom="nan"),
    Pitfall("P54", "OVERFLOW", """
        x = tf.Variable([1000.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.math.log(1.0 + «tf.exp(x)»))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.nn.softplus(x))", symptom="nan"),
    Pitfall("P54 log1p", "OVERFLOW", """
        x = tf.Variable(1000.0)
        with tf.GradientTape() as tape:
            y = tf.math.log1p(«tf.exp(x)»)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.nn.softplus(x)", symptom="nan"),
    Pitfall("P54 sigmoid", "OVERFLOW", """
        x = tf.Variable([-1000.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(1.0 / (1.0 + «tf.exp(-x)»))
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.sigmoid(x))", symptom="nan"),
    Pitfall("P55 negative base", "INF_LOCAL", """
        base = tf.constant([-2.0, 2.0])
        x = tf.Variable([3.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.pow(base, x + 0.5)»)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.pow(tf.abs(base), x + 0.5))", symptom="nan"),
    Pitfall("P55 divided by 0", "INF_LOCAL", """
        x = tf.Variable([0.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«3.0 / x»)
        g = tape.gradient(y, x)
        """,
        fix="y = tf.reduce_sum(tf.math.divide_no_nan(3.0, x))", symptom="nan"),
    Pitfall("P55 the logarithm of what is below 0", "INF_LOCAL", """
        x = tf.Variable([-1.0, 4.0])
        with tf.GradientTape() as tape: y = tf.reduce_sum(«tf.math.log(x)»)
        g = tape.gradient(y, x)
        """,
        symptom="value"),
    Pitfall("P50 a Jacobian", "INF_LOCAL", """
        x = tf.Variable([1.0, 0.0])
        with tf.GradientTape() as tape: y = «tf.sqrt(x)»
        g = tape.jacobian(y, x)
        """,
        fix="with tf.GradientTape() as tape: y = tf.sqrt(x + 1e-12)", symptom="nan"),
    Pitfall("P50 NaN in the data", "INF_LOCAL", """
        data = «tf.constant([1.0, float("nan")])»
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((x * data - 1.0) ** 2)
        g = tape.gradient(y, x)
        """,
        symptom="nan"),
]  # fmt: skip

NEAR_MISSES = {
    "P50 the root of something that is not 0": """
        x = tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape: y = tf.norm(x)
        g = tape.gradient(y, x)
        """,
    "P51 a double where": """
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            safe = tf.where(x > 0, x, 1.0)
            y = tf.reduce_sum(tf.where(x > 0, tf.math.log(safe), 0.0))
        g = tape.gradient(y, x)
        """,
    "P52 small probabilities": """
        labels = tf.constant([1.0, 0.0])
        x = tf.Variable([1e-3, 0.999])
        with tf.GradientTape() as tape:
            y = -tf.reduce_sum(labels * tf.math.log(x))
        g = tape.gradient(y, x)
        """,
    "P54 in the range": """
        x = tf.Variable([10.0, -10.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.math.log(1.0 + tf.exp(x)))
        g = tape.gradient(y, x)
        """,
    "P50 a gradient that is put in as NaN": """
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape: y = x * x
        put_in = tape.gradient(y, x, output_gradients=tf.constant(float("nan")))
        g = tape.gradient(y * 2.0, x, unconnected_gradients="zero")
        """,
    "P50 a mask of infinities": """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            y = tf.where([[True, False], [True, True]], x, float("-inf"))
        g = tape.gradient(y, x)
        """,
    "P50 an infinity that is not used": """
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            seen = tf.math.log(x)
            y = x * 2.0
        g = tape.gradient(y, x)
        """,
}
