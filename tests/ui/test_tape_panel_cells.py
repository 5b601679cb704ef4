"""The way between the Tape panel and the cells it tells of, in notebooks and in consoles."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import NEWEST_FIRST
from tests.ui.tape_panel import TapePanel, command, run_cell

IMPORT = "import tapelab as tf"
SQUARE = """\
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    square = x * x
tape.gradient(square, x)"""
NONE = """\
k = tf.constant(2.0)
with tf.GradientTape() as tape:
    other = tf.sin(x)
tape.gradient(other, k)"""
EMOJI = """\
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    "😀😀😀😀"; y = x * x; z = tf.sin(y)
tape.gradient(z, x)"""


@pytest.fixture
def two_cells(end, request):
    """Two cells have asked a tape of the same name, while the panel was there."""
    if end == "oldest":
        return two_cells_in(request.getfixturevalue("open_notebook"))
    notebook, panel = request.getfixturevalue("run_once")
    panel.show_live()
    return notebook, panel


@pytest.fixture(scope="module")
def run_once(open_notebooks):
    """The cells run once: what a test chose, or left open, is undone before the next."""
    return two_cells_in(open_notebooks)


def two_cells_in(open_one):
    """A notebook whose cells have run one after the other, and the panel beside it."""
    notebook = open_one(IMPORT, SQUARE, NONE, "1 + 1")
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    for number, watched in [(1, "x"), (2, "k")]:
        run_cell(notebook, number)
        expect(panel.root.locator(".norms code")).to_have_text([watched])
    return notebook, panel


@NEWEST_FIRST
def test_the_toolbar_of_a_cell_shows_the_tape_of_that_cell(two_cells):
    notebook, panel = two_cells
    for number, op, line in [(1, "×", "x * x"), (2, "sin", "tf.sin(x)")]:
        cell = notebook.cells.nth(number)
        cell.locator(".jp-InputPrompt").click()
        cell.locator("[data-jp-item-name='tapelab-show']").click()
        panel.explorer.show_the_tape()
        node = panel.explorer.graph.locator(".nd").filter(has_text=op).first
        node.click()
        expect(cell.locator(".tapelab-lit")).to_have_text(line)


def test_the_menu_of_a_cell_explains_the_gradient_of_that_cell(two_cells):
    notebook, panel = two_cells
    names = panel.explorer.root.locator(".nd")  # of the cut path, or of the graph
    for number, named in [(2, "other"), (1, "square")]:
        notebook.cells.nth(number).locator(".cm-line").first.click(button="right")
        notebook.page.locator(".lm-Menu-item", has_text="Explain this gradient").click()
        expect(names.filter(has_text=named)).to_have_count(1)


def test_a_cell_without_a_tape_says_what_to_do(two_cells):
    notebook, _ = two_cells
    cell = notebook.cells.nth(3)
    cell.locator(".jp-InputPrompt").click()
    cell.locator("[data-jp-item-name='tapelab-show']").click()
    toast = notebook.page.locator(".Toastify__toast")
    expect(toast).to_contain_text("No tape of this cell is kept. Run the cell again")


def test_characters_beyond_the_first_65536_do_not_shift_what_is_lit(open_notebook):
    notebook = open_notebook(IMPORT, EMOJI)
    panel = TapePanel.beside(notebook)
    notebook.run_all()
    panel.button("Show on the tape").click()
    panel.explorer.come_into_view()
    cell = notebook.cells.nth(1)
    panel.explorer.graph.locator(".nd").filter(has_text="sin").first.click()
    expect(cell.locator(".tapelab-lit")).to_have_text("tf.sin(y)")
    chosen = panel.explorer.graph.locator(".nd.s")
    cell.locator(".cm-line", has_text="y = x * x").click()
    for keys in ["Home", *["ArrowRight"] * len('"😀😀😀😀"; y = x *')]:
        notebook.page.keyboard.press(keys)
    expect(chosen).to_contain_text("×")
    notebook.page.keyboard.press("End")
    expect(chosen).to_contain_text("sin")


@NEWEST_FIRST
def test_a_console_is_followed_and_its_lines_light_nodes(open_notebook):
    notebook = open_notebook("1 + 1")
    page, panel = notebook.page, TapePanel.beside(notebook)
    notebook.wait_for_kernel()
    notebook.save()
    notebook.choose("File", "New Console for Notebook")
    console = page.locator(".jp-CodeConsole:visible")
    prompt = console.locator(".jp-CodeConsole-promptCell")
    for code in [IMPORT, SQUARE]:
        prompt.locator(".cm-content").click()
        page.keyboard.insert_text(code)
        expect(prompt).to_contain_text(code.splitlines()[-1])
        page.keyboard.press("Shift+Enter")
        expect(prompt.locator(".cm-content")).to_have_text("")
    expect(panel.status).to_have_text("Last run", timeout=20_000)
    expect(panel.root.locator(".norms code")).to_have_text(["x"])
    panel.button("Show on the tape").click()
    panel.explorer.come_into_view()
    ran = console.locator(".jp-CodeConsole-content .jp-CodeCell").last
    ran.locator(".cm-line", has_text="square = x * x").click()
    expect(panel.explorer.graph.locator(".nd.s")).to_contain_text("×")
    expect(ran.locator(".tapelab-lit")).to_have_text("x * x")


def test_what_the_caret_has_chosen_stays_where_the_panel_goes_back_to_live(two_cells):
    notebook, panel = two_cells
    command(notebook.page, "Show this tape")
    panel.explorer.show_the_tape()
    command(notebook.page, "Back to the live tape")
    notebook.cells.nth(2).locator(".cm-line", has_text="tf.sin").click()
    expect(notebook.panel.locator(".tapelab-lit")).to_have_count(0)
    expect(panel.status).to_have_text("Last run")
