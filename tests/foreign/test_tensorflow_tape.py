"""Real TensorFlow programs as recordings: values, the user's lines, every backward step."""

from __future__ import annotations

import linecache
from textwrap import dedent

import numpy as np
import pytest

import tapelab
from tapelab.recording import events as e
from tapelab.recording import from_bytes, to_bytes
from tapelab.views import text_view

tf = pytest.importorskip("tensorflow", reason="TensorFlow is in an environment of its own")

FILE = "<tensorflow program>"


def recorded(program, **settings):
    """Run a program under a recorder; the recorder, and the program's names."""
    text = dedent(program).strip("\n")
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    space = {"__name__": "__main__", "tf": tf, "np": np}
    tf.random.set_seed(0)
    recorder = tapelab.record("tensorflow", **settings)
    with recorder:
        exec(compile(text, FILE, "exec"), space)
    return recorder, space


def ops(recording):
    """The name of each op that ran, with the user's expression."""
    return [
        (recording.ops[place.event.op].name, recording.text_at(place.span))
        for place in recording.placed(e.Ran)
    ]


def gradients(recording, call=-1):
    """The gradients of a call, by the names of its sources."""
    event = recording.placed(e.Asked)[call].event
    return {
        recording.tensor(source).name: None if result < 0 else recording.tensor(result).value
        for source, result in zip(event.sources, event.results, strict=True)
    }


def arrived(recording, source):
    """The sum of all steps that reached a tensor of a name in the last gradient call."""
    steps = [place.event for place in recording.placed(e.Flowed)]
    named = [each for each in steps if recording.tensor(each.tensor).name == source]
    return recording.tensor(named[-1].sum).value


def test_each_op_stands_at_the_users_expression_and_each_step_has_its_numbers():
    recorder, space = recorded("""
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.sin(w * w)
            loss = tf.reduce_sum(y) * 3.0
        g = tape.gradient(loss, w)
    """)
    recording = recorder.recording(space["loss"], space["w"])
    assert ops(recording) == [
        ("multiply", "w * w"), ("sin", "tf.sin(w * w)"), ("reduce_sum", "tf.reduce_sum(y)"),
        ("multiply", "tf.reduce_sum(y) * 3.0"),
    ]  # fmt: skip
    np.testing.assert_array_equal(gradients(recording)["w"], space["g"].numpy())
    np.testing.assert_allclose(arrived(recording, "w"), space["g"].numpy(), rtol=1e-6)
    assert recording.framework == f"TensorFlow {tf.__version__}"
    assert from_bytes(to_bytes(recording)) == recording
    assert "gradient of loss" in text_view.picture(recording)


def test_variables_that_kernels_read_from_c_are_watched_and_no_others_are():
    recorder, space = recorded("""
        a, b = tf.Variable([2.0, 5.0]), tf.Variable([3.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(a * 2.0)
        watched = tape.watched_variables()
        g = tape.gradient(y, [a, b])
    """)
    recording = recorder.recording(space["y"], [space["a"], space["b"]])
    assert [each.name for each in space["watched"]] == [space["a"].name]
    assert len(space["watched"]) == 1
    np.testing.assert_array_equal(gradients(recording)["a"], [2.0, 2.0])
    assert gradients(recording)["b"] is None


def test_a_variable_from_before_the_recording_is_known_by_its_name():
    early = tf.Variable([1.0, 4.0])
    with tapelab.record("tensorflow") as recorder:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(early**3.0)
        tape.gradient(y, early)
    np.testing.assert_array_equal(gradients(recorder.recording(y, early))["early"], [3.0, 48.0])


def test_stop_recording_pauses_the_tape():
    recorder, space = recorded("""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                h = x * x
            y = h * x
        g = tape.gradient(y, x)
    """)
    recording = recorder.recording(space["y"], space["x"])
    assert [place.event.cause for place in recording.placed(e.Ran)] == [
        e.Cause.PAUSED, e.Cause.TAPED,
    ]  # fmt: skip
    assert float(gradients(recording)["x"]) == 4.0
    assert len(recording.placed(e.Paused)) == len(recording.placed(e.Resumed)) == 1


