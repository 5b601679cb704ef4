"""`tf.check_gradients`: what passes, what fails and why, and what it says."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tapelab as tf
from tapelab.diagnosis.gradient_check import CENTRAL, COMPLEX_STEP, DIRECTIONS
from tapelab.views.card import DATA


def total(function):
    return lambda *x: tf.reduce_sum(function(*x))


@tf.custom_gradient
def careless(x):
    return x * x, lambda up: 2.0 * x


@tf.custom_gradient
def careful(x):
    return x * x, lambda up: up * 2.0 * x


@tf.custom_gradient
def halved(x):
    return x * x, lambda up: up * x


MATRIX = np.arange(6.0).reshape(2, 3)


def test_a_smooth_function_agrees_to_the_last_digits_by_a_complex_step():
    check = tf.check_gradients(total(lambda x: tf.sin(x) * tf.exp(x)), MATRIX)
    assert check.passed
    assert bool(check)
    assert check.method == COMPLEX_STEP
    assert check.worst.error < 1e-14
    assert check.inputs[0].error.shape == (2, 3)


@pytest.mark.parametrize("function", [tf.abs, tf.nn.relu, tf.sign])
def test_where_complex_numbers_do_not_go_differences_are_central(function):
    check = tf.check_gradients(total(function), [-1.5, 2.5])
    assert check.passed
    assert check.method == CENTRAL


def test_float32_inside_of_the_function_is_checked_as_float32():
    check = tf.check_gradients(lambda x: tf.reduce_sum(x * x * tf.constant([1.0, 2.0])), [3.0, 4.0])
    assert check.passed
    assert check.tolerance == pytest.approx(np.cbrt(np.finfo(np.float32).eps))


def test_several_inputs_are_called_as_the_function_calls_them():
    check = tf.check_gradients(lambda a, b: tf.reduce_sum(a @ b), [MATRIX, MATRIX.T])
    assert [each.name for each in check.inputs] == ["a", "b"]
    assert check.passed


def test_variables_that_the_function_reads_are_checked_and_left_as_they_were():
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
    check = tf.check_gradients(lambda: tf.reduce_sum(tf.tanh(0.1 * w)), variables=[w])
    assert check.passed
    assert [each.name for each in check.inputs] == ["w"]
    assert w.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_the_weights_of_a_model_have_names_of_their_own():
    model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    model(x)
    check = tf.check_gradients(lambda: tf.reduce_sum(model(x)), variables=model.trainable_variables)
    assert check.passed
    assert [each.name for each in check.inputs] == ["kernel_1", "bias_1", "kernel_2", "bias_2"]


def test_rows_that_are_picked_twice_are_checked_as_one_gradient():
    check = tf.check_gradients(total(lambda rows: tf.gather(rows, [0, 0, 1]) ** 2), MATRIX)
    assert check.passed
    assert check.inputs[0].analytic.shape == (2, 3)


def test_a_cast_in_the_function_is_no_reason_to_warn(caplog):
    assert tf.check_gradients(lambda x: tf.reduce_sum(tf.cast(x, tf.float32)), [1.0, 2.0]).passed
    assert caplog.records == []


def test_an_input_without_entries_passes():
    assert tf.check_gradients(tf.reduce_sum, np.ones((0, 3))).worst is None


def test_a_wrong_factor_is_found_at_its_entry():
    check = tf.check_gradients(total(halved), [1.0, 2.0])
    assert not check.passed
    assert check.worst.analytic == pytest.approx(1.0)
    assert check.worst.numeric == pytest.approx(2.0)
    assert check.worst.error == pytest.approx(0.5)
    assert check.finding is None
    assert str(check).startswith(
        "The gradient check failed: 2 of 2 entries disagree with a complex step.\n"
        "  x[0]: analytic 1.0000, numeric 2.0000, the largest relative error 0.5000."
    )


def test_a_gradient_function_that_ignores_what_comes_from_upstream_is_named_and_mended():
    check = tf.check_gradients(lambda x: 2.0 * careless(x), 3.0)
    finding = check.finding
    assert finding.code == "UPSTREAM_IGNORED"
    assert finding.where.text == "2.0 * x"
    assert finding.fix.before == "return x * x, lambda up: 2.0 * x"
    assert finding.fix.after == "return x * x, lambda up: up * 2.0 * x"
    assert "analytic 6.0000, numeric 12.0000" in finding.message
    assert "Multiply its result by `up`." in finding.message


def test_the_mended_gradient_function_passes():
    assert tf.check_gradients(lambda x: 2.0 * careful(x), 3.0).passed


def test_a_named_gradient_function_is_mended_in_its_return():
    @tf.custom_gradient
    def scaled(x, y):
        def grad(dy):
            return y + 0.0, x

        return x * y, grad

    finding = tf.check_gradients(lambda x, y: 3.0 * scaled(x, y), [2.0, 5.0]).finding
    assert finding.fix.after == "return dy * (y + 0.0), dy * x"


def test_a_stopped_gradient_fails_as_none():
    check = tf.check_gradients(total(tf.stop_gradient), [1.0, 2.0])
    assert check.worst.analytic is None
    assert "The gradient for x[0] is None, differences give 1.0000." in str(check)


def test_a_kink_is_called_one():
    check = tf.check_gradients(total(tf.nn.relu), [0.0, 1.0])
    assert not check.passed
    assert "The derivatives to the left and to the right of x[0] differ, 0.0000 and 1.0000" in str(
        check
    )


def test_a_large_input_is_checked_along_directions_and_by_going_forward():
    check = tf.check_gradients(total(lambda x: x**3), np.linspace(-1, 1, 2000))
    assert check.passed
    assert check.method == DIRECTIONS
    assert check.inputs[0].forward is not None
    assert check.inputs[0].error.shape == (8,)


def test_one_wrong_entry_of_many_shows_in_the_directions():
    @tf.custom_gradient
    def but_one(x):
        mask = tf.constant(np.arange(2000) == 7, tf.float64)
        return x * x, lambda up: up * 2.0 * x * (1.0 + mask)

    assert not tf.check_gradients(total(but_one), np.ones(2000)).passed


def test_nothing_is_recorded_on_a_tape_of_the_learner():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        tf.check_gradients(lambda z: z * z, 3.0)
    assert len(tape.watched_variables()) == 1
    assert tape.gradient(y, x).numpy() == 4.0


def test_why_is_still_about_the_learners_own_gradient_call():
    x, y = tf.Variable(2.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        z = tf.stop_gradient(x) * y
    assert tape.gradient(z, x) is None
    tf.check_gradients(lambda z: z * z, 3.0)
    assert tf.why().findings[0].code == "STOPPED"


@pytest.mark.parametrize(
    ("f", "x", "kind", "message"),
    [
        (lambda x: x * 2, [1.0, 2.0], ValueError, "Try lambda x: tf.reduce_sum(f(x))"),
        (lambda x: x * 2, 3, TypeError, "got int32[] for x: only floating numbers"),
        (3, 3.0, TypeError, "needs a function first, but it got 3"),
        (lambda x: x * tf.random.normal(()), 3.0, ValueError, "differences say nothing"),
        (lambda x: tf.argmax(x), [1.0, 2.0], TypeError, "needs a floating number from f"),
        (lambda: 1.0, (), ValueError, "nothing to differentiate for"),
        (lambda x: x, tf.constant(1j), TypeError, "real and the imaginary part"),
        (lambda x: "text", 1.0, TypeError, "returned 'text'"),
    ],
)
def test_errors_say_what_to_do(f, x, kind, message):
    with pytest.raises(kind) as raised:
        tf.check_gradients(f, x)
    assert message in str(raised.value)


def test_what_is_no_variable_is_refused_as_one():
    with pytest.raises(TypeError, match="takes variables in variables="):
        tf.check_gradients(lambda: 1.0, variables=[tf.constant(1.0)])


def test_an_error_of_the_function_is_the_learners_own():
    with pytest.raises(ZeroDivisionError):
        tf.check_gradients(lambda x: x / (1 // 0), 3.0)


def test_the_picture_has_a_cell_for_each_entry_of_a_matrix_and_a_cross_on_each_that_fails():
    html = tf.check_gradients(total(halved), MATRIX + 1)._repr_mimebundle_()["text/html"]
    assert html.count('class="bad"') == 6
    assert html.count("l8 8m0 -8l-8 8") == 6
    assert 'aria-label="Relative errors of x: 6 of 6 entries fail."' in html


def test_the_picture_of_a_vector_has_bars_and_the_line_of_what_is_allowed():
    html = tf.check_gradients(total(tf.sin), [1.0, 2.0])._repr_mimebundle_()["text/html"]
    assert html.count('class="good" x=') == 2
    assert 'class="limit"' in html


def test_the_data_are_json():
    bundle = tf.check_gradients(lambda x: 2.0 * careless(x), 3.0)._repr_mimebundle_()
    data = json.loads(json.dumps(bundle[DATA], allow_nan=False))
    assert data["passed"] is False
    assert data["inputs"][0]["numeric"] == [12.0]
    assert data["finding"]["code"] == "UPSTREAM_IGNORED"
