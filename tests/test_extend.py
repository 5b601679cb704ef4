"""Ops, findings, checks and recorders of one's own, through `tapelab.extend` alone."""

from __future__ import annotations

import inspect
import re
import sys
from functools import partial

import numpy as np
import pytest

import tapelab as tf
from tapelab import extend
from tapelab.core.op import REGISTRY
from tapelab.diagnosis import explain_call
from tapelab.diagnosis.declarations import forget_findings
from tapelab.extend import (
    Check,
    Exercise,
    Finding,
    Outcome,
    Rank,
    Recorder,
    check,
    finding,
    judge,
    name_of,
    op,
    replace_expression,
    spot,
)
from tapelab.recording import events as e
from tapelab.recording import from_bytes, to_bytes
from tests.pitfalls.snippets import codes, explained, repaired, run
from tools.docs.running import Notebook

EXAMPLES = ("op", "finding", "check", "Recorder")


@op(formula=r"y = \sin x", glyph="~", elementwise=True)
def wave(x):
    """The sine, as a wave."""
    return np.sin(x)


@wave.grad("x", r"\bar x = \bar y \cos x", local=r"\cos x")
def wave_grad_x(dy, y, x):
    """The derivative of a wave is a wave that is ahead of it."""
    return dy * tf.cos(x)


@op(multi=True)
def polar(a, b, *, scale=1.0):
    return scale * np.hypot(a, b), np.arctan2(b, a)


@polar.grads(a="", b="")
def polar_grads(dy, y, a, b, *, scale):
    dr, dt = dy
    squared = a * a + b * b
    dr = dr * scale / tf.sqrt(squared)
    return dr * a - dt * b / squared, dr * b + dt * a / squared


@op(broadcasts=True)
def blend(x, reference, *, weight):
    return weight * x + (1.0 - weight) * reference


@blend.grad("x", r"\bar x = w \bar y")
def blend_grad_x(dy, y, x, reference, *, weight):
    return weight * dy


blend.no_grad("reference", because="The reference is given and stays as it is.")


@pytest.fixture(autouse=True)
def forgotten():
    """Withdraw what a test declares, so that other tests do not meet it."""
    yield
    forget_findings(__name__)
    forget_findings("__main__")


def gradient_of(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


# The surface


def test_every_name_is_there_and_says_what_it_is():
    assert sorted(extend.__all__) == extend.__all__
    assert set(extend.__all__) <= set(dir(extend))
    for name in extend.__all__:
        assert getattr(extend, name).__doc__


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'tapelab\.extend' has no attribute 'Op'"):
        extend.Op  # noqa: B018 - the access is what is tested


def example_in(docstring):
    """The indented code of a docstring."""
    return "\n".join(line[4:] for line in docstring.split("\n") if line[:4] in {"", "    "})


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_docstring_prints_what_it_says(name):
    code = example_in(inspect.getdoc(getattr(extend, name)))
    expected = re.findall(r"^print\(.*  # (.*)$", code, re.MULTILINE)
    with Notebook(name) as notebook:
        printed = notebook.run(code).split("\n")
    assert expected
    assert printed[: len(expected)] == expected


# Ops


@pytest.mark.parametrize(
    "x", [tf.constant([0.5, 2.0]), tf.Variable([0.5, 2.0]), np.float32([0.5, 2.0]), [0.5, 2.0]],
    ids=["tensor", "variable", "array", "list"],
)  # fmt: skip
def test_an_own_op_takes_what_a_function_of_tensorflow_takes(x):
    y = wave(x)
    assert isinstance(y, tf.Tensor)
    np.testing.assert_array_equal(y, np.sin(np.float32([0.5, 2.0])))


def test_a_gradient_reaches_a_variable_that_is_passed_as_it_is():
    x = tf.Variable([0.5, 2.0])
    np.testing.assert_allclose(gradient_of(wave, x), np.cos([0.5, 2.0]), rtol=1e-6)


def test_an_own_op_can_be_differentiated_again_and_row_by_row():
    x = tf.constant([0.5, 2.0])
    second = gradient_of(lambda x: gradient_of(wave, x), x)
    np.testing.assert_allclose(second, -np.sin([0.5, 2.0]), rtol=1e-6)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = wave(x)
    np.testing.assert_allclose(tape.jacobian(y, x), np.diag(np.cos([0.5, 2.0])), rtol=1e-6)


def test_an_own_op_runs_in_a_function_wherever_it_was_captured():
    held = {"wave": wave}
    x = tf.Variable([0.5, 2.0])

    @tf.function
    def loss(y, activation=wave):
        return tf.reduce_sum(activation(x) * held["wave"](y))

    y = tf.constant([1.0, 3.0])
    expected = float(np.sum(np.sin([0.5, 2.0]) * np.sin([1.0, 3.0])))
    for _ in range(2):  # traced, and then compiled
        assert float(loss(y)) == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(
        gradient_of(loss, y), np.sin([0.5, 2.0]) * np.cos([1.0, 3.0]), rtol=1e-5
    )
    inside = tf.function(lambda y: gradient_of(lambda y: gradient_of(wave, y), y))
    np.testing.assert_allclose(inside(y), -np.sin([1.0, 3.0]), rtol=1e-6)


def test_forward_mode_follows_an_own_op():
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 1.0])
    with tf.autodiff.ForwardAccumulator(a, tf.ones(2)) as forward:
        length, angle = polar(wave(a), b, scale=2.0)
    sine, cosine = np.sin([1.0, 2.0]), np.cos([1.0, 2.0])
    squared = sine**2 + np.square([3.0, 1.0])
    np.testing.assert_allclose(
        forward.jvp(length), 2.0 * sine * cosine / np.sqrt(squared), rtol=1e-5
    )
    np.testing.assert_allclose(
        forward.jvp(angle), -np.float32([3.0, 1.0]) * cosine / squared, rtol=1e-5
    )


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_one_rule_for_several_inputs_and_results_passes_the_gradient_check(scale):
    def loss(a, b):
        length, angle = polar(a, b, scale=scale)
        return tf.reduce_sum(length * angle)

    assert tf.check_gradients(loss, [[0.5, 3.0], [1.0, 2.0]]).passed


