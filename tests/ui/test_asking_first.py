"""With `predict=True` a picture begins with a question: in a page, in an output, in a widget."""

from __future__ import annotations

import re

from playwright.sync_api import expect

import tapelab as tf
from tapelab.widgets.show import Picture
from tests.ui.browser import Console
from tests.ui.explorer import Explorer

WITH_QUESTION = """\
import tapelab as tf
x = tf.Variable(3.0, name="x"); y = tf.Variable(4.0, name="y")
with tf.GradientTape() as tape:
    z = x * y
tf.show(tape, z, predict=True){then}"""


def asks(explorer):
    """Check that it asks what is made of x and y, and hides it; answer, and it goes on."""
    field = explorer.root.get_by_role("textbox", name=re.compile("in z"))
    expect(field).to_be_visible()
    expect(explorer.timeline).not_to_contain_text("12.000")
    field.fill("12")
    field.press("Enter")
    expect(explorer.root.get_by_role("status")).to_contain_text("Right")
    explorer.stands_at(3, of=6)


def test_a_page_begins_with_a_question(browser, tmp_path):
    x, y = tf.Variable(3.0, name="x"), tf.Variable(4.0, name="y")
    with tf.GradientTape() as tape:
        z = x * y
    file = tmp_path / "question.html"
    file.write_text(Picture(tape.recording(z), predict=True).to_html(), "utf-8")
    page = browser.new_context(offline=True).new_page()
    console = Console(page)
    page.goto(file.as_uri())
    asks(Explorer.within(page))
    page.context.close()
    assert console.complaints() == []


def test_an_output_and_a_widget_begin_with_a_question(open_notebook):
    notebook = open_notebook(WITH_QUESTION.format(then=""), WITH_QUESTION.format(then=".widget()"))
    notebook.run_all()
    asks(Explorer.in_frame(notebook.output(0)))
    asks(Explorer.within(notebook.cells.nth(1)))
