"""The verdict in a real browser: hints one by one, the tape at the place, and what is kept."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from matplotlib.image import imread
from playwright.sync_api import expect

import tapelab as tf
from tapelab.exercises.check import promised
from tapelab.exercises.checks import value
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.session import Hints
from tapelab.exercises.tape_checks import arrives
from tapelab.exercises.verdict import judge
from tapelab.widgets.verdict_card import verdict_html
from tests.ui.axe import violations
from tests.ui.explorer import Explorer

EXERCISE = Exercise(
    "99.2", "Two paths meet", "",
    (
        value("A row", 4, [1.0, -2.0, 3.0], where=(0,)),
        value("A matrix", 4, [[1.0, -2.0], [3.0, 4.0]], where=(1,)),
        arrives("The gradient", 2, 6.0, ends=(2, 3, 4)),
        promised("Other points", 2),
    ),
    ("Look at `x`.", "Look again.", "It is 6."),
)  # fmt: skip
SOLVING = """
import tapelab as tf
@tf.exercise('02.3')
def records():
    return {'a': 3, 'b': 1, 'c': 0}
tf.check('02.3')
"""
EDITED = ".jp-Notebook.jp-mod-editMode .jp-Cell.jp-mod-active"
PAGE = (
    "<!doctype html><html lang=en><title>Verdict</title>"
    "<body data-theme={theme} style='background:{back};--jp-layout-color1:{back}'><main>{card}"
    "</main></body></html>"
)


def answer():
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * x
    return [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, float("nan")]], tape, y, x


@pytest.fixture(scope="module")
def card():
    return verdict_html(judge(EXERCISE, answer), Hints(EXERCISE, EXERCISE.hints[:1]))


@pytest.fixture(params=[("light", "#fff", 1280), ("dark", "#111", 1280), ("light", "#fff", 360)],
                ids=["light", "dark", "narrow"])  # fmt: skip
def page(browser, card, request):
    theme, back, width = request.param
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(PAGE.format(theme=theme, back=back, card=card))
    yield page
    page.close()


def test_nobody_stumbles_over_a_verdict_and_nothing_is_cut_off(page):
    card = page.locator(".tapelab-verdict")
    assert violations(card) == []
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0


def test_the_graph_is_as_light_or_as_dark_as_the_page(page):
    seen = imread(BytesIO(page.locator(".graph img").screenshot()))[..., :3].mean()
    assert (seen < 0.4) == (page.locator("body").get_attribute("data-theme") == "dark")


def test_where_nothing_leads_back_to_the_cell_no_button_says_so(page):
    expect(page.get_by_text("Try again")).to_be_hidden()


def test_hints_open_one_after_the_other(page):
    button = page.get_by_text("Show the next hint")
    expect(button.locator("visible=true")).to_have_count(1)
    expect(page.get_by_text("Look again.")).to_be_hidden()
    button.locator("visible=true").click()
    expect(page.get_by_text("Look again.")).to_be_visible()
    expect(page.get_by_text("It is 6.")).to_be_hidden()


def test_the_tape_opens_at_the_place_where_the_gradient_ends(page):
    frame = page.locator("iframe[title^='tapelab']")
    expect(frame).to_be_hidden()
    page.get_by_text("Show me on the tape").click()
    explorer = Explorer.within(frame.content_frame)
    explorer.stands_at(2, of=7)
    expect(explorer.lit).to_contain_text("tf.stop_gradient(x)")


def test_a_verdict_leads_back_to_its_cell_and_is_known_to_the_next_kernel(open_notebook, folder):
    first = open_notebook(SOLVING)
    first.run_all()
    expect(first.output(0)).to_contain_text("7 of 10 points")
    expect(first.panel.locator(EDITED)).to_have_count(0)
    first.output(0).get_by_role("button", name="Try again").click()
    expect(first.panel.locator(EDITED)).to_be_visible()
    (kept,) = folder.glob(".*.progress.json")
    assert "def records():" in json.loads(kept.read_text())["exercises"]["02.3"]["answer"]
    kept.rename(folder / ".1.progress.json")
    second = open_notebook("import tapelab as tf\ntf.score()")
    second.run_all()
    expect(second.output(0)).to_contain_text("7 of 40 points")
