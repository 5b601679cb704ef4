"""What has a picture is had in every form, under the same names, whatever it is."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest

import tapelab as tf
from tapelab.recording.drawable import FORMS, Drawable
from tapelab.widgets.compare import compare
from tapelab.widgets.show import show
from tapelab.widgets.what_if import what_if

BEGINS = {
    ".html": b"<!doctype html>",
    ".htm": b"<!doctype html>",
    ".svg": b"<",
    ".png": b"\x89PNG",
    ".pdf": b"%PDF",
    ".dot": b"digraph",
    ".gv": b"digraph",
    ".json": b"{",
    ".txt": b"",
}
WITHOUT_GRAPH = {"check": {".dot", ".gv"}}


def square(x):
    return x * x


@pytest.fixture(scope="module")
def drawn():
    """One of everything that has a picture."""
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = x * x
    with tf.GradientTape() as cut:
        z = x * tf.stop_gradient(x)
    return {
        "picture": show(tape, y),
        "recording": tape.recording(y),
        "explanation": tf.explain(cut, z, x),
        "what if": what_if(square, x=(0, 2)),
        "comparison": compare(show(tape, y), show(cut, z)),
        "check": tf.check_gradients(square, np.float64(2.0)),
    }


KINDS = ("picture", "recording", "explanation", "what if", "comparison", "check")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_end_of_a_name_chooses_the_form(drawn, tmp_path, kind):
    for ending, begins in BEGINS.items():
        if ending not in WITHOUT_GRAPH.get(kind, ()):
            file = drawn[kind].save(tmp_path / f"p{ending.upper()}")
            assert file.read_bytes().startswith(begins), ending
            assert file.stat().st_size > 20


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_is_had_without_a_file_by_the_same_arguments(drawn, kind):
    thing = drawn[kind]
    assert "<svg" in thing.to_svg()
    assert len(thing.to_png(dpi=40)) < len(thing.to_png(dpi=80))
    for name in {*FORMS.values(), "figure", "export"}:
        ours = inspect.signature(getattr(type(thing), name))
        assert [*ours.parameters] == [*inspect.signature(getattr(Drawable, name)).parameters]


@pytest.mark.parametrize("kind", KINDS)
def test_an_output_has_text_and_needs_no_widget(drawn, kind):
    bundle = drawn[kind]._repr_mimebundle_()
    assert {"text/html", "text/plain"} <= bundle.keys()
    assert not any("widget" in each for each in bundle)
    assert bundle["text/plain"] == drawn[kind].to_text() or kind == "explanation"


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_asks_for_nothing_from_elsewhere(drawn, kind, tmp_path):
    page = drawn[kind].export(tmp_path / "page.html").read_text("utf-8")
    assert "src=" not in page.partition("<script")[0]
    assert "<link" not in page


def test_data_is_read_back_as_json(drawn):
    made = json.loads(json.dumps(drawn["what if"].to_json()))
    assert made["inputs"][0]["name"] == "x"
    assert made["result"] == 1.0
    frames = json.loads(json.dumps(drawn["comparison"].to_json()))["frames"]
    assert [each["changes"] for each in frames].count([]) < len(frames)


@pytest.mark.parametrize("kind", ["picture", "recording", "explanation", "what if"])
@pytest.mark.parametrize("name", ["p.tape", "p"])
def test_a_name_of_a_tape_gets_the_recording(drawn, tmp_path, kind, name):
    read = show(drawn[kind].save(tmp_path / name)).recording
    assert len(read) == len(getattr(drawn[kind], "recording", drawn[kind]))


def test_what_is_there_is_replaced(drawn, tmp_path):
    file = tmp_path / "p.dot"
    file.write_text("something else")
    assert drawn["picture"].save(file).read_bytes().startswith(b"digraph")


def test_a_name_that_promises_another_form_is_refused_with_those_there_are(drawn, tmp_path):
    with pytest.raises(ValueError, match=r"'p\.jpg'.* \.tape, \.html, .*\.txt"):
        drawn["picture"].save(tmp_path / "p.jpg")
    with pytest.raises(ValueError, match=r"'p\.tape'.* may end in \.html"):
        drawn["check"].save(tmp_path / "p.tape")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing_is_named(drawn, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder '.*away' to put 'p\.html' into"):
        drawn["picture"].save(tmp_path / "away" / "p.html")


def test_a_folder_is_no_file(drawn, tmp_path):
    folder = tmp_path / "p.html"
    folder.mkdir()
    with pytest.raises(IsADirectoryError, match=r"is a folder\. Give the name of a file in it"):
        drawn["picture"].save(folder)


def test_a_check_says_that_it_has_no_graph(drawn):
    with pytest.raises(ValueError, match="errors and no graph"):
        drawn["check"].to_dot()


def test_an_explanation_without_its_recording_says_so(drawn):
    with pytest.raises(ValueError, match="holds no recording to draw"):
        replace(drawn["explanation"], recording=None).to_html()
