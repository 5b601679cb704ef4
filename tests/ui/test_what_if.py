"""Sliders in a notebook run the function again; in a saved one they move over moments kept."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations_in_any_colours
from tests.ui.browser import Console
from tests.ui.explorer import Explorer
from tests.ui.notebook import LAB_FIRST

SURFACE = """\
import tapelab as tf
def z(x, y):
    return x * y + tf.sin(x)
tf.what_if(z, x=(0, 6, 3), y=(-1, 6, 4))"""
GROWING = """\
import tapelab as tf
def area(r):
    if r > 4: raise ValueError("too large")
    return 3.0 * r * r
tf.what_if(area, r=(0, 5, 1))"""
MOVE = """(slider, value) => {
  slider.value = value;
  slider.dispatchEvent(new Event('input', { bubbles: true }));
}"""


def live(notebook, cell=0):
    """The Explorer of the widget, which stands in the output itself and in no frame."""
    return Explorer.within(notebook.cells.nth(cell).locator(".jp-OutputArea").first)


@pytest.fixture(scope="module", params=LAB_FIRST)
def shown(open_notebooks, request):
    notebook = open_notebooks(SURFACE, GROWING, app=request.param)
    notebook.run_all()
    explorer = live(notebook)
    expect(explorer.root.get_by_role("slider")).to_have_count(2)
    return notebook, explorer


def test_the_live_widget_takes_the_place_of_the_page(shown):
    notebook, explorer = shown
    first = notebook.cells.first
    expect(first.locator("iframe:visible")).to_have_count(0)
    expect(first.get_by_role("region", name="Tape explorer")).to_have_count(1)
    expect(explorer.root).to_contain_text("∂z/∂x = 3.0100")


def test_dragging_an_input_moves_numbers_plots_and_tape(shown):
    _, explorer = shown
    slider = explorer.root.get_by_role("slider").first
    slider.evaluate(MOVE, 1)
    expect(explorer.root).to_contain_text("∂z/∂x = 4.5403", timeout=5000)
    expect(explorer.timeline.get_by_role("button").first).to_contain_text("4.5403")
    expect(explorer.root.get_by_role("img", name="z along x: 4.8415 at 1.0000")).to_be_visible()
    explorer.button("Reset").click()
    expect(explorer.root).to_contain_text("∂z/∂x = 3.0100")
    assert slider.input_value() == "3"


def test_many_movements_end_at_the_last_one(shown):
    _, explorer = shown
    slider = explorer.root.get_by_role("slider").nth(1)
    for value in range(6):
        slider.evaluate(MOVE, value)
    expect(explorer.root).to_contain_text("∂z/∂x = 4.0100")
    explorer.button("Reset").click()


def test_a_key_moves_a_slider_and_not_the_step(shown):
    _, explorer = shown
    explorer.root.get_by_role("slider").first.focus()
    before = explorer.counter.inner_text()
    explorer.root.page.keyboard.press("ArrowRight")
    expect(explorer.root).not_to_contain_text("∂z/∂x = 3.0100")
    assert explorer.counter.inner_text() == before
    explorer.button("Reset").click()


def test_axe_finds_nothing_among_the_sliders(shown):
    _, explorer = shown
    found = violations_in_any_colours(explorer.root)
    # Which headings stand above an output is the front-end's: Notebook has its title alone.
    assert [each for each in found if not each.startswith("heading-order")] == []


def test_what_the_function_raises_stands_below_the_sliders(shown):
    explorer = live(shown[0], cell=1)
    explorer.root.scroll_into_view_if_needed()
    slider = explorer.root.get_by_role("slider")
    slider.evaluate(MOVE, 4.5)
    expect(explorer.root).to_contain_text("ValueError: too large")
    slider.evaluate(MOVE, 2)
    expect(explorer.root).to_contain_text("∂area/∂r = 12.0000")
    expect(explorer.root).not_to_contain_text("ValueError: too large")


def test_a_saved_notebook_keeps_a_page_whose_sliders_move_over_what_was_worked_out(shown, browser):
    outputs = shown[0].save()["cells"][0]["outputs"]
    kept = next(each["data"]["text/html"] for each in outputs if "text/html" in each["data"])
    page = browser.new_context(offline=True).new_page()
    console = Console(page)
    page.set_content("".join(kept))
    explorer = Explorer.in_frame(page.locator("body"))
    expect(explorer.root).to_contain_text("moments worked out beforehand")
    explorer.root.get_by_role("slider").first.evaluate(MOVE, 0)
    expect(explorer.timeline.get_by_role("button").first).to_contain_text("0.0000")
    assert console.complaints() == []
    page.context.close()
