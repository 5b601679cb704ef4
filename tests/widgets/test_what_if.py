from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.log import recent
from tapelab.recording import from_bytes
from tapelab.widgets.what_if import what_if


def surface(x, y):
    return x * y + tf.sin(x)


def broken(x):
    if x > 2:
        raise ValueError("too large")
    return x * x


@pytest.fixture(scope="module")
def shown():
    return what_if(surface, x=(0, 6, 3), y=(-1, 6, 4))


@pytest.fixture
def sliders(shown):
    return shown.widget()


def grid_of(page):
    return json.loads(re.search(r'class="tapelab-what-if"[^>]*>(.*?)</script>', page, re.DOTALL)[1])


def test_an_evaluation_has_the_result_its_derivatives_and_its_tape(shown):
    evaluation = shown.at(x=3.0, y=4.0)
    assert evaluation.result == pytest.approx(12 + math.sin(3))
    assert evaluation.derivatives == pytest.approx((4 + math.cos(3), 3.0))
    assert evaluation.recording.tape.name == "surface"
    assert [each.name for each in evaluation.recording.variables] == ["x", "y"]


def test_inputs_that_are_not_named_stand_where_they_began(shown):
    assert shown.at(x=1.0).values == (1.0, 4.0)
    with pytest.raises(TypeError, match=r"at\(\) got 'z'; the inputs that move are \['x', 'y'\]"):
        shown.at(z=1.0)


def test_without_a_start_an_input_begins_in_the_middle():
    assert what_if(tf.sin, x=(-2, 4)).trial.starts == (1.0,)


def test_what_is_no_range_is_held():
    found = what_if(lambda x, scale: x * scale, x=(0, 2), scale=tf.constant(5.0))
    assert found.at(x=1.0).derivatives == (5.0,)


def test_the_curves_run_through_the_compiled_function(shown):
    curve = shown.trial.curve(0, (3.0, 4.0), 7)
    places = np.linspace(0, 6, 7)
    assert curve.results == pytest.approx(places * 4 + np.sin(places), rel=1e-5)
    assert curve.derivatives == pytest.approx(4 + np.cos(places), rel=1e-5)
    assert type(shown.trial._compiled).__name__ == "Function"


def test_a_function_that_tracing_would_change_is_run_as_it_is():
    found = what_if(lambda x: x * float(np.sin(float(x))), x=(0, 2))
    result, derivatives = found.trial.derivatives((1.0,))
    assert (result, *derivatives) == pytest.approx((math.sin(1), math.sin(1)))


def test_moving_leaves_no_trace_in_what_the_thread_remembers(shown):
    before = len(tuple(recent))
    shown.at(x=1.0)
    shown.trial.curves((1.0, 2.0))
    assert len(tuple(recent)) == before


def test_a_derivative_without_a_path_is_none():
    found = what_if(lambda x, y: tf.sin(x) + tf.stop_gradient(y), x=(0, 1), y=(0, 1))
    assert found.at().derivatives[1] is None
    assert "slope None: no path leads there" in str(found)


def test_the_text_shows_the_numbers_and_a_plot_with_its_tangent(shown):
    text = str(shown)
    assert "x = 3.0000  from 0.0000 to 6.0000   slope 3.0100" in text
    assert text.count("◆") == 2
    assert "along y" in text
    assert "·" in text


def test_the_text_is_in_the_chosen_language(shown, monkeypatch):
    monkeypatch.setenv("TAPELAB_LANGUAGE", "zh-CN")
    text = str(shown)
    assert "x = 3.0000  从 0.0000 到 6.0000   斜率 3.0100" in text
    assert "沿 y" in text


