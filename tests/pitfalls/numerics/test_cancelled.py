"""A bias that a mean takes away: leaving it out changes nothing."""

import numpy as np

from tests.pitfalls.snippets import explained, repaired, run

BIAS = """
    x = tf.Variable([1.0])
    data = tf.constant([[1.0], [2.0], [5.0]])
    with tf.GradientTape() as tape:
        h = data + x
        n = (h - tf.reduce_mean(h, 0)) / tf.sqrt(tf.math.reduce_variance(h, 0) + 1e-3)
        y = tf.reduce_sum(n ** 3)
    g = tape.gradient(y, x)
    """


def test_the_bias_and_the_mean_are_named():
    (finding,) = explained(BIAS).findings
    assert finding.code == "CANCELLED_BY_MEAN"
    assert (finding.where.line, finding.where.text) == (4, "data + x")
    assert finding.message.startswith(
        "`x` shifts all rows by the same amount, and `h - tf.reduce_mean(h, 0)` in line 5 "
        "subtracts their mean. So the result does not depend on `x`."
    )


def test_without_the_bias_the_result_is_the_same():
    text = repaired(BIAS)
    assert "    h = data\n" in text
    assert np.allclose(run(text)["y"], run(BIAS)["y"], atol=1e-5)
