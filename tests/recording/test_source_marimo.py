"""What ran in a cell of marimo is found in its file, where it stands indented."""

from __future__ import annotations

import ast
import textwrap

import pytest

import tapelab as tf
from tapelab.recording import source

FILE = """import marimo
app = marimo.App()

{mark}
    def twice(é): return é * 2.0; é
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = tf.sin(x) * twice(x)
"""


def run_as_marimo_does(file, text):
    """Run the body of the cell: without its indentation, with the numbers of its lines."""
    file.write_text(text, encoding="utf-8")
    lines = text.split("\n")
    module = ast.parse(textwrap.dedent("\n".join(lines[-5:])))
    ast.increment_lineno(module, len(lines) - 5)
    space = {"tf": tf}
    exec(compile(module, str(file), "exec"), space)
    return space["tape"].recording()


@pytest.mark.parametrize(
    "mark",
    [
        "@app.cell\ndef _(tf):",
        "@app.cell(hide_code=True)\ndef named(tf):",
        "@app.cell\nasync def _(tf):",
        "with app.setup:",
    ],
)
def test_the_text_of_what_ran_is_that_of_the_file(tmp_path, mark):
    recording = run_as_marimo_does(tmp_path / "cells.py", FILE.format(mark=mark))
    texts = {recording.text_at(span) for span in recording.event_spans}
    assert {"tf.sin(x)", "é * 2.0", "tf.sin(x) * twice(x)"} <= texts
    assert recording.columns["tensor.named"].any()


class App:
    """Marks cells as marimo does, where Python runs the file as it stands."""

    @staticmethod
    def cell(function):
        return function


def test_a_cell_that_runs_as_it_stands_in_its_file_keeps_its_columns(tmp_path):
    text = FILE.format(mark="@app.cell\ndef run(tf):") + "    return tape\n"
    file = tmp_path / "plain.py"
    file.write_text(text.replace("app = marimo.App()", ""), encoding="utf-8")
    space = {"app": App}
    exec(compile(file.read_text("utf-8").replace("import marimo", ""), str(file), "exec"), space)
    recording = space["run"](tf).recording()
    assert "tf.sin(x)" in {recording.text_at(span) for span in recording.event_spans}


def test_a_cell_of_the_editor_has_no_name_of_a_file():
    assert source.title_of("marimo_1/__marimo__cell_Hbol_.py") == "cell"
    assert source.title_of("mine/app.py") == "app.py"
