from __future__ import annotations

import sys

import pytest

from tapelab.recording import from_bytes
from tapelab.views import html
from tapelab.widgets.explorer import Explorer
from tapelab.widgets.show import show
from tests.fixtures.record import FOLDER


@pytest.fixture
def explorer():
    made = show(FOLDER / "numpy_detour.tape", step=3).widget()
    yield made
    made.close()


def test_the_widget_carries_the_recording_and_the_step(explorer):
    assert from_bytes(explorer.recording) == show(FOLDER / "numpy_detour.tape").recording
    assert explorer.step == 3


def test_the_widget_carries_the_explanation_as_plain_data(explorer):
    assert explorer.explanation["findings"][0]["code"] == "LEFT_ENGINE"


def test_the_widget_runs_the_built_front_end(explorer):
    assert explorer._esm == html.static_file("widget.js").read_text("utf-8")


def test_recording_explanation_and_step_are_shared_with_the_page(explorer):
    assert {"recording", "explanation", "step"} <= set(explorer.keys)


def test_the_kernel_sends_the_views_that_come_later_to_whoever_asks(explorer, monkeypatch):
    sent = []
    monkeypatch.setattr(explorer, "send", lambda message, buffers: sent.append((message, buffers)))
    explorer._on_message(explorer, {"kind": "hello"}, [])
    assert sent == []
    explorer._on_message(explorer, {"kind": "extras"}, [])
    [(message, [code])] = sent
    assert message == {"kind": "extras"}
    assert code == html.static_file("extras.js").read_bytes()


def test_predictions_come_back_as_plain_data(explorer):
    guess = {"step": 7, "asks": "gradient", "of": "x", "said": "2", "truth": "1", "right": False}
    explorer.set_state({"predictions": [guess]})
    assert explorer.predictions == [guess]


def test_who_asks_whether_there_is_a_kernel_gets_an_answer(explorer, monkeypatch):
    sent = []
    monkeypatch.setattr(explorer, "send", lambda *message: sent.append(message))
    explorer._on_message(explorer, {"kind": "hail"}, [])
    assert sent == [({"kind": "hail"},)]


def test_an_output_holds_the_page_that_the_widget_stands_for_and_no_widget(explorer):
    bundle = explorer._repr_mimebundle_()
    assert bundle.keys() == {"text/html", "text/plain"}
    assert f'<iframe id="{explorer.stands_for}"' in bundle["text/html"]


def test_where_widgets_run_only_in_outputs_the_output_holds_it(explorer, monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "__vsc_ipynb_file__", "a.ipynb", raising=False)
    data, _ = explorer._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data


def test_a_recording_alone_is_shown_as_its_picture():
    made = Explorer(recording=(FOLDER / "scene_a.tape").read_bytes(), step=2)
    assert made.stands_for in made._repr_mimebundle_()["text/html"]
    made.close()
