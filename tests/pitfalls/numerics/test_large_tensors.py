"""Numbers of large tensors are not kept, and what they come to is: that is enough to explain."""

import numpy as np
import pytest

from tapelab.diagnosis import explain_recording
from tapelab.recording import events as e
from tapelab.recording import from_bytes, to_bytes
from tests.pitfalls.snippets import codes, explained, run

LARGE = {
    "INF_LOCAL": """
        x = tf.Variable(tf.zeros(400))
        with tf.GradientTape(persistent=True) as tape: y = tf.reduce_mean(tf.sqrt(x))
        """,
    "OVERFLOW": """
        x = tf.Variable(tf.fill([400], 1000.0))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.math.log(tf.reduce_sum(tf.exp(x)))
        """,
    "ZERO_TIMES_INF": """
        x = tf.Variable(tf.zeros(400))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean(tf.where(x > 0, tf.math.log(x), 0.0))
        """,
    "DEAD_UNITS": """
        data = tf.ones((40, 20))
        x = tf.Variable(-tf.ones((20, 30)))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_mean((tf.nn.relu(data @ x) - 1.0) ** 2)
        """,
    "VANISHING": """
        x = tf.Variable(tf.fill([400], 0.7))
        with tf.GradientTape(persistent=True) as tape:
            h = x
            for _ in range(20):
                h = tf.sigmoid(h)
            y = tf.reduce_max(h)
        """,
    "UNDERFLOW": """
        x = tf.Variable(tf.fill([400], 0.5))
        with tf.GradientTape(persistent=True) as tape:
            h = tf.cast(x, tf.float16)
            y = tf.reduce_sum(tf.cast(h, tf.float32)) * 1e-9
        """,
}
HEALTHY = """
    tf.random.set_seed(1)
    data = tf.random.normal((40, 20))
    x = tf.Variable(tf.random.normal((20, 30), stddev=0.3))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_mean((tf.nn.relu(data @ x) - 1.0) ** 2)
    """


@pytest.fixture(params=LARGE)
def code(request):
    return request.param


def test_before_any_gradient_call(code):
    assert code in codes(LARGE[code])


def test_after_the_gradient_of_a_persistent_tape(code):
    assert code in codes(LARGE[code] + "g = tape.gradient(y, x)")


def test_from_bytes(code):
    explanation = explained(LARGE[code])
    loaded = from_bytes(to_bytes(explanation.recording))
    (call,) = (place.event for place in loaded.placed(e.Asked))
    again = explain_recording(loaded, call.targets[0], call.sources[0])
    assert again.findings == explanation.findings


def test_what_an_op_received_is_reported_of_large_tensors():
    (finding,) = explained(LARGE["INF_LOCAL"]).findings
    assert "received 0, where its derivative is infinite" in finding.message
    assert "400 of 400 numbers" in finding.message


LET_GO = """
    data = tf.ones((40, 20))
    w = tf.Variable(tf.ones((20, 30)))
    x = tf.Variable(tf.zeros(30))
    with tf.GradientTape() as tape:
        y = tf.reduce_mean(tf.sqrt(data @ w + x - 20.0) * tf.sqrt(data @ w - 21.0))
    g = tape.gradient(y, x)
    """


def test_of_numbers_that_a_tape_has_let_go_nothing_is_invented():
    names = run(LET_GO)
    assert np.isnan(names["g"].numpy()).all()
    assert codes(LET_GO) == []
    assert codes(LET_GO.replace("GradientTape()", "GradientTape(persistent=True)")) == ["INF_LOCAL"]


def test_a_healthy_layer_stays_silent():
    assert codes(HEALTHY) == []
    assert codes(HEALTHY + "g = tape.gradient(y, x)") == []