def test_a_setting_that_is_not_given_has_its_default_in_the_rule_too():
    x = tf.Variable(3.0)
    assert float(gradient_of(lambda x: polar(x, 4.0)[0], x)) == pytest.approx(0.6)


def test_gradients_are_summed_to_the_shape_of_a_broadcast_input():
    x, reference = tf.Variable([[1.0], [2.0]]), tf.constant([1.0, 2.0, 3.0])
    gradient = gradient_of(lambda x: blend(x, reference, weight=0.25), x)
    assert gradient.numpy().tolist() == [[0.75], [0.75]]


def test_the_reason_why_no_gradient_passes_is_what_the_explanation_says():
    x, reference = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = blend(x, reference, weight=0.25)
    (finding,) = tf.explain(tape, y, reference).findings
    assert finding.code == "NON_DIFFERENTIABLE"
    assert finding.message.startswith("The reference is given and stays as it is.")


def test_a_recording_and_its_figure_show_the_op_as_it_was_declared():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = wave(x)
    tape.gradient(y, x)
    recording = tape.recording()
    (facts,) = recording.ops
    assert (facts.name, facts.glyph, facts.formula) == ("wave", "~", r"y = \sin x")
    assert facts.sentence == "The sine, as a wave."
    assert facts.rules[0].sentence == "The derivative of a wave is a wave that is ahead of it."
    ran = [place.event for place in recording if isinstance(place.event, e.Ran)]
    assert [(event.op, event.cause) for event in ran] == [(0, e.Cause.TAPED)]
    (_, step) = [place.event for place in recording if isinstance(place.event, e.Flowed)]
    assert float(recording.tensor(step.local).value) == pytest.approx(np.cos(2.0))
    assert "~      to x  1.0000 × −0.4161  = −0.4161" in recording.to_text()


def test_ragged_rows_are_mapped_by_an_elementwise_op():
    rows = wave(tf.ragged.constant([[0.5, 2.0], [1.0]]))
    assert rows.row_lengths().numpy().tolist() == [2, 1]
    np.testing.assert_allclose(rows.flat_values, np.sin([0.5, 2.0, 1.0]), rtol=1e-6)


def test_an_own_op_may_have_the_name_of_another_and_be_declared_again():
    known = dict(REGISTRY)
    for factor in (2.0, 3.0):

        @op()
        def tanh(x, factor=factor):
            return x

        @op(name="sigmoid")
        def scaled(x):
            return factor * x  # noqa: B023 - it is called in this turn

        assert float(scaled(1.0)) == factor
        assert repr(scaled) == "<op sigmoid(x)>"
    assert float(tf.tanh(100.0)) == float(tf.sigmoid(100.0)) == 1.0
    assert known == REGISTRY