@pytest.mark.parametrize(
    ("inputs", "error", "message"),
    [
        ({"z": (0, 1)}, TypeError, r"tf\.what_if\(surface, x=\(-3, 3\), y=\(-3, 3\)\)"),
        ({"x": 1.0, "y": 2.0}, ValueError, "moves from 1 to 6 inputs, got 0"),
        ({"x": (3, 1), "y": 0.0}, ValueError, r"its higher one\. Try x=\(1, 3\)"),
        ({"x": (0, float("inf")), "y": 0.0}, ValueError, "one finite number to a higher one"),
        ({"x": (0, "a"), "y": 0.0}, TypeError, "which is no range"),
        ({"x": (0, 1, 2, 3), "y": 0.0}, TypeError, "which is no range"),
        ({"x": (0, 1, 5), "y": 0.0}, ValueError, "outside of its range"),
        ({"x": (float("nan"), 1), "y": 0.0}, ValueError, "one finite number to a higher one"),
        ({"x": (0, 1, float("nan")), "y": 0.0}, ValueError, "outside of its range"),
        ({"x": (-1e308, 1e308), "y": 0.0}, ValueError, "as far as float32 reaches"),
    ],
)
def test_inputs_that_cannot_be_moved_are_refused(inputs, error, message):
    with pytest.raises(error, match=message):
        what_if(surface, **inputs)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: tf.stack([x, x]), r"returned float32\[2\]\. Return tf\.reduce_sum"),
        (lambda x: tf.cast(x, tf.int32), "returned int32"),
        (lambda x: None, "returned NoneType"),
        (lambda x: "one", r"returned string\. Return a number"),
        (lambda x: tf.complex(x, x), r"returned complex64\. Return tf\.abs"),
    ],
)
def test_a_function_that_returns_no_number_is_refused(function, message):
    with pytest.raises(TypeError, match=message):
        what_if(function, x=(0, 1))


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="needs a function, got int"):
        what_if(3, x=(0, 1))


def test_the_page_holds_a_bounded_grid_that_begins_at_the_start(shown, tmp_path):
    page = shown.export(tmp_path / "what_if.html").read_text("utf-8")
    grid = grid_of(page)
    assert math.prod(grid["counts"]) <= 200
    assert len(grid["evaluations"]) == math.prod(grid["counts"]) + 1 == len(grid["sizes"])
    assert grid["evaluations"][0]["values"] == [3.0, 4.0]
    assert [len(each) for each in grid["curves"]] == [count + 1 for count in grid["counts"]]


def test_numbers_that_json_has_none_for_are_words(tmp_path):
    found = what_if(tf.math.log, x=(0, 2, 0))
    grid = grid_of(found.export(tmp_path / "log.html").read_text("utf-8"))
    assert grid["evaluations"][0]["result"] == "−∞"
    assert grid["evaluations"][0]["derivatives"] == ["+∞"]
    assert grid["curves"][0][0]["results"][0] is None


def test_a_slider_that_moves_brings_a_new_moment_and_a_new_tape(sliders):
    sliders.values = [1.0, 2.0]
    assert sliders.evaluation["values"] == [1.0, 2.0]
    assert sliders.evaluation["derivatives"] == pytest.approx([2 + math.cos(1), 1.0])
    recording = from_bytes(sliders.recording)
    assert float(recording.tensor(0).value) == 1.0


def test_what_the_function_raises_is_shown_and_the_picture_stays():
    sliders = what_if(broken, x=(0, 3, 1)).widget()
    before = sliders.recording
    sliders.values = [2.5]
    assert sliders.evaluation["error"] == "ValueError: too large"
    assert sliders.recording == before
    sliders.values = [1.5]
    assert "error" not in sliders.evaluation


def test_where_the_function_raises_a_curve_has_a_gap_and_the_page_says_why(tmp_path):
    found = what_if(broken, x=(0, 3, 1))
    assert math.isnan(found.trial.derivatives((2.5,))[0])
    grid = grid_of(found.export(tmp_path / "broken.html").read_text("utf-8"))
    assert grid["evaluations"][-1]["error"] == "ValueError: too large"
    assert grid["evaluations"][-1]["result"] == "NaN"
    assert grid["curves"][0][0]["results"][-1] is None


def test_the_output_is_the_page_under_the_name_that_the_widget_knows(shown):
    bundle = shown._repr_mimebundle_()
    assert f'<iframe id="{shown.widget().stands_for}"' in bundle["text/html"]
    assert bundle["text/plain"] == str(shown)


def test_along_the_input_that_moves_a_curve_is_drawn_once(shown):
    first, moved = (shown.trial.curves((x, 4.0)) for x in (1.0, 2.0))
    assert moved[0] is first[0]
    assert moved[1] is not first[1]
