"""Gradients of which a part is missing: some paths are cut while others live."""

import numpy as np

from tests.pitfalls.snippets import explained, mended

STOPPED = """
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * tf.stop_gradient(x * x)
    g = tape.gradient(y, x)
    """
LEFT = """
    x = tf.Variable([1.0, 3.0])
    with tf.GradientTape() as tape:
        largest = np.max(x)
        y = tf.reduce_sum(x / largest)
    g = tape.gradient(y, x)
    """
LEFT_EARLIER = """
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        seen = tf.constant(float(x)) * 2.0
        y = x * seen
    g = tape.gradient(y, x)
    """
BEFORE = """
    x = tf.Variable([1.0, 3.0])
    scale = tf.reduce_max(x)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x / scale)
    g = tape.gradient(y, x)
    """
ASSIGNED = """
    x = tf.Variable(3.0)
    kept = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        kept.assign(x * x)
        y = kept + x
    g = tape.gradient(y, x)
    """
LATE = """
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        h = x * 2.0
        tape.watch(x)
        y = h * x
    g = tape.gradient(y, x)
    """
COPIED = """
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        h = tf.Variable(x * 2.0)
        y = h * x
    g = tape.gradient(y, x)
    """
OUTSIDE = """
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        h = tf.numpy_function(lambda v: v * 2.0, [x], tf.float32)
        y = h * x
    g = tape.gradient(y, x)
    """
BEHIND_A_DERIVATIVE = """
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            h = x ** 2 * tf.constant(float(x))
        y = inner.gradient(h, x)
    g = tape.gradient(y, x)
    """


def found(snippet):
    explanation = explained(snippet)
    assert explanation.connected
    assert explanation.partial
    (finding,) = explanation.findings
    return finding


def test_a_stopped_path_beside_a_living_one():
    assert found(STOPPED).code == "STOPPED"
    assert float(mended(STOPPED)) == 27.0


def test_a_detour_beside_a_living_path():
    assert found(LEFT).code == "LEFT_ENGINE"
    assert np.allclose(mended(LEFT).numpy(), [1 / 3, -1 / 9])


def test_a_detour_with_an_op_behind_it():
    assert found(LEFT_EARLIER).code == "LEFT_ENGINE"
    assert float(mended(LEFT_EARLIER)) == 12.0


def test_a_part_computed_before_the_tape():
    assert found(BEFORE).code == "BEFORE_TAPE"
    assert np.allclose(mended(BEFORE).numpy(), [1 / 3, -1 / 9])


def test_an_assigned_copy_beside_a_living_path():
    assert found(ASSIGNED).code == "STATE_READ"
    assert float(mended(ASSIGNED)) == 7.0


def test_a_use_before_watch():
    assert found(LATE).code == "WATCHED_TOO_LATE"
    assert float(mended(LATE)) == 12.0


def test_a_variable_made_from_a_recorded_tensor():
    assert found(COPIED).code == "COPIED_VALUE"
    assert float(mended(COPIED)) == 12.0


def test_python_code_beside_a_living_path():
    assert found(OUTSIDE).code == "LEFT_ENGINE"


def test_a_detour_behind_a_derivative_that_the_outer_tape_recorded():
    assert found(BEHIND_A_DERIVATIVE).code == "LEFT_ENGINE"


def test_the_message_counts_the_uses_that_arrive():
    message = found(STOPPED).message
    assert message.endswith(
        "1 of 2 uses of `x` leads to `y` on the tape, so this gradient is incomplete."
    )


def test_where_every_use_arrives_the_message_speaks_of_other_ways():
    explanation = explained("""
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            h = x * x
            y = tf.reduce_sum(h / float(tf.reduce_max(h)))
        """)
    (finding,) = explanation.findings
    assert explanation.partial
    assert finding.message.endswith(
        "Other paths lead from `x` to `y` on the tape, so this gradient is incomplete. "
        "The value of the missing part was not recorded."
    )


def test_what_a_stopped_gradient_leaves_out_is_reported():
    finding = found("""
        x = tf.Variable([1.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x ** 3 + 5.0 * tf.stop_gradient(x * x))
        """)
    assert "Here that is [10. 30.] of the gradient for `x`." in finding.message


def test_it_is_reported_after_a_gradient_call():
    assert "Here that is 18.0000 of the gradient for `x`." in found(STOPPED).message


def test_it_is_not_reported_where_the_tape_has_released_its_values():
    finding = found("""
        x = tf.Variable(tf.ones([400]))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * tf.stop_gradient(x * x))
        g = tape.gradient(y, x)
        """)
    assert "Here that is" not in finding.message
    assert finding.message.endswith("The value of the missing part was not recorded.")


def test_of_a_stop_that_ran_several_times_the_last_run_is_reported():
    finding = found("""
        x = tf.Variable(1.5)
        with tf.GradientTape() as tape:
            h = x * 1.0
            for step in range(3):
                h = h + tf.stop_gradient(h) * (step + 1.0)
            y = h
        """)
    assert "The last run alone stopped 3.0000 of the gradient for `x`." in finding.message


def test_a_detour_through_whole_numbers_beside_a_living_path():
    finding = found("""
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape:
            y = x * tf.cast(tf.cast(x * 2.0, tf.int32), tf.float32)
        g = tape.gradient(y, x)
        """)
    assert finding.code == "INT_DTYPE"
    assert finding.where.text == "tf.cast(x * 2.0, tf.int32)"
