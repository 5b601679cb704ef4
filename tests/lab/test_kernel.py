"""A real kernel runs a notebook: what its outputs carry, and what its errors look like."""

from __future__ import annotations

import re
from html import unescape

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = {
    "setup": 'import tapelab as tf\nx = tf.Variable(3.0, name="x")\ny = tf.Variable(4.0, name="y")',
    "show": "with tf.GradientTape() as tape:\n    z = x * y + tf.sin(x)\ntf.show(tape, z)",
    "magic": "%%tape w\nw = x * y",
    "wrong": "tf.show(3)",
    "unreadable": 'tf.show(b"no recording")',
    "twice": "picture = tf.show(tape, z)\nprint('between')\npicture",
    "again": "picture",
    "live": "picture.widget()",
    "hint": "with tf.GradientTape() as rounded:\n    r = tf.round(x)\nrounded.gradient(r, x)\n7",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Run all cells once; the outputs of each by its name."""
    home = tmp_path_factory.mktemp("kernel")
    patch = pytest.MonkeyPatch()
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        patch.setenv(name, str(home / name.lower()))
    patch.setenv("TAPELAB_LANGUAGE", "")
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3")
    client.execute(cwd=str(home))
    patch.undo()
    nbformat.validate(notebook)
    return dict(zip(CELLS, (cell.outputs for cell in notebook.cells), strict=True))


def test_a_picture_is_saved_as_html_and_as_text(outputs):
    (shown,) = outputs["show"]
    assert shown.data.keys() == {"text/html", "text/plain"}
    assert "In [2]" in shown.data["text/plain"]
    assert "  2 │     z = x * y + tf.sin(x)" in shown.data["text/plain"]


def test_the_saved_html_is_the_whole_picture(outputs):
    inside = unescape(re.search(r'srcdoc="([^"]*)"', outputs["show"][0].data["text/html"])[1])
    data = re.search(r'class="tapelab-recording"[^>]*>([^<]*)<', inside)[1]
    assert data
    assert len(inside) - len(data) < 100_000


def page(output):
    """What an output shows, but for the name that each page has for itself."""
    (name,) = set(re.findall(r"tapelab-[0-9a-f]{12}", output.data["text/html"]))
    return output.data["text/html"].replace(name, "name"), output.data["text/plain"]


def test_a_picture_is_drawn_where_show_stands_and_once_in_a_cell(outputs):
    assert [each.output_type for each in outputs["twice"]] == ["display_data", "stream"]
    assert page(outputs["twice"][0]) == page(outputs["show"][0])


def test_a_picture_is_drawn_again_in_another_cell(outputs):
    (shown,) = outputs["again"]
    assert page(shown) == page(outputs["show"][0])


def test_the_magic_shows_its_cell_by_its_number(outputs):
    (shown,) = outputs["magic"]
    assert "In [3]\n  2 │ w = x * y\n" in shown.data["text/plain"]


@pytest.mark.parametrize(
    ("cell", "kind", "message"),
    [
        ("wrong", "TypeError", "show() needs a tape, or a recording of one, got int: 3."),
        ("unreadable", "RecordingError", "This is not a recording"),
    ],
)
def test_errors_are_of_the_right_kind_and_say_what_to_do(outputs, cell, kind, message):
    (error,) = outputs[cell]
    assert (error.output_type, error.ename) == ("error", kind)
    assert message in error.evalue
    assert "Try" in error.evalue or "made by" in error.evalue


def test_a_live_picture_leaves_a_page_and_asks_for_no_widget(outputs):
    kinds = [set(shown.data) for shown in outputs["live"]]
    assert all("text/html" in kind for kind in kinds)
    assert "application/vnd.jupyter.widget-view+json" not in set().union(*kinds)


def test_the_line_on_a_suspicious_gradient_stands_under_the_output(outputs):
    value, hint = outputs["hint"]
    assert value.data["text/plain"] == "7"
    assert hint.data["text/plain"].startswith("dr/dx is None: ")
    assert 'class="tapelab-hint"' in hint.data["text/html"]
