"""Explanations and gradient checks as cards in JupyterLab: seen, readable, in either direction."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations
from tests.ui.explorer import Explorer

TAPED = """with tf.GradientTape() as tape:
    h = x * x
    loss = tf.sqrt(np.mean(h))
g = tape.gradient(loss, x)"""
INFINITE = """w = tf.Variable([0.0, 1.0], name='w')
with tf.GradientTape() as other:
    total = tf.reduce_sum(tf.math.log(w))"""
CELLS = (
    "import numpy as np\nimport tapelab as tf\nx = tf.Variable(3.0, name='x')",
    TAPED,
    "tf.explain(tape, loss, x)",
    "tf.check_gradients(lambda x: tf.reduce_sum(tf.sin(x)), np.ones((2, 3)))",
    f"{INFINITE}\ntf.explain(other, total, w)",
    "tf.language('he')\ntf.explain(other, total, w)",
    "tf.explain(tape, loss, x)",
    "from IPython.display import Markdown\nMarkdown('<div dir=\"rtl\">\\n\\n> `x`\\n\\n</div>')",
)
BEGINS = """element => {
  const {direction, textAlign, borderRightWidth} = getComputedStyle(element);
  return [direction, textAlign, borderRightWidth];
}"""


@pytest.fixture(scope="module")
def cards(open_notebooks):
    notebook = open_notebooks(*CELLS)
    notebook.run_all()
    return notebook.page


@pytest.fixture
def missing(cards):
    """Why a gradient is missing, in English and in Hebrew."""
    frames = cards.locator(".jp-CodeCell").filter(has=cards.locator("iframe"))
    expect(frames).to_have_count(2)
    english, hebrew = (frames.nth(at).locator("iframe").content_frame for at in range(2))
    return [Explorer.within(english), Explorer(hebrew.locator(".tl.framed"))]


def test_an_explanation_and_a_check_are_shown_as_cards(cards):
    shown = cards.locator(".tapelab-rich")
    expect(shown).to_have_count(3)
    expect(shown.nth(0).locator("svg[role=img] rect.good")).to_have_count(6)
    expect(shown.nth(1).locator("u")).to_have_text("tf.math.log(w)")


def test_why_a_gradient_is_missing_is_shown_by_the_picture_of_its_tape(missing):
    explorer = missing[0]
    expect(explorer.root.get_by_role("heading", name="Why is it None?")).to_be_visible()
    expect(explorer.lit).to_have_text("np.mean(h)")
    expect(explorer.root.locator(".cutsign")).to_have_count(1)
    expect(explorer.button("Show on the tape")).to_be_visible()


def test_a_hint_stands_under_the_cell_of_the_gradient_call(cards):
    expect(cards.locator(".tapelab-hint")).to_have_count(1)
    expect(cards.locator(".tapelab-hint")).to_contain_text("is None: The path ends at np.mean(h)")


def test_the_hebrew_card_reads_from_the_right_and_its_code_from_the_left(cards):
    card = cards.locator(".tapelab-rich").nth(2)
    assert card.locator("p").first.evaluate(BEGINS) == ["rtl", "start", "0px"]
    assert card.locator("pre").evaluate(BEGINS) == ["ltr", "left", "0px"]


def test_the_hebrew_picture_reads_from_the_right_and_its_code_from_the_left(missing):
    root = missing[1].root
    assert root.locator(".say p").first.evaluate(BEGINS)[:2] == ["rtl", "start"]
    assert root.locator(".code .ln.on").evaluate(BEGINS)[0] == "ltr"


def test_the_text_of_a_hebrew_lesson_begins_at_the_right(cards):
    text = cards.locator(".jp-RenderedMarkdown [dir=rtl]")
    assert text.locator("p").evaluate(BEGINS) == ["rtl", "start", "0px"]
    assert text.locator("blockquote").evaluate(BEGINS)[2] == "5px"


def test_a_screen_reader_stumbles_over_nothing(cards, missing):
    for at in range(3):
        assert violations(cards.locator(".tapelab-rich").nth(at)) == []
    for explorer in missing:
        assert violations(explorer.root) == []
