"""How values flow, where the gradient is lost, and that no program surprises the diagnosis."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapelab as tf
from tapelab.diagnosis import explain, explain_recording
from tapelab.diagnosis.case import Analysis, Case
from tapelab.diagnosis.edges import Cut
from tapelab.recording import events as e
from tests.pitfalls.snippets import run


def case_of(snippet):
    names = run(snippet)
    recording = tf.explain(names["tape"], names["y"], names["x"]).recording
    request = [place.event for place in recording.located if isinstance(place.event, e.Asked)][-1]
    return Case(Analysis(recording), request.targets, request.sources[0])


def test_the_path_with_the_fewest_cuts_is_taken():
    case = case_of("""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            far = tf.stop_gradient(tf.stop_gradient(x) * 2.0)
            y = far + tf.stop_gradient(x)
        """)
    assert [edge.cut for edge in case.path if edge.cut] == [Cut.STOPPED]


def test_every_first_cut_is_reported_but_those_of_flat_ops_beside_differentiable_paths():
    case = case_of("""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = x * 3.0
            y = tf.stop_gradient(h) + tf.constant(h.numpy()) + tf.round(h)
        """)
    assert {edge.cut for edge in case.cuts} == {Cut.STOPPED, Cut.LEFT}


def test_uses_count_ops_and_not_operands():
    case = case_of("""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x + tf.stop_gradient(x) + 0.0 * x
            unrelated = tf.exp(x)
        """)
    assert case.uses() == (3, 2)


def test_two_tensors_that_left_together_are_both_cut():
    case = case_of("""
        x = tf.Variable([2.0])
        other = tf.Variable([3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(np.concatenate([x * 1.0, other * 1.0]))
        """)
    assert {edge.cut for edge in case.path if edge.cut} == {Cut.LEFT}


def test_a_number_that_left_elsewhere_is_not_blamed():
    case = case_of("""
        x = tf.Variable(2.0)
        z = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            seen = float(x * x)
            factor = 2.0
            y = z * factor
        """)
    assert case.path == ()


def test_the_question_itself_is_rewritten_where_the_target_has_no_line():
    names = run("""
        def cube(v):
            return v ** 3

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            first = x + 1.0
        g = tape.gradient(cube(x), x)
        """)
    recording = names["tape"].recording()
    (request,) = [place.event for place in recording.located if isinstance(place.event, e.Asked)]
    (finding,) = explain_recording(recording, request.targets[0], request.sources[0]).findings
    assert finding.code == "AFTER_TAPE"
    assert finding.fix.after == (
        "    first = x + 1.0\n    out = cube(x)\ng = tape.gradient(out, x)"
    )


KEPT = {
    "times": lambda a, b: a * b,
    "plus": lambda a, b: a + tf.sin(b),
    "mean": lambda a, b: tf.reduce_mean(a) + b,
}
CUT = {
    "stop": lambda a, b: tf.stop_gradient(a) * b,
    "all stop": lambda a, b: tf.stop_gradient(a * b),
    "numpy": lambda a, b: tf.constant(a.numpy()) + b * 0.5,
    "all numpy": lambda a, b: tf.constant((a + b).numpy()),
    "ufunc": lambda a, b: tf.constant(np.tanh(a)) * b,
    "mean": lambda a, b: np.mean(a) * b,
    "whole": lambda a, b: tf.cast(tf.cast(a + b, tf.int32), tf.float32),
    "round": lambda a, b: tf.round(a) + tf.round(b),
    "mask": lambda a, b: tf.cast(a > b, tf.float32) * 2.0,
    "variable": lambda a, b: tf.Variable(a) * 1.0,
    "assign": lambda a, b: tf.Variable([0.0, 0.0]).assign(a + b) * 1.0,
    "argmax": lambda a, b: tf.cast(tf.argmax(a), tf.float32) + tf.zeros(2),
    "new": lambda a, b: tf.constant([1.0, 2.0]),
}
STEPS = {**{f"kept {name}": step for name, step in KEPT.items()}, **CUT}
SOURCES = {
    "variable": lambda: tf.Variable([0.5, -1.5]),
    "frozen": lambda: tf.Variable([0.5, -1.5], trainable=False),
    "constant": lambda: tf.constant([0.5, -1.5]),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOURCES)
@settings(max_examples=40, deadline=None)
@given(
    plan=st.lists(
        st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 99), st.integers(0, 99)),
        min_size=1,
        max_size=7,
    )
)
def test_no_program_surprises_the_diagnosis(kind, plan):
    x = SOURCES[kind]()
    with tf.GradientTape(persistent=True) as tape:
        made = [x + 0.0]
        for name, first, second in plan:
            made.append(STEPS[name](made[first % len(made)], made[second % len(made)]))
    for y in made[-2:]:
        explanation = explain(tape, y, x)
        assert explanation.connected == (tape.gradient(y, x) is not None)
        assert explanation.connected or explanation.findings
        assert explanation.partial == (explanation.connected and bool(explanation.findings))
        assert str(explanation)