def test_mistaken_arguments_and_declarations_are_errors_that_say_what_to_write():
    with pytest.raises(TypeError, match=r"polar\(\) takes 2 .* \(a, b\), but it got 1"):
        polar(1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        wave(1.0, size=2)
    with pytest.raises(TypeError, match="none\\(\\) has no input"):
        op(name="none")(lambda *, size: size)
    with pytest.raises(ValueError, match="wave has no input 'y', only x"):
        wave.grad("y")(wave_grad_x)


def test_an_op_without_a_gradient_rule_is_refused_as_in_tensorflow():
    @op()
    def bare(x):
        return x + 1.0

    with pytest.raises(LookupError, match="Bare"):
        gradient_of(bare, tf.Variable(1.0))


# Findings

SMALL_WAVE = """
    from tests.test_extend import wave
    x = tf.Variable([0.5, {far}])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(wave(x))
    g = tape.gradient(y, x)
    """


def declare_fast_wave(rank=Rank.MISLEADING, lesson="12"):
    @finding("FAST_WAVE", rank=rank, lesson=lesson)
    def fast_wave(case):
        for step in case.backward.through({"wave"}) if case.backward else ():
            x, event = case.backward.tensor[step], case.backward.event[step]
            value = case.backward.value(x)
            if value is not None and np.max(np.abs(value)) > 100.0:
                where, name = spot(case, event), name_of(case, x)
                yield Finding(
                    code="FAST_WAVE",
                    title=f"`{where.text}` is far from 0",
                    message=f"`{name}` is up to {np.max(np.abs(value)):g} in line {where.line}.",
                    where=case.codes.where(where.span),
                    fix=replace_expression(case, event, f"wave({name} % 6.2832)"),
                    evidence=(event,),
                )

    return fast_wave


def test_an_own_finding_is_explained_where_it_applies():
    declare_fast_wave()
    explanation = explained(SMALL_WAVE.format(far=200.0))
    (finding,) = explanation.findings
    assert (finding.code, finding.title) == ("FAST_WAVE", "`wave(x)` is far from 0")
    assert finding.message == "`x` is up to 200 in line 4."
    assert (finding.where.line, finding.where.text) == (4, "wave(x)")
    assert (finding.rank, finding.lesson) == (Rank.MISLEADING, "12")
    assert str(finding.fix) == "y = tf.reduce_sum(wave(x % 6.2832))"
    assert "    + y = tf.reduce_sum(wave(x % 6.2832))" in str(explanation)


def test_its_near_miss_and_the_line_to_write_instead_stay_silent():
    declare_fast_wave()
    assert codes(SMALL_WAVE.format(far=99.0)) == []
    assert codes(repaired(SMALL_WAVE.format(far=200.0))) == []


def test_tf_why_and_a_figure_report_an_own_finding():
    declare_fast_wave()
    names = run(SMALL_WAVE.format(far=200.0))
    assert [each.code for each in tf.why().findings] == ["FAST_WAVE"]
    recording = from_bytes(to_bytes(names["tape"].recording()))
    assert "is far from 0" in recording.to_text()


def test_the_rank_places_an_own_finding_among_the_others():
    code = SMALL_WAVE.format(far=200.0).replace("wave(x)", "wave(x) * tf.stop_gradient(x)")
    for rank, expected in (
        (Rank.REFUSED, ["FAST_WAVE", "STOPPED"]),
        (Rank.WASTEFUL, ["STOPPED", "FAST_WAVE"]),
    ):
        declare_fast_wave(rank)
        assert codes(code) == expected


def test_a_finding_that_is_declared_again_replaces_the_one_before():
    for lesson in ("12", ""):
        declare_fast_wave(lesson=lesson)
        (finding,) = explained(SMALL_WAVE.format(far=200.0)).findings
        assert finding.lesson == lesson
    forget_findings(__name__)
    assert codes(SMALL_WAVE.format(far=200.0)) == []


def test_codes_of_findings_are_checked():
    with pytest.raises(ValueError, match="STOPPED is a finding of tapelab"):
        finding("STOPPED", rank=Rank.MISSING)
    with pytest.raises(ValueError, match=r"written in capitals and underscores, but .* 'far off'"):
        finding("far off", rank=Rank.MISSING)

    @finding("DECLARED", rank=Rank.MISSING)
    def other(case):
        yield Finding("MISSPELT", "", "", None, None)

    with pytest.raises(ValueError, match="No finding 'MISSPELT' was declared"):
        explained(SMALL_WAVE.format(far=1.0))


# Checks


@check("The gradient is that of a wave", points=3)
def is_a_wave(answer):
    at = float(answer.draws("a place").uniform(1.0, 2.0))
    trial = answer.trial((0, 1, 2), at)
    if trial.gradient is None:
        return Outcome(0, "No gradient arrives.", code=trial.code)
    if not np.isclose(trial.gradient, np.cos(at), rtol=1e-3):
        return Outcome(1, f"It is another one at {at:.2f}.")
    return None


EXERCISE = Exercise("90.1", "A wave", "Return a tape, the sine of x, and x.", (is_a_wave,))


def answer_with(function):
    def answer(at):
        x = tf.Variable(at)
        with tf.GradientTape() as tape:
            y = function(x)
        return tape, y, x

    return answer


@pytest.mark.parametrize(
    ("function", "points", "text"),
    [
        (wave, 3, ""),
        (tf.cos, 1, "It is another one at "),
        (lambda x: wave(tf.stop_gradient(x)), 0, "No gradient arrives."),
    ],
)
def test_an_own_check_judges_an_exercise(function, points, text):
    verdict = judge(EXERCISE, answer_with(function))
    (judged,) = verdict.judged
    assert (verdict.points, verdict.of, verdict.passed) == (points, 3, points == 3)
    assert judged.outcome.text.startswith(text)
    assert bool(judged.outcome.text) == bool(text)


def test_an_own_check_can_be_hidden_and_advise():
    assert isinstance(is_a_wave, Check)
    hidden = is_a_wave.hidden().advising(STOPPED="Look at `stop_gradient`.")
    exercise = Exercise("90.1", "A wave", "…", (hidden,))
    (judged,) = judge(exercise, answer_with(lambda x: wave(tf.stop_gradient(x)))).judged
    assert judged.outcome.text == "Look at `stop_gradient`."


# Recorders


class Number:
    """A number of a small engine that reports what it computes."""

    def __init__(self, recorder, value, op="", inputs=(), derivatives=()):
        self.recorder, self.value, self.gradient = recorder, value, 0.0
        self.inputs, self.derivatives = inputs, derivatives
        numbers = [each.number for each in inputs]
        self.number = recorder.op(op, numbers, value) if op else recorder.variable(value)

    def __add__(self, other):
        sum_ = self.value + other.value
        return Number(self.recorder, sum_, "add", (self, other), (1.0, 1.0))

    def __mul__(self, other):
        derivatives = other.value, self.value
        return Number(
            self.recorder, self.value * other.value, "multiply", (self, other), derivatives
        )

    @staticmethod
    def backward(nodes, sources):
        target = nodes[0]
        steps = target.recorder.backward(target.number, [each.number for each in sources])
        target.gradient = 1.0
        for node in nodes:
            for position, each in enumerate(node.inputs):
                local = node.derivatives[position]
                each.gradient += node.gradient * local
                steps.step(node.number, position, node.gradient * local, local=local)


def twice(recorder, x):
    return recorder.op("double", [x], 2.0)


PROGRAM = """
x = variable(3.0)
y = variable(4.0)
p = x * y
z = p + x
"""


@pytest.fixture
def own():
    """The program recorded by an engine of one's own."""
    recorder = Recorder("small 1.0", engine=[Number])
    names = run(PROGRAM, {"variable": partial(Number, recorder)})
    Number.backward([names["z"], names["p"]], [names["x"], names["y"]])
    assert (names["x"].gradient, names["y"].gradient) == (5.0, 3.0)
    return recorder.recording()


@pytest.fixture
def ours():
    """The same program recorded by a tape of tapelab."""
    with tf.GradientTape() as tape:
        names = run(PROGRAM, {"variable": partial(tf.Variable, dtype=tf.float64)})
    tape.gradient(names["z"], [names["x"], names["y"]])
    return tape.recording()


def ops_of(recording):
    """Each op that ran: its name and place, its inputs and its result."""
    return [
        (recording.ops[event.op].name, recording.text_at(span), event.cause,
         [recording.tensor(each).name for each in event.inputs],
         [(recording.tensor(each).name, float(recording.tensor(each).value))
          for each in event.outputs])
        for _, event, span, _ in map(_fields, recording) if isinstance(event, e.Ran)
    ]  # fmt: skip


def _fields(place):
    return place.index, place.event, place.span, place.thread


def steps_of(recording):
    """Each backward step: the tensor that it leads to, and its numbers."""

    def value(tensor):
        return None if tensor < 0 else float(recording.tensor(tensor).value)

    steps = (place.event for place in recording if isinstance(place.event, e.Flowed))
    return [
        (recording.tensor(step.tensor).name, step.position,
         *map(value, (step.upstream, step.local, step.contribution, step.sum)))
        for step in steps
    ]  # fmt: skip


def test_another_engine_is_recorded_as_tapelab_records_its_own(own, ours):
    assert ops_of(own) == ops_of(ours)
    assert steps_of(own) == steps_of(ours)
    for recording in (own, ours):
        (call,) = [place.event for place in recording if isinstance(place.event, e.Asked)]
        assert [float(recording.tensor(each).value) for each in call.results] == [5.0, 3.0]
    assert [each.name for each in own.variables] == ["x", "y"]


def test_its_recording_is_saved_drawn_and_explained_like_any_other(own):
    assert from_bytes(to_bytes(own)) == own
    assert own.maker == "small 1.0"
    text = own.to_text()
    assert "multiply  to x  1.0000 × 4.0000  = 4.0000  sum so far 5.0000" in text
    assert tf.show(own).explanation is None
    assert "<html" in own.to_html()


def test_a_value_that_left_the_engine_is_where_the_path_ends():
    recorder = Recorder("small")
    x = recorder.variable(np.arange(3.0), "x")
    outside = recorder.exit(x, "float()", 3.0)
    y = recorder.op("multiply", [x, recorder.reentry(outside, 3.0)], np.arange(3.0) * 3.0)
    z = recorder.op("identity", [recorder.reentry(outside, 3.0)], 3.0)
    recorder.backward(z, [x])
    steps = recorder.backward(y, [x])
    steps.step(y, 0, np.full(3, 3.0))
    recording = recorder.recording()
    returned = [place.event for place in recording.placed(e.Returned)]
    assert [event.value for event in returned] == [outside, outside]
    first, second = (place.event for place in recording.placed(e.Asked))
    assert first.results == (-1,)
    assert recording.tensor(second.results[0]).value.tolist() == [3.0, 3.0, 3.0]
    first_explained = explain_call(recording, first.call)
    assert [each.code for each in first_explained.findings] == ["LEFT_ENGINE"]


def test_what_stop_gradient_holds_back_is_named_and_what_is_not_trainable_is_not_watched():
    recorder = Recorder("small")
    x, fixed = recorder.variable(2.0, "x"), recorder.variable(3.0, "fixed", trainable=False)
    y = recorder.op("stop_gradient", [x], 2.0)
    z = recorder.op("multiply", [y, fixed], 6.0)
    recorder.backward(z, [x, fixed])
    recording = recorder.recording()
    assert [place.event.tensor for place in recording.placed(e.Watched)] == [x]
    explanation = explain_call(recording, 0)
    assert [[each.code for each in part.findings] for part in explanation.parts] == [
        ["STOPPED"], ["NOT_TRAINABLE"]
    ]  # fmt: skip


def test_an_own_op_is_recorded_with_its_formulas_and_others_with_their_names():
    recorder = Recorder("small")
    x = recorder.constant([1.0, 2.0], "x")
    recorder.op(wave.facts(), [x], np.sin([1.0, 2.0]))
    recorder.op("aten::cat_2", [x] * 30, 0.0)
    known, named = recorder.recording().ops
    assert known == wave.facts()
    assert (named.name, named.glyph, len(named.rules)) == ("aten::cat_2", "aten  cat 2", 30)
    assert named.formula.startswith(r"z = \operatorname{aten  cat 2}(x0, x1, ")


@pytest.mark.parametrize(
    ("engine", "text", "name"),
    [
        ((), 'recorder.op("double", [x], 2.0)', 'recorder.op("double", [x], 2.0)'),
        ((twice,), "double(x)", "y"),
        ((sys.modules[__name__],), "double(x)", "y"),
    ],
    ids=["nothing", "a function", "a module"],
)
def test_an_op_is_shown_in_the_line_that_led_to_it_outside_of_the_engine(engine, text, name):
    recorder = Recorder("small", engine=engine)
    program = "x = constant(1.0)\ny = double(x)\n"
    run(program, {"constant": recorder.constant, "double": partial(twice, recorder)})
    recording = recorder.recording()
    result = recording.tensor(1)
    assert (recording.text_at(result.span), result.name) == (text, name)


def test_a_step_before_its_upstream_gradient_is_refused():
    recorder = Recorder("small")
    x = recorder.variable(2.0)
    y = recorder.op("square", [x], 4.0)
    z = recorder.op("square", [y], 16.0)
    steps = recorder.backward(z, [x], seed=2.0)
    with pytest.raises(ValueError, match="value 1: no gradient has reached it so far"):
        steps.step(y, 0, 1.0)
    with pytest.raises(ValueError, match="value 0: no op made it"):
        steps.step(x, 0, 1.0)
    steps.step(z, 0, 16.0)
    steps.step(y, 0, None)
    assert steps_of(recorder.recording())[1:] == [
        ("y", 0, 2.0, None, 16.0, 16.0),
        ("x", 0, 16.0, None, None, None),
    ]
