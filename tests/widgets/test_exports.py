from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.widgets.show import show


@pytest.fixture(scope="module")
def picture():
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = x * x
    return show(tape, y)


def test_each_form_is_of_its_kind(picture):
    assert picture.to_html().startswith("<!doctype html>")
    assert picture.to_svg().startswith("<svg ")
    assert picture.to_png().startswith(b"\x89PNG")
    assert picture.to_dot().startswith("digraph")
    assert "9.0000" in str(picture)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("p.html", b"<!doctype"),
        ("p.SVG", b"<svg"),
        ("p.png", b"\x89PNG"),
        ("p.dot", b"digraph"),
        ("p.pdf", b"%PDF"),
        ("p.json", b"{"),
    ],
)
def test_the_end_of_a_name_chooses_the_form(picture, tmp_path, name, begins):
    assert picture.save(tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize("name", ["p.tape", "p"])
def test_a_name_of_a_tape_gets_the_recording(picture, tmp_path, name):
    assert show(picture.save(tmp_path / name)).recording == picture.recording


def test_a_name_that_promises_another_form_is_refused_with_those_there_are(picture, tmp_path):
    with pytest.raises(ValueError, match=r"'p\.jpg'.* \.tape, \.html, .*\.json"):
        picture.save(tmp_path / "p.jpg")
    assert list(tmp_path.iterdir()) == []
