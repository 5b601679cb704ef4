"""Where in the learner's code an explanation finds the culprit: cells, loops, magics, letters."""

from __future__ import annotations

import linecache

import tapelab as tf
from tapelab.diagnosis import explain
from tests.pitfalls.snippets import explained, run


def codes(explanation):
    return [finding.code for finding in explanation.findings]


def test_several_cells_keep_their_own_lines():
    names = run("x = tf.Variable(3.0)")
    run("h = x * x\n\n\n", names)
    run("with tf.GradientTape() as tape:\n    y = h + 1.0", names)
    explanation = explain(names["tape"], names["y"], names["x"])
    (finding,) = explanation.findings
    assert finding.where.line == 1
    sources = [source.text for source in explanation.recording.sources]
    assert sources[finding.where.source].startswith("h = x * x")


def test_an_op_called_in_a_loop_is_reported_once():
    explanation = explained("""
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = 0.0
            for step in range(4):
                y = y + tf.stop_gradient(x * float(step))
        """)
    assert codes(explanation) == ["STOPPED"]


def test_code_without_a_text_is_explained_without_a_line_to_write():
    names = {"tf": tf}
    code = "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = tf.stop_gradient(x)"
    exec(compile(code, "<lost>", "exec"), names)
    (finding,) = explain(names["tape"], names["y"], names["x"]).findings
    assert finding.code == "STOPPED"
    assert finding.fix is None
    assert finding.where.line == 3


def test_a_magic_in_the_cell_does_not_hide_its_code():
    text = "%config x\nx = tf.Variable(10)\nwith tf.GradientTape() as tape: y = x * x\n"
    linecache.cache["<magic>"] = (len(text), None, text.splitlines(keepends=True), "<magic>")
    names = {"tf": tf}
    exec(compile(text.replace("%config x", "pass"), "<magic>", "exec"), names)
    (finding,) = explain(names["tape"], names["y"], names["x"]).findings
    assert finding.fix.after == "x = tf.Variable(10.0)"


def test_letters_beyond_ascii_keep_the_columns_right():
    (finding,) = explained("""
        größe = "µ"; x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            süß = "µµ"; y = tf.stop_gradient(x * x)
        """).findings
    assert finding.where.text == "tf.stop_gradient(x * x)"
    assert finding.fix.after == 'süß = "µµ"; y = x * x'
