"""What `explain` takes, what it leaves alone, and what it answers without a tape."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapelab as tf
from tapelab.diagnosis import explain
from tapelab.recording import events as e
from tests.pitfalls.catalogue import PITFALLS
from tests.pitfalls.snippets import explained


def codes(explanation):
    return [finding.code for finding in explanation.findings]


def stopped_tape(*, persistent=False):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=persistent) as tape:
        y = tf.stop_gradient(x * x)
    return tape, y, x


def test_it_is_exported_under_its_own_name():
    assert tf.explain is explain


def test_an_explanation_uses_nothing_up():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    explain(tape, y, x)
    assert float(tape.gradient(y, x)) == 6.0


def test_a_tape_that_has_answered_still_explains():
    tape, y, x = stopped_tape()
    assert tape.gradient(y, x) is None
    assert codes(explain(tape, y, x)) == ["STOPPED"]


def test_a_spent_tape_explains_gradients_that_were_never_requested():
    x, other = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        z = tf.stop_gradient(other) * x
    assert tape.gradient(y, x) is not None
    assert codes(explain(tape, z, other)) == ["STOPPED"]
    assert explain(tape, z, x).connected


def test_a_spent_tape_of_large_values_explains_too():
    x = tf.Variable(tf.ones((40, 40)))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x)
        z = tf.reduce_sum(tf.stop_gradient(x))
    assert tape.gradient(y, x) is not None
    assert codes(explain(tape, z, x)) == ["STOPPED"]
    assert explain(tape, y, x).findings == ()


def test_two_explanations_call_the_tape_once():
    tape, y, x = stopped_tape(persistent=True)
    first, second = explain(tape, y, x), explain(tape, y, x)
    assert first == second
    assert len(first.recording) == len(second.recording)


def test_inside_the_block_it_explains_what_is_there():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x)
        assert codes(explain(tape, y, x)) == ["STOPPED"]
        z = x * x
    assert float(tape.gradient(z, x)) == 6.0


def test_a_tape_that_was_never_entered_explains():
    x = tf.Variable(3.0)
    y = x * x
    assert codes(explain(tf.GradientTape(), y, x)) == ["BEFORE_TAPE"]


def test_what_a_reset_forgot_ran_before_the_tape():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.reset()
    assert codes(explain(tape, y, x)) == ["BEFORE_TAPE"]


def test_a_target_that_is_the_source_is_connected():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x * x
    assert explain(tape, x, x).findings == ()


def test_something_that_is_no_tape():
    with pytest.raises(TypeError, match=r"explain\(\) needs the tape first, but it got 3"):
        explain(3, tf.constant(1.0), tf.constant(1.0))


@pytest.mark.parametrize("part", ["target", "source"])
def test_an_end_that_is_none(part):
    tape, y, x = stopped_tape()
    ends = {"target": y, "source": x, part: None}
    with pytest.raises(TypeError, match=f"explain\\(\\) needs a {part}"):
        explain(tape, ends["target"], ends["source"])


@pytest.mark.parametrize("part", ["target", "source"])
def test_an_end_that_is_no_tensor_and_no_number(part):
    tape, y, x = stopped_tape()
    ends = {"target": y, "source": x, part: "loss"}
    with pytest.raises(TypeError, match=f"the {part} must be a tensor or a variable"):
        explain(tape, ends["target"], ends["source"])


def test_a_number_as_target_is_explained_as_one():
    tape, _, x = stopped_tape()
    loss = np.ones(2)
    (finding,) = explain(tape, loss, x).findings
    assert (finding.code, finding.title) == ("LEFT_ENGINE", "`loss` is not a tensor")
    assert finding.message.startswith("`loss` is a plain number of NumPy or Python, [1. 1.].")


def test_a_number_as_source_is_explained():
    tape, y, _ = stopped_tape()
    number = 3.0
    assert codes(explain(tape, y, number)) == ["UNUSED_SOURCE"]


def test_several_sources_get_an_explanation_each():
    x, z = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * z
    explanation = explain(tape, y, {"x": x, "z": z})
    assert [codes(part) for part in explanation.parts] == [["STOPPED"], []]
    assert [part.source for part in explanation.parts] == ["x", "z"]
    assert codes(explanation) == ["STOPPED"]
    assert not explanation.connected


def test_an_empty_list_of_sources_is_said_to_be_empty():
    tape, y, _ = stopped_tape()
    explanation = explain(tape, y, [])
    assert explanation.findings == ()
    assert str(explanation) == "The list of sources is empty, so there is no gradient."


def test_what_two_sources_share_is_reported_once():
    x, z = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape, tape.stop_recording():
        y = x * z
    explanation = explain(tape, y, [x, z])
    assert [codes(part) for part in explanation.parts] == [["RECORDING_PAUSED"]] * 2


def test_several_targets_are_summed():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * 2.0
        z = tf.stop_gradient(x)
    explanation = explain(tape, [z, y], x)
    assert explanation.target == "z, y"
    assert explanation.partial
    assert codes(explanation) == ["STOPPED"]


def test_of_several_targets_none_is_reached():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.constant(x.numpy())
        z = tf.stop_gradient(x)
    explanation = explain(tape, [y, z], x)
    assert not explanation.connected
    assert sorted(codes(explanation)) == ["LEFT_ENGINE", "STOPPED"]


def test_of_several_targets_a_flat_and_a_stopped_one_are_both_reported():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.round(x)
        z = tf.stop_gradient(x)
    assert sorted(codes(explain(tape, [y, z], x))) == ["NON_DIFFERENTIABLE", "STOPPED"]


def test_an_explanation_leaves_no_gradient_call_on_the_tape():
    x, other = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * other
    before = tape.recording()
    explain(tape, y, x)
    explain(tape, y, [x, other])
    assert tape.recording() == before


def test_a_question_that_was_put_is_found_among_others():
    x, z = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.round(x) * z
    tape.gradient(y, [x, z])
    tape.gradient(z, z)
    recording = explain(tape, y, z).recording
    assert len([p for p in recording.located if isinstance(p.event, e.Asked)]) == 2


def test_the_json_has_the_shape_that_the_pictures_take():
    explanation = explained(next(p.snippet for p in PITFALLS if p.number == "P14"))
    plain = json.loads(json.dumps(explanation.to_json()))
    assert plain.keys() == {
        *("language", "headline", "target", "source", "connected", "partial", "findings")
    }
    (finding,) = plain["findings"]
    assert list(finding) == [
        *("code", "title", "message", "where", "fix", "lesson", "evidence", "steps")
    ]
    assert finding["where"] == {
        "source": 0, "line": 4, "column": 8, "end_line": 4, "end_column": 18,
        "file": explanation.findings[0].where.file, "text": "np.mean(h)",
    }  # fmt: skip
    fix = {"before": "m = np.mean(h)", "after": "m = tf.reduce_mean(h)", "line": 4}
    assert finding["fix"] == fix
    assert finding["steps"][0] == {"line": 3, "text": "`h` was recorded"}


def test_the_text_says_what_where_why_and_what_to_write():
    explanation = explained(next(p.snippet for p in PITFALLS if p.number == "P26"))
    cell = explanation.findings[0].where.file
    assert str(explanation) == (
        "Why the gradient of y with respect to x is None:\n\n"
        f"x is int32 ({cell}, line 1)\n"
        "    x = tf.Variable(10)\n"
        "        ^^^^^^^^^^^^^^^\n"
        "  tf.Variable(10) in line 1 created it as integers. A derivative describes a small\n"
        "  change, and integers cannot change by a small amount.\n"
        "  Write instead:\n"
        "    - x = tf.Variable(10)\n"
        "    + x = tf.Variable(10.0)"
    )


def test_a_notebook_gets_the_words_and_the_picture():
    explanation = explained(next(p.snippet for p in PITFALLS if p.number == "P24"))
    bundle = explanation._repr_mimebundle_()
    assert bundle["text/plain"] == str(explanation)
    assert "STOPPED" in bundle["text/html"]


STEPS = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "sin": lambda a, b: tf.sin(a),
    "tanh": lambda a, b: tf.tanh(a) - b,
    "mean": lambda a, b: tf.reduce_mean(a) * b,
    "slice": lambda a, b: a[:1] + b,
    "stack": lambda a, b: tf.reduce_sum(tf.stack([a, a]), axis=0) + b,
    "where": lambda a, b: tf.where(a > 0.0, a, b),
    "matmul": lambda a, b: tf.linalg.matvec(tf.ones((2, 2)), a) * b,
}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 99), st.integers(0, 99)),
        min_size=1,
        max_size=8,
    )
)
def test_random_healthy_graphs_give_no_finding(plan):
    x = tf.Variable([0.5, -1.5])
    with tf.GradientTape(persistent=True) as tape:
        made = [x + 0.0]
        for name, first, second in plan:
            a, b = made[first % len(made)], made[second % len(made)]
            made.append(STEPS[name](tf.broadcast_to(a, (2,)), tf.broadcast_to(b, (2,))))
    for y in made[-2:]:
        explanation = explain(tape, y, x)
        assert explanation.findings == ()
        assert explanation.connected == (tape.gradient(y, x) is not None)