def test_a_keras_model_is_groups_and_its_weights_have_paths():
    recorder, space = recorded("""
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(3, activation="tanh", name="inner"),
            tf.keras.layers.Dense(1, name="outer"),
        ], name="net")
        x = tf.ones([4, 2])
        model(x)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x) ** 2.0)
        g = tape.gradient(loss, model.trainable_variables)
    """)
    weights = space["model"].trainable_variables
    recording = recorder.recording(space["loss"], weights)
    names = [group.name for group in recording.groups if group.kind == "module"]
    assert names[-3:] == ["net", "inner", "outer"]
    for (name, got), weight, want in zip(
        gradients(recording).items(), weights, space["g"], strict=True
    ):
        assert weight.path.endswith(name)
        np.testing.assert_array_equal(got, want.numpy())
        np.testing.assert_allclose(arrived(recording, name), want.numpy(), rtol=1e-5, atol=1e-7)


def test_an_optimizer_assigns_and_the_next_tape_reads_the_new_value():
    recorder, space = recorded("""
        w = tf.Variable(2.0)
        optimizer = tf.keras.optimizers.SGD(0.25)
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = w * w
            g = tape.gradient(loss, w)
            optimizer.apply_gradients([(g, w)])
    """)
    recording = recorder.recording(space["loss"], space["w"])
    assert float(gradients(recording)["w"]) == 2.0
    assert float(space["w"].numpy()) == 0.5


def test_a_function_is_one_op_or_runs_eagerly_on_request():
    program = """
        @tf.function
        def cube(x):
            return x * x * x

        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = cube(w) * 2.0
        g = tape.gradient(y, w)
    """
    recorder, space = recorded(program)
    whole = recorder.recording(space["y"], space["w"])
    assert [name for name, _ in ops(whole)] == ["cube", "multiply"]
    recorder, space = recorded(program, run_functions_eagerly=True)
    parts = recorder.recording(space["y"], space["w"])
    assert [name for name, _ in ops(parts)] == ["multiply", "multiply", "multiply"]
    for recording in (whole, parts):
        assert float(gradients(recording)["w"]) == float(arrived(recording, "w")) == 24.0


def test_second_derivatives_run_through_nested_tapes():
    recorder, space = recorded("""
        x = tf.Variable(3.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x ** 3.0
            d = inner.gradient(y, x)
        g = outer.gradient(d, x)
    """)
    recording = recorder.recording(space["d"], space["x"])
    assert float(gradients(recording)["x"]) == float(space["g"]) == 18.0
    assert [each.name for each in recording.nested] == ["inner"]


def test_a_gradient_function_of_the_user_runs_as_often_as_without_the_recorder():
    recorder, space = recorded("""
        runs = []

        @tf.custom_gradient
        def double(x):
            def grad(dy):
                runs.append(float(dy))
                return dy * 2.0
            return x * 2.0, grad

        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = double(w) * w
        g = tape.gradient(y, w)
    """)
    recording = recorder.recording(space["y"], space["w"])
    assert space["runs"] == [3.0]
    assert float(arrived(recording, "w")) == float(space["g"]) == 12.0


def test_show_runs_a_backward_pass_that_the_program_did_not_and_uses_nothing_up():
    recorder, space = recorded("""
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = w * w
    """)
    assert float(gradients(recorder.recording(space["y"], space["w"]))["w"]) == 6.0
    assert float(space["tape"].gradient(space["y"], space["w"])) == 6.0


def test_an_error_about_a_tape_that_is_used_up_says_what_to_write():
    _, space = recorded("""
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
        first = tape.gradient(y, x)
        try:
            tape.gradient(y, x)
        except RuntimeError as raised:
            error = raised
    """)
    assert space["error"].finding.code == "TAPE_CONSUMED"
    assert "persistent=True" in space["error"].finding.fix.after


def test_tensorflow_is_left_as_it_was():
    before = {name: vars(tf.GradientTape)[name] for name in ("gradient", "watch", "_push_tape")}
    softmax = tf.nn.softmax
    recorded("x = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    y = x * x\n")
    assert {name: vars(tf.GradientTape)[name] for name in before} == before
    assert tf.nn.softmax is softmax
    assert not hasattr(tf.constant(1.0), "__array_function__")


def test_without_a_tape_there_is_nothing_to_show():
    recorder, space = recorded("y = tf.constant(1.0) * 2.0")
    with pytest.raises(RuntimeError, match=r"opened no tf\.GradientTape"):
        recorder.recording(space["y"])
