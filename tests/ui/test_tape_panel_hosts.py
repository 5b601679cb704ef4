"""The Tape panel in the oldest JupyterLab that is promised, and in Notebook 7."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import NEWEST_FIRST
from tests.ui.tape_panel import TapePanel, run_cell

IMPORT = "import tapelab as tf"
TRAINING = """\
import time
w = tf.Variable([1.0, 2.0], name="w")
for _ in range(100):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    time.sleep(0.02)"""


@NEWEST_FIRST
def test_the_panel_of_jupyterlab_is_live(open_notebook):
    notebook = open_notebook(IMPORT, TRAINING)
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    run_cell(notebook, 1)
    expect(panel.status).to_have_text("Live", timeout=20_000)
    expect(panel.step).to_have_text("step 100", timeout=30_000)
    panel.button("Show on the tape").click()
    panel.explorer.come_into_view()
    expect(notebook.cells.nth(1).locator(".tapelab-lit")).to_be_visible()


@NEWEST_FIRST
def test_notebook_has_the_panel_in_its_view_menu(open_notebook):
    notebook = open_notebook(IMPORT, TRAINING, app="notebook")
    notebook.choose("View", "Tape panel")
    panel = TapePanel(notebook.page)
    panel.connect(notebook)
    run_cell(notebook, 1)
    expect(panel.step).to_have_text("step 100", timeout=30_000)


@NEWEST_FIRST
@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_no_front_end_complains_about_the_extension(host, app):
    assert [text for text in host.known[app] if "tapelab" in text] == []
